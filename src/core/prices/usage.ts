/** Consumption, costs, export and revenue of a home per day, month and year, computed from hour rows. */

import { type Row, rowStart } from "../series/series.ts";
import type { Calendar } from "../time/calendar.ts";
import { type EpochMs, HOUR_MS, type Interval } from "../time/interval.ts";
import { amountReader, DEFAULT_COST_FIELD, type UsageOperation } from "./usage-amounts.ts";

/** Amount of one local day. Unit: kWh for energy, the series' currency for costs and revenue. */
export type DayUsage = Readonly<ReturnType<typeof dayUsage>>;

/** Figures of one series. Unknown values are null, never zero. */
export type UsageFigures = Readonly<ReturnType<typeof usageFigures>>;

/** Figures of a home; null for a series that the service has never returned. */
export type HomeUsage = Readonly<Record<UsageOperation, UsageFigures | null>>;

export const NO_USAGE: HomeUsage = {
  consumption: null,
  consumptionCosts: null,
  solarExport: null,
  solarExportRevenue: null,
};

/** Maximum wait for the last day of an ended period: missing days are requested again for a week. */
const MAX_WAIT_DAYS = 7;

/** Returns the range that `usageFigures` needs: the reported year, and the month before the reported one. */
export function usageRange(now: EpochMs, calendar: Calendar): Interval {
  const today = calendar.day(now);
  const waitedFrom = calendar.add("day", today.start, -MAX_WAIT_DAYS);
  const year = calendar.startOf("year", waitedFrom);
  const previousMonth = calendar.add("month", calendar.startOf("month", waitedFrom), -1);
  return { start: Math.min(year, previousMonth), end: today.end };
}

/** Adds up the days of an hour series, one array of rows each. Days without any number are dropped. */
export function usageDays(
  days: readonly (readonly Row[])[],
  operation: UsageOperation,
  calendar: Calendar,
  costField: string = DEFAULT_COST_FIELD,
): DayUsage[] {
  return days.flatMap((rows) => dayOf(rows, operation, calendar, costField) ?? []);
}

function dayOf(
  rows: readonly Row[],
  operation: UsageOperation,
  calendar: Calendar,
  costField: string,
): DayUsage | null {
  const firstStart = rows[0] ? rowStart(rows[0]) : null;
  if (firstStart === null) return null;
  const amountOf = amountReader(rows, operation, costField);
  let value = 0;
  let hours = 0;
  for (const row of rows) {
    const amount = amountOf(row);
    if (typeof amount !== "number") continue;
    value += amount;
    hours++;
  }
  if (hours === 0) return null;
  return dayUsage({ start: firstStart, value, hours, estimate: rows.some((row) => row.isEstimate === true) }, calendar);
}

function dayUsage(
  { start, ...sum }: { readonly start: EpochMs; value: number; hours: number; estimate: boolean },
  calendar: Calendar,
) {
  const day = calendar.day(start);
  return {
    ...day,
    date: calendar.dateOf(start),
    /** Sum of the `hours` with a value, of which some may be marked as an `estimate`. */
    ...sum,
    /** True if every hour of the day has a value. */
    complete: sum.hours === (day.end - day.start) / HOUR_MS,
  };
}

/** Numbers of each day in `packDays`. */
const PACKED = 3;

/** Packs days into a tenth of the memory, because a year of them is cached for each series of each home. */
export function packDays(days: readonly DayUsage[]): Float64Array {
  return Float64Array.from(
    days.flatMap(({ start, value, hours, estimate }) => [start, value, estimate ? -hours : hours]),
  );
}

/** Returns the days that `packDays` packed. */
export function unpackDays(packed: Float64Array, calendar: Calendar): DayUsage[] {
  return Array.from({ length: packed.length / PACKED }, (_, i) => {
    const [start = 0, value = 0, signed = 0] = packed.subarray(i * PACKED, (i + 1) * PACKED);
    return dayUsage({ start, value, hours: Math.abs(signed), estimate: signed < 0 }, calendar);
  });
}

/** Returns the figures at `now`. Shape: `days` ascending, possibly with missing days. */
export function usageFigures(days: readonly DayUsage[], unit: string, now: EpochMs, calendar: Calendar) {
  const today = calendar.startOf("day", now);
  const yesterday = calendar.add("day", today, -1);
  const toDate = (each: PeriodUnit) => periodOf(days, periodAt(each, now, calendar), calendar);
  const month = reportedPeriod(days, "month", now, calendar);
  const year = reportedPeriod(days, "year", now, calendar);
  return {
    /** `kWh`, or a currency. */
    unit,
    yesterday: days.find((day) => day.start === yesterday) ?? null,
    lastCompleteDay: days.findLast((day) => day.complete && day.start < today) ?? null,
    monthToDate: toDate("month"),
    yearToDate: toDate("year"),
    /** Reported month: the current one once its first readings have arrived, until then the previous one. */
    month: periodOf(days, month, calendar),
    /** Month before the reported month. */
    previousMonth: periodOf(days, periodBefore("month", month, calendar), calendar),
    /** Reported year, by the same rule as the month. */
    year: periodOf(days, year, calendar),
  };
}

type PeriodUnit = "month" | "year";

function periodAt(unit: PeriodUnit, at: EpochMs, calendar: Calendar): Interval {
  const start = calendar.startOf(unit, at);
  return { start, end: calendar.add(unit, start, 1) };
}

function periodBefore(unit: PeriodUnit, { start }: Interval, calendar: Calendar): Interval {
  return { start: calendar.add(unit, start, -1), end: start };
}

/** Returns the period to report: the last one until its last day and the next one's first are known, at most a week. */
function reportedPeriod(days: readonly DayUsage[], unit: PeriodUnit, now: EpochMs, calendar: Calendar): Interval {
  const present = periodAt(unit, now, calendar);
  const before = periodBefore(unit, present, calendar);
  const isLate = now >= calendar.add("day", present.start, MAX_WAIT_DAYS);
  const lastBefore = days.findLast((day) => day.start < present.start);
  if (isLate || !lastBefore || lastBefore.start < before.start) return present;
  const hasBegun = days.some((day) => day.start >= present.start);
  return hasBegun && lastBefore.end === before.end ? present : before;
}

function periodOf(days: readonly DayUsage[], { start, end }: Interval, calendar: Calendar) {
  const known = days.filter((day) => day.start >= start && day.start < end);
  const last = known.at(-1);
  if (!last) return null;
  return {
    /** Start of the month or year, even if its first days are not known. */
    start,
    /** End of the last known day. */
    end: last.end,
    value: known.reduce((sum, day) => sum + day.value, 0),
    /** Number of known days, and of all days from `start` to `end`. */
    days: known.length,
    daysPassed: calendar.boundaries("day", { start, end: last.end }).length - 1,
    estimate: known.some((day) => day.estimate),
  };
}
