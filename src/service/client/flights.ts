/**
 * Requests of an account in flight: equal requests share one. A request of the LAN or the schedule for overlapping data
 * waits until the response is stored, and then requests only the data that is still missing.
 */
import { type SeriesKey, seriesName, WHOLE } from "../../core/series/series.ts";
import { type Interval, overlaps } from "../../core/time/interval.ts";

interface Flight {
  /** Data that the response will have stored; null if its caller does not store it. */
  readonly part: { readonly series: string; readonly range: Interval } | null;
  readonly done: Promise<unknown>;
}

export class Flights {
  /** By a text that is equal for equal requests. Bounded by the minute limit. */
  readonly #flights = new Map<string | symbol, Flight>();

  /** Returns the result of an equal request in flight; null if there is none. */
  equal(key: string): Promise<unknown> | null {
    return this.#flights.get(key)?.done ?? null;
  }

  /** Resolves when an overlapping request has been stored or has failed. Returns null if none is in flight. */
  overlapping(series: SeriesKey, range: Interval | null): Promise<unknown> | null {
    const name = seriesName(series);
    const flight = [...this.#flights.values()].find(
      ({ part }) => part?.series === name && overlaps(part.range, range ?? WHOLE),
    );
    return flight?.done.catch(() => undefined) ?? null;
  }

  /** Runs a request whose response equal requests get too. */
  share<Result>(key: string | symbol, work: () => Promise<Result>, part: Flight["part"] = null): Promise<Result> {
    const done = work().finally(() => this.#flights.delete(key));
    this.#flights.set(key, { part, done });
    return done;
  }

  /** Runs a request and the storage of its response. */
  run<Result>(series: SeriesKey, range: Interval | null, work: () => Promise<Result>): Promise<Result> {
    return this.share(Symbol("request"), work, { series: seriesName(series), range: range ?? WHOLE });
  }
}
