/** Reads a home's prices and usage from storage and caches them per day. */

import { crc32 } from "node:zlib";
import * as z from "zod/mini";
import { invariant } from "../core/invariant.ts";
import { type Home, type HomeSnapshot, homeSnapshot } from "../core/prices/home-snapshot.ts";
import type { StatedPrice } from "../core/prices/implausible.ts";
import { DEFAULT_THRESHOLDS, type LevelThresholds, REFERENCE_DAYS } from "../core/prices/level.ts";
import { type MonthFigures, monthFigures, PROFILE_DAYS } from "../core/prices/month-figures.ts";
import { type TariffChange, tariffChanges } from "../core/prices/tariff-change.ts";
import { joinForecast, meanPrice, type PricePoint, pointsIn, type Timeline } from "../core/prices/timeline.ts";
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
import { type UsageOperation, usageHours, usageOperations } from "../core/prices/usage-amounts.ts";
import { type UsagePeriod, type UsageWanted, usagePeriods } from "../core/prices/usage-periods.ts";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import type { Envelope, SeriesKey } from "../core/series/series.ts";
import { keepingPromises } from "../core/status/kept-promise.ts";
import type { Problems } from "../core/status/problem.ts";
import type { Calendar } from "../core/time/calendar.ts";
import { contains, DAY_MS, type EpochMs, HOUR_MS, type Interval, overlaps } from "../core/time/interval.ts";
import type { DoubtfulPrices } from "./answers/doubtful-prices.ts";
import type { SeriesRepository } from "./series-repository.ts";

export interface HomeReaderDeps {
  readonly store: Pick<SeriesRepository["store"], "envelope" | "rows" | "latest" | "rowsByChunk" | "digests">;
  readonly calendar: Calendar;
  readonly memory: KeyValue;
  readonly doubtful: Pick<DoubtfulPrices, "of" | "pricesIn">;
  readonly thresholds?: LevelThresholds;
  /** Name of the amount in rows of costs. */
  readonly costField?: string | undefined;
}

/** Days of one month of usage. */
interface MonthDays {
  /** Digest of the chunks that the days were read from; null if one of them was damaged. */
  readonly digest: number | null;
  /** Result of `packDays`. */
  readonly days: Float64Array;
}

/** Months of one series of usage. Shape: by start, ascending. */
type Months = ReadonlyMap<EpochMs, MonthDays>;

interface SeriesDays {
  readonly unit: string;
  readonly months: Months;
}

/** The last 30 days. */
interface KnownMonth {
  readonly prices: Float64Array;
  /** Mean prices of the last `FEE_HOURS` before today; NaN if unknown. */
  readonly hourPrices: Float64Array;
  readonly tariffChange: TariffChange | null;
}

/** Amounts of the hours from `start`, and the digests of the days that they were read from. */
interface KnownHours {
  readonly start: EpochMs;
  readonly values: Float64Array;
  readonly digests: ReadonlyMap<EpochMs, number>;
}

/** A cached value, and the start of the day or range that it was made for. */
interface Made<Value> {
  readonly from: EpochMs;
  readonly value: Value;
}

/** Days of prices that the current price is compared with, in addition to today's. */
const COMPARED_DAYS = 30;
/** Hours of prices from which the fees in the costs are known: two weeks. */
const FEE_HOURS = 14 * 24;

/**
 * Reads a home from storage. Parsing a week of quarters, a month and a year is done once per change of the series and
 * per day; of the year, only changed months are read again.
 */
export class HomeReader {
  readonly #deps: HomeReaderDeps;
  /** Keyed by address; usage by address and operation. Bounded by the homes. */
  readonly #timelines = new Map<string, Made<Timeline | null>>();
  readonly #months = new Map<string, Made<KnownMonth>>();
  readonly #published = new Map<string, Made<EpochMs>>();
  readonly #figures = new Map<string, Made<MonthFigures | null>>();
  /** Hours of the current figures. */
  readonly #hours = new Map<string, KnownHours>();
  readonly #usageDays = new Map<string, Made<SeriesDays | null>>();
  /** Months of the last reading, also after a change. */
  readonly #usageMonths = new Map<string, Months>();
  readonly #usage = new Map<string, Made<UsageFigures | null>>();

  constructor(deps: HomeReaderDeps) {
    this.#deps = deps;
  }

  /** Drops the cached values that depend on a changed series. */
  changed({ operation, place, unit }: SeriesKey): void {
    if (operation === "prices" || operation === "forecastPrices") this.#timelines.delete(place);
    if (operation === "prices") this.#months.delete(place);
    if (!operation.startsWith("solar")) this.#figures.delete(place);
    if (unit === "hour") for (const made of [this.#usageDays, this.#usage]) made.delete(`${place} ${operation}`);
  }

  /** Drops the cached values of a home that was removed or is configured in another way now. */
  forget({ addressId }: Home): void {
    for (const made of [this.#timelines, this.#months, this.#published, this.#figures]) made.delete(addressId);
    for (const operation of usageOperations)
      for (const made of [this.#usageDays, this.#usageMonths, this.#usage, this.#hours])
        made.delete(`${addressId} ${operation}`);
  }

  snapshot(home: Home, now: EpochMs): HomeSnapshot {
    const known = this.#knownMonth(home, this.#deps.calendar.startOf("day", now));
    return homeSnapshot({
      ...this.#pricesAt(home, now),
      last30Days: known.prices,
      tariffChange: known.tariffChange,
      publishedAt: (tomorrow) =>
        madeOn(this.#published, home.addressId, tomorrow, () => this.#publishedAt(home, tomorrow, now)),
    });
  }

  /** Returns a snapshot for the first messages, without the figures that take reading and comparing a month of prices. */
  urgentSnapshot(home: Home, now: EpochMs): HomeSnapshot {
    return homeSnapshot(this.#pricesAt(home, now));
  }

  #pricesAt(home: Home, now: EpochMs) {
    const { calendar, thresholds = DEFAULT_THRESHOLDS } = this.#deps;
    return { home, now, calendar, thresholds, timeline: this.timeline(home, now) };
  }

  /** Returns a home's prices since `REFERENCE_DAYS` before today; null if none were ever received. */
  timeline(home: Home, now: EpochMs): Timeline | null {
    const day = this.#deps.calendar.startOf("day", now);
    return madeOn(this.#timelines, home.addressId, day, () => this.#readTimeline(home, day));
  }

  /** Returns a home's prices in a range, in the days before it that levels compare with, and after it. */
  pricesIn(home: Home, range: Interval, now: EpochMs): readonly PricePoint[] {
    const { calendar } = this.#deps;
    const known = this.timeline(home, now)?.points ?? [];
    const daysBefore = (at: EpochMs) => calendar.add("day", calendar.startOf("day", at), -REFERENCE_DAYS);
    const older = { start: daysBefore(range.start), end: Math.min(daysBefore(now), calendar.next("day", range.end)) };
    if (older.start >= older.end) return known;
    return [...this.#confirmedIn(home, older), ...known];
  }

  /** Returns the prices that cannot be right, which nothing else returns; estimates only where no price is stated. */
  doubtful(home: Home, now: EpochMs): readonly StatedPrice[] {
    const { doubtful } = this.#deps;
    const confirmed = doubtful.of(pricesOf(home));
    const stated = [confirmed, this.timeline(home, now)?.points ?? []];
    const isStated = (each: StatedPrice) => stated.some((points) => points.some((other) => overlaps(each, other)));
    return [...confirmed, ...doubtful.of(forecastOf(home)).filter((each) => !isStated(each))];
  }

  /** Returns the figures of the month of `at`; null if the service has never returned consumption. */
  month(home: Home, now: EpochMs, at: EpochMs = now): MonthFigures | null {
    const { store, calendar } = this.#deps;
    if (!store.envelope(usageOf(home, "consumption"))) return null;
    const month = { start: calendar.startOf("month", at), end: calendar.next("month", at) };
    const day = calendar.startOf("day", now);
    const isCurrent = month.start <= now && now < month.end;
    const isOver = month.end <= now;
    const start = isOver ? month.start : Math.min(month.start, day - PROFILE_DAYS * DAY_MS);
    const read = () => {
      const range = { start, end: month.end };
      return monthFigures(
        {
          start,
          costs: this.#hoursOf(home, "consumptionCosts", range, isCurrent),
          consumption: this.#hoursOf(home, "consumption", range, isCurrent),
          priceAt: isOver ? () => Number.NaN : this.#hourPrices(home, now, day),
          calendar,
        },
        month,
        day,
      );
    };
    return isCurrent ? madeOn(this.#figures, home.addressId, day, read) : read();
  }

  usage(home: Home, now: EpochMs): HomeUsage {
    const figures = usageOperations.map((operation) => [operation, this.#usageOf(home, operation, now)] as const);
    return { ...NO_USAGE, ...Object.fromEntries(figures) };
  }

  /** Returns the stored usage of a home, summed per period; null if the service has never returned it. */
  usageIn(home: Home, wanted: UsageWanted): { readonly unit: string; readonly periods: readonly UsagePeriod[] } | null {
    const { store, calendar, costField } = this.#deps;
    const series = usageOf(home, wanted.operation);
    const envelope = store.envelope(series);
    if (!envelope) return null;
    const days = store.rowsByChunk(series, wanted.range);
    return { unit: unitOf(envelope, wanted.operation), periods: usagePeriods(days, wanted, calendar, costField) };
  }

  #readTimeline(home: Home, day: EpochMs): Timeline | null {
    const { store, calendar } = this.#deps;
    const range = { start: calendar.add("day", day, -REFERENCE_DAYS), end: calendar.add("day", day, 2) };
    const confirmed = pricesOf(home);
    const estimated = forecastOf(home);
    const envelope = store.envelope(confirmed) ?? store.envelope(estimated);
    const currency = envelope?.currency;
    if (!envelope || typeof currency !== "string") return null;
    const forecast = this.#deps.doubtful.pricesIn(estimated, store.latest(estimated) ?? []);
    const points = joinForecast(this.#confirmedIn(home, range), forecast);
    const { vatIncluded } = envelope;
    return { points, currency, vatIncluded: typeof vatIncluded === "boolean" ? vatIncluded : null };
  }

  #confirmedIn(home: Home, range: Interval): readonly PricePoint[] {
    const { store, doubtful } = this.#deps;
    return doubtful.pricesIn(pricesOf(home), store.rows(pricesOf(home), range));
  }

  #knownMonth(home: Home, day: EpochMs): KnownMonth {
    return madeOn(this.#months, home.addressId, day, () => {
      const { calendar } = this.#deps;
      const range = { start: calendar.add("day", day, -COMPARED_DAYS), end: calendar.add("day", day, 2) };
      const points = this.#confirmedIn(home, range);
      const byHour = Map.groupBy(points, ({ start }) => Math.floor((start - day) / HOUR_MS));
      const feeHour = (_: unknown, i: number) => meanPrice(byHour.get(i - FEE_HOURS) ?? []) ?? Number.NaN;
      return {
        prices: Float64Array.from(points.filter(({ start }) => start < day).map(({ price }) => price)),
        hourPrices: Float64Array.from({ length: FEE_HOURS }, feeHour),
        tariffChange: tariffChanges(points, calendar).at(-1) ?? null,
      };
    });
  }

  /** Returns the amounts of the hours of a range; NaN if unknown. Only changed days are read, of a current month. */
  #hoursOf(home: Home, operation: UsageOperation, range: Interval, isCurrent: boolean): Float64Array {
    const { store, calendar, costField } = this.#deps;
    const series = usageOf(home, operation);
    const key = `${home.addressId} ${operation}`;
    const before = isCurrent ? this.#hours.get(key) : undefined;
    const known = before && before.start <= range.start ? before : undefined;
    const digests = store.digests(series, range);
    const values = new Float64Array((range.end - range.start) / HOUR_MS).fill(Number.NaN);
    const changed: EpochMs[] = [];
    for (const [day, digest] of digests) {
      const start = Math.max(day, range.start);
      if (known?.digests.get(day) !== digest) changed.push(day);
      else
        values.set(
          known.values.subarray(...[start, calendar.next("day", day)].map((at) => (at - known.start) / HOUR_MS)),
          (start - range.start) / HOUR_MS,
        );
    }
    const [first = range.end, last = range.end] = [changed[0], changed.at(-1)];
    const chunks = store.rowsByChunk(series, {
      start: first,
      end: last < range.end ? calendar.next("day", last) : last,
    });
    for (const { start, value } of chunks.flatMap((rows) => usageHours(rows, operation, costField)))
      if (start >= range.start) values[(start - range.start) / HOUR_MS] = value;
    // A damaged chunk is omitted, and gets the same digest when the service returns it again.
    const isWhole = chunks.length === [...digests.keys()].filter((day) => day >= first && day <= last).length;
    if (isCurrent) this.#hours.set(key, { start: range.start, values, digests: isWhole ? digests : new Map() });
    return values;
  }

  /** Returns a reader of the price of an hour: of the last `FEE_HOURS` and the timeline. */
  #hourPrices(home: Home, now: EpochMs, day: EpochMs): (start: EpochMs) => number {
    const { hourPrices } = this.#knownMonth(home, day);
    const points = this.timeline(home, now)?.points ?? [];
    return (start) =>
      start < day
        ? (hourPrices[(start - day) / HOUR_MS + hourPrices.length] ?? Number.NaN)
        : (meanPrice(pointsIn(points, { start, end: start + HOUR_MS })) ?? Number.NaN);
  }

  /** Reads the days again if their range starts elsewhere. Computes their sums once a day. */
  #usageOf(home: Home, operation: UsageOperation, now: EpochMs): UsageFigures | null {
    const { calendar } = this.#deps;
    const key = `${home.addressId} ${operation}`;
    return madeOn(this.#usage, key, calendar.startOf("day", now), () => {
      const range = usageRange(now, calendar);
      const known = madeOn(this.#usageDays, key, range.start, () => this.#readUsage(home, operation, range));
      if (!known) return null;
      const days = [...known.months.values()].flatMap((month) => unpackDays(month.days, calendar));
      return usageFigures(days, known.unit, now, calendar);
    });
  }

  /** Returns the days in `range`, read month by month. A month is read again only if its chunks changed. */
  #readUsage(home: Home, operation: UsageOperation, range: Interval): SeriesDays | null {
    const { store, calendar, costField } = this.#deps;
    const series = usageOf(home, operation);
    const envelope = store.envelope(series);
    if (!envelope) return null;
    const key = `${home.addressId} ${operation}`;
    const known = this.#usageMonths.get(key);
    const digests = [...store.digests(series, range)];
    const monthOf = ({ start, end }: Interval): MonthDays => {
      const month = { start, end: Math.min(end, range.end) };
      const inMonth = digests.filter(([chunk]) => contains(month, chunk));
      const digest = crc32(String(inMonth));
      const before = known?.get(start);
      if (before?.digest === digest) return before;
      const chunks = store.rowsByChunk(series, month);
      const days = packDays(usageDays(chunks, operation, calendar, costField));
      // A damaged chunk is omitted, and gets the same digest when the service returns it again.
      return { digest: chunks.length === inMonth.length ? digest : null, days };
    };
    const months = new Map(calendar.intervals("month", range).map((month) => [month.start, monthOf(month)]));
    this.#usageMonths.set(key, months);
    return { unit: unitOf(envelope, operation), months };
  }

  /** Returns when tomorrow's prices were first seen, also by an earlier run of the daemon. */
  #publishedAt({ addressId }: Home, tomorrow: EpochMs, now: EpochMs): EpochMs {
    const { memory } = this.#deps;
    const name = `published/${addressId}`;
    const known = readJson(memory, name, published);
    if (known?.day === tomorrow) return known.at;
    memory.write(name, JSON.stringify({ day: tomorrow, at: now } satisfies z.infer<typeof published>));
    return now;
  }
}

/** When the prices of the day that begins at `day` were first seen. */
const published = z.object({ day: z.number(), at: z.number() });

function pricesOf({ account, addressId, resolution }: Home): SeriesKey {
  return { account, place: addressId, operation: "prices", unit: resolution };
}

function forecastOf(home: Home): SeriesKey {
  return { ...pricesOf(home), operation: "forecastPrices", unit: "latest" };
}

function usageOf({ account, addressId }: Home, operation: UsageOperation): SeriesKey {
  return { account, place: addressId, operation, unit: "hour" };
}

/** Returns the unit of usage. Only amounts of money have a currency, whatever the envelope of energy says. */
function unitOf({ currency }: Envelope, operation: UsageOperation): string {
  const isMoney = operation === "consumptionCosts" || operation === "solarExportRevenue";
  return isMoney && typeof currency === "string" ? currency : "kWh";
}

/** Returns the cached value for the day or range that begins at `from`, or makes it. */
function madeOn<Value>(
  known: Pick<Map<string, Made<Value>>, "get"> & { set(key: string, made: Made<Value>): unknown },
  key: string,
  from: EpochMs,
  make: () => Value,
): Value {
  const found = known.get(key);
  if (found?.from === from) return found.value;
  const value = make();
  known.set(key, { from, value });
  return value;
}

/** What is needed to publish the prices of a home. */
export interface PublishedFrom {
  readonly homeReader: Pick<HomeReader, "snapshot">;
  readonly calendar: Calendar;
  readonly problems: Pick<Problems, "start">;
  readonly isTimeTrusted: (now: EpochMs) => boolean;
}

/** Returns the prices of a home as MQTT, API and metrics show them; none if the current one is of another interval. */
export function publishedSnapshot(
  { homeReader, calendar, problems, isTimeTrusted }: PublishedFrom,
  home: Home,
  now: EpochMs,
  snapshotOf = (of: Home, at: EpochMs): HomeSnapshot => homeReader.snapshot(of, at),
): HomeSnapshot {
  const run = () => {
    const snapshot = snapshotOf(home, now);
    const { current } = snapshot;
    invariant(current === null || contains(current, now), "a published price is of its own interval");
    return isTimeTrusted(now) ? snapshot : { ...snapshot, cheap: null };
  };
  const safe = () => homeSnapshot({ home, timeline: null, now, calendar });
  return keepingPromises(problems, { of: `home ${home.id}`, now, run, safe });
}
