/** Sums of usage per hour, day, month or year of the local calendar. */

import { type Row, rowEnd, rowStart } from "../series/series.ts";
import type { Calendar } from "../time/calendar.ts";
import { HOUR_MS, type Interval } from "../time/interval.ts";
import { amountReader, DEFAULT_COST_FIELD, type UsageOperation } from "./usage-amounts.ts";

export const usageUnits = ["hour", "day", "month", "year"] as const;
export type UsageUnit = (typeof usageUnits)[number];

/** Sum of a period. Unit: kWh for energy, the series' currency for costs and revenue. */
export interface UsagePeriod extends Interval {
  /** Null if no row of the period has a value. */
  readonly value: number | null;
  /** Hours of the rows with a value. */
  readonly hours: number;
  readonly estimate: boolean;
}

/** Operation, unit and range of the sums. */
export type UsageWanted = { readonly operation: UsageOperation; readonly unit: UsageUnit; readonly range: Interval };

/** The least known share of the hours of a period whose sum counts as that of the whole. */
export const MIN_KNOWN_SHARE = 0.97;

/** Returns the sum of the periods in an interval; null if too many hours are unknown: a part is not the whole. */
export function sumOfWhole(periods: readonly UsagePeriod[], { start, end }: Interval): number | null {
  const inside = periods.filter((period) => period.start >= start && period.start < end);
  const hours = inside.reduce((sum, period) => sum + period.hours, 0);
  if (hours * HOUR_MS < MIN_KNOWN_SHARE * (end - start)) return null;
  return inside.reduce((sum, { value }) => sum + (value ?? 0), 0);
}

/** Adds up hour rows. Shape: `days` ascending; the result has every unit that starts in `range`. */
export function usagePeriods(
  days: readonly (readonly Row[])[],
  { operation, unit, range }: UsageWanted,
  calendar: Calendar,
  costField: string = DEFAULT_COST_FIELD,
): UsagePeriod[] {
  const periods = calendar
    .intervals(unit, range)
    .filter(({ start }) => start >= range.start)
    .map((interval) => ({ ...interval, value: null as number | null, hours: 0, estimate: false }));
  let place = 0;
  for (const rows of days) {
    const amountOf = amountReader(rows, operation, costField);
    for (const row of rows) {
      const start = rowStart(row);
      const amount = amountOf(row);
      if (start === null || typeof amount !== "number" || start < range.start || start >= range.end) continue;
      while (place < periods.length - 1 && start >= (periods[place]?.end ?? 0)) place++;
      const period = periods[place];
      if (!period || start < period.start) continue;
      period.value = (period.value ?? 0) + amount;
      period.hours += ((rowEnd(row) ?? start) - start) / HOUR_MS;
      period.estimate ||= row.isEstimate === true;
    }
  }
  return periods;
}
