import type { Clock } from "../../../src/core/runtime/clock.ts";
import type { EpochMs } from "../../../src/core/time/interval.ts";

/** Manual clock for one loop. Its time does not change while the loop works. */
export class SingleLoopClock implements Clock {
  readonly boot = "lone";
  readonly #start: EpochMs;
  #now: EpochMs;
  #sleeper: { readonly at: EpochMs; readonly wake: () => void } | null = null;

  constructor(start: EpochMs) {
    this.#start = start;
    this.#now = start;
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
      const wake = () => {
        signal.removeEventListener("abort", wake);
        this.#sleeper = null;
        resolve();
      };
      this.#sleeper = { at, wake };
      signal.addEventListener("abort", wake);
    });
  }

  /** Moves to `at`. Stops at every time at which the loop wakes up, and waits there for one event-loop tick. */
  async runUntil(at: EpochMs): Promise<void> {
    await nextTurn();
    for (let sleeper = this.#sleeper; sleeper && sleeper.at <= at; sleeper = this.#sleeper) {
      this.#now = sleeper.at;
      sleeper.wake();
      await nextTurn();
    }
    this.#now = at;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
