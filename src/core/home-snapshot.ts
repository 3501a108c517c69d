import type { Calendar } from "./calendar.ts";
import type { EpochMs } from "./interval.ts";
import {
  DEFAULT_THRESHOLDS,
  isCheap,
  type Level,
  type LevelThresholds,
  levelOf,
  percentileOf,
  REFERENCE_DAYS,
  rankOf,
} from "./level.ts";
import { meanPrice, type PricePoint, pointAt, pointsIn, type Timeline } from "./timeline.ts";

/** A home as everything that shows it knows it. */
export interface Home {
  /** A stable slug: it stands in topics and in Home Assistant's entity ids. */
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly addressId: string;
  readonly resolution: "hour" | "fifteenMinutes";
}

/** Least, most and mean of a day's prices. Unit: currency per kWh. */
export interface DayFigures {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
}

/** What is true of a home's prices at one moment. Everything that depends on the present price is null without one. */
export interface HomeSnapshot {
  readonly home: Home;
  readonly now: EpochMs;
  readonly currency: string | null;
  readonly vatIncluded: boolean | null;
  readonly current: PricePoint | null;
  readonly next: PricePoint | null;
  readonly level: Level | null;
  readonly rank: number | null;
  readonly rankOf: number | null;
  /** Share of today's prices below the present one. Unit: percent. */
  readonly percentile: number | null;
  readonly day: DayFigures | null;
  readonly cheap: boolean | null;
  readonly today: readonly PricePoint[];
  readonly tomorrow: readonly PricePoint[];
  readonly tomorrowValid: boolean;
  readonly forecast: readonly PricePoint[];
  /** The next moment at which a snapshot would say something else of itself, without new data. */
  readonly nextChangeAt: EpochMs;
}

/** What a home's prices say at `now`. Shape: the timeline begins at least `REFERENCE_DAYS` ago where that is known. */
export function homeSnapshot(
  home: Home,
  timeline: Timeline | null,
  now: EpochMs,
  calendar: Calendar,
  thresholds: LevelThresholds = DEFAULT_THRESHOLDS,
): HomeSnapshot {
  const points = timeline?.points ?? [];
  const today = calendar.day(now);
  const tomorrow = calendar.day(today.end);
  const confirmed = points.filter((point) => !point.estimate);
  const todayPoints = pointsIn(confirmed, today);
  const tomorrowPoints = pointsIn(confirmed, tomorrow);
  const current = pointAt(points, now);
  const reference =
    meanPrice(pointsIn(points, { start: calendar.add("day", today.start, -REFERENCE_DAYS), end: today.start })) ??
    meanPrice(todayPoints);
  const level = current && reference !== null ? levelOf(current.price, reference, thresholds) : null;
  const mean = meanPrice(todayPoints);
  const prices = todayPoints.map((point) => point.price);
  return {
    home,
    now,
    currency: timeline?.currency ?? null,
    vatIncluded: timeline?.vatIncluded ?? null,
    current,
    next: points.find((point) => point.start > now) ?? null,
    level,
    rank: current && todayPoints.length > 0 ? rankOf(current.price, todayPoints) : null,
    rankOf: current && todayPoints.length > 0 ? todayPoints.length : null,
    percentile: current ? percentileOf(current.price, todayPoints) : null,
    day: mean === null ? null : { min: Math.min(...prices), max: Math.max(...prices), mean },
    cheap: level ? isCheap(level) : null,
    today: todayPoints,
    tomorrow: tomorrowPoints,
    tomorrowValid: tilesDay(tomorrowPoints, tomorrow.start, tomorrow.end),
    forecast: points.filter((point) => point.estimate && point.end > now),
    nextChangeAt: Math.min(current?.end ?? points.find((point) => point.start > now)?.start ?? today.end, today.end),
  };
}

/** Whether points cover a day from end to end; a short answer is not yet tomorrow's prices. */
function tilesDay(points: readonly PricePoint[], start: EpochMs, end: EpochMs): boolean {
  let reached = start;
  for (const point of points) {
    if (point.start !== reached) return false;
    reached = point.end;
  }
  return reached === end && points.length > 0;
}
