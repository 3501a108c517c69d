/** Comparison of prices with those of the same day and of the days before. */
import type { Calendar } from "../time/calendar.ts";
import type { EpochMs, Interval } from "../time/interval.ts";
import {
  countBelow,
  DEFAULT_THRESHOLDS,
  type LevelThresholds,
  levelOf,
  percentileOf,
  REFERENCE_DAYS,
} from "./level.ts";
import { meanPrice, type PricePoint, pointsIn, tiled } from "./timeline.ts";

/** Price with its level and rank. */
export type JudgedPoint = ReturnType<typeof judged>;

/** Returns the mean with which a day's prices are compared: of the days before, otherwise its own; or null. */
export function referenceOf(points: readonly PricePoint[], day: Interval, calendar: Calendar): number | null {
  return meanPrice(pointsIn(points, daysBefore(day.start, calendar))) ?? meanPrice(pointsIn(points, day));
}

/** Returns the days whose mean is the reference of a day. */
export function daysBefore(day: EpochMs, calendar: Calendar): Interval {
  return { start: calendar.add("day", day, -REFERENCE_DAYS), end: day };
}

/** Returns the points in `range`, judged. `points` must start `REFERENCE_DAYS` before it if those prices are known. */
export function judgedPoints(
  points: readonly PricePoint[],
  range: Interval,
  calendar: Calendar,
  thresholds: LevelThresholds = DEFAULT_THRESHOLDS,
): JudgedPoint[] {
  const inRange = points.filter((point) => point.end > range.start && point.start < range.end);
  const days = Map.groupBy(inRange, (point) => calendar.startOf("day", point.start));
  return [...days].flatMap(([start, ofDay]) => {
    const day = judgedDay(points, start, calendar);
    return ofDay.map((point) => judged(point, day, thresholds));
  });
}

interface JudgedDay {
  readonly reference: number | null;
  /** Null until all confirmed prices of the day are known, because a rank needs them all. */
  readonly confirmed: readonly number[] | null;
}

function judgedDay(points: readonly PricePoint[], start: EpochMs, calendar: Calendar): JudgedDay {
  const day = calendar.day(start);
  const known = pointsIn(points, day);
  const confirmed = known.filter((point) => !point.estimate);
  const [first] = points;
  // The history starts less than a day before: too few prices for a mean.
  const isNew = first !== undefined && first.start > calendar.add("day", start, -1);
  const ownReference = tiled(known, day) ? meanPrice(known) : null;
  return {
    reference: isNew ? ownReference : referenceOf(points, day, calendar),
    confirmed: tiled(confirmed, day) ? confirmed.map(({ price }) => price) : null,
  };
}

function judged(point: PricePoint, { reference, confirmed }: JudgedDay, thresholds: LevelThresholds) {
  const ranked = point.estimate ? null : confirmed;
  return {
    ...point,
    /** Null if there are no prices to compare with. */
    level: reference === null ? null : levelOf(point.price, reference, thresholds),
    /** 1 is the cheapest of the day; null for an estimate, and until all confirmed prices of the day are known. */
    rank: ranked && 1 + countBelow(point.price, ranked),
    rankOf: ranked?.length ?? null,
    /** Share of the day's prices below it. Unit: percent; null if there is no rank. */
    percentile: ranked && percentileOf(point.price, ranked),
  };
}
