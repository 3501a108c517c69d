/**
 * What the service says is left, held against what is on its way: the bound that counts when other programs use the
 * same key.
 *
 * Answers may overtake each other and may be lost, so what is left is what the latest answer said, less every attempt
 * that may have been counted after it: one is known to have been counted before when its own answer came before the
 * latest was sent, or says that less had been used.
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

/** What an answer brought, for the attempt `id`. */
interface ToldQuota {
  readonly id: number;
  readonly quota: Partial<QuotaStanding>;
  /** The service's time as it answered; null where it is not known. */
  readonly serverMs: EpochMs | null;
  readonly now: MonotonicMs;
  readonly budget: readonly RateLimit[];
  /** This daemon's own attempts. */
  readonly spending: RateWindow;
}

interface Mark {
  readonly used: number;
  readonly resetSec: number;
}

/** An attempt that may count towards a ceiling still. */
interface Track {
  readonly id: number;
  readonly at: MonotonicMs;
  answeredAt: MonotonicMs | null;
  readonly marks: Partial<Record<QuotaWindow, Mark>>;
}

/** The latest word on one window. */
interface Ceiling extends Mark {
  readonly id: number;
  /** Attempts made after this may have been counted later than the word was said. */
  readonly openSince: MonotonicMs;
  /** Attempts whose answers had come before this were counted before it was said. */
  readonly countedBy: MonotonicMs;
  readonly arrivedAt: MonotonicMs;
  readonly remaining: number;
  readonly until: MonotonicMs;
  /** Attempts of this daemon made after this are all there are in the window. */
  readonly oursSince: MonotonicMs;
  /**
   * Whether the service may have counted more than this daemon sent before. Where it has not, the rolling windows hold
   * all there is to hold, and what is on its way need not be guessed at.
   */
  others: boolean;
  /** Counts down as each share spends. */
  reserve: Parting;
  left: number;
}

/** A ceiling as it outlives a process. */
export const storedSharedQuota = z.object({
  ...{ window: z.enum(quotaWindows), left: z.number(), restMs: z.number() },
  reserve: z.object({ poll: z.number(), lan: z.number() }),
});
export type StoredSharedQuota = Readonly<z.infer<typeof storedSharedQuota>>;

export class SharedQuota {
  readonly #ceilings = new Map<QuotaWindow, Ceiling>();
  /** Bounded by the budget of a day; usually what is on its way. */
  #tracks: Track[] = [];

  /** Until when a share may not ask; the past where it may. */
  until(share: Share, budget: readonly RateLimit[], now: MonotonicMs): MonotonicMs {
    let until = Number.NEGATIVE_INFINITY;
    for (const [window, ceiling] of this.#ceilings) {
      if (ceiling.others && ceiling.until > now && availableTo(share, ceiling, windowOf(budget, window).shares) <= 0)
        until = Math.max(until, ceiling.until);
    }
    return until;
  }

  /** Counts an attempt that goes out now. */
  spent(id: number, share: Share, at: MonotonicMs): void {
    this.#tracks.push({ id, at, answeredAt: null, marks: {} });
    const counted = share === "lan" ? "lan" : "poll";
    for (const ceiling of this.#ceilings.values()) {
      ceiling.left--;
      ceiling.reserve = { ...ceiling.reserve, [counted]: Math.max(0, ceiling.reserve[counted] - 1) };
    }
  }

  /** Takes an answer's word. */
  told(told: ToldQuota): void {
    const track = this.#tracks.find(({ id }) => id === told.id);
    if (!track) return;
    track.answeredAt = told.now;
    for (const window of quotaWindows) {
      const standing = told.quota[window];
      if (standing) this.#toldOf(window, standing, track, told);
    }
    this.#prune(told.now);
    for (const [window, ceiling] of this.#ceilings) {
      const later = this.#laterThan(window, ceiling);
      ceiling.left = ceiling.remaining - later;
      ceiling.others = ceiling.used > told.spending.count("all", ceiling.oursSince) - later;
    }
  }

  /** What must outlive this process: the ceilings that other users of the key have lowered. */
  kept(now: MonotonicMs): StoredSharedQuota[] {
    return [...this.#ceilings].flatMap(([window, { left, reserve, until, others }]) =>
      others && until > now ? [{ window, left, reserve, restMs: until - now }] : [],
    );
  }

  /** Takes up an attempt of an earlier process. `answered`: its answer had come. */
  resume(id: number, at: MonotonicMs, answered: boolean, now: MonotonicMs): void {
    if (at > now - FLIGHT_MS) this.#tracks.push({ id, at, answeredAt: answered ? now : null, marks: {} });
  }

  /** Takes up a ceiling of an earlier process, after which `spent` attempts were made. */
  restore({ window, left, reserve, restMs }: StoredSharedQuota, spent: number, now: MonotonicMs): void {
    const remaining = left - spent;
    this.#ceilings.set(window, {
      ...{ id: -1, openSince: now - 1, countedBy: Number.NEGATIVE_INFINITY, arrivedAt: now, until: now + restMs },
      ...{ used: Number.POSITIVE_INFINITY, resetSec: 0, others: true, oursSince: now },
      ...{ reserve, remaining, left: remaining },
    });
  }

  #toldOf(window: QuotaWindow, standing: WindowStanding, track: Track, told: ToldQuota): void {
    const { limit, remaining, resetSec } = standing;
    const mark = { used: limit - remaining, resetSec };
    track.marks[window] = mark;
    const before = this.#ceilings.get(window);
    const { limit: known } = windowOf(told.budget, window);
    // A raise that is told already holds from the next window on.
    const left = Math.max(0, Math.min(remaining, known - mark.used));
    if (before && before.until > told.now && !supersedes({ track, mark, left }, before)) return;
    const { now, serverMs, spending, budget } = told;
    const restMs = windowRestMs(window, resetSec, serverMs);
    const beganAt = now + restMs - SERVICE_WINDOW_MS[window];
    const spent = { poll: spending.count("poll", beganAt), lan: spending.count("lan", beganAt) };
    this.#ceilings.set(window, {
      ...{ ...mark, id: track.id, arrivedAt: now, until: now + restMs + FLIGHT_MS },
      ...{ openSince: track.at - FLIGHT_MS, countedBy: track.at, remaining: left, left },
      reserve: partRemainder(left, spent, windowOf(budget, window)),
      oursSince: serverMs === null ? now : beganAt - FLIGHT_MS,
      others: true,
    });
  }

  /** How many attempts may have been counted later than a word was said. */
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

/** How long a window still lasts at most, by the reset that an answer of the time `serverMs` told. Unit: milliseconds. */
export function windowRestMs(window: QuotaWindow, resetSec: number, serverMs: EpochMs | null): number {
  const lengthMs = SERVICE_WINDOW_MS[window];
  return serverMs === null ? lengthMs : Math.min(lengthMs, Math.max(0, resetSec * 1_000 - serverMs));
}

/** Whether a word on a window takes the place of the one before. */
function supersedes(
  next: { readonly track: Track; readonly mark: Mark; readonly left: number },
  before: Ceiling,
): boolean {
  if (next.mark.resetSec !== before.resetSec && before.id >= 0) return next.mark.resetSec > before.resetSec;
  if (before.id < 0) return true;
  return next.track.at > before.arrivedAt || next.left < before.remaining;
}

/** What a share may take of what is left: prices all, the others not each other's part, and back-fill not polling's. */
function availableTo(share: Share, { left, reserve }: Ceiling, shares: RateLimit["shares"]): number {
  switch (share) {
    case "prices":
      return left;
    case "lan":
      return left - reserve.poll;
    case "poll":
      return left - reserve.lan;
    case "backfill":
      return left - reserve.lan - Math.min(reserve.poll, shares.poll - shares.backfill);
  }
}

/** The shares and the limit of a window; a window without a limit has no shares. */
function windowOf(budget: readonly RateLimit[], window: QuotaWindow): Pick<RateLimit, "limit" | "shares"> {
  const unlimited = { limit: Number.POSITIVE_INFINITY, shares: { poll: 0, backfill: 0, lan: 0 } };
  return budget.find(({ name }) => name === window) ?? unlimited;
}
