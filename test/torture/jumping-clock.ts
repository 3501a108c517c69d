import type { Clock } from "../../src/core/runtime/clock.ts";
import type { EpochMs } from "../../src/core/time/interval.ts";
import { ManualClock } from "../support/daemon/manual-clock.ts";

/** The clock of a machine: the wall's jumps, the monotonic one goes on. */
export class JumpingClock implements Clock {
  readonly boot = "jumping";
  /** The real time, which the service lives by. */
  readonly real: ManualClock;
  #aheadMs: number;
  #jumped = new AbortController();

  constructor(real: EpochMs, wall: EpochMs) {
    this.real = new ManualClock(real);
    this.#aheadMs = wall - real;
  }

  /** Sets the wall clock. Who sleeps wakes, as the daemon's clock has it within seconds. */
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
