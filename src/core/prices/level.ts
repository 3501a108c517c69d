/** Level of a price compared with the last days, cheapest first. */
export const levels = ["very_cheap", "cheap", "normal", "expensive", "very_expensive"] as const;
export type Level = (typeof levels)[number];

/** Colour of a level: the three colours that the service suggests for third-party prices. */
export const colors = ["green", "yellow", "red"] as const;
export type Color = (typeof colors)[number];

/** Upper bounds of the levels as ratios of the reference mean, ascending. Above the last is very expensive. */
export interface LevelThresholds {
  readonly veryCheap: number;
  readonly cheap: number;
  readonly normal: number;
  readonly expensive: number;
}

/** `levels` of the configuration. */
type LevelSettings = Omit<LevelThresholds, "veryCheap"> & { very_cheap: number };

/** Converts the configuration's `levels` to thresholds. */
export function thresholdsOf({ very_cheap, ...levels }: LevelSettings): LevelThresholds {
  return { ...levels, veryCheap: very_cheap };
}

export const DEFAULT_THRESHOLDS: LevelThresholds = { veryCheap: 0.6, cheap: 0.9, normal: 1.15, expensive: 1.4 };

/** Number of days in the reference mean. */
export const REFERENCE_DAYS = 3;

/** Minimum reference. Ratios near zero have no meaning; below, higher prices would have smaller ratios. */
export const MIN_REFERENCE = 0.05;

/**
 * Returns the level of a price compared with the mean of the last three days of the same series.
 *
 * The price is compared with ratio x reference. The reference is the mean, but at least `MIN_REFERENCE`. So:
 * - A higher price never has a cheaper level, whatever the mean is.
 * - With a mean of `MIN_REFERENCE` or more only the ratio counts, not the currency.
 * - With a mean near zero or negative, prices are compared with `MIN_REFERENCE`. A price near zero is very cheap. A
 *   usual price after days of negative prices is very expensive.
 * - Negative prices and zero are very cheap, as long as the first threshold is not negative.
 *
 * Bounds: `veryCheap` and `cheap` include their bound, `normal` and `expensive` do not.
 */
export function levelOf(price: number, mean: number, thresholds: LevelThresholds = DEFAULT_THRESHOLDS): Level {
  const reference = Math.max(mean, MIN_REFERENCE);
  if (price <= thresholds.veryCheap * reference) return "very_cheap";
  if (price <= thresholds.cheap * reference) return "cheap";
  if (price < thresholds.normal * reference) return "normal";
  if (price < thresholds.expensive * reference) return "expensive";
  return "very_expensive";
}

/** Returns true if the `cheap` signal of a home is ON at this level. */
export function isCheap(level: Level): boolean {
  return level === "very_cheap" || level === "cheap";
}

/** Returns the colour of a level: green is cheap, red is expensive. */
export function colorOf(level: Level): Color {
  if (level === "normal") return "yellow";
  return isCheap(level) ? "green" : "red";
}

type Prices = readonly number[] | Float64Array;

/** Counts the prices below one. The rank is this count plus 1, so equal prices share the better rank. */
export function countBelow(price: number, prices: Prices): number {
  let count = 0;
  for (const other of prices) if (other < price) count++;
  return count;
}

/** Returns the percentage of prices below one: 0 for the cheapest, near 100 for the highest; null without prices. */
export function percentileOf(price: number, prices: Prices): number | null {
  return prices.length === 0 ? null : Math.round((100 * countBelow(price, prices)) / prices.length);
}
