import type { Away } from "../planning/model/plan-spec.ts";
import type { Calendar } from "../time/calendar.ts";
import type { EpochMs, Interval } from "../time/interval.ts";
import { type CheapestWindow, cheapestHours } from "./cheapest.ts";
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
export type DayFigures = { readonly min: number; readonly max: number; readonly mean: number };

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
  const { range, confirmed, estimates, ranked, reference, ofDay } = dayPart(timeline, calendar.day(now), calendar);
  const around = pricesAround(points, now);
  let cheapest: readonly CheapestWindow[] | undefined;
  return {
    home,
    now,
    currency: timeline?.currency ?? null,
    vatIncluded: timeline?.vatIncluded ?? null,
    ...around,
    ...comparison(given, around.current, { ranked, reference }),
    /** Last jump of the charges within the last 30 days, today and tomorrow. */
    tariffChange: given.tariffChange ?? null,
    ...ofDay,
    /** Figures from the current interval to the end of the day. */
    restOfDay: figuresOf(ofDay.today.filter((point) => point.end > now)),
    /** Returns the cheapest windows of the confirmed prices from now on, by hours, ascending, without those that do not fit. */
    cheapest() {
      cheapest ??= cheapestHours(confirmed, now);
      return cheapest;
    },
    /** When tomorrow's prices were first stored; null until they are. */
    tomorrowPublishedAt: ofDay.tomorrowValid ? (given.publishedAt?.(range.end) ?? null) : null,
    /** The same array as long as all of it is ahead. */
    forecast: (estimates[0]?.end ?? now) > now ? estimates : estimates.filter((point) => point.end > now),
    /** Next time at which the snapshot changes without new data. */
    nextChangeAt: Math.min(around.current?.end ?? around.next?.start ?? range.end, range.end),
  };
}

type DayPart = Readonly<ReturnType<typeof readDay>>;

/** What a timeline says about its last day. New prices are a new timeline. */
const dayParts = new WeakMap<Timeline, DayPart>();

function dayPart(timeline: Timeline | null, range: Interval, calendar: Calendar): DayPart {
  const known = timeline && dayParts.get(timeline);
  if (known?.range.start === range.start && known.calendar === calendar) return known;
  const read = readDay(timeline?.points ?? [], range, calendar);
  if (timeline) dayParts.set(timeline, read);
  return read;
}

/** Returns what is the same during a day. */
function readDay(points: readonly PricePoint[], range: Interval, calendar: Calendar) {
  const firstEstimate = points.findIndex((point) => point.estimate);
  const all = firstEstimate < 0 ? points : points.slice(0, firstEstimate);
  const tomorrowRange = calendar.day(range.end);
  const [today, tomorrow] = [pointsIn(all, range), pointsIn(all, tomorrowRange)];
  const tomorrowValid = tiled(tomorrow, tomorrowRange);
  return {
    ...{ range, calendar },
    confirmed: pointsIn(all, { start: range.start, end: tomorrowRange.end }),
    estimates: points.slice(all.length),
    ranked: today.map(({ price }) => price),
    reference: referenceOf(points, range, calendar),
    ofDay: {
      day: figuresOf(today),
      today,
      /** Known confirmed prices of tomorrow; complete if `tomorrowValid`. */
      tomorrow,
      tomorrowValid,
      /** Prices by position in the day, null for a missing interval before the last known one. */
      byPosition: { today: byPosition(today, range), tomorrow: byPosition(tomorrow, tomorrowRange) },
      /** True if each of today's hourly prices is repeated for its four quarter-hours. */
      quartersRepeatHours: repeatsHours(today),
      tomorrowMean: tomorrowValid ? meanPrice(tomorrow) : null,
      /** True if at least one price states its variable charges. */
      hasVariableCharges: points.some((point) => point.variableCharges !== undefined),
    },
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
  { thresholds = DEFAULT_THRESHOLDS, last30Days }: HomePrices,
  current: PricePoint | null,
  day: Pick<DayPart, "ranked" | "reference">,
) {
  const { price = 0, estimate = true } = current ?? {};
  const level = current && day.reference !== null ? levelOf(price, day.reference, thresholds) : null;
  const ranked = estimate || day.ranked.length === 0 ? null : day.ranked;
  return {
    level,
    color: level && colorOf(level),
    /** True if the level is cheap or very cheap, and the price is confirmed. */
    cheap: level && isCheap(level) && !estimate,
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
