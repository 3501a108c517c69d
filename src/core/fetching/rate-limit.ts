/**
 * Quota arithmetic: how much each purpose may spend, so that no window of the service is ever overrun.
 *
 * The service counts in fixed UTC windows; here every window rolls and is longer by the time a request may be on its
 * way. Each fixed window fits inside a rolling one, so the bound holds whatever the local clock does. All times are on
 * a monotonic clock.
 */

import { slots } from "../time/schedule-slots.ts";

/** Milliseconds on a clock that never jumps. Only differences mean something. */
export type MonotonicMs = number;

/**
 * What a request is for: the confirmed prices of today and tomorrow, which may take any part of a limit; the rest of the
 * daemon's own fetch schedule; the part of that which can wait (back-fill, counted as polling too); or a device on the LAN.
 * Polling and the LAN cannot touch each other's part, nor what is reserved for prices.
 */
export const shares = ["prices", "poll", "backfill", "lan"] as const;
export type Share = (typeof shares)[number];

/** One request that was, or may have been, counted by the service. */
export interface Attempt {
  readonly at: MonotonicMs;
  readonly share: Share;
}

/**
 * At most `limit` attempts in any `lengthMs`; of these at most `shares.lan` for the LAN and `shares.poll` by the
 * fetch schedule, and of the fetch schedule's at most `shares.backfill` for back-fill: the rest is reserved for what is due.
 * Confirmed prices may take all of it, so they have no share of their own.
 */
export interface RateLimit {
  readonly name: "minute" | "day" | "pace";
  readonly lengthMs: number;
  readonly limit: number;
  readonly shares: Readonly<Record<Exclude<Share, "prices">, number>>;
}

/** The longest a request may be on its way before it counts: the hard time-out, and two seconds for the rest. */
export const FLIGHT_MS = 32_000;
/** The lengths of the service's own windows. Source: service interface, part 8.2. */
export const SERVICE_WINDOW_MS = { minute: 60_000, day: 86_400_000 } as const;
export const DAY_WINDOW_MS: number = SERVICE_WINDOW_MS.day + FLIGHT_MS;
const MINUTE_WINDOW_MS = SERVICE_WINDOW_MS.minute + FLIGHT_MS;

/** What is assumed before the first answer tells the limits. */
export const UNKNOWN_LIMITS = { minute: 5, day: 50 } as const;
/** No more is ever used of a limit: the attempts of a day are kept in memory and read back at a start. */
export const MAX_ATTEMPTS = 10_000;

/** Parts of a limit by share, less what prices may need; the rest is left to the user's other programs, and to prices. */
const POLL_PART = 0.25;
const LAN_PART = 0.5;
export const UNUSED_PART: number = 1 - POLL_PART - LAN_PART;
/** Attempts a day kept free of back-fill for each address: its worst day. Source: design, fetch schedule. */
export const RESERVE_PER_ADDRESS = 45;
/** Attempts a day for the prices of an address, or of a place of the third-party interface: one for each time of the day. */
const PRICES_PER_ADDRESS = slots.today.length;
export const PRICES_PER_PLACE: number = slots.placeToday.length;
/** The pace towards the third-party interface, which publishes no quota. Source: design. */
const THIRD_PARTY_PACE_MS = 10_000;

/**
 * A window with its shares. Each share has at least one attempt, so that a small limit stops nobody permanently.
 * `reserve` is how much of the polling share back-fill must leave, `wanted` how much prices may need, which comes before
 * polling and the LAN.
 */
export function rateLimit(
  name: RateLimit["name"],
  lengthMs: number,
  limit: number,
  reserve: (pollShare: number) => number,
  wanted = 0,
): RateLimit {
  const poll = Math.max(1, Math.min(Math.floor(limit * POLL_PART), limit - wanted));
  const lan = Math.max(1, Math.min(Math.floor(limit * LAN_PART), limit - wanted - poll));
  return { name, lengthMs, limit, shares: { poll, lan, backfill: Math.max(1, poll - reserve(poll)) } };
}

/** The consumer interface's budget for limits per minute and per day, and for the addresses it is polled for. */
export function consumerRateLimits(
  limits: { readonly minute: number; readonly day: number },
  addresses: number,
): RateLimit[] {
  const [day, prices] = [Math.min(limits.day, MAX_ATTEMPTS), PRICES_PER_ADDRESS * Math.max(1, addresses)];
  return [
    rateLimit("minute", MINUTE_WINDOW_MS, Math.min(limits.minute, MAX_ATTEMPTS), lastThird),
    rateLimit("day", DAY_WINDOW_MS, day, (poll) => dayReserve(poll, addresses), prices),
  ];
}

/**
 * The third-party interface publishes no quota: one request per ten seconds, and a day's worth that the rate limiter moves.
 * Nothing else is known of how it counts, so its shares are the same.
 */
export function thirdPartyRateLimits(perDay: number, places = 1): RateLimit[] {
  return [
    { name: "pace", lengthMs: THIRD_PARTY_PACE_MS, limit: 1, shares: { poll: 1, backfill: 1, lan: 1 } },
    rateLimit("day", DAY_WINDOW_MS, perDay, (poll) => dayReserve(poll, 1), PRICES_PER_PLACE * Math.max(1, places)),
  ];
}

/** Back-fill leaves the last third of the minute's polling to what is due. */
function lastThird(poll: number): number {
  return Math.ceil(poll / 3);
}

/** Back-fill leaves the worst day of each address, or half of the polling where that is less. */
function dayReserve(poll: number, addresses: number): number {
  return Math.min(RESERVE_PER_ADDRESS * Math.max(1, addresses), Math.floor(poll / 2));
}

/** How much of what the service says is left each share must leave to the other. Unit: attempts. */
export interface Parting {
  readonly poll: number;
  readonly lan: number;
}

/**
 * Parts what is left of a window between polling and the LAN, so that neither takes the other's part when other
 * programs have used most of the key's quota: of what is this daemon's in the window, spent or left, a third is for
 * polling and the rest for the LAN, as in the shares of a whole limit.
 * `spent` is this daemon's in the same fixed window. Shape: the sum of both parts is at most `left`.
 */
export function partRemainder(
  left: number,
  spent: Readonly<Record<"poll" | "lan", number>>,
  { shares }: Pick<RateLimit, "shares">,
): Parting {
  const ours = left + spent.poll + spent.lan;
  const third = Math.ceil(ours / 3);
  const poll = Math.min(left, Math.max(0, Math.min(shares.poll, third) - spent.poll));
  const lan = Math.min(left - poll, Math.max(0, Math.min(shares.lan, ours - third) - spent.lan));
  return { poll, lan };
}
