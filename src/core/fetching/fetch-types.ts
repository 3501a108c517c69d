/** Types of the fetch schedule: what it knows, and what it decides. */

import type { SeriesKey } from "../series/series.ts";
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
  /** When it was last asked and answered, by the request log; null if never. A failure is the error policy's to time. */
  readonly answeredAt: EpochMs | null;
  /** The same for the chunk that starts at an instant: an answer about last year says nothing of today. */
  readonly askedAt: (start: EpochMs) => EpochMs | null;
  /** The chunk that starts at an instant; null if it was never asked. */
  readonly chunk: (start: EpochMs) => ChunkState | null;
  /** The newest stretch inside `within` that was never asked; null if there is none. */
  readonly newestGap: (within: Interval) => Interval | null;
}

/**
 * How a series of an address is polled. `prices`: until tomorrow is complete, and its history. `usage`: until yesterday
 * is complete, and its history. `forecast`: every three hours, and when tomorrow's prices have arrived; it has no history.
 */
export type AddressPoll = "prices" | "usage" | "forecast";

/** How a series of an account or place is polled. `placePrices`: until the prices reach the end of tomorrow. */
export type AccountPoll = "addresses" | "placePrices" | "daily" | "once";

/** A series of an address, and how it is polled. */
export interface AddressSeries {
  readonly series: SeriesKey;
  readonly poll: AddressPoll;
  /** Longest range of one request. */
  readonly maxRangeDays: number;
}

/** An address to collect for. */
export interface CollectTarget {
  readonly account: string;
  readonly addressId: string;
  readonly resolution: "hour" | "fifteenMinutes";
  /** What the address has data for. Shape: the first series with `usage` is requested before the others. */
  readonly series: readonly AddressSeries[];
}

/** A series of a whole account or of a place of the third-party interface, and how it is polled. */
export interface AccountTarget {
  readonly series: SeriesKey;
  readonly poll: AccountPoll;
  /** End of the last known price; null if there is none, and for a series without prices. */
  readonly reaches: EpochMs | null;
}

/** One request the fetch schedule wants. `range` is absent where the operation takes none. */
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
  readonly targets: readonly CollectTarget[];
  /** Series of the account itself and of its places. */
  readonly accountTargets: readonly AccountTarget[];
  readonly stateOf: (series: SeriesKey) => SeriesState;
  /** The earliest moment at which the rate limiter and the error policy let this series be asked at this priority. */
  readonly notBefore: (series: SeriesKey, priority: Priority) => EpochMs;
  /** How far back history is wanted. */
  readonly historyFrom: EpochMs;
}
