import type { EpochMs } from "../time/interval.ts";
import {
  type Attempt,
  DAY_WINDOW_MS,
  FLIGHT_MS,
  type MonotonicMs,
  type RateLimit,
  SERVICE_WINDOW_MS,
  type Share,
} from "./rate-limit.ts";

/** Shares that an attempt counts towards. Back-fill counts as polling too; prices count only in the total. */
const COUNTED_AS: Readonly<Record<Share, readonly Exclude<Share, "prices">[]>> = {
  prices: [],
  poll: ["poll"],
  backfill: ["poll", "backfill"],
  lan: ["lan"],
};

/** Times by what an attempt counts as. Shape: ascending. */
type Times = Record<Share | "all", MonotonicMs[]>;

/** Attempts that may still count in a window, at most the limit of a day. Sorted lists avoid a search. */
export class RateWindow {
  #attempts: Attempt[];
  #times: Times = noTimes();
  /** When attempts no longer count in the service's UTC day: at its end, or a day after an attempt without a response. */
  #dayEnds: Times = noTimes();

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

  /** Records the service's time in the response to an attempt, which shows the day that it counted in. */
  answered(attempt: Attempt, serverMs: EpochMs): void {
    attempt.serverMs = serverMs;
    this.#index();
  }

  /** Returns the number of attempts after `since`; `poll` includes back-fill. */
  count(share: Share | "all", since: MonotonicMs): number {
    const times = this.#times[share];
    let first = times.length;
    while (first > 0 && (times[first - 1] ?? since) > since) first--;
    return times.length - first;
  }

  /** Returns when the attempts of which `counts` is true no longer count towards a limit. Shape: ascending, after `now`. */
  endsIn({ isUtcDay = false, lengthMs }: RateLimit, counts: (of: Attempt) => boolean, now: MonotonicMs): MonotonicMs[] {
    const ends = this.#attempts.flatMap((attempt) => {
      const end = isUtcDay ? dayEndOf(attempt) : attempt.at + lengthMs;
      return counts(attempt) && end > now ? [end] : [];
    });
    return ends.sort((a, b) => a - b);
  }

  /** Returns the earliest time for a share's next attempt; `now` if it is allowed immediately. */
  earliest(share: Share, budget: readonly RateLimit[], now: MonotonicMs): MonotonicMs {
    this.#forget(now - DAY_WINDOW_MS);
    let earliest = now;
    for (const limit of budget) {
      earliest = Math.max(earliest, this.#freeAt("all", limit.limit, limit));
      for (const counted of COUNTED_AS[share])
        earliest = Math.max(earliest, this.#freeAt(counted, limit.shares[counted], limit));
    }
    return earliest;
  }

  /** Returns until when what is left is kept for prices; `now` if a request of another purpose is allowed. */
  keptUntil(budget: readonly RateLimit[], now: MonotonicMs): MonotonicMs {
    const ends = budget.map((limit) => {
      const { count = 0, until = now } = limit.reserve ?? {};
      const free = limit.limit - count;
      return count === 0 ? now : Math.min(until, free > 0 ? this.#freeAt("all", free, limit) : until);
    });
    return Math.max(now, ...ends);
  }

  /** Returns when one more attempt fits into a window with `most` of them. */
  #freeAt(counted: Share | "all", most: number, { isUtcDay = false, lengthMs }: RateLimit): MonotonicMs {
    const ends = isUtcDay ? this.#dayEnds[counted] : this.#times[counted];
    return (ends[ends.length - most] ?? Number.NEGATIVE_INFINITY) + (isUtcDay ? 0 : lengthMs);
  }

  /** Removes the attempts that are outside all windows. The day window is the longest. */
  #forget(until: MonotonicMs): void {
    const first = this.#attempts.findIndex(({ at }) => at > until);
    if (first === 0 || this.#attempts.length === 0) return;
    this.#attempts = first < 0 ? [] : this.#attempts.slice(first);
    this.#index();
  }

  #index(): void {
    this.#times = noTimes();
    this.#dayEnds = noTimes();
    for (const attempt of this.#attempts) this.#note(attempt);
    for (const ends of Object.values(this.#dayEnds)) ends.sort((a, b) => a - b);
  }

  /** A new attempt ends last of all, so the lists stay sorted. */
  #note(attempt: Attempt): void {
    const { share, at } = attempt;
    for (const counted of share === "backfill" ? (["all", "backfill", "poll"] as const) : (["all", share] as const)) {
      this.#times[counted].push(at);
      this.#dayEnds[counted].push(dayEndOf(attempt));
    }
  }
}

/** Returns when an attempt no longer counts in the service's UTC day. Its response left at most `FLIGHT_MS` after it. */
function dayEndOf({ at, serverMs = null }: Attempt): MonotonicMs {
  const { day } = SERVICE_WINDOW_MS;
  return at + FLIGHT_MS + (serverMs === null ? day : day - (serverMs % day));
}

function noTimes(): Times {
  return { all: [], prices: [], poll: [], backfill: [], lan: [] };
}
