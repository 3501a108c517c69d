/** How a price compares with its recent past, cheapest first. */
export const levels = ["very_cheap", "cheap", "normal", "expensive", "very_expensive"] as const;
export type Level = (typeof levels)[number];

/** A level as a light: the same three colours that the service suggests for its third-party prices. */
export const colors = ["green", "yellow", "red"] as const;
export type Color = (typeof colors)[number];

/** Upper bounds of the levels as ratios of the reference mean, ascending; what is above the last is very expensive. */
export interface LevelThresholds {
  readonly veryCheap: number;
  readonly cheap: number;
  readonly normal: number;
  readonly expensive: number;
  /** Whether an estimated price can be cheap; else only a confirmed one is. */
  readonly useForecast?: boolean;
}

/** A configuration's `levels`. */
interface LevelSettings extends Pick<LevelThresholds, "cheap" | "normal" | "expensive"> {
  readonly very_cheap: number;
  readonly use_forecast: boolean;
}

/** The thresholds of a configuration's `levels`. */
export function thresholdsOf({ very_cheap, use_forecast, ...levels }: LevelSettings): LevelThresholds {
  return { ...levels, veryCheap: very_cheap, useForecast: use_forecast };
}

export const DEFAULT_THRESHOLDS: LevelThresholds = { veryCheap: 0.6, cheap: 0.9, normal: 1.15, expensive: 1.4 };

/** The days behind a reference mean. */
export const REFERENCE_DAYS = 3;

/**
 * The smallest reference that ratios are taken of, in currency per kWh. Nearer to zero a ratio says nothing: at a mean
 * of 0.001 a price of 0.002 would be "very expensive", and below zero more expensive prices would have smaller ratios.
 */
export const MIN_REFERENCE = 0.05;

/**
 * The level of a price against the mean of the last three days of the same series.
 *
 * The price is compared with ratio x reference, where the reference is the mean, but at least `MIN_REFERENCE`. So:
 * - a more expensive price never has a cheaper level, whatever the mean is;
 * - with a mean of `MIN_REFERENCE` or more only the ratio counts, not the currency;
 * - with a mean near zero or negative, prices are judged as if the mean were `MIN_REFERENCE`: what costs next to
 *   nothing is very cheap, and an ordinary price after days of negative ones is very expensive;
 * - a negative price is very cheap, and so is zero, as long as the first threshold is not negative.
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

/** Whether a level counts as cheap for the signal of a home without a plan. */
export function isCheap(level: Level): boolean {
  return level === "very_cheap" || level === "cheap";
}

/** The colour of a level: green is cheap, red is expensive. */
export function colorOf(level: Level): Color {
  if (level === "normal") return "yellow";
  return isCheap(level) ? "green" : "red";
}

/** How many prices are below one: the cheapest has rank 1, equal prices share the better rank. */
export function countBelow(price: number, prices: readonly number[]): number {
  return prices.filter((other) => other < price).length;
}

/** Share of prices that are below one, in percent: 0 for the cheapest, near 100 for the dearest. Null without prices. */
export function percentileOf(price: number, prices: readonly number[]): number | null {
  return prices.length === 0 ? null : Math.round((100 * countBelow(price, prices)) / prices.length);
}
