import { type Attempt, DAY_WINDOW_MS, type MonotonicMs, type RateLimit, type Share } from "./rate-limit.ts";

/** What a share is counted with: back-fill with polling and on its own, prices with all that is spent only. */
const COUNTED_AS: Readonly<Record<Share, readonly Exclude<Share, "prices">[]>> = {
  prices: [],
  poll: ["poll"],
  backfill: ["poll", "backfill"],
  lan: ["lan"],
};

/**
 * The attempts that may still count in a window, kept so that the next one's time is found without looking at all of
 * them: the one that blocks stands at a known place of a sorted list. Bounded by the budget of a day.
 */
export class RateWindow {
  #attempts: Attempt[];
  #times: Record<Share | "all", MonotonicMs[]> = { all: [], prices: [], poll: [], backfill: [], lan: [] };

  /** Shape: attempts in any order. */
  constructor(attempts: readonly Attempt[] = []) {
    this.#attempts = [...attempts].sort((a, b) => a.at - b.at);
    this.#index();
  }

  /** Shape: oldest first. */
  get attempts(): readonly Attempt[] {
    return this.#attempts;
  }

  /** Adds an attempt, which is newer than all others. */
  add(attempt: Attempt): void {
    this.#attempts.push(attempt);
    this.#note(attempt);
  }

  /** How many attempts were made after `since`; those of `poll` include back-fill. */
  count(share: Share | "all", since: MonotonicMs): number {
    const times = this.#times[share];
    let first = times.length;
    while (first > 0 && (times[first - 1] ?? since) > since) first--;
    return times.length - first;
  }

  /** The earliest moment at which a share may make its next attempt; `now` when it may at once. */
  earliest(share: Share, budget: readonly RateLimit[], now: MonotonicMs): MonotonicMs {
    this.#forget(now - DAY_WINDOW_MS);
    let earliest = now;
    for (const { limit, shares, lengthMs } of budget) {
      earliest = Math.max(earliest, freeAt(this.#times.all, limit, lengthMs));
      for (const counted of COUNTED_AS[share])
        earliest = Math.max(earliest, freeAt(this.#times[counted], shares[counted], lengthMs));
    }
    return earliest;
  }

  /** Lets go of what is in no window any more. No window is longer than the day's. */
  #forget(until: MonotonicMs): void {
    const first = this.#attempts.findIndex(({ at }) => at > until);
    if (first === 0 || this.#attempts.length === 0) return;
    this.#attempts = first < 0 ? [] : this.#attempts.slice(first);
    this.#index();
  }

  #index(): void {
    this.#times = { all: [], prices: [], poll: [], backfill: [], lan: [] };
    for (const attempt of this.#attempts) this.#note(attempt);
  }

  #note({ share, at }: Attempt): void {
    this.#times.all.push(at);
    this.#times[share].push(at);
    if (share === "backfill") this.#times.poll.push(at);
  }
}

/** When one more attempt fits into a rolling window that may hold `limit`. Shape: times ascending. */
function freeAt(times: readonly MonotonicMs[], limit: number, lengthMs: number): MonotonicMs {
  return (times[times.length - limit] ?? Number.NEGATIVE_INFINITY) + lengthMs;
}
