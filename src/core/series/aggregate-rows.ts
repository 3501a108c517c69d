/** Aggregates stored rows to a larger unit, for an answer while the service cannot be reached. */
import type { Calendar, CalendarUnit } from "../time/calendar.ts";
import { type EpochMs, formatInstant, type Interval } from "../time/interval.ts";
import { type Row, rowsWithin, tiles } from "./series.ts";

/** Decimals of a sum; the service sends at most six. */
const SCALE = 1e6;

export interface AggregateOptions {
  readonly calendar: Calendar;
  /** Returns the end of what can be known of an interval; its start by default. */
  readonly knownUntil?: (interval: Interval) => EpochMs;
}

/**
 * Returns one row for each interval that the rows cover completely, or up to `knownUntil`: sums of amounts, the mean of a price. Shape: `rows` ascending, of the unit `of`; the result in the order of
 * `intervals`. A price per kWh of used energy is null, because it depends on the service's rules. Other fields are left
 * out.
 */
export function aggregateRows(
  rows: readonly Row[],
  of: CalendarUnit,
  intervals: readonly Interval[],
  { calendar, knownUntil = ({ start }) => start }: AggregateOptions,
): Row[] {
  return intervals.flatMap((interval) => {
    const inside = rowsWithin(rows, interval);
    if (tiles(inside, of, interval, calendar)) return aggregated(inside, interval);
    const known = rowsWithin(rows, { start: interval.start, end: knownUntil(interval) });
    return known.length > 0 ? aggregated(known, interval) : [];
  });
}

function aggregated(rows: readonly Row[], { start, end }: Interval): Row[] {
  const sums = ["energyKWh", "fixedFeesForInterval", "totalCost", "netRevenue"].flatMap((field) =>
    rows.some((row) => field in row) ? [[field, sumOf(rows, field)] as const] : [],
  );
  const isPrice = !sums.some(([field]) => field === "energyKWh");
  const hasPrice = rows.some((row) => "totalPricePerKWh" in row);
  const sum = isPrice ? sumOf(rows, "totalPricePerKWh") : null;
  return [
    {
      start: formatInstant(start),
      end: formatInstant(end),
      ...Object.fromEntries(sums),
      ...(hasPrice ? { totalPricePerKWh: sum === null ? null : rounded(sum / rows.length) } : {}),
      ...(rows.some((row) => "isEstimate" in row) ? { isEstimate: rows.some((row) => row.isEstimate === true) } : {}),
    },
  ];
}

/** Returns the sum of a field; null if it is unknown in any row. */
function sumOf(rows: readonly Row[], field: string): number | null {
  const values = rows.map((row) => row[field]);
  const numbers = values.filter((value) => typeof value === "number");
  return numbers.length === values.length ? rounded(numbers.reduce((sum, value) => sum + value, 0)) : null;
}

function rounded(value: number): number {
  return Math.round(value * SCALE) / SCALE;
}
