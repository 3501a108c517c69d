/** How prices compare with those of their own day and of the days before. */
import type { Calendar } from "../time/calendar.ts";
import type { EpochMs, Interval } from "../time/interval.ts";
import {
  countBelow,
  DEFAULT_THRESHOLDS,
  type Level,
  type LevelThresholds,
  levelOf,
  percentileOf,
  REFERENCE_DAYS,
} from "./level.ts";
import { meanPrice, type PricePoint, pointsIn, tiled } from "./timeline.ts";

/** A price with what it is worth. */
export interface JudgedPoint extends PricePoint {
  /** Null where nothing is known that it could be compared with. */
  readonly level: Level | null;
  /** 1 is the cheapest of its day's prices; null for an estimate, and while some of its day are not known. */
  readonly rank: number | null;
  readonly rankOf: number | null;
  /** Share of its day's prices below it. Unit: percent; null where there is no rank. */
  readonly percentile: number | null;
}

/** The mean that a day's levels are taken of: of the days before it, else its own. Null without any price. */
export function referenceOf(points: readonly PricePoint[], day: Interval, calendar: Calendar): number | null {
  const before = { start: calendar.add("day", day.start, -REFERENCE_DAYS), end: day.start };
  return meanPrice(pointsIn(points, before)) ?? meanPrice(pointsIn(points, day));
}

/**
 * The points of `range`, each judged as it is when its own day comes.
 * Shape: as `points`, which begin `REFERENCE_DAYS` before the range where that is known; those that end at or before
 * the range or begin at or after its end are left out.
 */
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
  /** Null while some of the day's confirmed prices are not known: nothing can be the third of them. */
  readonly confirmed: readonly number[] | null;
}

function judgedDay(points: readonly PricePoint[], start: EpochMs, calendar: Calendar): JudgedDay {
  const day = calendar.day(start);
  const known = pointsIn(points, day);
  const confirmed = known.filter((point) => !point.estimate);
  const [first] = points;
  // Of a new place a few hours are known at first: too few to compare a day with.
  const isNew = first !== undefined && first.start > calendar.add("day", start, -1);
  const ownReference = tiled(known, day) ? meanPrice(known) : null;
  return {
    reference: isNew ? ownReference : referenceOf(points, day, calendar),
    confirmed: tiled(confirmed, day) ? confirmed.map(({ price }) => price) : null,
  };
}

function judged(point: PricePoint, { reference, confirmed }: JudgedDay, thresholds: LevelThresholds): JudgedPoint {
  const level = reference === null ? null : levelOf(point.price, reference, thresholds);
  if (point.estimate || !confirmed) return { ...point, level, rank: null, rankOf: null, percentile: null };
  return {
    ...point,
    level,
    rank: 1 + countBelow(point.price, confirmed),
    rankOf: confirmed.length,
    percentile: percentileOf(point.price, confirmed),
  };
}
