/**
 * Remaining quota that the service reports, which matters when other programs use the same key: that of the latest
 * response, minus every attempt that the service may have counted after it. An attempt was counted before if its own
 * response arrived before the latest request was sent, or reports a lower use.
 */

import * as z from "zod/mini";
import {
  FLIGHT_MS,
  type MonotonicMs,
  type Parting,
  partRemainder,
  type RateLimit,
  SERVICE_WINDOW_MS,
  type Share,
} from "../../core/fetching/rate-limit.ts";
import type { RateWindow } from "../../core/fetching/rate-window.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import { type QuotaWindow, quotaWindows } from "../contract/limits.ts";
import type { QuotaStanding, WindowStanding } from "../contract/quota-headers.ts";

interface QuotaReport {
  readonly id: number;
  readonly quota: Partial<QuotaStanding>;
  readonly serverMs: EpochMs | null;
  readonly now: MonotonicMs;
  readonly budget: readonly RateLimit[];
  /** Attempts of this daemon. */
  readonly spending: RateWindow;
}

type Mark = Readonly<Record<"used" | "resetSec", number>>;

/** Attempt that may still count towards a reported quota. */
interface Track {
  readonly id: number;
  readonly at: MonotonicMs;
  answeredAt: MonotonicMs | null;
  readonly marks: Partial<Record<QuotaWindow, Mark>>;
}

/** Latest report on one window. */
interface Ceiling extends Mark {
  readonly id: number;
  /** Attempts made after this may have been counted after the report. */
  readonly openSince: MonotonicMs;
  /** Attempts whose responses arrived before this were counted before the report. */
  readonly countedBy: MonotonicMs;
  readonly arrivedAt: MonotonicMs;
  readonly remaining: number;
  readonly until: MonotonicMs;
  /** Attempts made after this are all of this daemon's attempts in the window. */
  readonly oursSince: MonotonicMs;
  /** False if the service counted no other program's requests: then the request log is sufficient. */
  others: boolean;
  /** Remaining part of each share; decreases with each attempt. */
  reserve: Parting;
  left: number;
}

/** Reported quota as stored for the next process. */
export const storedSharedQuota = z.object({
  window: z.enum(quotaWindows),
  left: z.number(),
  restMs: z.number(),
  reserve: z.object({ poll: z.number(), lan: z.number() }),
});
export type StoredSharedQuota = Readonly<z.infer<typeof storedSharedQuota>>;

export class SharedQuota {
  readonly #ceilings = new Map<QuotaWindow, Ceiling>();
  /** Bounded by the day limit; usually the requests in flight. */
  #tracks: Track[] = [];

  /** Returns until when a share may send no request; a past time if it may. */
  until(share: Share, budget: readonly RateLimit[], now: MonotonicMs): MonotonicMs {
    const used = [...this.#ceilings].filter(([window, ceiling]) => {
      return ceiling.others && ceiling.until > now && availableTo(share, ceiling, windowOf(budget, window)) <= 0;
    });
    return Math.max(...used.map(([, { until }]) => until));
  }

  spent(id: number, share: Share, at: MonotonicMs): void {
    this.#tracks.push({ id, at, answeredAt: null, marks: {} });
    const counted = share === "lan" ? "lan" : "poll";
    for (const ceiling of this.#ceilings.values()) {
      ceiling.left--;
      ceiling.reserve = { ...ceiling.reserve, [counted]: Math.max(0, ceiling.reserve[counted] - 1) };
    }
  }

  /** Removes an attempt that was not sent. */
  giveBack(id: number): void {
    this.#tracks = this.#tracks.filter((track) => track.id !== id);
    for (const [window, ceiling] of this.#ceilings) ceiling.left = ceiling.remaining - this.#laterThan(window, ceiling);
  }

  apply(report: QuotaReport): void {
    const track = this.#tracks.find(({ id }) => id === report.id);
    if (!track) return;
    track.answeredAt = report.now;
    for (const window of quotaWindows) {
      const standing = report.quota[window];
      if (standing) this.#learnWindow(window, standing, track, report);
    }
    this.#prune(report.now);
    for (const [window, ceiling] of this.#ceilings) {
      const later = this.#laterThan(window, ceiling);
      ceiling.left = ceiling.remaining - later;
      const { spending, now } = report;
      const ours =
        window === "day" ? spending.countOfDay(ceiling.oursSince, now) : spending.count("all", ceiling.oursSince);
      ceiling.others = ceiling.used > ours - later;
    }
  }

  /** Returns the quotas to store: those that other users of the key have reduced. */
  kept(now: MonotonicMs): StoredSharedQuota[] {
    return [...this.#ceilings].flatMap(([window, { left, reserve, until, others }]) =>
      others && until > now ? [{ window, left, reserve, restMs: until - now }] : [],
    );
  }

  /** Restores an attempt of an earlier process. `answered` is true if its response had arrived. */
  resume(id: number, at: MonotonicMs, answered: boolean, now: MonotonicMs): void {
    if (at > now - FLIGHT_MS) this.#tracks.push({ id, at, answeredAt: answered ? now : null, marks: {} });
  }

  /** Restores a quota of an earlier process, after which `spent` attempts were made. */
  restore({ window, left, reserve, restMs }: StoredSharedQuota, spent: number, now: MonotonicMs): void {
    const remaining = left - spent;
    this.#ceilings.set(window, {
      id: -1,
      openSince: now - 1,
      countedBy: Number.NEGATIVE_INFINITY,
      arrivedAt: now,
      until: now + restMs,
      used: Number.POSITIVE_INFINITY,
      resetSec: 0,
      others: true,
      oursSince: now,
      reserve,
      remaining,
      left: remaining,
    });
  }

  #learnWindow(window: QuotaWindow, standing: WindowStanding, track: Track, report: QuotaReport): void {
    const { limit, remaining, resetSec } = standing;
    const mark = { used: limit - remaining, resetSec };
    track.marks[window] = mark;
    const before = this.#ceilings.get(window);
    const { limit: known } = windowOf(report.budget, window);
    // The reported limit may already be the higher one that applies from the next window on.
    const left = Math.max(0, Math.min(remaining, known - mark.used));
    if (before && before.until > report.now && !supersedes({ ...mark, at: track.at, left }, before)) return;
    const { now, serverMs, spending, budget } = report;
    const restMs = windowRestMs(window, resetSec, serverMs);
    const beganAt = now + restMs - SERVICE_WINDOW_MS[window];
    const spent = { poll: spending.count("poll", beganAt), lan: spending.count("lan", beganAt) };
    this.#ceilings.set(window, {
      ...mark,
      id: track.id,
      arrivedAt: now,
      until: now + restMs + FLIGHT_MS,
      openSince: track.at - FLIGHT_MS,
      countedBy: track.at,
      remaining: left,
      left,
      reserve: partRemainder(Math.max(0, left - keptIn(windowOf(budget, window))), spent, windowOf(budget, window)),
      oursSince: serverMs === null ? now : beganAt - FLIGHT_MS,
      others: true,
    });
  }

  /** Returns the number of attempts that may have been counted after the report. */
  #laterThan(window: QuotaWindow, ceiling: Ceiling): number {
    return this.#tracks.filter(({ id, at, answeredAt, marks }) => {
      if (id === ceiling.id || at <= ceiling.openSince) return false;
      if (answeredAt !== null && answeredAt < ceiling.countedBy) return false;
      const mark = marks[window];
      return ceiling.id < 0 || !mark || mark.resetSec > ceiling.resetSec || mark.used > ceiling.used;
    }).length;
  }

  #prune(now: MonotonicMs): void {
    const lasting = [...this.#ceilings.values()].filter(({ until }) => until > now);
    const since = Math.min(now - 2 * FLIGHT_MS, ...lasting.map(({ openSince }) => openSince));
    if ((this.#tracks[0]?.at ?? now) <= since) this.#tracks = this.#tracks.filter(({ at }) => at > since);
  }
}

/** Returns how long a window lasts at most, from the reset time in a response sent at `serverMs`. Unit: ms. */
export function windowRestMs(window: QuotaWindow, resetSec: number, serverMs: EpochMs | null): number {
  const lengthMs = SERVICE_WINDOW_MS[window];
  return serverMs === null ? lengthMs : Math.min(lengthMs, Math.max(0, resetSec * 1_000 - serverMs));
}

/** Returns true if a report replaces the previous one. */
function supersedes(next: Pick<Track, "at"> & Mark & Pick<Ceiling, "left">, before: Ceiling): boolean {
  if (before.id < 0) return true;
  if (next.resetSec !== before.resetSec) return next.resetSec > before.resetSec;
  return next.at > before.arrivedAt || next.left < before.remaining;
}

/** Returns a share's part of the rest: prices all, others not theirs or each other's part, back-fill not polling's. */
function availableTo(share: Share, { left, reserve }: Ceiling, window: Window): number {
  const rest = left - keptIn(window);
  switch (share) {
    case "prices":
      return left;
    case "lan":
      return rest - reserve.poll;
    case "poll":
      return rest - reserve.lan;
    case "backfill":
      return rest - reserve.lan - Math.min(reserve.poll, window.shares.poll - window.shares.backfill);
  }
}

function keptIn({ reserve }: Window): number {
  return reserve?.count ?? 0;
}

type Window = Pick<RateLimit, "limit" | "shares" | "reserve">;

/** Returns the limit and shares of a window; a window without a limit has no shares. */
function windowOf(budget: readonly RateLimit[], window: QuotaWindow): Window {
  const unlimited = { limit: Number.POSITIVE_INFINITY, shares: { poll: 0, backfill: 0, lan: 0 } };
  return budget.find(({ name }) => name === window) ?? unlimited;
}
