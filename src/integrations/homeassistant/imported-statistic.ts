/** Record of an imported statistic, so that only changes are imported again. */

import * as z from "zod/mini";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import type { EpochMs } from "../../core/time/interval.ts";

export interface ImportedStatistic {
  /** Address of the readings. */
  readonly address: string;
  readonly unit: string;
  /** Earlier hours belong to another address or currency. They stay as they are. */
  readonly from: EpochMs;
  /** Start of the import in the first month. */
  readonly begin: EpochMs;
  /** Ascending. */
  readonly months: readonly ImportedMonth[];
}

export interface ImportedMonth {
  readonly start: EpochMs;
  /** Digest of the stored readings. */
  readonly digest: number;
  /** Running sum at the start and at the end of the month. */
  readonly before: number;
  readonly after: number;
  /** End of the last imported hour, in this month or before. */
  readonly until: EpochMs;
}

const month = { start: z.number(), digest: z.number(), before: z.number(), after: z.number(), until: z.number() };
const keptStatistic = z.object({
  ...{ address: z.string(), unit: z.string(), from: z.number(), begin: z.number() },
  months: z.array(z.object(month)),
});

/** Returns the end of the last imported hour. */
export function importedUntil({ months, from }: ImportedStatistic): EpochMs {
  return months.at(-1)?.until ?? from;
}

/** Returns the statistic with a new or replaced month. */
export function withMonth(imported: ImportedStatistic, begin: EpochMs, month: ImportedMonth): ImportedStatistic {
  const others = imported.months.filter(({ start }) => start !== month.start);
  return { ...imported, begin, months: [...others, month].sort((a, b) => a.start - b.start) };
}

/** Returns the record of a statistic; null if it was never imported. */
export function readImported(memory: KeyValue, id: string): ImportedStatistic | null {
  return readJson(memory, nameOf(id), keptStatistic);
}

export function writeImported(memory: KeyValue, id: string, imported: ImportedStatistic): void {
  memory.write(nameOf(id), JSON.stringify(imported));
}

function nameOf(id: string): string {
  return `homeassistant/${id}`;
}
