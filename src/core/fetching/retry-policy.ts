/** Retry policy: the consequence of a failure for the next request. Source: design, table of answers. */

import type { ServiceProblemCode } from "../status/problem-catalog.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../time/interval.ts";
import type { FetchFailure } from "./fetch-outcome.ts";

/** Purpose of the failed request: `prices` includes the list of addresses, which prices require. */
export type Need = "prices" | "other";

/** Scope of a failure: request, series, address or account. */
export type Scope = "request" | "series" | "place" | "account";

/** Consequence of a failure. */
export interface Verdict {
  readonly scope: Scope;
  /** Pause of the scope. Unit: ms. */
  readonly waitMs: number;
  /** Problem to report; null if the owner needs no notice, as for a capability that the address does not have. */
  readonly problem: ServiceProblemCode | null;
  /** True if it counts towards the circuit breaker: the service or the connection is failing. */
  readonly trouble: boolean;
  /** True if the request counts as done until its next regular time. */
  readonly settled: boolean;
}

const PROBE_INVALID_TOKEN_MS = 6 * HOUR_MS;
const CONFIRM_INVALID_TOKEN_MS = 2 * MINUTE_MS;
/** Attempts of one request with a 500 before it waits for its next regular time. */
const INTERNAL_ERROR_TRIES = 3;
/** Attempts with another server error (such as 502) before the series waits for its next regular time. */
const OUTAGE_TRIES = 5;
/** Number of 404 responses within `UNKNOWN_ADDRESS_MS` before an address is dropped, and the pause between attempts. */
const UNKNOWN_ADDRESS_TRIES = 3;
export const UNKNOWN_ADDRESS_MS: number = DAY_MS;
const UNKNOWN_ADDRESS_PAUSE_MS = 2 * HOUR_MS;
const MIN_WAIT_MS = SECOND_MS;
/** Maximum wait accepted from the service after a 429: its longest window, plus one hour. */
const MAX_NAMED_MS = DAY_MS + HOUR_MS;
/** Maximum `Retry-After` accepted in an outage. */
const MAX_OUTAGE_MS = HOUR_MS;
const UNSENT_WAITS_MS = [MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS] as const;
/** Part of the wait by which installations differ after an outage. */
const UNSENT_JITTER = 0.2;
const RATE_LIMIT_JITTER_MS = 5 * SECOND_MS;

/** Consecutive failures that open the circuit breaker, and its first and longest open time. */
export const BREAKER_FAILURES = 5;
const BREAKER_FIRST_MS = 5 * MINUTE_MS;
const BREAKER_LONGEST_MS = 60 * MINUTE_MS;

/** Returns the consequence of a failure. `streak`: preceding failures in the scope; of an unknown address, in a day. */
export function judge(failure: FetchFailure, streak: number, random: () => number, need: Need = "other"): Verdict {
  switch (failure.kind) {
    case "unreachable": {
      if (failure.isUnsent) return trouble("account", unsentWaitMs(streak, random), "unreachable");
      const waitMs = jitter(backoff(15 * SECOND_MS, 5 * MINUTE_MS, streak), random);
      return trouble("account", Math.max(waitMs, namedOutageMs(failure)), "unreachable");
    }
    case "malformed":
      return trouble("series", jitter(backoff(2 * MINUTE_MS, 30 * MINUTE_MS, streak), random), "malformed");
    case "refused":
      return judgeRefusal(failure, streak, random, need);
  }
}

type Refusal = FetchFailure & { readonly kind: "refused" };

function judgeRefusal(failure: Refusal, streak: number, random: () => number, need: Need): Verdict {
  const { status, code } = failure;
  switch (status) {
    case 400:
      return standing("request", DAY_MS, "bad_request");
    case 401:
      if (code === "credential_expired") return standing("account", DAY_MS, "credential_expired");
      return standing("account", streak === 0 ? CONFIRM_INVALID_TOKEN_MS : PROBE_INVALID_TOKEN_MS, "invalid_token");
    case 403:
      // Retry hourly for prices: access may return without a change on this side.
      return code === "plus_required"
        ? standing("account", HOUR_MS, "plus_required")
        : standing("series", need === "prices" ? HOUR_MS : DAY_MS, "forbidden");
    case 404:
      return streak + 1 < UNKNOWN_ADDRESS_TRIES
        ? standing("series", UNKNOWN_ADDRESS_PAUSE_MS, "address_gone")
        : standing("place", DAY_MS, "address_gone");
    case 422:
      return standing("series", DAY_MS, null);
    case 429:
      return standing("account", rateLimitWaitMs(failure, streak, random), "rate_limited");
    case 500:
      return internalError(streak, random);
    case 503: {
      const waitMs = jitter(backoff(5 * MINUTE_MS, 30 * MINUTE_MS, streak), random);
      return trouble("account", Math.max(waitMs, namedOutageMs(failure)), "service_trouble");
    }
    default: {
      const waitMs = jitter(backoff(2 * MINUTE_MS, 30 * MINUTE_MS, streak), random);
      const settled = (streak + 1) % OUTAGE_TRIES === 0;
      return { ...trouble("series", Math.max(waitMs, namedOutageMs(failure)), "service_trouble"), settled };
    }
  }
}

/** Returns the wait that the service named, plus jitter. Without one, the wait grows exponentially. */
function rateLimitWaitMs({ retryAfterMs }: Refusal, streak: number, random: () => number): number {
  const namedMs = retryAfterMs ?? backoff(MINUTE_MS, HOUR_MS, streak);
  const waitMs = Math.min(MAX_NAMED_MS, Math.max(MIN_WAIT_MS, namedMs));
  return waitMs + Math.round(random() * RATE_LIMIT_JITTER_MS);
}

/** Allows three attempts, 30 to 120 s apart; after the third the request waits for its next regular time. */
function internalError(streak: number, random: () => number): Verdict {
  const waitMs = 30 * SECOND_MS + Math.round(random() * 90 * SECOND_MS);
  const settled = (streak + 1) % INTERNAL_ERROR_TRIES === 0;
  return { ...trouble("series", waitMs, "service_trouble"), settled };
}

/** Returns the wait after a request that was not sent, which cost nothing: up to 1, 2, 5, 5, … minutes. */
function unsentWaitMs(streak: number, random: () => number): number {
  const longestMs = UNSENT_WAITS_MS[Math.min(streak, UNSENT_WAITS_MS.length - 1)] ?? MIN_WAIT_MS;
  return Math.round(longestMs * (1 - UNSENT_JITTER * random()));
}

function namedOutageMs({ retryAfterMs }: { readonly retryAfterMs?: number | null }): number {
  return Math.min(MAX_OUTAGE_MS, retryAfterMs ?? 0);
}

/** Returns how long the circuit breaker stays open at its n-th consecutive opening, n from 0. Unit: ms. */
export function breakerWaitMs(openings: number): number {
  return backoff(BREAKER_FIRST_MS, BREAKER_LONGEST_MS, openings);
}

function backoff(firstMs: number, longestMs: number, streak: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(streak, 16));
}

/** Applies full jitter: a random wait up to `waitMs`, at least 1 s. */
function jitter(waitMs: number, random: () => number): number {
  return Math.max(MIN_WAIT_MS, Math.round(waitMs * random()));
}

function standing(scope: Scope, waitMs: number, problem: ServiceProblemCode | null): Verdict {
  return { scope, waitMs, problem, trouble: false, settled: false };
}

function trouble(scope: Scope, waitMs: number, problem: ServiceProblemCode): Verdict {
  return { scope, waitMs, problem, trouble: true, settled: false };
}
