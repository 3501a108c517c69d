/** Days of real prices, and random numbers from a seed. */

import type { PricePoint } from "../../../src/core/prices/timeline.ts";
import { type EpochMs, HOUR_MS } from "../../../src/core/time/interval.ts";
import { calendar } from "../home/price-days.ts";
import { haveRealPrices, readRealPrices } from "./real-prices.ts";

/**
 * Returns the spot prices of thirteen months, first hourly, then quarter-hourly; an empty list if they are not
 * installed.
 */
export function realPoints(): PricePoint[] {
  if (!haveRealPrices) return [];
  return readRealPrices().map(({ start, end, spotPerKwh }) => ({ start, end, price: spotPerKwh, estimate: false }));
}

/** Removes one hour in nine, to simulate gaps in the service's data. `phase` shifts the gaps. */
export function withGaps(points: readonly PricePoint[], phase: number): PricePoint[] {
  return points.filter((point) => Math.floor(point.start / HOUR_MS + phase) % 9 !== 0);
}

/** Returns the starts of the local days that have prices for every plan's whole window, ascending. */
export function daysOfPrices(points: readonly PricePoint[]): EpochMs[] {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return [];
  const inner = { start: first.start + 48 * HOUR_MS, end: last.end - 72 * HOUR_MS };
  return calendar.boundaries("day", inner).slice(1);
}

/** Returns a Mulberry32 pseudorandom generator. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
