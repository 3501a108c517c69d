/** Days of real prices, and random numbers from a seed. */

import type { PricePoint } from "../../../src/core/prices/timeline.ts";
import { HOUR_MS } from "../../../src/core/time/interval.ts";
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
