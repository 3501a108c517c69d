import type { MonotonicMs } from "../fetching/rate-limit.ts";
import type { EpochMs } from "../time/interval.ts";

/** Time source. Only the composition roots and the loops hold it; other code takes `now` as an argument. */
export interface Clock {
  /**
   * Identifies the period in which monotonic times can be compared: one boot of the machine, or one simulated clock.
   */
  readonly boot: string;
  now(): EpochMs;
  monotonicMs(): MonotonicMs;
  /**
   * Resolves when `now` has reached `at`, when the signal fires, or when the clock was set back. After a clock change
   * the caller must decide again. Never rejects.
   */
  sleepUntil(at: EpochMs, signal: AbortSignal): Promise<void>;
}
