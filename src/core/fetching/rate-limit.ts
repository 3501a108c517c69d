/**
 * Quota arithmetic: divides the limits between purposes so that no window of the service is exceeded.
 *
 * The service counts in fixed UTC windows. Here each window rolls and is longer by the maximum time in flight
 * (`FLIGHT_MS`). Each fixed window fits inside a rolling one, so the limit holds whatever the local clock shows. All
 * times are monotonic.
 */

import type { EpochMs, Interval } from "../time/interval.ts";
import { slots } from "../time/schedule-slots.ts";

/** Monotonic time in ms. Only differences have a meaning. */
export type MonotonicMs = number;

/**
 * Purpose of a request. `prices`: confirmed prices of today and tomorrow, which may use the whole limit. `poll`: the
 * rest of the fetch schedule. `backfill`: history, which can wait and also counts as `poll`. `lan`: a device on the
 * LAN. Polling and the LAN cannot use each other's share or the part reserved for prices.
 */
export const shares = ["prices", "poll", "backfill", "lan"] as const;
export type Share = (typeof shares)[number];

/** Request that the service counted or may have counted. `serverMs`: service's time in its response; absent without one. */
export interface Attempt {
  readonly at: MonotonicMs;
  readonly share: Share;
  serverMs?: EpochMs | null;
}

/** Attempts that are kept for confirmed prices, which may change at `until`. */
export interface PriceReserve {
  readonly count: number;
  readonly until: MonotonicMs;
}

/** Facts about a request before it is sent. */
export interface Spend {
  readonly account: string;
  readonly share: Share;
  readonly at: EpochMs;
  readonly boot: string;
  readonly monotonicMs: MonotonicMs;
  /** Service's time in the response to it; null if there was none. */
  readonly serverMs: EpochMs | null;
  /** Stored id of the requested series, and the range; null for responses that are not stored. */
  readonly seriesId: number | null;
  readonly range: Interval | null;
}

/** Stored attempt. The monotonic time can be compared only within its boot. */
export interface SpentAttempt extends Pick<Spend, "share" | "at" | "boot" | "monotonicMs" | "serverMs"> {
  readonly id: number;
}

/**
 * At most `limit` attempts in any `lengthMs`. Of these at most `shares.lan` are for the LAN and `shares.poll` for the
 * fetch schedule. `shares.backfill` is the part of `shares.poll` that back-fill may use. Confirmed prices may use the
 * whole limit, so they have no share. All other shares together leave `reserve`. `isUtcDay`: the limit is for the
 * service's UTC day, so an attempt no longer counts when the day of its response is over.
 */
export interface RateLimit {
  readonly name: "minute" | "day" | "pace";
  readonly lengthMs: number;
  readonly limit: number;
  readonly shares: Readonly<Record<Exclude<Share, "prices">, number>>;
  readonly isUtcDay?: boolean;
  readonly reserve?: PriceReserve;
}

/** Longest time from the local record of a request to its count by the service: the hard timeout, plus 2 s. */
export const FLIGHT_MS = 32_000;
/** Lengths of the service's windows. Source: service interface, part 8.2. */
export const SERVICE_WINDOW_MS = { minute: 60_000, day: 86_400_000 } as const;
export const DAY_WINDOW_MS: number = SERVICE_WINDOW_MS.day + FLIGHT_MS;
const DAY = { name: "day", lengthMs: DAY_WINDOW_MS } as const;
const MINUTE = { name: "minute", lengthMs: SERVICE_WINDOW_MS.minute + FLIGHT_MS } as const;

/** Limits assumed until the first response states them. */
export const UNKNOWN_LIMITS = { minute: 5, day: 50 } as const;
/** Smallest day limit that one response can set. A lower one would stop a home for a day: a second must confirm it. */
const MIN_PLAUSIBLE_DAY = 24;
const MIN_PLAUSIBLE_PART = 0.05;

/** Returns true if one response is enough to set a day limit. */
export function isPlausibleDayLimit(limit: number, known: number): boolean {
  return limit >= Math.max(MIN_PLAUSIBLE_DAY, known * MIN_PLAUSIBLE_PART);
}

/** Maximum used of any limit, because the attempts of a day are kept in memory and read again at each start. */
export const MAX_ATTEMPTS = 10_000;

/** Parts of a limit, after the part reserved for prices. The rest is left to prices and the user's other programs. */
const POLL_PART = 0.25;
const LAN_PART = 0.5;
export const UNUSED_PART: number = 1 - POLL_PART - LAN_PART;
/** Attempts per day and address that back-fill must leave: the need of the worst day. Source: design. */
export const RESERVE_PER_ADDRESS = 45;
/** Attempts per day and address that polling gets of a small limit: those of a day without retries. */
const POLL_PER_ADDRESS = 15;
/** Attempts per day for the prices of a third-party place: one per slot. */
export const PRICES_PER_PLACE: number = slots.placeToday.length;
/** Interval between requests to the third-party interface, which publishes no quota. Source: design. */
const THIRD_PARTY_PACE_MS = 10_000;

/**
 * Creates a limit with its shares, each of at least one attempt. `wanted` is the number that is always left for prices,
 * `forPoll` the number that polling gets of a small limit.
 */
export function rateLimit(
  { name, lengthMs, limit }: Pick<RateLimit, "name" | "lengthMs" | "limit">,
  reserve: (pollShare: number) => number,
  { wanted = 0, forPoll = 0 } = {},
): RateLimit {
  const least = Math.min(forPoll, Math.floor(limit / 2));
  const poll = Math.max(1, least, Math.min(Math.floor(limit * POLL_PART), limit - wanted));
  const used = Math.floor(limit * (1 - UNUSED_PART));
  const lan = Math.max(1, Math.min(Math.floor(limit * LAN_PART), used - poll, limit - wanted - poll));
  return { name, lengthMs, limit, shares: { poll, lan, backfill: Math.max(1, poll - reserve(poll)) } };
}

/** Returns the limits of the consumer interface for its quota, the number of polled addresses and what their prices need. */
export function consumerRateLimits(
  limits: { readonly minute: number; readonly day: number },
  addresses: number,
  reserve: PriceReserve = { count: 0, until: 0 },
): RateLimit[] {
  const day = { ...DAY, limit: Math.min(limits.day, MAX_ATTEMPTS) };
  const forPoll = POLL_PER_ADDRESS * Math.max(1, addresses);
  return [
    rateLimit({ ...MINUTE, limit: Math.min(limits.minute, MAX_ATTEMPTS) }, (poll) => Math.ceil(poll / 3)),
    { ...rateLimit(day, (poll) => dayReserve(poll, addresses), { forPoll }), isUtcDay: true, reserve },
  ];
}

/** Returns the limits of the third-party interface, which does not say how it counts: a pace, and `perDay`. */
export function thirdPartyRateLimits(perDay: number, places = 1): RateLimit[] {
  return [
    { name: "pace", lengthMs: THIRD_PARTY_PACE_MS, limit: 1, shares: { poll: 1, backfill: 1, lan: 1 } },
    rateLimit({ ...DAY, limit: perDay }, (poll) => dayReserve(poll, 1), {
      wanted: PRICES_PER_PLACE * Math.max(1, places),
    }),
  ];
}

/** Returns the part of the day's polling share that back-fill must leave: 45 per address, at most half of the share. */
function dayReserve(poll: number, addresses: number): number {
  return Math.min(RESERVE_PER_ADDRESS * Math.max(1, addresses), Math.floor(poll / 2));
}

/**
 * Divides the remaining quota of a window: of this daemon's total, used and remaining, a third is for polling and the
 * rest for the LAN. `spent`: its attempts in the same fixed window. Shape: the sum of both parts is at most `left`.
 */
export function partRemainder(
  left: number,
  spent: Readonly<Record<"poll" | "lan", number>>,
  { shares }: Pick<RateLimit, "shares">,
): typeof spent {
  const ours = left + spent.poll + spent.lan;
  const third = Math.ceil(ours / 3);
  const poll = Math.min(left, Math.max(0, Math.min(shares.poll, third) - spent.poll));
  const lan = Math.min(left - poll, Math.max(0, Math.min(shares.lan, ours - third) - spent.lan));
  return { poll, lan };
}
