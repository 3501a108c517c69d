/** What a home used, paid, sold and earned: figures of days, of the month and of the year, from hour rows. */

import { type Row, rowStart } from "../series/series.ts";
import type { Calendar, LocalDate } from "../time/calendar.ts";
import { type EpochMs, HOUR_MS, type Interval } from "../time/interval.ts";

/** The series of use, by operation. */
export const usageOperations = ["consumption", "consumptionCosts", "solarExport", "solarExportRevenue"] as const;
export type UsageOperation = (typeof usageOperations)[number];

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
}

/** The figures of a home; a series that the service never answered has none. */
export type HomeUsage = Readonly<Record<UsageOperation, UsageFigures | null>>;

export const NO_USAGE: HomeUsage = {
  consumption: null,
  consumptionCosts: null,
  solarExport: null,
  solarExportRevenue: null,
};

/** What the service calls the amount of a row of costs is not documented; a configuration may name it. */
export const DEFAULT_COST_FIELD = "totalCost";

/** The amount of a row; null where a configuration may name it. */
const AMOUNT_FIELDS: Readonly<Record<UsageOperation, string | null>> = {
  consumption: "energyKWh",
  consumptionCosts: null,
  solarExport: "energyKWh",
  solarExportRevenue: "netRevenue",
};

/** Days before the present year that are read too, so that in January a last complete day is found. */
const LOOK_BACK_DAYS = 31;

/** The days that `usageFigures` needs. */
export function usageRange(now: EpochMs, calendar: Calendar): Interval {
  const today = calendar.day(now);
  const start = Math.min(calendar.startOf("year", now), calendar.add("day", today.start, -LOOK_BACK_DAYS));
  return { start, end: today.end };
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
  const field = AMOUNT_FIELDS[operation] ?? costField;
  const isNamed = AMOUNT_FIELDS[operation] !== null || rows.some((row) => field in row);
  const amountOf = isNamed ? (row: Row) => row[field] : amountByRate;
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

/**
 * Costs under an unknown name are still rate x energy + fees, as the rate is defined; null if a part is missing.
 * Source: service interface, 2.3.
 */
function amountByRate({ totalPricePerKWh: rate, energyKWh: energy, fixedFeesForInterval: fee }: Row): number | null {
  if (typeof energy !== "number" || typeof fee !== "number") return null;
  if (energy === 0) return fee;
  return typeof rate === "number" ? rate * energy + fee : null;
}

/** The figures at `now`. Shape: `days` ascending, sparse. */
export function usageFigures(days: readonly DayUsage[], unit: string, now: EpochMs, calendar: Calendar): UsageFigures {
  const today = calendar.startOf("day", now);
  const yesterday = calendar.add("day", today, -1);
  return {
    unit,
    yesterday: days.find((day) => day.start === yesterday) ?? null,
    lastCompleteDay: days.findLast((day) => day.complete && day.start < today) ?? null,
    monthToDate: periodOf(days, calendar.startOf("month", now), calendar),
    yearToDate: periodOf(days, calendar.startOf("year", now), calendar),
  };
}

function periodOf(days: readonly DayUsage[], start: EpochMs, calendar: Calendar): PeriodUsage | null {
  const known = days.filter((day) => day.start >= start);
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
