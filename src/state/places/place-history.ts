/** Prices of the last days of third-party places: the service returns no past ones, with which levels compare. */

import * as z from "zod/mini";
import { REFERENCE_DAYS } from "../../core/prices/level.ts";
import type { PlacePoint } from "../../core/prices/place-snapshot.ts";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import type { EpochMs } from "../../core/time/interval.ts";

/** Stored form: start, end and price. */
const storedPoint = z.tuple([z.number(), z.number(), z.number()]);

/** Stored prices of a place: past ones of `REFERENCE_DAYS`, and future ones. Prices of another `series` are dropped. */
const storedPrices = z.object({ series: z.string(), points: z.array(storedPoint) });

export class PlaceHistory {
  readonly #memory: KeyValue;
  readonly #calendar: Calendar;

  constructor(memory: KeyValue, calendar: Calendar) {
    this.#memory = memory;
    this.#calendar = calendar;
  }

  /** Returns the latest prices of a place, preceded by the stored past ones. `latest` and the result are ascending. */
  joined(place: string, series: string, latest: readonly PlacePoint[], now: EpochMs): PlacePoint[] {
    const [first] = latest;
    if (!first) return [];
    const name = `past_prices/${place}`;
    const since = this.#calendar.add("day", this.#calendar.startOf("day", now), -REFERENCE_DAYS);
    const before = readJson(this.#memory, name, storedPrices);
    const known = before?.series === series ? before.points : [];
    const earlier = known.filter(([start]) => start >= since && start < first.start);
    const points = [
      ...earlier,
      ...latest.map(({ start, end, price }): z.infer<typeof storedPoint> => [start, end, price]),
    ];
    const joined = JSON.stringify({ series, points } satisfies z.infer<typeof storedPrices>);
    if (joined !== this.#memory.read(name)) this.#memory.write(name, joined);
    const past = earlier.map(([start, end, price]) => ({ start, end, price, spot: price, charges: null, color: null }));
    return [...past, ...latest];
  }
}
