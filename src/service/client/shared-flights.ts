/**
 * Requests in flight until their answers are stored. A question of the LAN and the schedule's own question for the same
 * data have other ranges and so other paths: whoever comes later waits, and looks again what is still missing.
 */
import { type SeriesKey, seriesName, WHOLE } from "../../core/series/series.ts";
import { type Interval, overlaps } from "../../core/time/interval.ts";

interface Flight {
  readonly series: string;
  readonly range: Interval;
  readonly landed: Promise<unknown>;
}

export class SharedFlights {
  /** Bounded by the rate limiter's minute. */
  readonly #flights = new Set<Flight>();

  /** Resolves when a request for a part of the same data has landed and is stored, or failed; null if none is in flight. */
  overlapping(series: SeriesKey, range: Interval | null): Promise<unknown> | null {
    const name = seriesName(series);
    const flight = [...this.#flights].find((each) => each.series === name && overlaps(each.range, range ?? WHOLE));
    return flight?.landed.catch(() => undefined) ?? null;
  }

  /** Runs a request and the storing of its answer. */
  async run<Result>(series: SeriesKey, range: Interval | null, work: () => Promise<Result>): Promise<Result> {
    const flight = { series: seriesName(series), range: range ?? WHOLE, landed: work() };
    this.#flights.add(flight);
    try {
      return await flight.landed;
    } finally {
      this.#flights.delete(flight);
    }
  }
}
