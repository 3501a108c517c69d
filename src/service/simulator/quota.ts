import { DAY_MS, type EpochMs, MINUTE_MS, SECOND_MS } from "../../core/time/interval.ts";
import type { QuotaWindow } from "../contract/limits.ts";
import type { QuotaStanding, WindowStanding } from "../contract/quota-headers.ts";

export type QuotaLimits = Readonly<Record<QuotaWindow, number>>;

/** Attempts by the start of their fixed UTC window, oldest first; the newest `KEPT_WINDOWS` of each are kept. */
export type AttemptsByWindow = Readonly<Record<QuotaWindow, ReadonlyMap<EpochMs, number>>>;

export interface QuotaVerdict {
  readonly standing: QuotaStanding;
  /** Seconds until the latest reset among the exhausted windows, at least 1; null where the attempt is within quota. */
  readonly retryAfterSec: number | null;
}

const WINDOW_MS = { minute: MINUTE_MS, day: DAY_MS } as const satisfies Record<QuotaWindow, number>;

/** A year of a client that asks every five minutes; older windows are of no use to a test, and memory has an end. */
const KEPT_WINDOWS = 110_000;

/** Counts attempts in the two fixed UTC windows. Denied attempts count too. Source: service interface, part 8.2. */
export class QuotaCounter {
  readonly #limits: QuotaLimits;
  readonly #counts = { minute: new Map<EpochMs, number>(), day: new Map<EpochMs, number>() };

  constructor(limits: QuotaLimits) {
    this.#limits = limits;
  }

  /** Counts one attempt and judges it. */
  count(now: EpochMs): QuotaVerdict {
    const standing = { minute: this.#countIn("minute", now), day: this.#countIn("day", now) };
    const exhausted = (["minute", "day"] as const).filter((window) => this.#isOver(window, now));
    if (exhausted.length === 0) return { standing, retryAfterSec: null };
    const latestResetSec = Math.max(...exhausted.map((window) => standing[window].resetSec));
    return { standing, retryAfterSec: Math.max(1, Math.ceil(latestResetSec - now / SECOND_MS)) };
  }

  get attempts(): AttemptsByWindow {
    return this.#counts;
  }

  #countIn(window: QuotaWindow, now: EpochMs): WindowStanding {
    const start = windowStart(window, now);
    const counts = this.#counts[window];
    const count = (counts.get(start) ?? 0) + 1;
    counts.set(start, count);
    if (counts.size > KEPT_WINDOWS) counts.delete(counts.keys().next().value ?? start);
    const limit = this.#limits[window];
    return { limit, remaining: Math.max(0, limit - count), resetSec: (start + WINDOW_MS[window]) / SECOND_MS };
  }

  #isOver(window: QuotaWindow, now: EpochMs): boolean {
    return (this.#counts[window].get(windowStart(window, now)) ?? 0) > this.#limits[window];
  }
}

function windowStart(window: QuotaWindow, at: EpochMs): EpochMs {
  return Math.floor(at / WINDOW_MS[window]) * WINDOW_MS[window];
}
