/**
 * Requests in flight, until their responses are stored. A request of the LAN or the schedule for overlapping data waits
 * and then requests only the data that is still missing.
 */
import { type SeriesKey, seriesName, WHOLE } from "../../core/series/series.ts";
import { type Interval, overlaps } from "../../core/time/interval.ts";

interface Flight {
  readonly series: string;
  readonly range: Interval;
  readonly done: Promise<unknown>;
}

export class SharedFlights {
  /** Bounded by the minute limit. */
  readonly #flights = new Set<Flight>();

  /** Resolves when an overlapping request has been stored or has failed. Returns null if none is in flight. */
  overlapping(series: SeriesKey, range: Interval | null): Promise<unknown> | null {
    const name = seriesName(series);
    const flight = [...this.#flights].find((each) => each.series === name && overlaps(each.range, range ?? WHOLE));
    return flight?.done.catch(() => undefined) ?? null;
  }

  /** Runs a request and the storage of its response. */
  async run<Result>(series: SeriesKey, range: Interval | null, work: () => Promise<Result>): Promise<Result> {
    const flight = { series: seriesName(series), range: range ?? WHOLE, done: work() };
    this.#flights.add(flight);
    try {
      return await flight.done;
    } finally {
      this.#flights.delete(flight);
    }
  }
}
