import { type EpochMs, HOUR_MS, type Interval } from "../time/interval.ts";
import { indexAfter, type PricePoint } from "./timeline.ts";

/** Time span without a gap in its prices. `mean` is weighted by time. Unit: currency per kWh. */
export interface PriceWindow extends Interval {
  readonly mean: number;
}

/** Cheapest window of a given number of hours. */
export interface CheapestWindow extends PriceWindow {
  readonly hours: number;
}

/** Lengths for which the cheapest window is published. Unit: hours. */
export const CHEAPEST_HOURS: readonly number[] = [1, 2, 3, 4];

/** Means closer than this are equal: floating-point sums differ by as much. */
const SAME_MEAN = 1e-9;

/**
 * Returns the cheapest window of `lengthMs` that starts with an interval ending after `from`. The current interval
 * counts whole, so the result changes only at interval boundaries. Equal means: the earliest window. Returns null if no
 * window fits into the known prices. Shape: `points` sorted, gaps allowed; no window spans a gap.
 */
export function cheapestWindow(points: readonly PricePoint[], lengthMs: number, from: EpochMs): PriceWindow | null {
  let best: PriceWindow | null = null;
  const present = indexAfter(points, from) - 1;
  const first = (points[present]?.end ?? Number.NEGATIVE_INFINITY) > from ? present : present + 1;
  for (let i = first; i < points.length; i++) {
    const mean = meanFrom(points, i, lengthMs);
    if (mean === null || (best && mean > best.mean - SAME_MEAN)) continue;
    const { start } = points[i] as PricePoint;
    best = { start, end: start + lengthMs, mean };
  }
  return best;
}

/** Returns the cheapest windows from now on. Shape: by hours, ascending; lengths that do not fit are omitted. */
export function cheapestHours(points: readonly PricePoint[], now: EpochMs): CheapestWindow[] {
  return CHEAPEST_HOURS.flatMap((hours) => {
    const window = cheapestWindow(points, hours * HOUR_MS, now);
    return window ? [{ hours, ...window }] : [];
  });
}

/** Returns the mean price of the window that starts with point `first`; null if a part of it is not known. */
function meanFrom(points: readonly PricePoint[], first: number, lengthMs: number): number | null {
  let at = (points[first] as PricePoint).start;
  const end = at + lengthMs;
  let sum = 0;
  for (let i = first; at < end; i++) {
    const point = points[i];
    if (point?.start !== at) return null;
    const until = Math.min(point.end, end);
    sum += point.price * (until - at);
    at = until;
  }
  return sum / lengthMs;
}
