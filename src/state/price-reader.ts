/** From what is in storage to what the house is told. */

import * as z from "zod/mini";
import { type Home, type HomeSnapshot, homeSnapshot } from "../core/prices/home-snapshot.ts";
import { DEFAULT_THRESHOLDS, type LevelThresholds, REFERENCE_DAYS } from "../core/prices/level.ts";
import { joinForecast, type PricePoint, pricePoints, type Timeline } from "../core/prices/timeline.ts";
import {
  type HomeUsage,
  NO_USAGE,
  packDays,
  type UsageFigures,
  unpackDays,
  usageDays,
  usageFigures,
  usageRange,
} from "../core/prices/usage.ts";
import { DEFAULT_COST_FIELD, type UsageOperation, usageOperations } from "../core/prices/usage-amounts.ts";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import type { SeriesKey } from "../core/series/series.ts";
import type { Calendar } from "../core/time/calendar.ts";
import type { EpochMs, Interval } from "../core/time/interval.ts";
import type { SeriesRepository } from "./series-repository.ts";

export interface HomeReaderDeps {
  readonly store: Pick<SeriesRepository["store"], "envelope" | "rows" | "latest" | "rowsByChunk">;
  readonly calendar: Calendar;
  readonly memory: KeyValue;
  readonly thresholds?: LevelThresholds;
  /** What the service calls the amount of a row of costs. */
  readonly costField?: string | undefined;
}

/** The days of one series of use. */
interface SeriesDays {
  readonly unit: string;
  /** What `packDays` made. */
  readonly days: Float64Array;
}

/** What was made from storage, and the start of the day or range it was made for. */
interface Made<Value> {
  readonly from: EpochMs;
  readonly value: Value;
}

/** Days of prices that the present one is compared with, next to today's. */
const COMPARED_DAYS = 30;

/**
 * Reads a home from storage. What is costly (parsing a week of quarters, reading a month, adding up a year) is done
 * once per change of its series and per day; an edge only looks into what was made.
 */
export class HomeReader {
  readonly #deps: HomeReaderDeps;
  /** By home, and for usage by home and operation. Bounded by the homes. */
  readonly #timelines = new Map<string, Made<Timeline | null>>();
  readonly #confirmed = new Map<string, Made<readonly PricePoint[]>>();
  readonly #months = new Map<string, Made<readonly number[]>>();
  readonly #usageDays = new Map<string, Made<SeriesDays | null>>();
  readonly #usage = new Map<string, Made<UsageFigures | null>>();

  constructor(deps: HomeReaderDeps) {
    this.#deps = deps;
  }

  /** Forgets what was made from a series that changed. */
  changed({ operation, place, unit }: SeriesKey): void {
    if (operation === "prices" || operation === "forecastPrices") this.#timelines.delete(place);
    if (operation === "prices") this.#months.delete(place);
    // A new forecast comes eight times a day, and takes no price away.
    if (operation === "prices") this.#confirmed.delete(place);
    if (unit === "hour") for (const made of [this.#usageDays, this.#usage]) made.delete(`${place} ${operation}`);
  }

  /** Forgets everything: a home may be read in another way from now on. */
  forget(): void {
    for (const made of [this.#timelines, this.#confirmed, this.#months, this.#usageDays, this.#usage]) made.clear();
  }

  snapshot(home: Home, now: EpochMs): HomeSnapshot {
    const day = this.#deps.calendar.startOf("day", now);
    return homeSnapshot({
      home,
      now,
      calendar: this.#deps.calendar,
      thresholds: this.#deps.thresholds ?? DEFAULT_THRESHOLDS,
      timeline: this.timeline(home, now),
      last30Days: madeOn(this.#months, home.addressId, day, () => this.#readMonth(home, day)),
      publishedAt: (tomorrow) => this.#publishedAt(home, tomorrow, now),
    });
  }

  /** A home's prices from `REFERENCE_DAYS` ago on; null where none were ever answered. */
  timeline(home: Home, now: EpochMs): Timeline | null {
    const day = this.#deps.calendar.startOf("day", now);
    return madeOn(this.#timelines, home.addressId, day, () => this.#readTimeline(home, day));
  }

  /** A home's prices of a range, of the days before it that levels are taken of, and of what is after it. */
  pricesIn(home: Home, range: Interval, now: EpochMs): readonly PricePoint[] {
    const { store, calendar } = this.#deps;
    const known = this.timeline(home, now)?.points ?? [];
    const daysBefore = (at: EpochMs) => calendar.add("day", calendar.startOf("day", at), -REFERENCE_DAYS);
    const older = { start: daysBefore(range.start), end: Math.min(daysBefore(now), calendar.next("day", range.end)) };
    if (older.start >= older.end) return known;
    return [...pricePoints(store.rows(pricesOf(home), older), false), ...known];
  }

  usage(home: Home, now: EpochMs): HomeUsage {
    const figures = usageOperations.map((operation) => [operation, this.#usageOf(home, operation, now)] as const);
    return { ...NO_USAGE, ...Object.fromEntries(figures) };
  }

  #readTimeline(home: Home, day: EpochMs): Timeline | null {
    const { store, calendar } = this.#deps;
    const range = { start: calendar.add("day", day, -REFERENCE_DAYS), end: calendar.add("day", day, 2) };
    const confirmed = pricesOf(home);
    const estimated: SeriesKey = { ...confirmed, operation: "forecastPrices", unit: "latest" };
    const envelope = store.envelope(confirmed) ?? store.envelope(estimated);
    const currency = envelope?.currency;
    if (!envelope || typeof currency !== "string") return null;
    const read = () => pricePoints(store.rows(confirmed, range), false);
    const points = joinForecast(
      madeOn(this.#confirmed, home.addressId, day, read),
      pricePoints(store.latest(estimated) ?? [], true),
    );
    return { points, currency, vatIncluded: envelope.vatIncluded === true };
  }

  #readMonth(home: Home, day: EpochMs): readonly number[] {
    const { store, calendar } = this.#deps;
    const range = { start: calendar.add("day", day, -COMPARED_DAYS), end: day };
    const prices = store.rows(pricesOf(home), range).map(({ totalPricePerKWh }) => totalPricePerKWh);
    return prices.filter((price) => typeof price === "number");
  }

  /** The days are read again when they begin elsewhere; their sums are made once a day. */
  #usageOf(home: Home, operation: UsageOperation, now: EpochMs): UsageFigures | null {
    const { calendar } = this.#deps;
    const key = `${home.addressId} ${operation}`;
    const read = () => this.#readUsage(home, operation, now);
    return madeOn(this.#usage, key, calendar.startOf("day", now), () => {
      const known = madeOn(this.#usageDays, key, usageRange(now, calendar).start, read);
      return known && usageFigures(unpackDays(known.days, calendar), known.unit, now, calendar);
    });
  }

  #readUsage(home: Home, operation: UsageOperation, now: EpochMs): SeriesDays | null {
    const { store, calendar, costField = DEFAULT_COST_FIELD } = this.#deps;
    const series: SeriesKey = { account: home.account, place: home.addressId, operation, unit: "hour" };
    const envelope = store.envelope(series);
    if (!envelope) return null;
    const days = usageDays(store.rowsByChunk(series, usageRange(now, calendar)), operation, calendar, costField);
    return { unit: typeof envelope.currency === "string" ? envelope.currency : "kWh", days: packDays(days) };
  }

  /** When tomorrow's prices were first seen, also by an earlier run of the daemon. */
  #publishedAt({ addressId }: Home, tomorrow: EpochMs, now: EpochMs): EpochMs {
    const { memory } = this.#deps;
    const name = `published/${addressId}`;
    const known = readJson(memory, name, published);
    if (known?.day === tomorrow) return known.at;
    memory.write(name, JSON.stringify({ day: tomorrow, at: now } satisfies z.infer<typeof published>));
    return now;
  }
}

/** When the prices of the day that begins at `day` were first there. */
const published = z.object({ day: z.number(), at: z.number() });

function pricesOf({ account, addressId, resolution }: Home): SeriesKey {
  return { account, place: addressId, operation: "prices", unit: resolution };
}

/** What was made for the day or range that begins at `from`, or is made now. */
function madeOn<Value>(known: Map<string, Made<Value>>, key: string, from: EpochMs, make: () => Value): Value {
  const found = known.get(key);
  if (found?.from === from) return found.value;
  const value = make();
  known.set(key, { from, value });
  return value;
}
