/** The costs of a month, what they will be at its end, and its highest hours, for tariffs by capacity. */

import type { Calendar, LocalDate } from "../time/calendar.ts";
import { DAY_MS, type EpochMs, HOUR_MS, type Interval } from "../time/interval.ts";

/** Hour with the most energy of its day. `kw` is its mean power. */
export type PeakHour = { readonly start: EpochMs; readonly date: LocalDate; readonly kw: number };

export type MonthFigures = Readonly<ReturnType<typeof monthFigures>>;

/** What the figures are made of: the hours of the month and of `PROFILE_DAYS` before `now`. */
export interface MonthData {
  /** Start of the first hour. */
  readonly start: EpochMs;
  /** Amounts of the hours from `start` to the end of the month; NaN if unknown. */
  readonly costs: Float64Array;
  readonly consumption: Float64Array;
  /** Returns the price of an hour, also of a forecast; NaN if unknown. */
  readonly priceAt: (start: EpochMs) => number;
  readonly calendar: Calendar;
}

/** Days before today from which the usual week is known: eight of each weekday. */
export const PROFILE_DAYS = 56;
/** Minimum known hours of the last weeks: one week. Fewer do not tell the weekdays. */
const WEEK_HOURS = 7 * 24;
const MIN_PROFILE_HOURS = WEEK_HOURS;
const MAX_PEAK_HOURS = 10;
const PEAK_DAYS = 3;

/** Returns the figures of a month. `now` separates the past, from which the usual week is known. */
export function monthFigures(data: MonthData, month: Interval, now: EpochMs) {
  const { start, costs, consumption } = data;
  const hours = hoursIn(data, month);
  const last = hours.findLast((i) => isKnown(costs, i));
  return {
    ...month,
    /** Sum of the stored costs; null without any. Unit: the currency of the costs. */
    toDate: last === undefined ? null : sumOf(costs, hours),
    /** End of the last hour with costs. */
    knownUntil: last === undefined ? null : start + (last + 1) * HOUR_MS,
    ...expectation(data, hours, now),
    peaks: peaksOf(
      data,
      hours.filter((i) => isKnown(consumption, i)),
    ),
  };
}

/** Returns the places of the hours of a range. */
function hoursIn({ start, costs }: MonthData, range: Interval): number[] {
  const from = Math.max(0, Math.ceil((range.start - start) / HOUR_MS));
  const to = Math.min(costs.length, Math.ceil((range.end - start) / HOUR_MS));
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}

function isKnown(values: Float64Array, hour: number): boolean {
  return !Number.isNaN(values[hour]);
}

function sumOf(values: Float64Array, hours: readonly number[]): number {
  return hours.reduce((sum, i) => sum + (values[i] || 0), 0);
}

/** Stored costs and energy, and expected ones for other hours; null if the last weeks are not known well enough. */
function expectation(
  data: MonthData,
  month: readonly number[],
  now: EpochMs,
): { readonly expected: number | null; readonly expectedKwh: number | null } {
  const { start, costs, consumption, calendar, priceAt } = data;
  const from = calendar.startOf("day", now) - PROFILE_DAYS * DAY_MS;
  const recent = hoursIn(data, { start: from, end: now });
  const [recentCosts, recentKwh] = [costs, consumption].map((each) => recent.filter((i) => isKnown(each, i)));
  if (!recentCosts || !recentKwh || recentKwh.length < MIN_PROFILE_HOURS) return { expected: null, expectedKwh: null };
  const usualKwh = usualWeek(data, consumption, recentKwh);
  const usualCost = usualWeek(data, costs, recentCosts);
  const fee = feeOf(data, recentCosts);
  let [expected, expectedKwh] = [0, 0];
  for (const i of month) {
    const kwh = isKnown(consumption, i) ? (consumption[i] ?? 0) : usualKwh(i);
    expectedKwh += kwh;
    const cost = costs[i] ?? Number.NaN;
    const atPrice = Number.isNaN(cost) ? kwh * priceAt(start + i * HOUR_MS) + fee : cost;
    // Without a price or without fees, the cost is that of the usual week.
    expected += Number.isNaN(atPrice) ? usualCost(i) : atPrice;
  }
  return { expected: recentCosts.length < MIN_PROFILE_HOURS ? null : expected, expectedKwh };
}

/** Returns the mean of each hour of the week; of all hours for one that is not known. */
function usualWeek(data: MonthData, values: Float64Array, hours: readonly number[]): (hour: number) => number {
  const [sums, counts] = [new Float64Array(WEEK_HOURS), new Float64Array(WEEK_HOURS)];
  for (const i of hours) {
    const slot = slotOf(data, i);
    sums[slot] = (sums[slot] ?? 0) + (values[i] ?? 0);
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  const mean = hours.length > 0 ? sumOf(values, hours) / hours.length : 0;
  return (hour) => {
    const slot = slotOf(data, hour);
    const count = counts[slot] ?? 0;
    return count > 0 ? (sums[slot] ?? 0) / count : mean;
  };
}

/** Returns the hour of the week, in local time. */
function slotOf({ start, calendar }: MonthData, place: number): number {
  const { year, month, day, hour } = calendar.fieldsOf(start + place * HOUR_MS);
  return (Math.round(Date.UTC(year, month - 1, day) / DAY_MS) % 7) * 24 + hour;
}

/** Returns the mean part of an hour's cost that does not depend on its energy; NaN if no hour has a known price. */
function feeOf({ start, costs, consumption, priceAt }: MonthData, hours: readonly number[]): number {
  const feeAt = (i: number) => (costs[i] ?? 0) - (consumption[i] ?? 0) * priceAt(start + i * HOUR_MS);
  const fees = hours.map(feeAt).filter((fee) => !Number.isNaN(fee));
  return fees.reduce((sum, fee) => sum + fee, 0) / fees.length;
}

/** Returns the highest hours; null without any. The power of an hour is its energy. */
function peaksOf({ start, consumption, calendar }: MonthData, hours: readonly number[]) {
  const kwOf = (hour: number) => consumption[hour] ?? 0;
  const peakOf = (hour: number): PeakHour => {
    const at = start + hour * HOUR_MS;
    return { start: at, date: calendar.dateOf(at), kw: kwOf(hour) };
  };
  const falling = hours.toSorted((a, b) => kwOf(b) - kwOf(a) || a - b);
  const days: PeakHour[] = [];
  for (const hour of falling) {
    const peak = peakOf(hour);
    if (!days.some(({ date }) => date === peak.date)) days.push(peak);
    if (days.length === PEAK_DAYS) break;
  }
  if (days.length === 0) return null;
  return {
    /** Shape: by power, descending. */
    hours: falling.slice(0, MAX_PEAK_HOURS).map(peakOf),
    /** The highest hours of the three highest days. Shape: by power, descending. */
    days,
    /** Mean of `days`. Unit: kW. */
    mean: days.reduce((sum, { kw }) => sum + kw, 0) / days.length,
  };
}
