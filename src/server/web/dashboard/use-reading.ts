/** Reads the rows behind the use of a home through the mirror, and keeps them: going back and forth requests nothing. */
import type { EnergyAnswer, Home } from "./answers.ts";
import { MEASURES, type Measure, type MeasureName, rowsOf, type UsageRow } from "./energy.ts";
import { get } from "./requests.ts";
import type { PeriodRange } from "./use-period.ts";
import type { Zone } from "./zone.ts";

/** The service answers no operation for more than this at once. */
export const MAX_DAYS = 366;
/** The same for prices by the quarter. */
const MAX_QUARTER_DAYS = 90;
const MAX_KEPT = 24;
/** What is kept is good enough: the daemon requests new rows by its own fetch schedule. */
const AS_KEPT = { "Cache-Control": "max-stale" };

export interface Usage {
  readonly rows: readonly UsageRow[];
  readonly currency: string | null;
}

export class UseReading {
  /** Answers by request. */
  readonly #kept = new Map<string, Promise<EnergyAnswer>>();

  /** Rows may have changed. */
  forget(): void {
    this.#kept.clear();
  }

  /**
   * Hours until the last midnight, which are in storage: a meter reports a day later. Years as the service adds them up,
   * amounts of money one year at a time.
   */
  async rows(
    home: Home,
    name: MeasureName,
    { from, to: end, unit }: PeriodRange,
    now: number,
    zone: Zone,
  ): Promise<Usage> {
    const measure: Measure = MEASURES[name];
    const isYears = unit === "year";
    const to = isYears ? end : Math.min(end, zone.startOf("day", now));
    if (from >= to) return { rows: [], currency: null };
    const starts = isYears && measure.money ? zone.starts("year", from, to) : [from];
    const rows: UsageRow[] = [];
    let currency: string | null = null;
    for (const [i, start] of starts.entries()) {
      const range = { from: start, to: starts[i + 1] ?? to };
      const answer = await this.#read(home, measure.path, range, { aggregation: isYears ? "year" : "hour" });
      rows.push(...rowsOf(measure, answer));
      currency ??= answer.currency ?? null;
    }
    return { rows, currency };
  }

  /** The mean of the prices of a stretch, read in parts that the service answers; null without any. */
  async marketMean(
    home: Home,
    { from, to }: { readonly from: number; readonly to: number },
    zone: Zone,
  ): Promise<number | null> {
    const resolution = home.resolution ?? "hour";
    const days = resolution === "hour" ? MAX_DAYS : MAX_QUARTER_DAYS;
    let sum = 0;
    let length = 0;
    for (let start = from; start < to; start = zone.shift("day", start, days)) {
      const range = { from: start, to: Math.min(to, zone.shift("day", start, days)) };
      const { data } = await this.#read(home, "prices", range, { resolution });
      for (const { start, end, totalPricePerKWh: price } of data) {
        if (typeof price !== "number") continue;
        const ms = Date.parse(end) - Date.parse(start);
        sum += price * ms;
        length += ms;
      }
    }
    return length > 0 ? sum / length : null;
  }

  async #read(
    home: Home,
    operation: string,
    { from, to }: { readonly from: number; readonly to: number },
    rest: Readonly<Record<string, string>>,
  ): Promise<EnergyAnswer> {
    const query = new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...rest });
    const path = `consumer/v1/me/addresses/${home.address_id}/${operation}?${query}`;
    const answer = this.#kept.get(path) ?? get<EnergyAnswer>(path, AS_KEPT);
    this.#kept.set(path, answer);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    try {
      return await answer;
    } catch (thrown) {
      this.#kept.delete(path);
      throw thrown;
    }
  }
}
