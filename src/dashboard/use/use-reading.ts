/** Reads usage rows of a home through the mirror. Stepping back and forth sends no request, because answers are kept. */

import { meanPrice, type PricePoint, pricePoints } from "../../core/prices/timeline.ts";
import type { Row } from "../../core/series/series.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import type { EnergyAnswer, HomeAnswer } from "../store/answers.ts";
import { getOrLast } from "../store/requests.ts";
import { MEASURES, type Measure, type MeasureName, type UsageRange } from "./energy.ts";

/** Maximum range of a request for most operations of the service. */
export const MAX_DAYS = 366;
/** Maximum range of a request for quarter-hour prices. */
const MAX_QUARTER_DAYS = 90;
/** Accepts stale responses, because the daemon fetches new rows by its own schedule. */
const AS_KEPT = { "Cache-Control": "max-stale" };

export interface Usage {
  /** Shape: ascending. */
  readonly rows: readonly Row[];
  readonly currency: string | null;
}

/** The home whose rows are read, and the time of its last change. Unit: epoch ms of this device. */
export interface UseSource {
  readonly home: HomeAnswer;
  readonly calendar: Calendar;
  readonly since: number;
}

/**
 * Reads the hour rows that meters have reported. For the unit `year`, reads the service's own sums per year; for
 * money, one year per request.
 */
export async function readUsage(source: UseSource, name: MeasureName, range: UsageRange): Promise<Usage> {
  const { from, to: end, unit, until } = range;
  const measure: Measure = MEASURES[name];
  const isYears = unit === "year";
  const to = isYears ? end : until;
  if (from >= to) return { rows: [], currency: null };
  const starts = isYears && measure.money ? source.calendar.startsIn("year", { start: from, end: to }) : [from];
  const rows: Row[] = [];
  let currency: string | null = null;
  for (const [i, start] of starts.entries()) {
    const part = { from: start, to: starts[i + 1] ?? to };
    const answer = await read(source, measure.path, part, { aggregation: isYears ? "year" : "hour" });
    rows.push(...answer.data);
    currency ??= answer.currency ?? null;
  }
  return { rows, currency };
}

/** Returns the mean price of a range, read in parts of the maximum size; null without prices. */
export async function marketMean(source: UseSource, { from, to }: Range): Promise<number | null> {
  const { home, calendar } = source;
  const resolution = home.resolution ?? "hour";
  const days = resolution === "hour" ? MAX_DAYS : MAX_QUARTER_DAYS;
  const points: PricePoint[] = [];
  for (let start = from; start < to; start = calendar.add("day", start, days)) {
    const range = { from: start, to: Math.min(to, calendar.add("day", start, days)) };
    const { data } = await read(source, "prices", range, { resolution });
    points.push(...pricePoints(data, false));
  }
  return meanPrice(points);
}

type Range = { readonly from: number; readonly to: number };

function read({ home, since }: UseSource, operation: string, { from, to }: Range, rest: Record<string, string>) {
  const query = new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...rest });
  const path = `consumer/v1/me/addresses/${home.address_id}/${operation}?${query}`;
  return getOrLast<EnergyAnswer>(path, AS_KEPT, since);
}
