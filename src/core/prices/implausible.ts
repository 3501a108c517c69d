/** Prices that cannot be right, such as 1,840 per kWh, or a day in the hundredth of the currency. */
import type { Interval } from "../time/interval.ts";
import { median } from "./timeline.ts";

/** A price as it was stated. Unit: currency per kWh. */
export interface StatedPrice extends Interval {
  readonly price: number;
}

/** Prices of a day, or the medians of days. Unit: currency per kWh. */
export interface UsualPrices {
  readonly maximum: number;
  readonly median: number;
}

/** Days before today that prices are compared with, and how many of them have to be known. */
export const USUAL_DAYS = 60;
const MIN_USUAL_DAYS = 14;
/** A price above this many usual maxima is implausible. */
const MAX_TIMES = 20;
/** A day in another unit: its median and its maximum are this many times the usual ones, or this part of them. */
const DAY_TIMES = 50;

/** Returns the highest and the median price of a day; null without prices. */
export function pricesOfDay(day: readonly StatedPrice[]): UsualPrices | null {
  const prices = day.map(({ price }) => price);
  const middle = median(prices);
  return middle === null ? null : { maximum: Math.max(...prices), median: middle };
}

/** Returns what prices usually are; null if too few days are known. */
export function usualPrices(days: readonly UsualPrices[]): UsualPrices | null {
  if (days.length < MIN_USUAL_DAYS) return null;
  const medianOf = (key: keyof UsualPrices) => median(days.map(({ [key]: price }) => price)) ?? 0;
  return { maximum: medianOf("maximum"), median: medianOf("median") };
}

/**
 * Returns the implausible prices of a day. Zero and negative prices are plausible. `whole`: the prices of the whole day, if
 * `day` is only the rest of it, which may be a windy night.
 */
export function implausiblePrices(
  day: readonly StatedPrice[],
  usual: UsualPrices,
  whole: UsualPrices | null = pricesOfDay(day),
): readonly StatedPrice[] {
  const isDayWrong = [pricesOfDay(day), whole].every((prices) => prices && isOff(prices, usual));
  return day.filter(({ price }) => isDayWrong || (usual.maximum > 0 && price > MAX_TIMES * usual.maximum));
}

function isOff(prices: UsualPrices, usual: UsualPrices): boolean {
  // The median alone is as low on each windy day, whose evening is not.
  const times = [prices.median / usual.median, prices.maximum / usual.maximum];
  return times.every((n) => n >= DAY_TIMES) || times.every((n) => n > 0 && n * DAY_TIMES <= 1);
}
