import type { PricePoint } from "./timeline.ts";

/** How a price compares with its recent past, cheapest first. */
export const levels = ["very_cheap", "cheap", "normal", "expensive", "very_expensive"] as const;
export type Level = (typeof levels)[number];

/** Upper bounds of the levels as ratios of the reference mean; what is above the last is very expensive. */
export interface LevelThresholds {
  readonly veryCheap: number;
  readonly cheap: number;
  readonly normal: number;
  readonly expensive: number;
}

export const DEFAULT_THRESHOLDS: LevelThresholds = { veryCheap: 0.6, cheap: 0.9, normal: 1.15, expensive: 1.4 };

/** The days behind a reference mean. */
export const REFERENCE_DAYS = 3;

/**
 * The smallest mean that ratios are taken of, in currency per kWh. Nearer to zero, and below it, a ratio says nothing:
 * at a mean of 0.001 a price of 0.002 would be "very expensive". The distance from the mean is then measured in parts
 * of this instead, so that the order of prices and levels always agree.
 */
export const LEAST_REFERENCE = 0.05;

/**
 * The level of a price against the mean of the last three days of the same series.
 * A negative price is always very cheap. With a mean below `LEAST_REFERENCE` (near zero or negative) the price is
 * compared by distance: mean + (ratio - 1) x `LEAST_REFERENCE` takes the place of ratio x mean.
 * Bounds: `veryCheap` and `cheap` include their bound, `normal` and `expensive` do not.
 */
export function levelOf(price: number, mean: number, thresholds: LevelThresholds = DEFAULT_THRESHOLDS): Level {
  if (price < 0) return "very_cheap";
  const bound = (ratio: number) => mean + (ratio - 1) * Math.max(mean, LEAST_REFERENCE);
  if (price <= bound(thresholds.veryCheap)) return "very_cheap";
  if (price <= bound(thresholds.cheap)) return "cheap";
  if (price < bound(thresholds.normal)) return "normal";
  if (price < bound(thresholds.expensive)) return "expensive";
  return "very_expensive";
}

/** Whether a level counts as cheap for the signal of a home without a plan. */
export function isCheap(level: Level): boolean {
  return level === "very_cheap" || level === "cheap";
}

/** Rank of a price among those of a day: 1 is the cheapest, equal prices share the better rank. */
export function rankOf(price: number, day: readonly PricePoint[]): number {
  return 1 + day.filter((point) => point.price < price).length;
}

/** Share of points that cost less, in percent: 0 for the cheapest, near 100 for the dearest. Null without points. */
export function percentileOf(price: number, points: readonly PricePoint[]): number | null {
  if (points.length === 0) return null;
  return Math.round((100 * points.filter((point) => point.price < price).length) / points.length);
}
