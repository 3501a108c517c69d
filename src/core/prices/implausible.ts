/** Prices that cannot be right, such as 1,840 per kWh, or a day in the hundredth of the currency. */
import type { EpochMs } from "../time/interval.ts";
import { median, type PricePoint } from "./timeline.ts";

/** Medians over days. Unit: currency per kWh. */
export interface UsualPrices {
  /** Of the highest price of each day. */
  readonly maximum: number;
  /** Of the median price of each day. */
  readonly median: number;
}

/** Days before today that prices are compared with, and how many of them have to be known. */
export const USUAL_DAYS = 60;
const MIN_USUAL_DAYS = 14;
/** A price above this many usual maxima is implausible. */
const MAX_TIMES = 20;
/** A day in another unit: its median and its maximum are this many times the usual ones, or this part of them. */
const DAY_TIMES = 50;

/** Returns what prices usually are; null if too few days are known. Shape: one list for each day. */
export function usualPrices(days: readonly (readonly PricePoint[])[]): UsualPrices | null {
  const known = days.map((points) => points.map(({ price }) => price)).filter((prices) => prices.length > 0);
  if (known.length < MIN_USUAL_DAYS) return null;
  const ofDays = (figure: (prices: number[]) => number | null) =>
    median(known.flatMap((prices) => figure(prices) ?? [])) ?? 0;
  return { maximum: ofDays((prices) => Math.max(...prices)), median: ofDays(median) };
}

/** Returns the implausible prices of a day by start. Zero and negative prices are plausible. */
export function implausiblePrices(day: readonly PricePoint[], usual: UsualPrices): Map<EpochMs, number> {
  const prices = day.map(({ price }) => price);
  // The median alone is as low on each windy day, whose evening is not.
  const times = [(median(prices) ?? 0) / usual.median, Math.max(...prices) / usual.maximum];
  const isDayWrong = times.every((n) => n >= DAY_TIMES) || times.every((n) => n > 0 && n * DAY_TIMES <= 1);
  const isWrong = ({ price }: PricePoint) => isDayWrong || (usual.maximum > 0 && price > MAX_TIMES * usual.maximum);
  return new Map(day.filter(isWrong).map(({ start, price }) => [start, price]));
}
