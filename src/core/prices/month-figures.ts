/** The costs of a month, what they will be at its end, and its highest hours, for tariffs by capacity. */

import type { Calendar, LocalDate } from "../time/calendar.ts";
import { contains, DAY_MS, type EpochMs, HOUR_MS, type Interval } from "../time/interval.ts";
import { meanPrice, type PricePoint, pointsIn } from "./timeline.ts";
import type { HourUsage } from "./usage-amounts.ts";

/** Hour with the most energy of its day. `kw` is its mean power. */
export interface PeakHour {
  readonly start: EpochMs;
  readonly date: LocalDate;
  readonly kw: number;
}

export type MonthFigures = Readonly<ReturnType<typeof monthFigures>>;

/** What the figures are made of. Shape: ascending. */
export interface MonthData {
  /** Hours of the month and of `PROFILE_DAYS` before `now`. */
  readonly costs: readonly HourUsage[];
  readonly consumption: readonly HourUsage[];
  /** Prices of those hours, as far as they are known, and later ones with the forecast. */
  readonly prices: readonly PricePoint[];
  readonly calendar: Calendar;
}

/** Days before today from which the usual week is known: eight of each weekday. */
export const PROFILE_DAYS = 56;
/** Minimum known hours of the last weeks: one week. Fewer do not tell the weekdays. */
const MIN_PROFILE_HOURS = 7 * 24;
const MAX_PEAK_HOURS = 10;
const PEAK_DAYS = 3;

/** Returns the figures of a month. `now` separates the past, from which the usual week is known. */
export function monthFigures(data: MonthData, month: Interval, now: EpochMs) {
  const inMonth = (hours: readonly HourUsage[]) => hours.filter(({ start }) => contains(month, start));
  const costs = inMonth(data.costs);
  const last = costs.at(-1);
  return {
    ...month,
    /** Sum of the stored costs; null without any. Unit: the currency of the costs. */
    toDate: last ? sumOf(costs) : null,
    /** End of the last hour with costs. */
    knownUntil: last ? last.start + HOUR_MS : null,
    ...expectation(data, month, now),
    peaks: peaksOf(inMonth(data.consumption), data.calendar),
  };
}

/** Stored costs and energy, and expected ones for other hours; null if the last weeks are not known well enough. */
function expectation(
  data: MonthData,
  month: Interval,
  now: EpochMs,
): { readonly expected: number | null; readonly expectedKwh: number | null } {
  const { calendar, prices } = data;
  const from = calendar.startOf("day", now) - PROFILE_DAYS * DAY_MS;
  const recent = (hours: readonly HourUsage[]) => hours.filter(({ start }) => start >= from && start < now);
  const [costs, consumption] = [recent(data.costs), recent(data.consumption)];
  if (consumption.length < MIN_PROFILE_HOURS) return { expected: null, expectedKwh: null };
  const usualKwh = usualWeek(consumption, calendar);
  const usualCost = usualWeek(costs, calendar);
  const fee = feeOf(costs, consumption, prices);
  const known = { costs: byStart(data.costs), kwh: byStart(data.consumption) };
  let [expected, expectedKwh] = [0, 0];
  for (let start = month.start; start < month.end; start += HOUR_MS) {
    const kwh = known.kwh.get(start) ?? usualKwh(start);
    const price = priceOf(prices, start);
    expectedKwh += kwh;
    // Without a price or without fees, the cost is that of the usual week.
    expected += known.costs.get(start) ?? (price === null || fee === null ? usualCost(start) : kwh * price + fee);
  }
  return { expected: costs.length < MIN_PROFILE_HOURS ? null : expected, expectedKwh };
}

/** Returns the mean of each hour of the week; of all hours for one that is not known. */
function usualWeek(hours: readonly HourUsage[], calendar: Calendar): (at: EpochMs) => number {
  const slots = Map.groupBy(hours, ({ start }) => slotOf(start, calendar));
  const means = new Map([...slots].map(([slot, list]) => [slot, sumOf(list) / list.length]));
  const mean = hours.length > 0 ? sumOf(hours) / hours.length : 0;
  return (at) => means.get(slotOf(at, calendar)) ?? mean;
}

function slotOf(at: EpochMs, calendar: Calendar): number {
  const { year, month, day, hour } = calendar.fieldsOf(at);
  return (Math.round(Date.UTC(year, month - 1, day) / DAY_MS) % 7) * 24 + hour;
}

/** Returns the mean part of an hour's cost that does not depend on its energy; null if no hour has a known price. */
function feeOf(
  costs: readonly HourUsage[],
  consumption: readonly HourUsage[],
  prices: readonly PricePoint[],
): number | null {
  const kwhAt = byStart(consumption);
  const fees = costs.flatMap(({ start, value }) => {
    const [kwh, price] = [kwhAt.get(start), priceOf(prices, start)];
    return kwh === undefined || price === null ? [] : [value - kwh * price];
  });
  return fees.length > 0 ? fees.reduce((sum, fee) => sum + fee, 0) / fees.length : null;
}

function priceOf(prices: readonly PricePoint[], start: EpochMs): number | null {
  return meanPrice(pointsIn(prices, { start, end: start + HOUR_MS }));
}

/** Returns the highest hours; null without any. The power of an hour is its energy. */
function peaksOf(hours: readonly HourUsage[], calendar: Calendar) {
  const falling = hours
    .map(({ start, value }): PeakHour => ({ start, date: calendar.dateOf(start), kw: value }))
    .sort((a, b) => b.kw - a.kw || a.start - b.start);
  const dates = new Set<LocalDate>();
  const days = falling.filter(({ date }) => !dates.has(date) && dates.add(date)).slice(0, PEAK_DAYS);
  if (days.length === 0) return null;
  return {
    /** Shape: by power, descending. */
    hours: falling.slice(0, MAX_PEAK_HOURS),
    /** The highest hours of the three highest days. Shape: by power, descending. */
    days,
    /** Mean of `days`. Unit: kW. */
    mean: days.reduce((sum, { kw }) => sum + kw, 0) / days.length,
  };
}

function byStart(hours: readonly HourUsage[]): Map<EpochMs, number> {
  return new Map(hours.map(({ start, value }) => [start, value]));
}

function sumOf(hours: readonly HourUsage[]): number {
  return hours.reduce((sum, { value }) => sum + value, 0);
}
