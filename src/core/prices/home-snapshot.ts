import type { Away } from "../planning/model/plan-spec.ts";
import type { Calendar } from "../time/calendar.ts";
import type { EpochMs, Interval } from "../time/interval.ts";
import { type CheapestHours, cheapestHours } from "./cheapest.ts";
import type { ExportTerms } from "./export-price.ts";
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
import type { TariffChange } from "./tariff-change.ts";
import {
  byPosition,
  indexAfter,
  meanPrice,
  type PricePoint,
  pointsIn,
  repeatsHours,
  type Timeline,
  tiled,
} from "./timeline.ts";

/** Formats that can be the attributes of an entity. */
export const attributeFormats = ["nordpool", "energidataservice", "emhass", "predbat"] as const;
export type AttributeFormat = (typeof attributeFormats)[number];

/** Home, as all outputs identify it. */
export interface Home {
  /** Stable slug, used in topics and in Home Assistant's entity ids. */
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly addressId: string;
  readonly resolution: "hour" | "fifteenMinutes";
  /** Format of the prices in the attributes of a separate entity; absent if there is no such entity. */
  readonly format?: AttributeFormat;
  /** Terms of its export; absent for 25 % VAT and no deductions. */
  readonly exportTerms?: ExportTerms;
  /** Holiday of its plans, unless another one is set at run time. */
  readonly away?: Away;
}

/** Minimum, maximum and time-weighted mean of prices. Unit: currency per kWh. */
export interface DayFigures {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
}

/** State of a home's prices at one instant. Fields that depend on the current price are null without one. */
export interface HomeSnapshot {
  readonly home: Home;
  readonly now: EpochMs;
  readonly currency: string | null;
  readonly vatIncluded: boolean | null;
  readonly current: PricePoint | null;
  /** Price of the interval that ended when the current one started. */
  readonly previous: PricePoint | null;
  /** Next known price; after a gap it starts later than the current one ends. */
  readonly next: PricePoint | null;
  readonly level: Level | null;
  readonly color: Color | null;
  /** 1 is the cheapest of today's confirmed prices; null while the current price is an estimate. */
  readonly rank: number | null;
  readonly rankOf: number | null;
  /** Share of today's confirmed prices below the current price. Unit: percent. */
  readonly percentile: number | null;
  /** Share of the last 30 days' prices below the current price. Unit: percent. */
  readonly percentile30Days: number | null;
  /** Last jump of the charges within those 30 days, today and tomorrow. */
  readonly tariffChange: TariffChange | null;
  readonly day: DayFigures | null;
  /** Figures from the current interval to the end of the day. */
  readonly restOfDay: DayFigures | null;
  /**
   * Cheapest windows of the confirmed prices from now on. Shape: by hours, ascending; lengths that do not fit are
   * omitted.
   */
  readonly cheapest: readonly CheapestHours[];
  /** True if the level is cheap or very cheap. For an estimate only if the thresholds allow estimates. */
  readonly cheap: boolean | null;
  readonly today: readonly PricePoint[];
  /** Known confirmed prices of tomorrow; complete if `tomorrowValid`. */
  readonly tomorrow: readonly PricePoint[];
  readonly tomorrowValid: boolean;
  /** Prices of `today` and `tomorrow` by position in the day, null for a missing interval before the last known one. */
  readonly byPosition: { readonly today: readonly (number | null)[]; readonly tomorrow: readonly (number | null)[] };
  /** True if each of today's hourly prices is repeated for its four quarter-hours. */
  readonly quartersRepeatHours: boolean;
  readonly tomorrowMean: number | null;
  /** When tomorrow's prices were first stored; null until they are. */
  readonly tomorrowPublishedAt: EpochMs | null;
  readonly forecast: readonly PricePoint[];
  /** True if at least one price states its variable charges. */
  readonly hasVariableCharges: boolean;
  /** Next time at which the snapshot changes without new data. */
  readonly nextChangeAt: EpochMs;
}

/** Input of a snapshot. Shape: the timeline starts at least `REFERENCE_DAYS` ago if those prices are known. */
export interface HomePrices {
  readonly home: Home;
  readonly timeline: Timeline | null;
  readonly now: EpochMs;
  readonly calendar: Calendar;
  readonly thresholds?: LevelThresholds;
  /** Confirmed prices of the 30 days before today. */
  readonly last30Days?: readonly number[] | Float64Array;
  readonly tariffChange?: TariffChange | null;
  /** Returns when the prices of the day that starts at `tomorrow` were first stored. */
  readonly publishedAt?: (tomorrow: EpochMs) => EpochMs;
}

/** Returns the state of a home's prices at `now`. */
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
  const vatIncluded = timeline?.vatIncluded ?? null;
  return {
    home,
    now,
    currency: timeline?.currency ?? null,
    vatIncluded,
    ...around,
    ...comparison(given, around.current, points, { today, todayPoints }),
    tariffChange: given.tariffChange ?? null,
    day: figuresOf(todayPoints),
    restOfDay: figuresOf(todayPoints.filter((point) => point.end > now)),
    cheapest: cheapestHours(pointsIn(confirmed, { start: today.start, end: tomorrow.end }), now),
    today: todayPoints,
    tomorrow: tomorrowPoints,
    tomorrowValid,
    byPosition: { today: byPosition(todayPoints, today), tomorrow: byPosition(tomorrowPoints, tomorrow) },
    quartersRepeatHours: repeatsHours(todayPoints),
    tomorrowMean: tomorrowValid ? meanPrice(tomorrowPoints) : null,
    tomorrowPublishedAt: tomorrowValid ? (given.publishedAt?.(tomorrow.start) ?? null) : null,
    forecast: points.slice(confirmed.length).filter((point) => point.end > now),
    hasVariableCharges: points.some((point) => point.variableCharges !== undefined),
    nextChangeAt: Math.min(around.current?.end ?? around.next?.start ?? today.end, today.end),
  };
}

/** Returns the number of confirmed points, which precede the estimates. */
function confirmedCount(points: readonly PricePoint[]): number {
  const first = points.findIndex((point) => point.estimate);
  return first < 0 ? points.length : first;
}

/** Returns the current price and its neighbours. A price is current only inside its own interval, so a gap has none. */
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

/** Compares the current price with today's prices, the last three days and the last 30 days. */
function comparison(
  { calendar, thresholds = DEFAULT_THRESHOLDS, last30Days }: HomePrices,
  current: PricePoint | null,
  points: readonly PricePoint[],
  { today, todayPoints }: { readonly today: Interval; readonly todayPoints: readonly PricePoint[] },
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
