/**
 * The last days' prices of third-party places: the service tells of the present and what follows only, and what is cheap
 * is judged by what was before.
 */

import { REFERENCE_DAYS } from "../core/prices/level.ts";
import type { PlacePoint } from "../core/prices/place-snapshot.ts";
import type { KeyValue } from "../core/runtime/key-value.ts";
import type { Calendar } from "../core/time/calendar.ts";
import type { EpochMs } from "../core/time/interval.ts";

/** As it is remembered: start, end and price, for short. */
type KeptPoint = readonly [start: EpochMs, end: EpochMs, price: number];

/** What is kept of a place. `series`: other coordinates are other prices. */
interface Kept {
  readonly series: string;
  readonly points: readonly KeptPoint[];
}

export class PlaceHistory {
  readonly #memory: KeyValue;
  readonly #calendar: Calendar;
  /** By place. Bounded by the places; each by `REFERENCE_DAYS` and what the service tells ahead. */
  readonly #texts = new Map<string, string | null>();

  constructor(memory: KeyValue, calendar: Calendar) {
    this.#memory = memory;
    this.#calendar = calendar;
  }

  /** The latest answer of a place with the prices that it began with before. Shape: ascending in, ascending out. */
  joined(place: string, series: string, latest: readonly PlacePoint[], now: EpochMs): PlacePoint[] {
    const [first] = latest;
    if (!first) return [];
    const since = this.#calendar.add("day", this.#calendar.startOf("day", now), -REFERENCE_DAYS);
    const kept = this.#keptOf(place, series).filter(([start]) => start >= since && start < first.start);
    const points = [...kept, ...latest.map(({ start, end, price }): KeptPoint => [start, end, price])];
    this.#keep(place, JSON.stringify({ series, points } satisfies Kept));
    const past = kept.map(([start, end, price]) => ({ start, end, price, spot: price, charges: null, color: null }));
    return [...past, ...latest];
  }

  #keptOf(place: string, series: string): readonly KeptPoint[] {
    if (!this.#texts.has(place)) this.#texts.set(place, this.#memory.read(nameOf(place)));
    const text = this.#texts.get(place) ?? null;
    const kept = text === null ? null : (JSON.parse(text) as Kept);
    return kept?.series === series ? kept.points : [];
  }

  #keep(place: string, text: string): void {
    if (this.#texts.get(place) === text) return;
    this.#texts.set(place, text);
    this.#memory.write(nameOf(place), text);
  }
}

function nameOf(place: string): string {
  return `past_prices/${place}`;
}
