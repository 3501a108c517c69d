import { type EpochMs, HOUR_MS, type Interval } from "../time/interval.ts";
import { indexAfter, type PricePoint } from "./timeline.ts";

/** A stretch of time without a gap in its prices. Unit: `mean` in currency per kWh, weighted by time. */
export interface PriceWindow extends Interval {
  readonly mean: number;
}

/** The cheapest stretch of so many hours. */
export interface CheapestHours extends PriceWindow {
  readonly hours: number;
}

/** The lengths for which the cheapest stretch is told. Unit: hours. */
export const CHEAPEST_HOURS: readonly number[] = [1, 2, 3, 4];

/** Two windows whose means differ by less than this cost the same; sums of floating point differ by as much. */
const SAME_MEAN = 1e-9;

/**
 * The cheapest stretch of `lengthMs` that begins with an interval not over at `from`: the present one counts whole, so
 * the answer changes at edges only. Shape: `points` sorted, gaps allowed (no window spans one). Ties go to the
 * earliest. Errors: none; null where no window fits into the known prices.
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

/** The cheapest stretches from now on. Shape: by hours, ascending; lengths that fit nowhere are left out. */
export function cheapestHours(points: readonly PricePoint[], now: EpochMs): CheapestHours[] {
  return CHEAPEST_HOURS.flatMap((hours) => {
    const window = cheapestWindow(points, hours * HOUR_MS, now);
    return window ? [{ hours, ...window }] : [];
  });
}

/** The mean price of the stretch that begins with point `first`; null where a gap or the end comes before its end. */
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
