import type { MonotonicMs } from "../fetching/rate-limit.ts";
import type { EpochMs } from "../time/interval.ts";

/** Time source. Only the composition roots and the loops hold it; other code takes `now` as an argument. */
export interface Clock {
  /** Identifies the period in which monotonic times can be compared: one boot, or one simulated clock. */
  readonly boot: string;
  now(): EpochMs;
  monotonicMs(): MonotonicMs;
  /** Resolves at `at`, when the signal fires, or after a clock set back: the caller decides again. Never rejects. */
  sleepUntil(at: EpochMs, signal: AbortSignal): Promise<void>;
}
