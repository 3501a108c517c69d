/** Reads prices, and remembers implausible ones: nothing acts on one before a second response, minutes later, states it too. */
import * as z from "zod/mini";
import type { AccountPoll, AddressPoll } from "../../core/fetching/fetch-types.ts";
import {
  implausiblePrices,
  pricesOfDay,
  type StatedPrice,
  USUAL_DAYS,
  usualPrices,
} from "../../core/prices/implausible.ts";
import { REFERENCE_DAYS } from "../../core/prices/level.ts";
import { type PlacePoint, placePoints } from "../../core/prices/place-snapshot.ts";
import { type PricePoint, pricePoints } from "../../core/prices/timeline.ts";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import { partsOfSeriesName, type Rows, type SeriesKey, seriesName } from "../../core/series/series.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import { contains, DAY_MS, type EpochMs, type Interval, MINUTE_MS } from "../../core/time/interval.ts";
import { operationOf } from "../../service/contract/operations.ts";
import { operationIdOf } from "../../service/contract/series-mapping.ts";

/** Minimum time between two responses that agree. */
const MIN_PAUSE_MS = 15 * MINUTE_MS;
/** How long a price is remembered after its start. */
const KEPT_MS = 8 * DAY_MS;
const NAME = "implausible_prices";

/** Readers of the rows of each kind of series; null if they have no prices. */
const READERS: Readonly<Record<AccountPoll | AddressPoll, ((rows: Rows) => readonly StatedPrice[]) | null>> = {
  prices: (rows) => pricePoints(rows, false),
  forecast: (rows) => pricePoints(rows, true),
  placePrices: placePoints,
  usage: null,
  addresses: null,
  addressSearch: null,
  daily: null,
  once: null,
};

const storedDoubts = z.record(
  z.string(),
  z.array(
    z.object({ start: z.number(), end: z.number(), price: z.number(), since: z.number(), isAgreed: z.boolean() }),
  ),
);
type Doubts = z.infer<typeof storedDoubts>[string];
/** Prices of a place, which the service does not return again. Shape: start, end, price; ascending. */
const storedPast = z.array(z.tuple([z.number(), z.number(), z.number()]));
/** Days with what their prices were. Shape: ascending. */
const storedDays = z.array(z.object({ day: z.number(), maximum: z.number(), median: z.number() }));

export class DoubtfulPrices {
  readonly #memory: KeyValue;
  readonly #calendar: Calendar;
  readonly #rows: (series: SeriesKey, range: Interval) => Rows;
  /** Implausible prices by the name of their series; null before the first use. */
  #doubts: Map<string, Readonly<Doubts>> | null = null;

  /** `rows` returns what is stored of a series. */
  constructor(memory: KeyValue, calendar: Calendar, rows: (series: SeriesKey, range: Interval) => Rows) {
    this.#memory = memory;
    this.#calendar = calendar;
    this.#rows = rows;
  }

  /** Returns the prices of a series that nothing may act on. Shape: ascending by start. */
  of(series: SeriesKey): readonly StatedPrice[] {
    const doubts = this.#read().get(seriesName(series)) ?? [];
    return doubts.filter(({ isAgreed }) => !isAgreed).sort((a, b) => a.start - b.start);
  }

  /** Returns the prices in stored rows of a home without those of `of`. */
  pricesIn(series: SeriesKey, rows: Rows): readonly PricePoint[] {
    return this.#trusted(series, pricePoints(rows, series.operation === "forecastPrices"));
  }

  /** Returns the prices in stored rows of a place without those of `of`, after those of the days since `since`. */
  placePricesIn(series: SeriesKey, rows: Rows, since: EpochMs): PlacePoint[] {
    const points = this.#trusted(series, placePoints(rows));
    const past = points[0] ? this.#pastOf(series, { start: since, end: points[0].start }) : [];
    const before = past.map(([start, end, price]) => ({ start, end, price, spot: price, charges: null, color: null }));
    return [...before, ...points];
  }

  #pastOf(series: SeriesKey, range: Interval): z.infer<typeof storedPast> {
    const past = readJson(this.#memory, pastName(series), storedPast) ?? [];
    return past.filter(([start]) => contains(range, start));
  }

  #trusted<Point extends StatedPrice>(series: SeriesKey, points: readonly Point[]): readonly Point[] {
    const doubtful = new Set(this.of(series).map(({ start }) => start));
    return doubtful.size === 0 ? points : points.filter(({ start }) => !doubtful.has(start));
  }

  /** Returns the series that have implausible prices. */
  list(): SeriesKey[] {
    return [...this.#read().keys()].map((name) => {
      const [account = "", place = "", operation = "", unit] = partsOfSeriesName(name);
      return { account, place, operation, unit: unit as SeriesKey["unit"] };
    });
  }

  /** Compares a response that arrived at `at` with the usual prices. Returns whether `of` changed. */
  note(series: SeriesKey, rows: Rows, at: EpochMs): boolean {
    const { poll } = operationOf(operationIdOf(series)).keep;
    const points = READERS[poll]?.(rows);
    // An empty response replaces no rows.
    if (!points?.length) return false;
    const name = seriesName(series);
    const known = this.#read().get(name) ?? [];
    const received = new Set(points.map(({ start }) => start));
    // Of a series without days, only what the newest response states counts.
    const missing = series.unit === "latest" ? [] : known.filter(({ start }) => !received.has(start));
    const next = missing.filter(({ start }) => start > at - KEPT_MS);
    for (const { start, end, price } of this.#implausibleIn(series, points, at)) {
      const before = known.find((each) => each.start === start && each.price === price);
      const since = before?.since ?? at;
      next.push({ start, end, price, since, isAgreed: before?.isAgreed === true || at - since >= MIN_PAUSE_MS });
    }
    const isChanged = JSON.stringify(next) !== JSON.stringify(known);
    if (next.length === 0) this.#read().delete(name);
    else this.#read().set(name, next);
    if (isChanged) this.#memory.write(NAME, JSON.stringify(Object.fromEntries(this.#read())));
    if (poll === "placePrices") this.#keepPast(series, points, at);
    return isChanged;
  }

  /** Returns the implausible prices of the last days, today and later. Remembers what the prices of each day were. */
  #implausibleIn(series: SeriesKey, points: readonly StatedPrice[], at: EpochMs): readonly StatedPrice[] {
    const today = this.#calendar.startOf("day", at);
    const since = this.#calendar.add("day", today, -USUAL_DAYS);
    const recent = points.filter(({ start }) => start >= since);
    if (recent.length === 0) return [];
    const name = `usual_prices/${series.account}/${series.place}`;
    const known = readJson(this.#memory, name, storedDays) ?? this.#daysOf(series, { start: since, end: today });
    const stored = known.filter(({ day }) => day >= since);
    const usual = usualPrices(stored.filter(({ day }) => day < today));
    const days = new Map(stored.map((each) => [each.day, each]));
    const implausible: StatedPrice[] = [];
    for (const [day, own] of Map.groupBy(recent, ({ start }) => this.#calendar.startOf("day", start))) {
      const prices = pricesOfDay(own);
      // A place's response has only the rest of today.
      const whole = own[0]?.start === day ? prices : (days.get(day) ?? usual);
      if (usual && day > at - KEPT_MS) implausible.push(...implausiblePrices(own, usual, whole));
      if (prices && series.operation !== "forecastPrices" && (day > today || !days.has(day)))
        days.set(day, { day, ...prices });
    }
    const next = [...days.values()].sort((a, b) => a.day - b.day);
    if (next.length > 0) this.#memory.write(name, JSON.stringify(next));
    return implausible;
  }

  /** Returns what the stored prices of each day were, which a database of an earlier version does not say. */
  #daysOf(series: SeriesKey, range: Interval): z.infer<typeof storedDays> {
    const points = series.operation === "prices" ? pricePoints(this.#rows(series, range), false) : [];
    return [...Map.groupBy(points, ({ start }) => this.#calendar.startOf("day", start))].flatMap(([day, own]) => {
      const prices = pricesOfDay(own);
      return prices ? { day, ...prices } : [];
    });
  }

  #keepPast(series: SeriesKey, points: readonly StatedPrice[], at: EpochMs): void {
    const since = this.#calendar.add("day", this.#calendar.startOf("day", at), -REFERENCE_DAYS);
    const before = this.#pastOf(series, { start: since, end: points[0]?.start ?? since });
    const own = this.#trusted(series, points).map(({ start, end, price }) => [start, end, price]);
    this.#memory.write(pastName(series), JSON.stringify([...before, ...own]));
  }

  #read(): Map<string, Readonly<Doubts>> {
    this.#doubts ??= new Map(Object.entries(readJson(this.#memory, NAME, storedDoubts) ?? {}));
    return this.#doubts;
  }
}

function pastName({ account, place }: SeriesKey): string {
  return `past_prices/${account}/${place}`;
}
