import type { Away } from "../planning/model/plan-spec.ts";
import type { Calendar } from "../time/calendar.ts";
import type { EpochMs, Interval } from "../time/interval.ts";
import { cheapestHours } from "./cheapest.ts";
import type { ExportTerms } from "./export-price.ts";
import {
  colorOf,
  countBelow,
  DEFAULT_THRESHOLDS,
  isCheap,
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

/** State of a home's prices at one instant. Fields that depend on the current price are null without one. */
export type HomeSnapshot = Readonly<ReturnType<typeof homeSnapshot>>;

/** Returns the state of a home's prices at `now`. */
export function homeSnapshot(given: HomePrices) {
  const { home, timeline, now, calendar } = given;
  const points = timeline?.points ?? [];
  const firstEstimate = points.findIndex((point) => point.estimate);
  const confirmed = firstEstimate < 0 ? points : points.slice(0, firstEstimate);
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
    ...comparison(given, around.current, { today, todayPoints }),
    /** Last jump of the charges within the last 30 days, today and tomorrow. */
    tariffChange: given.tariffChange ?? null,
    day: figuresOf(todayPoints),
    /** Figures from the current interval to the end of the day. */
    restOfDay: figuresOf(todayPoints.filter((point) => point.end > now)),
    /** Cheapest windows of the confirmed prices from now on, by hours, ascending; those that do not fit are omitted. */
    cheapest: cheapestHours(pointsIn(confirmed, { start: today.start, end: tomorrow.end }), now),
    today: todayPoints,
    /** Known confirmed prices of tomorrow; complete if `tomorrowValid`. */
    tomorrow: tomorrowPoints,
    tomorrowValid,
    /** Prices by position in the day, null for a missing interval before the last known one. */
    byPosition: { today: byPosition(todayPoints, today), tomorrow: byPosition(tomorrowPoints, tomorrow) },
    /** True if each of today's hourly prices is repeated for its four quarter-hours. */
    quartersRepeatHours: repeatsHours(todayPoints),
    tomorrowMean: tomorrowValid ? meanPrice(tomorrowPoints) : null,
    /** When tomorrow's prices were first stored; null until they are. */
    tomorrowPublishedAt: tomorrowValid ? (given.publishedAt?.(tomorrow.start) ?? null) : null,
    forecast: points.slice(confirmed.length).filter((point) => point.end > now),
    /** True if at least one price states its variable charges. */
    hasVariableCharges: points.some((point) => point.variableCharges !== undefined),
    /** Next time at which the snapshot changes without new data. */
    nextChangeAt: Math.min(around.current?.end ?? around.next?.start ?? today.end, today.end),
  };
}

/** Returns the current price and its neighbours. A price is current only inside its own interval, so a gap has none. */
function pricesAround(points: readonly PricePoint[], now: EpochMs) {
  const after = indexAfter(points, now);
  const [before, last, next = null] = [points[after - 2], points[after - 1], points[after]];
  const current = last && now < last.end ? last : null;
  return {
    current,
    /** Price of the interval that ended when the current one started. */
    previous: before && before.end === current?.start ? before : null,
    /** Next known price; after a gap it starts later than the current one ends. */
    next,
  };
}

/** Compares the current price with today's prices, the last three days and the last 30 days. */
function comparison(
  { timeline, calendar, thresholds = DEFAULT_THRESHOLDS, last30Days }: HomePrices,
  current: PricePoint | null,
  { today, todayPoints }: { readonly today: Interval; readonly todayPoints: readonly PricePoint[] },
) {
  const { price = 0, estimate = true } = current ?? {};
  const reference = current && referenceOf(timeline?.points ?? [], today, calendar);
  const level = reference === null ? null : levelOf(price, reference, thresholds);
  const ranked = estimate || todayPoints.length === 0 ? null : todayPoints.map((point) => point.price);
  return {
    level,
    color: level && colorOf(level),
    /** True if the level is cheap or very cheap. For an estimate only if the thresholds allow estimates. */
    cheap: level && isCheap(level) && (!estimate || thresholds.useForecast === true),
    /** 1 is the cheapest of today's confirmed prices; null while the current price is an estimate. */
    rank: ranked && 1 + countBelow(price, ranked),
    rankOf: ranked?.length ?? null,
    /** Share of today's confirmed prices below the current price. Unit: percent. */
    percentile: ranked && percentileOf(price, ranked),
    /** Share of the last 30 days' prices below the current price. Unit: percent. */
    percentile30Days: current && last30Days ? percentileOf(price, last30Days) : null,
  };
}

function figuresOf(points: readonly PricePoint[]): DayFigures | null {
  const mean = meanPrice(points);
  const prices = points.map(({ price }) => price);
  return mean === null ? null : { min: Math.min(...prices), max: Math.max(...prices), mean };
}
