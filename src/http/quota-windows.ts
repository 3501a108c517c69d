/** Quota check in fixed UTC windows: for the simulated service and for the daemon's own keys. */

import { SERVICE_WINDOW_MS } from "../core/fetching/rate-limit.ts";
import { type EpochMs, SECOND_MS } from "../core/time/interval.ts";
import { type QuotaWindow, quotaWindows } from "../service/contract/limits.ts";
import type { QuotaStanding, WindowStanding } from "../service/contract/quota-headers.ts";

export type QuotaLimits = Readonly<Record<QuotaWindow, number>>;

export interface QuotaVerdict {
  readonly standing: QuotaStanding;
  /** Seconds until the latest reset of the exhausted windows, at least 1; null if the attempt is within the quota. */
  readonly retryAfterSec: number | null;
}

export function windowStart(window: QuotaWindow, at: EpochMs): EpochMs {
  return Math.floor(at / SERVICE_WINDOW_MS[window]) * SERVICE_WINDOW_MS[window];
}

/** Checks an attempt. `counts` include it and rejected ones. Source: service interface, part 8.2. */
export function judgeAttempt(counts: QuotaLimits, limits: QuotaLimits, now: EpochMs): QuotaVerdict {
  const standingIn = (window: QuotaWindow): WindowStanding => ({
    limit: limits[window],
    remaining: Math.max(0, limits[window] - counts[window]),
    resetSec: (windowStart(window, now) + SERVICE_WINDOW_MS[window]) / SECOND_MS,
  });
  const standing = { minute: standingIn("minute"), day: standingIn("day") };
  if (quotaWindows.every((window) => counts[window] <= limits[window])) return { standing, retryAfterSec: null };
  // A window that this attempt fills counts as exhausted: the next attempt fails until it resets.
  const exhausted = quotaWindows.filter((window) => counts[window] >= limits[window]);
  const latestResetSec = Math.max(...exhausted.map((window) => standing[window].resetSec));
  return { standing, retryAfterSec: Math.max(1, Math.ceil(latestResetSec - now / SECOND_MS)) };
}
