/** What is remembered of a statistic that was imported, so that only what changed is imported again. */

import * as z from "zod/mini";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import type { EpochMs } from "../../core/time/interval.ts";

export interface ImportedStatistic {
  /** The address whose readings these are. */
  readonly address: string;
  readonly unit: string;
  /** Hours before this are of another address, or in another currency: they are left as they are. */
  readonly from: EpochMs;
  /** Where the first month was imported from. */
  readonly begin: EpochMs;
  /** Shape: ascending. */
  readonly months: readonly ImportedMonth[];
}

export interface ImportedMonth {
  readonly start: EpochMs;
  /** Of the stored readings. */
  readonly digest: number;
  /** The running sum at the start and at the end. */
  readonly before: number;
  readonly after: number;
  /** The end of the last hour that was imported, in this month or before. */
  readonly until: EpochMs;
}

const month = { start: z.number(), digest: z.number(), before: z.number(), after: z.number(), until: z.number() };
const keptStatistic = z.object({
  ...{ address: z.string(), unit: z.string(), from: z.number(), begin: z.number() },
  months: z.array(z.object(month)),
});

/** The end of the last imported hour. */
export function importedUntil({ months, from }: ImportedStatistic): EpochMs {
  return months.at(-1)?.until ?? from;
}

/** The statistic with a month that is new, or in place of the one before. */
export function withMonth(imported: ImportedStatistic, begin: EpochMs, month: ImportedMonth): ImportedStatistic {
  const others = imported.months.filter(({ start }) => start !== month.start);
  return { ...imported, begin, months: [...others, month].sort((a, b) => a.start - b.start) };
}

/** Null if the statistic was never imported. */
export function readImported(memory: KeyValue, id: string): ImportedStatistic | null {
  return readJson(memory, nameOf(id), keptStatistic);
}

export function writeImported(memory: KeyValue, id: string, imported: ImportedStatistic): void {
  memory.write(nameOf(id), JSON.stringify(imported));
}

function nameOf(id: string): string {
  return `homeassistant/${id}`;
}
