/**
 * Remaining quota that the service reports: an upper bound next to the request log, which knows no other program with
 * the same key. It is that of the latest report, minus every attempt that the service may have counted after it.
 */

import * as z from "zod/mini";
import {
  type Attempt,
  FLIGHT_MS,
  type MonotonicMs,
  partRemainder,
  type RateLimit,
  SERVICE_WINDOW_MS,
  type Share,
} from "../../core/fetching/rate-limit.ts";
import type { RateWindow } from "../../core/fetching/rate-window.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import { type QuotaWindow, quotaWindows } from "../contract/limits.ts";
import type { QuotaStanding } from "../contract/quota-headers.ts";

/** Resolution of the service's time in the `Date` header. */
const DATE_MS = 1_000;

/** Quota in the response to an attempt. */
interface QuotaReport {
  readonly attempt: Attempt;
  readonly quota: Partial<QuotaStanding>;
  readonly serverMs: EpochMs | null;
  readonly now: MonotonicMs;
  readonly budget: readonly RateLimit[];
}

/** Latest report on one window. */
interface Ceiling {
  readonly used: number;
  readonly remaining: number;
  readonly resetSec: number;
  /** Attempts made after this that have no response may have been counted after the report. */
  readonly openSince: MonotonicMs;
  readonly arrivedAt: MonotonicMs;
  readonly until: MonotonicMs;
  /**
   * Since when the service has counted more requests than the request log: those of other programs. Until then the log
   * is the stricter bound. Attempts before a suspension of the machine may count longer in the log than at the service.
   */
  othersFrom: MonotonicMs;
}

/** Reported quota as stored for the next process. */
export const storedSharedQuota = z.object({ window: z.enum(quotaWindows), left: z.number(), restMs: z.number() });
export type StoredSharedQuota = Readonly<z.infer<typeof storedSharedQuota>>;

export class SharedQuota {
  readonly #ceilings = new Map<QuotaWindow, Ceiling>();
  /** Until a day after the last report of other programs' requests. */
  sharedUntil: MonotonicMs = Number.NEGATIVE_INFINITY;

  /** Returns until when a share may send no request; a past time if it may. */
  until(share: Share, budget: readonly RateLimit[], spending: RateWindow, now: MonotonicMs): MonotonicMs {
    const used = [...this.#ceilings].filter(([window, ceiling]) => {
      if (!isShared(ceiling, now)) return false;
      const since = ceiling.until - FLIGHT_MS - SERVICE_WINDOW_MS[window];
      const spent = { poll: spending.count("poll", since), lan: spending.count("lan", since) };
      return availableTo(share, leftOf(ceiling, spending), spent, windowOf(budget, window)) <= 0;
    });
    return Math.max(...used.map(([, { until }]) => until));
  }

  /** Learns from a response, which is recorded in `spending`. */
  apply({ attempt, quota, serverMs, now, budget }: QuotaReport, spending: RateWindow): void {
    for (const window of quotaWindows) {
      const standing = quota[window];
      if (!standing) continue;
      const { limit, remaining, resetSec } = standing;
      const report = { used: limit - remaining, remaining, resetSec };
      const until = now + windowRestMs(window, resetSec, serverMs) + FLIGHT_MS;
      // A late report on an earlier window shows other programs, too.
      if (report.used > spending.attempts.filter(mayCount(window, until, serverMs)).length) this.#shareFrom(now);
      const before = this.#ceilings.get(window);
      const isLate = before && before.until > now && !supersedes(report, attempt.at, before);
      const ceiling = isLate
        ? before
        : { ...report, openSince: attempt.at - FLIGHT_MS, arrivedAt: now, until, othersFrom: now };
      // The reported limit may already be the higher one that applies from the next window on.
      const left = windowOf(budget, window).limit - ceiling.used;
      this.#ceilings.set(window, { ...ceiling, remaining: Math.max(0, Math.min(ceiling.remaining, left)) });
    }
    for (const [window, ceiling] of this.#ceilings) {
      if (ceiling.until <= now) continue;
      const resetAt = ceiling.until - FLIGHT_MS - DATE_MS;
      const ends = spending.endsIn(windowOf(budget, window), mayCount(window, ceiling.until, serverMs), now);
      const from = ends[ends.length - laterThan(ceiling, spending) - ceiling.used] ?? now;
      ceiling.othersFrom = from === now || from < resetAt ? from : Number.POSITIVE_INFINITY;
      if (ceiling.othersFrom <= now) this.#shareFrom(now);
    }
  }

  #shareFrom(now: MonotonicMs): void {
    this.sharedUntil = now + SERVICE_WINDOW_MS.day;
  }

  /** Returns the quotas to store: those that other users of the key have reduced. */
  kept(spending: RateWindow, now: MonotonicMs): StoredSharedQuota[] {
    return [...this.#ceilings].flatMap(([window, ceiling]) =>
      isShared(ceiling, now) ? [{ window, left: leftOf(ceiling, spending), restMs: ceiling.until - now }] : [],
    );
  }

  /** Restores a quota of an earlier process, after which `spent` attempts were made. */
  restore({ window, left, restMs }: StoredSharedQuota, spent: number, now: MonotonicMs): void {
    this.#ceilings.set(window, {
      used: Number.POSITIVE_INFINITY,
      remaining: left - spent,
      resetSec: 0,
      openSince: now - 1,
      arrivedAt: now,
      until: now + restMs,
      othersFrom: now,
    });
  }
}

/** Returns whether the service may have counted an attempt in the window that contains `serverMs` and is over at `until`. */
function mayCount(window: QuotaWindow, until: MonotonicMs, serverMs: EpochMs | null): (attempt: Attempt) => boolean {
  const since = until - DATE_MS - 2 * FLIGHT_MS - SERVICE_WINDOW_MS[window];
  const numberOf = (time: EpochMs) => Math.floor(time / SERVICE_WINDOW_MS[window]);
  return ({ at, serverMs: own = null }) =>
    at > since && (own === null || serverMs === null || numberOf(own) === numberOf(serverMs));
}

/** Returns true if the remaining quota in a report is a stricter bound than the request log. */
function isShared({ othersFrom, until }: Ceiling, now: MonotonicMs): boolean {
  return othersFrom <= now && now < until;
}

/** Returns the number of attempts that may have been counted after the report. */
function laterThan({ openSince }: Ceiling, { attempts }: RateWindow): number {
  return attempts.filter(({ at, serverMs = null }) => at > openSince && serverMs === null).length;
}

function leftOf(ceiling: Ceiling, spending: RateWindow): number {
  return ceiling.remaining - laterThan(ceiling, spending);
}

/** Returns how long a window lasts at most, from the reset time in a response sent at `serverMs`. Unit: ms. */
export function windowRestMs(window: QuotaWindow, resetSec: number, serverMs: EpochMs | null): number {
  const lengthMs = SERVICE_WINDOW_MS[window];
  return serverMs === null ? lengthMs : Math.min(lengthMs, Math.max(0, resetSec * 1_000 - serverMs));
}

/** Returns true if a report on a request made at `at` is later than the previous report, or stricter. */
function supersedes(
  { used, remaining, resetSec }: Pick<Ceiling, "used" | "remaining" | "resetSec">,
  at: MonotonicMs,
  before: Ceiling,
): boolean {
  if (resetSec !== before.resetSec) return resetSec > before.resetSec;
  return at > before.arrivedAt || used > before.used || remaining < before.remaining;
}

/** Returns a share's part of the rest: prices all, others not theirs or each other's part, back-fill not polling's. */
function availableTo(
  share: Share,
  left: number,
  spent: Parameters<typeof partRemainder>[1],
  window: RateLimit,
): number {
  if (share === "prices") return left;
  const rest = left - (window.reserve?.count ?? 0);
  const { poll, lan } = partRemainder(Math.max(0, rest), spent, window);
  if (share === "lan") return rest - poll;
  return rest - lan - (share === "poll" ? 0 : Math.min(poll, window.shares.poll - window.shares.backfill));
}

/** Returns the limit of a window; one without a limit has no length and no shares. */
function windowOf(budget: readonly RateLimit[], window: QuotaWindow): RateLimit {
  const unlimited = { name: window, lengthMs: 0, limit: Infinity, shares: { poll: 0, backfill: 0, lan: 0 } };
  return budget.find(({ name }) => name === window) ?? unlimited;
}
