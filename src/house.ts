/** From what is on the shelf to what the house is told. */
import type { Calendar } from "./core/calendar.ts";
import { type Home, type HomeSnapshot, homeSnapshot } from "./core/home-snapshot.ts";
import type { EpochMs } from "./core/interval.ts";
import { REFERENCE_DAYS } from "./core/level.ts";
import type { SeriesKey } from "./core/series.ts";
import { joinForecast, pricePoints, type Timeline } from "./core/timeline.ts";
import type { Library } from "./library.ts";

export class House {
  readonly #library: Library;
  readonly #calendar: Calendar;
  /** Timelines by home, made anew after a change and on a new day. Bounded by the homes. */
  readonly #timelines = new Map<string, { readonly day: EpochMs; readonly timeline: Timeline | null }>();

  constructor(library: Library, calendar: Calendar) {
    this.#library = library;
    this.#calendar = calendar;
  }

  /** Forgets what was made from a series that changed. */
  changed(series: SeriesKey): void {
    if (series.operation === "prices" || series.operation === "forecastPrices") this.#timelines.delete(series.place);
  }

  snapshot(home: Home, now: EpochMs): HomeSnapshot {
    return homeSnapshot(home, this.#timelineOf(home, now), now, this.#calendar);
  }

  #timelineOf(home: Home, now: EpochMs): Timeline | null {
    const day = this.#calendar.startOf("day", now);
    const known = this.#timelines.get(home.addressId);
    if (known?.day === day) return known.timeline;
    const timeline = this.#readTimeline(home, now);
    this.#timelines.set(home.addressId, { day, timeline });
    return timeline;
  }

  #readTimeline(home: Home, now: EpochMs): Timeline | null {
    const { shelf } = this.#library;
    const today = this.#calendar.day(now);
    const range = {
      start: this.#calendar.add("day", today.start, -REFERENCE_DAYS),
      end: this.#calendar.day(today.end).end,
    };
    const confirmed: SeriesKey = {
      account: home.account,
      place: home.addressId,
      operation: "prices",
      unit: home.resolution,
    };
    const estimated: SeriesKey = { ...confirmed, operation: "forecastPrices", unit: "latest" };
    const envelope = shelf.envelope(confirmed) ?? shelf.envelope(estimated);
    const currency = envelope?.currency;
    if (!envelope || typeof currency !== "string") return null;
    const points = joinForecast(
      pricePoints(shelf.rows(confirmed, range), false),
      pricePoints(shelf.latest(estimated) ?? [], true),
    );
    return { points, currency, vatIncluded: envelope.vatIncluded === true };
  }
}
