/** Input and output types of the fetch schedule. */

import type { SeriesKey } from "../series/series.ts";
import { DAY_MS, type EpochMs, HOUR_MS, type Interval } from "../time/interval.ts";
import type { SlotClock } from "../time/schedule-slots.ts";

/** State of one chunk that was requested as a whole, whatever the response contained. */
export interface ChunkState {
  readonly complete: boolean;
  /** True if a row is marked as an estimate. */
  readonly estimated: boolean;
}

/** Returns true if nothing more can be learned about a chunk: it is complete, or was last requested after its end. */
export function isKnown(chunk: ChunkState | null, askedAt: EpochMs | null, end: EpochMs): boolean {
  return chunk !== null && (chunk.complete || askedAt === null || askedAt >= end);
}

/** How long the service may correct a complete chunk, and how long an answer in that time is fresh. Unit: ms. */
export const REVISION: Readonly<
  Record<"prices" | "usage", { readonly revisedForMs: number; readonly recheckMs: number }>
> = {
  prices: { revisedForMs: 3 * DAY_MS, recheckMs: 25 * HOUR_MS },
  usage: { revisedForMs: 92 * DAY_MS, recheckMs: 8 * DAY_MS },
};

/** State of one series. */
export interface SeriesState {
  /** Time of the last answered request; null if never. The retry policy times failed requests. */
  readonly answeredAt: EpochMs | null;
  /** Time of a request besides its usual times; null or absent if none is wanted. */
  readonly wantedAt?: EpochMs | null;
  /** Time of the last answer with data about a chunk; absent if it is that of `askedAt`. */
  readonly receivedAt?: (start: EpochMs) => EpochMs | null;
  /** Time of the last request for the chunk that starts at `start` that was answered or given up; null if never. */
  readonly askedAt: (start: EpochMs) => EpochMs | null;
  /** Chunk that starts at `start`; null if it was never requested. */
  readonly chunk: (start: EpochMs) => ChunkState | null;
  /** Whether the chunk that starts at `start` has any row; absent if that is unknown. */
  readonly hasRows?: (start: EpochMs) => boolean;
  /** Newest part of `within` that is not known, see `isKnown`; null if there is no gap. */
  readonly newestGap: (within: Interval) => Interval | null;
}

/**
 * Polling of an address series. `prices`: until tomorrow is complete, and its history. `usage`: until yesterday is
 * complete, and its history. `forecast`: every three hours and when tomorrow's prices have arrived; without history.
 */
export type AddressPoll = "prices" | "usage" | "forecast";

/** Polling of a series of an account or place. `placePrices`: until the prices reach the end of tomorrow. */
export type AccountPoll = "addresses" | "addressSearch" | "placePrices" | "daily" | "once";

/** Series of an address, and its polling. */
export interface AddressSeries {
  readonly series: SeriesKey;
  readonly poll: AddressPoll;
  /** Longest range of one request. Unit: days. */
  readonly maxRangeDays: number;
}

/** Address to collect data for. */
export interface CollectTarget {
  readonly account: string;
  readonly addressId: string;
  readonly resolution: "hour" | "fifteenMinutes";
  /** Series that the address has. Shape: the first series with `usage` is requested before the others. */
  readonly series: readonly AddressSeries[];
}

/** Series of an account or of a third-party place, and its polling. */
export interface AccountTarget {
  readonly series: SeriesKey;
  readonly poll: AccountPoll;
  /** End of the last known price; null if no price is known, or the series has none. */
  readonly reaches: EpochMs | null;
}

/** One request. `range` is absent if the operation takes none. */
export interface FetchRequest {
  readonly kind: "request";
  readonly series: SeriesKey;
  readonly range?: Interval;
  readonly priority: Priority;
}

/** Priorities, most urgent first. Source: design, quota. */
export const priorities = ["today", "tomorrow", "account", "usage", "forecast", "backfill"] as const;
export type Priority = (typeof priorities)[number];

/** Pause without a request. `heldUntil` is the end of the longest pause of a due request; null if none is due. */
export interface FetchPause {
  readonly kind: "sleep";
  readonly until: EpochMs;
  readonly heldUntil: EpochMs | null;
}

export type NextFetch = FetchRequest | FetchPause;

export interface FetchScheduleInput extends SlotClock {
  readonly now: EpochMs;
  readonly targets: readonly CollectTarget[];
  /** Series of the account and of its places. */
  readonly accountTargets: readonly AccountTarget[];
  readonly stateOf: (series: SeriesKey) => SeriesState;
  /**
   * Returns the earliest time at which the rate limiter and the circuit breaker allow a request. `ownTime` returns the
   * next time of its own schedule after a failure; absent if it has none.
   */
  readonly notBefore: (
    request: Pick<FetchRequest, "series" | "priority">,
    ownTime: ((since: EpochMs) => EpochMs) | undefined,
  ) => EpochMs;
  readonly historyFrom: EpochMs;
}
