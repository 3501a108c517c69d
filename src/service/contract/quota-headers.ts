import type { HeaderName } from "./headers.ts";
import type { QuotaWindow } from "./limits.ts";

/** How much of one window is left. Unit: attempts, and Unix seconds for `resetSec`. */
export interface WindowStanding {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSec: number;
}

/** The standing of a caller in both windows, as the service tells it on each answer. */
export type QuotaStanding = Readonly<Record<QuotaWindow, WindowStanding>>;

/** Header names of the quota, per window. Source: service interface, part 8.2. */
export const quotaHeaderNames = {
  minute: {
    limit: "X-RateLimit-Limit-Minute",
    remaining: "X-RateLimit-Remaining-Minute",
    resetSec: "X-RateLimit-Reset-Minute",
  },
  day: { limit: "X-RateLimit-Limit-Day", remaining: "X-RateLimit-Remaining-Day", resetSec: "X-RateLimit-Reset-Day" },
} as const satisfies Record<QuotaWindow, Record<keyof WindowStanding, HeaderName>>;

/** Adds the six quota headers of an answer. */
export function addQuotaHeaders(headers: Record<string, string>, standing: QuotaStanding): void {
  for (const window of ["minute", "day"] as const) {
    const names = quotaHeaderNames[window];
    const { limit, remaining, resetSec } = standing[window];
    headers[names.limit] = String(limit);
    headers[names.remaining] = String(remaining);
    headers[names.resetSec] = String(resetSec);
  }
}

/**
 * Reads the quota headers of an answer.
 * Shape: `get` looks a header up by its lower-case name. A window with a missing or illegal number is left out.
 */
export function parseQuotaHeaders(get: (name: string) => string | undefined): Partial<QuotaStanding> {
  const standing: Partial<Record<QuotaWindow, WindowStanding>> = {};
  for (const window of ["minute", "day"] as const) {
    const names = quotaHeaderNames[window];
    const limit = wholeNumber(get(names.limit.toLowerCase()), 1);
    const remaining = wholeNumber(get(names.remaining.toLowerCase()), 0);
    const resetSec = wholeNumber(get(names.resetSec.toLowerCase()), 0);
    if (limit !== null && remaining !== null && resetSec !== null) standing[window] = { limit, remaining, resetSec };
  }
  return standing;
}

/** Reads `Retry-After` in its whole-seconds form; null when absent, illegal or below the documented least of 1. */
export function parseRetryAfterSec(text: string | undefined): number | null {
  return wholeNumber(text, 1);
}

function wholeNumber(text: string | undefined, least: number): number | null {
  if (text === undefined || !/^\d{1,15}$/.test(text)) return null;
  const value = Number(text);
  return value >= least ? value : null;
}
