import { SERVICE_WINDOW_MS } from "../../core/fetching/rate-limit.ts";
import { type EpochMs, MINUTE_MS, SECOND_MS } from "../../core/time/interval.ts";
import type { HeaderName } from "./headers.ts";
import { type QuotaWindow, quotaWindows } from "./limits.ts";

/** Remaining quota of one window. Unit: attempts; Unix seconds for `resetSec`. */
export type WindowStanding = { readonly limit: number; readonly remaining: number; readonly resetSec: number };

/** Remaining quota of a caller in both windows, as the service states it in each response. */
export type QuotaStanding = Readonly<Record<QuotaWindow, WindowStanding>>;

/** Names of the quota headers per window. Source: service interface, part 8.2. */
export const quotaHeaderNames = {
  minute: {
    limit: "X-RateLimit-Limit-Minute",
    remaining: "X-RateLimit-Remaining-Minute",
    resetSec: "X-RateLimit-Reset-Minute",
  },
  day: { limit: "X-RateLimit-Limit-Day", remaining: "X-RateLimit-Remaining-Day", resetSec: "X-RateLimit-Reset-Day" },
} as const satisfies Record<QuotaWindow, Record<keyof WindowStanding, HeaderName>>;

/** Adds the six quota headers. */
export function addQuotaHeaders(headers: Record<string, string>, standing: QuotaStanding): void {
  for (const window of quotaWindows) {
    const names = quotaHeaderNames[window];
    for (const name of ["limit", "remaining", "resetSec"] as const)
      headers[names[name]] = String(standing[window][name]);
  }
}

/** Maximum difference between a header and the time of the response. */
const RESET_SLACK_MS = MINUTE_MS;

/**
 * Reads the quota headers of a response that was sent at `serverMs`. Shape: `get` takes lower-case header names. A
 * window is omitted if a number is missing or invalid, or if it cannot be true: more requests remain than the limit, or
 * the window ends before the response or later than one window after it.
 */
export function parseQuotaHeaders(
  get: (name: string) => string | undefined,
  serverMs: EpochMs | null = null,
): Partial<QuotaStanding> {
  const standing: Partial<Record<QuotaWindow, WindowStanding>> = {};
  for (const window of quotaWindows) {
    const names = quotaHeaderNames[window];
    const limit = wholeNumber(get(names.limit.toLowerCase()), 1);
    const remaining = wholeNumber(get(names.remaining.toLowerCase()), 0);
    const resetSec = wholeNumber(get(names.resetSec.toLowerCase()), 0);
    if (limit === null || remaining === null || resetSec === null || remaining > limit) continue;
    const restMs = serverMs === null ? 0 : resetSec * SECOND_MS - serverMs;
    if (restMs >= -RESET_SLACK_MS && restMs <= SERVICE_WINDOW_MS[window] + RESET_SLACK_MS)
      standing[window] = { limit, remaining, resetSec };
  }
  return standing;
}

/** Reads `Retry-After` in whole seconds; null if it is absent, invalid or below the documented minimum of 1. */
export function parseRetryAfterSec(text: string | undefined): number | null {
  return wholeNumber(text, 1);
}

function wholeNumber(text: string | undefined, least: number): number | null {
  if (text === undefined || !/^\d{1,15}$/.test(text)) return null;
  const value = Number(text);
  return value >= least ? value : null;
}
