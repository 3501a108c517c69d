import { setTimeout as realPause } from "node:timers/promises";
import type { Clock } from "../../../src/core/runtime/clock.ts";
import type { EpochMs } from "../../../src/core/time/interval.ts";

interface Sleeper {
  readonly at: EpochMs;
  readonly wake: () => void;
}

/** Looks in a row, a millisecond apart, in which nothing falls asleep or wakes: whoever is missing has ended. */
const QUIET_LOOKS = 40;
/** The loops a daemon has at least: one that shows, one that collects, one for the upkeep of its data. */
const MIN_LOOPS = 3;

/**
 * A clock that stands still until it is told. It moves from sleeper to sleeper, and each time waits until the loops it
 * woke are asleep again: a year passes as fast as its work can be done, and nothing happens late.
 */
export class ManualClock implements Clock {
  readonly boot: string;
  readonly #start: EpochMs;
  #now: EpochMs;
  readonly #onJump: ((now: EpochMs) => Promise<void>) | null;
  readonly #sleepers = new Set<Sleeper>();
  /** How many slept at the same time before: as many are expected to sleep again. */
  #loops = MIN_LOOPS;
  #changes = 0;

  /** `onJump` is told of every move, and waited for, before anybody wakes. */
  constructor(start: EpochMs, boot = "manual", onJump?: (now: EpochMs) => Promise<void>) {
    this.#start = start;
    this.#now = start;
    this.boot = boot;
    this.#onJump = onJump ?? null;
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
          this.#changes++;
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      this.#loops = Math.max(this.#loops, this.#sleepers.size);
      this.#changes++;
      signal.addEventListener("abort", sleeper.wake);
    });
  }

  /** Moves to `at` and wakes nobody: what a loop that is dead does about it. */
  leap(at: EpochMs): void {
    this.#now = Math.max(this.#now, at);
  }

  /** Waits until every loop sleeps. */
  async settle(): Promise<void> {
    for (let quiet = 0, changes = -1; quiet < QUIET_LOOKS; quiet++) {
      if (changes !== this.#changes) quiet = 0;
      else if (this.#sleepers.size >= this.#loops) return;
      changes = this.#changes;
      await realPause(1);
    }
    this.#loops = Math.max(MIN_LOOPS, this.#sleepers.size);
  }

  /** Moves to `at`, stopping at every sleeper on the way. */
  async runUntil(at: EpochMs): Promise<void> {
    await this.settle();
    for (;;) {
      const next = Math.min(...[...this.#sleepers].map((sleeper) => sleeper.at));
      if (next > at) break;
      this.#now = Math.max(this.#now, next);
      if (this.#onJump) await this.#onJump(this.#now);
      for (const sleeper of [...this.#sleepers]) if (sleeper.at <= this.#now) sleeper.wake();
      await this.settle();
    }
    this.#now = Math.max(this.#now, at);
    if (this.#onJump) await this.#onJump(this.#now);
  }
}
