/**
 * Imports one series into a statistic, from the first changed month on, because every later sum changes with it. Writes
 * only rows that differ from Home Assistant's.
 */
import { setTimeout as pause } from "node:timers/promises";
import { crc32 } from "node:zlib";
import * as z from "zod/mini";
import type { Language } from "../../core/language/language.ts";
import { message, type TextKey, textIn } from "../../core/language/text.ts";
import type { Home } from "../../core/prices/home-snapshot.ts";
import { DEFAULT_COST_FIELD, type UsageOperation, usageHours } from "../../core/prices/usage-amounts.ts";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import type { SeriesKey } from "../../core/series/series.ts";
import { slugOf } from "../../core/text/slug.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import { type EpochMs, HOUR_MS, type Interval } from "../../core/time/interval.ts";
import type { SeriesRepository } from "../../state/series-repository.ts";
import { changedRows, rowsOf } from "./statistic-rows.ts";
import { SOURCE, type StatisticMetadata, type StatisticRow, type StatisticsApi } from "./statistics-api.ts";
import { HomeAssistantError } from "./websocket-client.ts";

export interface ImportDeps {
  readonly store: Pick<SeriesRepository["store"], "envelope" | "digests" | "rowsByChunk">;
  readonly calendar: Calendar;
  readonly memory: KeyValue;
  /** Language of the names of statistics. */
  readonly language: Language;
  /** Name of the amount in rows of costs. */
  readonly costField?: string | undefined;
}

/** Name of the series in the id of a statistic, and the text in its name. */
const SERIES_NAMES = {
  consumption: ["consumption", "series.consumption"],
  consumptionCosts: ["cost", "series.costs"],
  solarExport: ["export", "series.export"],
  solarExportRevenue: ["revenue", "series.revenue"],
} as const satisfies Readonly<Record<UsageOperation, readonly [id: string, name: TextKey]>>;

/** Record of an imported statistic, so that only changes are imported again. */
const importedStatistic = z.object({
  /** Address of the readings. */
  address: z.string(),
  unit: z.string(),
  /** Earlier hours belong to another address or currency. They stay as they are. */
  from: z.number(),
  /** Start of the import in the first month. */
  begin: z.number(),
  /** Ascending. */
  months: z.array(
    z.object({
      start: z.number(),
      /** Digest of the stored readings. */
      digest: z.number(),
      /** Running sum at the start and at the end of the month. */
      before: z.number(),
      after: z.number(),
      /** End of the last imported hour, in this month or before. */
      until: z.number(),
    }),
  ),
});
type ImportedStatistic = z.infer<typeof importedStatistic>;

/** Home Assistant answers an import before it stores it. During a backup it stores nothing for minutes. */
const CONFIRM = { tries: 100, everyMs: 100 };

/** Version of the conversion from readings to rows. A new one makes all statistics be compared once. */
const FORMAT = 1;

export class StatisticsImport {
  readonly #deps: ImportDeps;

  constructor(deps: ImportDeps) {
    this.#deps = deps;
  }

  /**
   * Imports the changes of one series. Returns the number of written rows. Rejects with a HomeAssistantError; the
   * months imported until then are remembered.
   */
  async run(api: StatisticsApi, home: Home, operation: UsageOperation, range: Interval): Promise<number> {
    const { store, memory } = this.#deps;
    const series: SeriesKey = { account: home.account, place: home.addressId, operation, unit: "hour" };
    const digests = store.digests(series, range);
    const [firstDay] = digests.keys();
    const envelope = store.envelope(series);
    if (firstDay === undefined || !envelope) return 0;
    const statistic = this.#statisticOf(home, operation, envelope.currency);
    const known = await this.#stillImported(api, statistic.id, home, statistic);
    const begin = Math.max(firstDay, known.from);
    const months = this.#monthsOf(digests, begin);
    const remembered = new Map(known.months.map((month) => [month.start, month]));
    let imported = known;
    let written = 0;
    let sum = await this.#sumAt(api, statistic.id, known, begin);
    let until = known.from;
    for (const { start, end, digest } of months) {
      let month = remembered.get(start);
      if (month?.digest !== digest || month.before !== sum) {
        const span = { start: Math.max(start, begin), end };
        const rows = rowsOf(this.#hoursIn(series, operation, span), sum);
        written += await writeRows(api, statistic, span, { rows, sum });
        const last = rows.at(-1);
        month = { start, digest, before: sum, after: last?.sum ?? sum, until: last ? last.start + HOUR_MS : until };
        const others = imported.months.filter((other) => other.start !== start);
        imported = { ...imported, begin, months: [...others, month].sort((a, b) => a.start - b.start) };
        memory.write(nameOf(statistic.id), JSON.stringify(imported));
      }
      sum = month.after;
      until = month.until;
    }
    return written;
  }

  /** Returns the statistic of a series. It has one unit, so another currency gets a statistic with its name. */
  #statisticOf(home: Home, operation: UsageOperation, currency: unknown): NewStatistic {
    const [series, text] = SERIES_NAMES[operation];
    const id = `${SOURCE}:${slugOf(home.id)}_${series}`;
    const name = `${home.name} ${textIn(this.#deps.language, message(text))}`;
    if (typeof currency !== "string") return { id, name, unit: "kWh", from: 0 };
    const first = readJson(this.#deps.memory, nameOf(id), importedStatistic);
    if (!first || first.unit === currency) return { id, name, unit: currency, from: 0 };
    const next = { id: `${id}_${slugOf(currency)}`, name: `${name} ${currency}`, unit: currency };
    return { ...next, from: importedUntil(first) };
  }

  /**
   * Returns the remembered import as far as Home Assistant still has it, as after a restored database. Another address
   * of the home continues the rows of the first.
   */
  async #stillImported(
    api: StatisticsApi,
    id: string,
    { addressId: address }: Home,
    { unit, from }: NewStatistic,
  ): Promise<ImportedStatistic> {
    const known = readJson(this.#deps.memory, nameOf(id), importedStatistic);
    if (!known) return { address, unit, from, begin: from, months: [] };
    const until = importedUntil(known);
    if (known.address !== address) return { address, unit, from: until, begin: until, months: [] };
    const sum = known.months.at(-1)?.after;
    if (until === known.from) return known;
    const [last] = await api.hours(id, { start: until - HOUR_MS, end: until });
    return last?.sum === sum ? known : { ...known, months: [] };
  }

  /** Returns the running sum where the import begins: the remembered one, otherwise that of Home Assistant. */
  #sumAt(api: StatisticsApi, id: string, known: ImportedStatistic, begin: EpochMs): number | Promise<number> {
    const [first] = known.months;
    return first && known.begin === begin ? first.before : api.sumBefore(id, begin);
  }

  /** Returns the calendar months from the first to the last stored day, without gaps. */
  #monthsOf(digests: ReadonlyMap<EpochMs, number>, begin: EpochMs): (Interval & { readonly digest: number })[] {
    const days = [...digests].filter(([start]) => this.#deps.calendar.next("day", start) > begin);
    const last = days.at(-1);
    if (!last) return [];
    const costField = this.#deps.costField ?? DEFAULT_COST_FIELD;
    return this.#deps.calendar.intervals("month", { start: begin, end: last[0] + HOUR_MS }).map((month) => {
      const within = days.filter(([start]) => start >= month.start && start < month.end);
      return { ...month, digest: crc32(JSON.stringify([FORMAT, costField, within])) };
    });
  }

  #hoursIn(series: SeriesKey, operation: UsageOperation, span: Interval) {
    return this.#deps.store
      .rowsByChunk(series, span)
      .flatMap((rows) => usageHours(rows, operation, this.#deps.costField))
      .filter(({ start }) => start >= span.start && start < span.end);
  }
}

/** Returns the end of the last imported hour. */
function importedUntil({ months, from }: ImportedStatistic): EpochMs {
  return months.at(-1)?.until ?? from;
}

function nameOf(id: string): string {
  return `homeassistant/${id}`;
}

interface NewStatistic extends StatisticMetadata {
  /** Hours before this are not imported. */
  readonly from: EpochMs;
}

/** Writes the rows that differ, and waits until Home Assistant has stored them. Returns the number of written rows. */
async function writeRows(
  api: StatisticsApi,
  statistic: StatisticMetadata,
  span: Interval,
  { rows, sum }: { readonly rows: readonly StatisticRow[]; readonly sum: number },
): Promise<number> {
  const missing = async () => changedRows(rows, await api.hours(statistic.id, span), sum);
  const changed = await missing();
  if (changed.length === 0) return 0;
  await api.import(statistic, changed);
  for (let tries = 0; tries < CONFIRM.tries; tries++) {
    if ((await missing()).length === 0) return changed.length;
    await pause(CONFIRM.everyMs);
  }
  throw new HomeAssistantError("unreachable", `it does not store ${statistic.id}`);
}
