/**
 * The error policy: what a failure means for the next request. Source: design, table of answers.
 */

import type { ServiceProblemCode } from "../status/problem-catalog.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../time/interval.ts";
import type { FetchFailure } from "./fetch-outcome.ts";

/** What was asked: prices, or the list of addresses without which there are none; or something that can wait. */
export type Need = "prices" | "other";

/** How far a failure reaches: this very request, one series, all of an address, or everything of the account. */
export type Scope = "request" | "series" | "place" | "account";

/** What follows from a failure. */
export interface Verdict {
  readonly scope: Scope;
  /** How long the scope stays silent. Unit: ms. */
  readonly waitMs: number;
  /** Null where the owner need not know: a capability that is not there is no problem. */
  readonly problem: ServiceProblemCode | null;
  /** Whether it counts towards the breaker: the service or the way to it is in trouble. */
  readonly trouble: boolean;
  /** The request counts as asked: the next regular time is soon enough. */
  readonly settled: boolean;
}

const PROBE_INVALID_TOKEN_MS = 6 * HOUR_MS;
const CONFIRM_INVALID_TOKEN_MS = 2 * MINUTE_MS;
/** Tries of one request that met a 500 before it waits for its next regular time. */
const INTERNAL_ERROR_TRIES = 3;
/** The same for a series whose provider is away: after these its own times are patient enough. */
const OUTAGE_TRIES = 5;
/** Times an address may be unknown within `UNKNOWN_ADDRESS_MS` before it is dropped, and the pause in between. */
const UNKNOWN_ADDRESS_TRIES = 3;
export const UNKNOWN_ADDRESS_MS: number = DAY_MS;
const UNKNOWN_ADDRESS_PAUSE_MS = 2 * HOUR_MS;
const MIN_WAIT_MS = SECOND_MS;
/** The longest silence of the service's own naming that is believed: its longest window, and an hour. */
const MAX_NAMED_MS = DAY_MS + HOUR_MS;
/** The longest `Retry-After` of an outage that is believed. */
const MAX_OUTAGE_MS = HOUR_MS;
const RATE_LIMIT_JITTER_MS = 5 * SECOND_MS;

/** Failures in a row that open the breaker, and how long it stays open. */
export const BREAKER_FAILURES = 5;
const BREAKER_FIRST_MS = 5 * MINUTE_MS;
const BREAKER_LONGEST_MS = 60 * MINUTE_MS;

/**
 * Judges a failure. `streak` is how many of the same kind came in a row before it in its scope, for an unknown address
 * how many there were in the last day; `random` gives numbers from 0 to 1 for jitter.
 */
export function judge(setback: FetchFailure, streak: number, random: () => number, need: Need = "other"): Verdict {
  switch (setback.kind) {
    case "unreachable":
      return trouble("account", jitter(backoff(15 * SECOND_MS, 5 * MINUTE_MS, streak), random), "unreachable");
    case "malformed":
      return trouble("series", jitter(backoff(2 * MINUTE_MS, 30 * MINUTE_MS, streak), random), "malformed");
    case "refused":
      return judgeRefusal(setback, streak, random, need);
  }
}

type Refusal = FetchFailure & { readonly kind: "refused" };

function judgeRefusal(setback: Refusal, streak: number, random: () => number, need: Need): Verdict {
  const { status, code } = setback;
  switch (status) {
    case 400:
      return standing("request", DAY_MS, "bad_request");
    case 401:
      if (code === "credential_expired") return standing("account", DAY_MS, "credential_expired");
      return standing("account", streak === 0 ? CONFIRM_INVALID_TOKEN_MS : PROBE_INVALID_TOKEN_MS, "invalid_token");
    case 403:
      // Without it prices go missing, and it comes back without anything being changed here.
      return code === "plus_required"
        ? standing("account", HOUR_MS, "plus_required")
        : standing("series", need === "prices" ? HOUR_MS : DAY_MS, "forbidden");
    case 404:
      return streak + 1 < UNKNOWN_ADDRESS_TRIES
        ? standing("series", UNKNOWN_ADDRESS_PAUSE_MS, null)
        : standing("place", DAY_MS, "address_gone");
    case 422:
      return standing("series", DAY_MS, null);
    case 429:
      return standing("account", rateLimitWaitMs(setback, streak, random), "rate_limited");
    case 500:
      return internalError(streak, random);
    case 503: {
      const waitMs = jitter(backoff(5 * MINUTE_MS, 30 * MINUTE_MS, streak), random);
      return trouble("account", Math.max(waitMs, namedOutageMs(setback)), "service_trouble");
    }
    default: {
      const waitMs = jitter(backoff(2 * MINUTE_MS, 30 * MINUTE_MS, streak), random);
      const settled = (streak + 1) % OUTAGE_TRIES === 0;
      return { ...trouble("series", Math.max(waitMs, namedOutageMs(setback)), "service_trouble"), settled };
    }
  }
}

/** The time the service named, and a little more; where it named none, ever longer. */
function rateLimitWaitMs({ retryAfterMs }: Refusal, streak: number, random: () => number): number {
  const namedMs = retryAfterMs ?? backoff(MINUTE_MS, HOUR_MS, streak);
  const waitMs = Math.min(MAX_NAMED_MS, Math.max(MIN_WAIT_MS, namedMs));
  return waitMs + Math.round(random() * RATE_LIMIT_JITTER_MS);
}

/** Three tries, half a minute to two minutes apart; after the third the request waits for its next regular time. */
function internalError(streak: number, random: () => number): Verdict {
  const waitMs = 30 * SECOND_MS + Math.round(random() * 90 * SECOND_MS);
  const settled = (streak + 1) % INTERNAL_ERROR_TRIES === 0;
  return { ...trouble("series", waitMs, "service_trouble"), settled };
}

function namedOutageMs({ retryAfterMs }: Refusal): number {
  return Math.min(MAX_OUTAGE_MS, retryAfterMs ?? 0);
}

/** How long the breaker stays open when it opens for the n-th time in a row, n from 0. Unit: ms. */
export function breakerWaitMs(openings: number): number {
  return backoff(BREAKER_FIRST_MS, BREAKER_LONGEST_MS, openings);
}

function backoff(firstMs: number, longestMs: number, streak: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(streak, 16));
}

/** Full jitter: anything up to the back-off, but never at once. */
function jitter(waitMs: number, random: () => number): number {
  return Math.max(MIN_WAIT_MS, Math.round(waitMs * random()));
}

function standing(scope: Scope, waitMs: number, problem: ServiceProblemCode | null): Verdict {
  return { scope, waitMs, problem, trouble: false, settled: false };
}

function trouble(scope: Scope, waitMs: number, problem: ServiceProblemCode): Verdict {
  return { scope, waitMs, problem, trouble: true, settled: false };
}
