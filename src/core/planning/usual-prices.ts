/**
 * Estimates of prices that neither the service nor its forecast has yet: those of the same time on the days before, plus
 * as much as the last known prices are above theirs. So a windy night follows a windy evening.
 */
import { type PricePoint, pointAt, type Timeline } from "../prices/timeline.ts";
import type { Calendar } from "../time/calendar.ts";
import { DAY_MS, type EpochMs, HOUR_MS } from "../time/interval.ts";

/** Days of which the mean is expected: as many as a timeline has before today. */
const USUAL_DAYS = 3;
/** Longest estimate: the longest window of a plan. */
const MAX_AHEAD_MS = 7 * DAY_MS;
/** Last known prices that are compared with the days before. */
const COMPARED_MS = 2 * HOUR_MS;

/** Results by timeline, which is read again when prices change, and each day. */
const known = new WeakMap<Timeline, Timeline>();

/** Returns a timeline with an estimate for each time in the week after its last price. */
export function withUsualPrices(timeline: Timeline, calendar: Calendar): Timeline {
  const made = known.get(timeline) ?? { ...timeline, points: extended(timeline.points, calendar) };
  known.set(timeline, made);
  return made;
}

function extended(points: readonly PricePoint[], calendar: Calendar): readonly PricePoint[] {
  const last = points.at(-1);
  if (!last) return points;
  const all = [...points];
  const stepMs = last.end - last.start;
  const higher = meanOf(
    points.slice(-Math.ceil(COMPARED_MS / stepMs)).map(({ start, price }) => {
      return price - (usualAt(points, start, calendar) ?? price);
    }),
  );
  for (let start = last.end; start < last.end + MAX_AHEAD_MS; start += stepMs) {
    const price = usualAt(all, start, calendar);
    if (price === null) break;
    // Later days follow, as the mean of days that contain this one.
    const isNext = start < last.end + DAY_MS;
    all.push({ start, end: start + stepMs, price: price + (isNext ? higher : 0), estimate: true });
  }
  return all;
}

function usualAt(points: readonly PricePoint[], at: EpochMs, calendar: Calendar): number | null {
  const prices = Array.from({ length: USUAL_DAYS }, (_, i) => pointAt(points, calendar.shift(at, "day", -1 - i)));
  const found = prices.flatMap((point) => point?.price ?? []);
  return found.length > 0 ? meanOf(found) : null;
}

function meanOf(prices: readonly number[]): number {
  return prices.reduce((sum, price) => sum + price, 0) / prices.length;
}
