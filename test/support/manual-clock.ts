import { setTimeout as realPause } from "node:timers/promises";
import type { Clock } from "../../src/collector/clock.ts";
import type { EpochMs } from "../../src/core/interval.ts";

interface Sleeper {
  readonly at: EpochMs;
  readonly wake: () => void;
}

/** Real time in which nothing falls asleep or wakes, after which every loop is taken to be asleep. */
const QUIET_MS = 25;
const LOOK_EVERY_MS = 1;

/**
 * A clock that stands still until it is told. It moves from sleeper to sleeper, and each time waits until the loops it
 * woke are asleep again: a year passes as fast as its work can be done, and nothing happens late.
 */
export class ManualClock implements Clock {
  readonly boot: string;
  readonly #start: EpochMs;
  #now: EpochMs;
  readonly #sleepers = new Set<Sleeper>();
  #awake = 0;
  #changes = 0;

  constructor(start: EpochMs, boot = "manual") {
    this.#start = start;
    this.#now = start;
    this.boot = boot;
  }

  now(): EpochMs {
    return this.#now;
  }

  monotonicMs(): number {
    return this.#now - this.#start;
  }

  sleepUntil(at: EpochMs, signal: AbortSignal): Promise<void> {
    if (at <= this.#now || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        at,
        wake: () => {
          signal.removeEventListener("abort", sleeper.wake);
          if (!this.#sleepers.delete(sleeper)) return;
          this.#awake++;
          this.#changes++;
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      this.#awake = Math.max(0, this.#awake - 1);
      this.#changes++;
      signal.addEventListener("abort", sleeper.wake);
    });
  }

  /** Waits until every loop sleeps. A loop that ended is noticed by the quiet. */
  async settle(): Promise<void> {
    let changes = -1;
    for (let quiet = 0; quiet < QUIET_MS; quiet += LOOK_EVERY_MS) {
      if (this.#awake === 0 && this.#sleepers.size > 0 && changes === this.#changes) return;
      if (changes !== this.#changes) quiet = 0;
      changes = this.#changes;
      await realPause(LOOK_EVERY_MS);
    }
  }

  /** Moves to `at`, stopping at every sleeper on the way. */
  async runUntil(at: EpochMs): Promise<void> {
    await this.settle();
    for (;;) {
      const next = Math.min(...[...this.#sleepers].map((sleeper) => sleeper.at));
      if (next > at) break;
      this.#now = Math.max(this.#now, next);
      for (const sleeper of [...this.#sleepers]) if (sleeper.at <= this.#now) sleeper.wake();
      await this.settle();
    }
    this.#now = Math.max(this.#now, at);
  }
}
