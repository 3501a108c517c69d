/** Reads and caches usage rows of a home through the mirror, so that stepping back and forth sends no request. */

import { meanPrice, type PricePoint, pricePoints } from "../../core/prices/timeline.ts";
import type { Row } from "../../core/series/series.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import type { EnergyAnswer, HomeAnswer } from "../store/answers.ts";
import { get } from "../store/requests.ts";
import { MEASURES, type Measure, type MeasureName, type UsageRange } from "./energy.ts";

/** Maximum range of a request for most operations of the service. */
export const MAX_DAYS = 366;
/** Maximum range of a request for quarter-hour prices. */
const MAX_QUARTER_DAYS = 90;
const MAX_KEPT = 24;
/** Accepts stale responses, because the daemon fetches new rows by its own schedule. */
const AS_KEPT = { "Cache-Control": "max-stale" };

export interface Usage {
  /** Shape: ascending. */
  readonly rows: readonly Row[];
  readonly currency: string | null;
}

export class UseReading {
  /** Responses by path. Bounded by MAX_KEPT. */
  readonly #kept = new Map<string, Promise<EnergyAnswer>>();

  /** Drops all cached responses. */
  forget(): void {
    this.#kept.clear();
  }

  /**
   * Reads the hour rows that meters have reported. For the unit `year`, reads the service's own sums per year; for
   * money, one year per request.
   */
  async rows(
    home: HomeAnswer,
    name: MeasureName,
    { from, to: end, unit, until }: UsageRange,
    calendar: Calendar,
  ): Promise<Usage> {
    const measure: Measure = MEASURES[name];
    const isYears = unit === "year";
    const to = isYears ? end : until;
    if (from >= to) return { rows: [], currency: null };
    const starts = isYears && measure.money ? calendar.startsIn("year", { start: from, end: to }) : [from];
    const rows: Row[] = [];
    let currency: string | null = null;
    for (const [i, start] of starts.entries()) {
      const range = { from: start, to: starts[i + 1] ?? to };
      const answer = await this.#read(home, measure.path, range, { aggregation: isYears ? "year" : "hour" });
      rows.push(...answer.data);
      currency ??= answer.currency ?? null;
    }
    return { rows, currency };
  }

  /** Returns the mean price of a range, read in parts of the maximum size; null without prices. */
  async marketMean(
    home: HomeAnswer,
    { from, to }: { readonly from: number; readonly to: number },
    calendar: Calendar,
  ): Promise<number | null> {
    const resolution = home.resolution ?? "hour";
    const days = resolution === "hour" ? MAX_DAYS : MAX_QUARTER_DAYS;
    const points: PricePoint[] = [];
    for (let start = from; start < to; start = calendar.add("day", start, days)) {
      const range = { from: start, to: Math.min(to, calendar.add("day", start, days)) };
      const { data } = await this.#read(home, "prices", range, { resolution });
      points.push(...pricePoints(data, false));
    }
    return meanPrice(points);
  }

  async #read(
    home: HomeAnswer,
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
