import type { Calendar } from "../time/calendar.ts";
import type { EpochMs, Interval } from "../time/interval.ts";
import { type CheapestHours, cheapestHours } from "./cheapest.ts";
import {
  type Color,
  colorOf,
  countBelow,
  DEFAULT_THRESHOLDS,
  isCheap,
  type Level,
  type LevelThresholds,
  levelOf,
  percentileOf,
} from "./level.ts";
import { referenceOf } from "./price-comparison.ts";
import { indexAfter, meanPrice, type PricePoint, pointsIn, repeatsHours, type Timeline, tiled } from "./timeline.ts";

/** Formats that the attributes of an entity can carry. */
export const attributeFormats = ["nordpool", "energidataservice", "emhass", "predbat"] as const;
export type AttributeFormat = (typeof attributeFormats)[number];

/** A home as everything that shows it knows it. */
export interface Home {
  /** A stable slug: it stands in topics and in Home Assistant's entity ids. */
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly addressId: string;
  readonly resolution: "hour" | "fifteenMinutes";
  /** The format in which an entity of its own carries its prices as attributes; none where it is left out. */
  readonly format?: AttributeFormat;
}

/** Least, most and mean of some prices. Unit: currency per kWh. */
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
  /** The price that ended when the present one began. */
  readonly previous: PricePoint | null;
  /** The next price that is known; after a gap it begins later than the present one ends. */
  readonly next: PricePoint | null;
  readonly level: Level | null;
  readonly color: Color | null;
  /** 1 is the cheapest of today's confirmed prices; null while the present price is an estimate. */
  readonly rank: number | null;
  readonly rankOf: number | null;
  /** Share of today's confirmed prices below the present one. Unit: percent. */
  readonly percentile: number | null;
  /** Share of the last 30 days' prices below the present one. Unit: percent. */
  readonly percentile30Days: number | null;
  readonly day: DayFigures | null;
  /** The present interval and what of today comes after it. */
  readonly restOfDay: DayFigures | null;
  /** Among the confirmed prices from now on. Shape: by hours, ascending; lengths that fit nowhere are left out. */
  readonly cheapest: readonly CheapestHours[];
  /** Whether the level is cheap or better; false by an estimate, unless the thresholds take estimates. */
  readonly cheap: boolean | null;
  readonly today: readonly PricePoint[];
  readonly tomorrow: readonly PricePoint[];
  readonly tomorrowValid: boolean;
  /** Today's quarter-hours are hourly prices said four times. */
  readonly quartersRepeatHours: boolean;
  readonly tomorrowMean: number | null;
  /** When tomorrow's prices were first in storage; null while they are not. */
  readonly tomorrowPublishedAt: EpochMs | null;
  readonly forecast: readonly PricePoint[];
  /** Whether any price tells its variable charges. */
  readonly hasVariableCharges: boolean;
  /** The next moment at which a snapshot would say something else of itself, without new data. */
  readonly nextChangeAt: EpochMs;
}

/** What a snapshot is made from. Shape: the timeline begins at least `REFERENCE_DAYS` ago where that is known. */
export interface HomePrices {
  readonly home: Home;
  readonly timeline: Timeline | null;
  readonly now: EpochMs;
  readonly calendar: Calendar;
  readonly thresholds?: LevelThresholds;
  /** The confirmed prices of the 30 days before today. */
  readonly last30Days?: readonly number[];
  /** When tomorrow's prices were first there, for a day that begins at `tomorrow`. */
  readonly publishedAt?: (tomorrow: EpochMs) => EpochMs;
}

/** What a home's prices say at `now`. */
export function homeSnapshot(given: HomePrices): HomeSnapshot {
  const { home, timeline, now, calendar } = given;
  const points = timeline?.points ?? [];
  const confirmed = points.slice(0, confirmedCount(points));
  const today = calendar.day(now);
  const tomorrow = calendar.day(today.end);
  const todayPoints = pointsIn(confirmed, today);
  const tomorrowPoints = pointsIn(confirmed, tomorrow);
  const around = pricesAround(points, now);
  const tomorrowValid = tiled(tomorrowPoints, tomorrow);
  return {
    home,
    now,
    currency: timeline?.currency ?? null,
    vatIncluded: timeline?.vatIncluded ?? null,
    ...around,
    ...comparison(given, around.current, points, todayPoints, today),
    day: figuresOf(todayPoints),
    restOfDay: figuresOf(todayPoints.filter((point) => point.end > now)),
    cheapest: cheapestHours(pointsIn(confirmed, { start: today.start, end: tomorrow.end }), now),
    today: todayPoints,
    tomorrow: tomorrowPoints,
    tomorrowValid,
    quartersRepeatHours: repeatsHours(todayPoints),
    tomorrowMean: tomorrowValid ? meanPrice(tomorrowPoints) : null,
    tomorrowPublishedAt: tomorrowValid ? (given.publishedAt?.(tomorrow.start) ?? null) : null,
    forecast: points.slice(confirmed.length).filter((point) => point.end > now),
    hasVariableCharges: points.some((point) => point.variableCharges !== undefined),
    nextChangeAt: Math.min(around.current?.end ?? around.next?.start ?? today.end, today.end),
  };
}

/** The confirmed points come first in a timeline. */
function confirmedCount(points: readonly PricePoint[]): number {
  const first = points.findIndex((point) => point.estimate);
  return first < 0 ? points.length : first;
}

/** A price is current only inside its own interval: after a gap there is none, however recent the last one is. */
function pricesAround(
  points: readonly PricePoint[],
  now: EpochMs,
): Pick<HomeSnapshot, "current" | "previous" | "next"> {
  const after = indexAfter(points, now);
  const last = points[after - 1];
  const next = points[after] ?? null;
  if (!last || last.end <= now) return { current: null, previous: null, next };
  const before = points[after - 2];
  return { current: last, previous: before?.end === last.start ? before : null, next };
}

type Comparison = Pick<
  HomeSnapshot,
  "level" | "color" | "cheap" | "rank" | "rankOf" | "percentile" | "percentile30Days"
>;

/** How the present price compares with today's, with the last three days and with the last thirty. */
function comparison(
  { calendar, thresholds = DEFAULT_THRESHOLDS, last30Days }: HomePrices,
  current: PricePoint | null,
  points: readonly PricePoint[],
  todayPoints: readonly PricePoint[],
  today: Interval,
): Comparison {
  const none = { level: null, color: null, cheap: null, rank: null, rankOf: null, percentile: null };
  if (!current) return { ...none, percentile30Days: null };
  const reference = referenceOf(points, today, calendar);
  const level = reference === null ? null : levelOf(current.price, reference, thresholds);
  const todayPrices = todayPoints.map(({ price }) => price);
  const ranked = !current.estimate && todayPoints.length > 0;
  return {
    level,
    color: level && colorOf(level),
    cheap: level && isCheap(level) && (!current.estimate || thresholds.useForecast === true),
    rank: ranked ? 1 + countBelow(current.price, todayPrices) : null,
    rankOf: ranked ? todayPoints.length : null,
    percentile: ranked ? percentileOf(current.price, todayPrices) : null,
    percentile30Days: last30Days ? percentileOf(current.price, last30Days) : null,
  };
}

function figuresOf(points: readonly PricePoint[]): DayFigures | null {
  const mean = meanPrice(points);
  if (mean === null) return null;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const { price } of points) {
    min = Math.min(min, price);
    max = Math.max(max, price);
  }
  return { min, max, mean };
}
