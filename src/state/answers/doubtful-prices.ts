/** Remembers implausible prices. Nothing acts on one before a second response, minutes later, states it too. */
import * as z from "zod/mini";
import { implausiblePrices, USUAL_DAYS, type UsualPrices, usualPrices } from "../../core/prices/implausible.ts";
import { type PricePoint, pricePoints } from "../../core/prices/timeline.ts";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import { partsOfSeriesName, type Rows, type SeriesKey, seriesName } from "../../core/series/series.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import { DAY_MS, type EpochMs, MINUTE_MS } from "../../core/time/interval.ts";
import type { SeriesStore } from "../../storage/series/series-store.ts";

/** Minimum time between two responses that agree. */
const MIN_PAUSE_MS = 15 * MINUTE_MS;
/** How long a price is remembered after its start. */
const KEPT_MS = 8 * DAY_MS;
const NAME = "implausible_prices";
const NONE: ReadonlyMap<EpochMs, number> = new Map();

const storedDoubt = z.object({ start: z.number(), price: z.number(), since: z.number(), isAgreed: z.boolean() });
type Doubt = z.infer<typeof storedDoubt>;

export class DoubtfulPrices {
  readonly #memory: KeyValue;
  readonly #store: Pick<SeriesStore, "knownId" | "rowsByChunk">;
  readonly #calendar: Calendar;
  /** Implausible prices by the name of their series; null before the first use. */
  #doubts: Map<string, readonly Doubt[]> | null = null;
  /** Usual prices on a day, by place. Bounded by the homes. */
  readonly #usual = new Map<string, { readonly day: EpochMs; readonly usual: UsualPrices }>();

  constructor(memory: KeyValue, store: Pick<SeriesStore, "knownId" | "rowsByChunk">, calendar: Calendar) {
    this.#memory = memory;
    this.#store = store;
    this.#calendar = calendar;
  }

  /** Returns the prices of a series that nothing may act on, by start. */
  of(series: SeriesKey): ReadonlyMap<EpochMs, number> {
    const doubts = this.#read().get(seriesName(series));
    return doubts ? new Map(doubts.flatMap((each) => (each.isAgreed ? [] : [[each.start, each.price]]))) : NONE;
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
    if (series.operation !== "prices" && series.operation !== "forecastPrices") return false;
    const name = seriesName(series);
    const today = this.#calendar.startOf("day", at);
    const points = pricePoints(rows, false);
    const known = this.#read().get(name) ?? [];
    const received = new Set(points.map(({ start }) => start));
    const next = known.filter(({ start }) => start > at - KEPT_MS && !received.has(start));
    for (const [start, price] of this.#implausibleIn(series, points, today)) {
      const before = known.find((each) => each.start === start && each.price === price);
      const since = before?.since ?? at;
      next.push({ start, price, since, isAgreed: before?.isAgreed === true || at - since >= MIN_PAUSE_MS });
    }
    if (JSON.stringify(next) === JSON.stringify(known)) return false;
    if (next.length === 0) this.#read().delete(name);
    else this.#read().set(name, next);
    this.#memory.write(NAME, JSON.stringify(Object.fromEntries(this.#read())));
    return true;
  }

  /** Returns the implausible prices of the last days, today and later. History is not compared. */
  #implausibleIn(series: SeriesKey, points: readonly PricePoint[], today: EpochMs): Map<EpochMs, number> {
    const days = Map.groupBy(
      points.filter(({ start }) => start > today - KEPT_MS),
      ({ start }) => this.#calendar.startOf("day", start),
    );
    const usual = days.size > 0 ? this.#usualOn(series, today) : null;
    return new Map(usual ? [...days.values()].flatMap((day) => [...implausiblePrices(day, usual)]) : []);
  }

  #usualOn({ account, place }: SeriesKey, day: EpochMs): UsualPrices | null {
    const known = this.#usual.get(place);
    if (known?.day === day) return known.usual;
    const units = ["fifteenMinutes", "hour"] as const;
    const confirmed = units.map((unit): SeriesKey => ({ account, place, operation: "prices", unit }));
    const series = confirmed.find((each) => this.#store.knownId(each) !== null);
    const before = { start: this.#calendar.add("day", day, -USUAL_DAYS), end: day };
    const days = series ? this.#store.rowsByChunk(series, before) : [];
    const usual = usualPrices(days.map((rows) => pricePoints(rows, false)));
    if (usual) this.#usual.set(place, { day, usual });
    return usual;
  }

  #read(): Map<string, readonly Doubt[]> {
    this.#doubts ??= new Map(
      Object.entries(readJson(this.#memory, NAME, z.record(z.string(), z.array(storedDoubt))) ?? {}),
    );
    return this.#doubts;
  }
}
