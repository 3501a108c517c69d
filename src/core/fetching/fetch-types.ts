/** Types of the fetch schedule: what it knows, and what it decides. */

import type { SeriesKey, SeriesOperation } from "../series/series.ts";
import type { EpochMs, Interval } from "../time/interval.ts";
import type { SlotClock } from "../time/schedule-slots.ts";

/** What is known of one chunk: present means it was asked as a whole, however little came. */
export interface ChunkState {
  readonly complete: boolean;
  /** Whether a row is marked as an estimate. */
  readonly estimated: boolean;
}

/** What is known of one series. */
export interface SeriesState {
  /** When it was last asked and answered, by the ledger; null if never. A failure is the error policy's to time. */
  readonly answeredAt: EpochMs | null;
  /** The same for the chunk that starts at an instant: an answer about last year says nothing of today. */
  readonly askedAt: (start: EpochMs) => EpochMs | null;
  /** The chunk that starts at an instant; null if it was never asked. */
  readonly chunk: (start: EpochMs) => ChunkState | null;
  /** The newest stretch inside `within` that was never asked; null if there is none. */
  readonly newestGap: (within: Interval) => Interval | null;
}

/** An address to collect for. */
export interface CollectTarget {
  readonly account: string;
  readonly addressId: string;
  readonly resolution: "hour" | "fifteenMinutes";
  /** Names of the operations the address has data for and that are not switched off. */
  readonly operations: ReadonlySet<SeriesOperation>;
}

/** A series of a place of the third-party interface, and when it is to be asked again. */
export interface PlaceTarget {
  readonly series: SeriesKey;
  /** `prices`: until they reach the end of tomorrow. */
  readonly rhythm: "prices" | "daily" | "once";
  /** The end of the last price that is known; null where none is, and for what is no price. */
  readonly reaches: EpochMs | null;
}

/** One request the timetable wants. `range` is absent where the operation takes none. */
export interface FetchRequest {
  readonly kind: "request";
  readonly series: SeriesKey;
  readonly range?: Interval;
  readonly priority: Priority;
}

/** Most urgent first. Source: design, quota. */
export const priorities = ["today", "tomorrow", "account", "usage", "forecast", "backfill"] as const;
export type Priority = (typeof priorities)[number];

export type NextFetch = FetchRequest | { readonly kind: "sleep"; readonly until: EpochMs };

export interface FetchScheduleInput extends SlotClock {
  readonly now: EpochMs;
  readonly account: string;
  readonly targets: readonly CollectTarget[];
  /** Places of the account; an account that has any has no addresses of its own to list. */
  readonly places: readonly PlaceTarget[];
  readonly stateOf: (series: SeriesKey) => SeriesState;
  /** The earliest moment at which the governor and the error policy let this series be asked at this priority. */
  readonly notBefore: (series: SeriesKey, priority: Priority) => EpochMs;
  /** How far back history is wanted. */
  readonly historyFrom: EpochMs;
}
