import { type Attempt, DAY_WINDOW_MS, type MonotonicMs, type RateLimit, type Share } from "./rate-limit.ts";

/** Shares that an attempt counts towards. Back-fill counts as polling too; prices count only in the total. */
const COUNTED_AS: Readonly<Record<Share, readonly Exclude<Share, "prices">[]>> = {
  prices: [],
  poll: ["poll"],
  backfill: ["poll", "backfill"],
  lan: ["lan"],
};

/** Attempts that may still count in a window, at most the limit of a day. Sorted lists avoid a search. */
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

  add(attempt: Attempt): void {
    this.#attempts.push(attempt);
    this.#note(attempt);
  }

  remove(attempt: Attempt): void {
    this.#attempts = this.#attempts.filter((each) => each !== attempt);
    this.#index();
  }

  /** Returns the number of attempts after `since`; `poll` includes back-fill. */
  count(share: Share | "all", since: MonotonicMs): number {
    const times = this.#times[share];
    let first = times.length;
    while (first > 0 && (times[first - 1] ?? since) > since) first--;
    return times.length - first;
  }

  /** Returns the earliest time for a share's next attempt; `now` if it is allowed immediately. */
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

  /** Removes the attempts that are outside all windows. The day window is the longest. */
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

/** Returns when one more attempt fits into a rolling window of `limit` attempts. Shape: times ascending. */
function freeAt(times: readonly MonotonicMs[], limit: number, lengthMs: number): MonotonicMs {
  return (times[times.length - limit] ?? Number.NEGATIVE_INFINITY) + lengthMs;
}
