import type { Clock } from "../../src/core/runtime/clock.ts";
import type { EpochMs } from "../../src/core/time/interval.ts";
import { ManualClock } from "../support/clock/manual-clock.ts";

/** Clock of a machine whose wall time can jump. The monotonic time is not affected. */
export class JumpingClock implements Clock {
  readonly boot = "jumping";
  /** Real time, used by the service. */
  readonly real: ManualClock;
  #aheadMs: number;
  #jumped = new AbortController();

  constructor(real: EpochMs, wall: EpochMs) {
    this.real = new ManualClock(real);
    this.#aheadMs = wall - real;
  }

  /** Sets the wall clock and ends all sleeps. The daemon's system clock does so within seconds. */
  set(wall: EpochMs): void {
    this.#aheadMs = wall - this.real.now();
    this.#jumped.abort();
    this.#jumped = new AbortController();
  }

  get aheadMs(): number {
    return this.#aheadMs;
  }

  now(): EpochMs {
    return this.real.now() + this.#aheadMs;
  }

  monotonicMs(): number {
    return this.real.monotonicMs();
  }

  sleepUntil(at: EpochMs, signal: AbortSignal): Promise<void> {
    return this.real.sleepUntil(at - this.#aheadMs, AbortSignal.any([signal, this.#jumped.signal]));
  }
}
