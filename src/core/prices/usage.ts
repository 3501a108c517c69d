/** What a home used, paid, sold and earned: figures of days, of the month and of the year, from hour rows. */

import { type Row, rowStart } from "../series/series.ts";
import type { Calendar, LocalDate } from "../time/calendar.ts";
import { type EpochMs, HOUR_MS, type Interval } from "../time/interval.ts";
import { amountReader, DEFAULT_COST_FIELD, type UsageOperation } from "./usage-amounts.ts";

/** What is known of one local day. Unit: kWh for energy, the series' currency for amounts. */
export interface DayUsage extends Interval {
  readonly date: LocalDate;
  readonly value: number;
  /** Hours with a value. */
  readonly hours: number;
  /** Whether every hour of the day has a value. */
  readonly complete: boolean;
  /** Whether an hour is marked as an estimate. */
  readonly estimate: boolean;
}

/** A sum from the start of a month or year over the days that are known. Unit: as the days'. */
export interface PeriodUsage {
  /** The start of the month or year, also where its first days are not known. */
  readonly start: EpochMs;
  /** The end of the last day that is known. */
  readonly end: EpochMs;
  readonly value: number;
  /** Days that are known, and days from `start` to `end`. */
  readonly days: number;
  readonly daysPassed: number;
  readonly estimate: boolean;
}

/** The figures of one series. Null is what is not known; it is never a zero. */
export interface UsageFigures {
  /** `kWh`, or a currency. */
  readonly unit: string;
  readonly yesterday: DayUsage | null;
  readonly lastCompleteDay: DayUsage | null;
  readonly monthToDate: PeriodUsage | null;
  readonly yearToDate: PeriodUsage | null;
  /** The month that is reported: the present one once its readings arrive, until then the one before it. */
  readonly month: PeriodUsage | null;
  /** The month before the reported one. */
  readonly previousMonth: PeriodUsage | null;
  /** The year that is reported, by the same rule as the month. */
  readonly year: PeriodUsage | null;
}

/** The figures of a home; a series that the service never answered has none. */
export type HomeUsage = Readonly<Record<UsageOperation, UsageFigures | null>>;

export const NO_USAGE: HomeUsage = {
  consumption: null,
  consumptionCosts: null,
  solarExport: null,
  solarExportRevenue: null,
};

/** A period that has ended waits this long for its last day: missing days are asked again for a week. */
const MAX_WAIT_DAYS = 7;

/** The days that `usageFigures` needs: of the year that may be reported, and of the month before the reported one. */
export function usageRange(now: EpochMs, calendar: Calendar): Interval {
  const today = calendar.day(now);
  const waitedFrom = calendar.add("day", today.start, -MAX_WAIT_DAYS);
  const year = calendar.startOf("year", waitedFrom);
  const previousMonth = calendar.add("month", calendar.startOf("month", waitedFrom), -1);
  return { start: Math.min(year, previousMonth), end: today.end };
}

/**
 * Adds up days of an hour series. Shape: the rows of one local day each; the answer is in their order. A row without a
 * number is left out, a day without any number is not known.
 */
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
  const day = calendar.day(firstStart);
  return {
    ...day,
    date: calendar.dateOf(day.start),
    value,
    hours,
    complete: hours === (day.end - day.start) / HOUR_MS,
    estimate: rows.some((row) => row.isEstimate === true),
  };
}

/** Numbers of each day in `packDays`. */
const PACKED = 3;

/** Days in a tenth of the memory: they are kept for each series of each home, a year of them at its end. */
export function packDays(days: readonly DayUsage[]): Float64Array {
  return Float64Array.from(
    days.flatMap(({ start, value, hours, estimate }) => [start, value, estimate ? -hours : hours]),
  );
}

/** The days that `packDays` was given. */
export function unpackDays(packed: Float64Array, calendar: Calendar): DayUsage[] {
  return Array.from({ length: packed.length / PACKED }, (_, i) => {
    const [start = 0, value = 0, signed = 0] = packed.subarray(i * PACKED, (i + 1) * PACKED);
    const hours = Math.abs(signed);
    const day = calendar.day(start);
    const complete = hours === (day.end - day.start) / HOUR_MS;
    return { ...day, date: calendar.dateOf(start), value, hours, complete, estimate: signed < 0 };
  });
}

/** The figures at `now`: they stay so all day. Shape: `days` ascending, sparse. */
export function usageFigures(days: readonly DayUsage[], unit: string, now: EpochMs, calendar: Calendar): UsageFigures {
  const today = calendar.startOf("day", now);
  const yesterday = calendar.add("day", today, -1);
  const toDate = (each: PeriodUnit) => periodOf(days, periodAt(each, now, calendar), calendar);
  const month = reportedPeriod(days, "month", now, calendar);
  const year = reportedPeriod(days, "year", now, calendar);
  return {
    unit,
    yesterday: days.find((day) => day.start === yesterday) ?? null,
    lastCompleteDay: days.findLast((day) => day.complete && day.start < today) ?? null,
    monthToDate: toDate("month"),
    yearToDate: toDate("year"),
    month: periodOf(days, month, calendar),
    previousMonth: periodOf(days, periodBefore("month", month, calendar), calendar),
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

/**
 * The month or year that is reported at `now`. Readings arrive a day late, so a period is reported until its last day
 * and the first readings of the next period are known, and for a week at most.
 */
function reportedPeriod(days: readonly DayUsage[], unit: PeriodUnit, now: EpochMs, calendar: Calendar): Interval {
  const present = periodAt(unit, now, calendar);
  const before = periodBefore(unit, present, calendar);
  const isLate = now >= calendar.add("day", present.start, MAX_WAIT_DAYS);
  const lastBefore = days.findLast((day) => day.start < present.start);
  if (isLate || !lastBefore || lastBefore.start < before.start) return present;
  const hasBegun = days.some((day) => day.start >= present.start);
  return hasBegun && lastBefore.end === before.end ? present : before;
}

function periodOf(days: readonly DayUsage[], { start, end }: Interval, calendar: Calendar): PeriodUsage | null {
  const known = days.filter((day) => day.start >= start && day.start < end);
  const last = known.at(-1);
  if (!last) return null;
  return {
    start,
    end: last.end,
    value: known.reduce((sum, day) => sum + day.value, 0),
    days: known.length,
    daysPassed: calendar.boundaries("day", { start, end: last.end }).length - 1,
    estimate: known.some((day) => day.estimate),
  };
}
