import type { MonotonicMs } from "../fetching/rate-limit.ts";
import type { EpochMs } from "../time/interval.ts";

/** Time as the daemon lives it. Held by the roots and the loops only; everything else is handed `now`. */
export interface Clock {
  /** Names the span in which monotonic times compare: the boot of the machine, or the life of a simulated clock. */
  readonly boot: string;
  now(): EpochMs;
  monotonicMs(): MonotonicMs;
  /**
   * Resolves when `now` has reached `at`, as soon as the signal fires, or when the clock was set back meanwhile: what
   * was to happen at `at` has to be thought over then. Never rejects.
   */
  sleepUntil(at: EpochMs, signal: AbortSignal): Promise<void>;
}
