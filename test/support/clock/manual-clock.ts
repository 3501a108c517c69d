import { setImmediate as nextTurn, setTimeout as realPause } from "node:timers/promises";
import type { Clock } from "../../../src/core/runtime/clock.ts";
import type { EpochMs } from "../../../src/core/time/interval.ts";
import { requestsInFlight } from "./requests-in-flight.ts";

type Sleeper = { readonly at: EpochMs; readonly wake: () => void; readonly signal: AbortSignal };

/** Number of event-loop turns without a change after which all loops sleep. Messages to a client take some turns. */
const QUIET_TURNS = 8;
/** Number of further turns in which a loop that does not sleep can continue without waiting. */
const BUSY_TURNS = 200;
/** Number of checks after that, 1 ms apart, without a change. Loops that do not sleep then count as ended. */
const QUIET_LOOKS = 200;
/** Number of such checks without any sleeper: the daemon is stopped. */
const STOPPED_LOOKS = 40;
/** Number of such checks while a request has no response. After that it counts as one that never gets a response. */
const UNANSWERED_LOOKS = 2_000;
/** A loop that waits this often for a time in the past would never let another loop or a timeout run. */
const MAX_PAST_SLEEPS = 100_000;
/** Minimum number of loops in a daemon: publication, planning, write recovery and nightly maintenance. */
const MIN_LOOPS = 4;
/** Number of loops in a daemon with one account. Its collector starts after the first MQTT state. */
const USUAL_LOOPS = 5;

/**
 * Clock that the test moves. It moves to the time of the next sleeper, wakes it, and waits until all loops sleep again.
 * A simulated year therefore takes only the time of its work, and every loop wakes at its exact time.
 */
export class ManualClock implements Clock {
  readonly boot: string;
  #start: EpochMs;
  #now: EpochMs;
  readonly #onJump: ((now: EpochMs) => Promise<void>) | null;
  readonly #sleepers = new Set<Sleeper>();
  /** Signals of pauses that are no loop: nothing slept with them again after a sleep ended. */
  readonly #pauses = new WeakSet<AbortSignal>();
  /** Signals of the sleepers that woke at the last move. */
  #woken: readonly AbortSignal[] = [];
  readonly #minLoops: number;
  /** Number of sleepers to expect: the largest number since the clock last became quiet. */
  #loops: number;
  #changes = 0;
  /** Sleeps until a time in the past since the last other sleep. */
  #pastSleeps = 0;

  /** `onJump` is called and awaited after every move, before sleepers wake. `loops`: how many sleep, if not a daemon's. */
  constructor(start: EpochMs, boot = "manual", onJump?: (now: EpochMs) => Promise<void>, loops = USUAL_LOOPS) {
    this.#start = start;
    this.#now = start;
    this.boot = boot;
    this.#onJump = onJump ?? null;
    this.#loops = loops;
    this.#minLoops = Math.min(MIN_LOOPS, loops);
  }

  now(): EpochMs {
    return this.#now;
  }

  monotonicMs(): number {
    return this.#now - this.#start;
  }

  sleepUntil(at: EpochMs, signal: AbortSignal): Promise<void> {
    if (at <= this.#now || signal.aborted) {
      if (++this.#pastSleeps > MAX_PAST_SLEEPS)
        throw new Error(`a loop always waits until ${at}, and it is ${this.#now}`);
      return Promise.resolve();
    }
    this.#pastSleeps = 0;
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        ...{ at, signal },
        wake: () => {
          signal.removeEventListener("abort", sleeper.wake);
          if (!this.#sleepers.delete(sleeper)) return;
          this.#changes++;
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      this.#loops = Math.max(this.#loops, this.#sleepingLoops);
      this.#changes++;
      signal.addEventListener("abort", sleeper.wake);
    });
  }

  /** Number of loops that sleep now. */
  get sleepers(): number {
    return this.#sleepers.size;
  }

  get #sleepingLoops(): number {
    let count = 0;
    for (const { signal } of this.#sleepers) if (!this.#pauses.has(signal)) count++;
    return count;
  }

  /** Moves to `at` without waking sleepers, as if the loops had hung. */
  leap(at: EpochMs): void {
    this.#now = Math.max(this.#now, at);
  }

  /** Moves the wall clock ahead without the monotonic clock, as after a pause of the machine. */
  pauseMachine(ms: number): void {
    this.#now += ms;
    this.#start += ms;
  }

  /** Waits until every loop sleeps. */
  async settle(): Promise<void> {
    const looks = () => {
      if (requestsInFlight.any) return UNANSWERED_LOOKS;
      return this.#sleepers.size === 0 ? STOPPED_LOOKS : QUIET_LOOKS;
    };
    for (let quiet = 0, changes = -1; quiet < BUSY_TURNS + looks(); quiet++) {
      if (changes !== this.#changes) quiet = 0;
      else if (quiet >= QUIET_TURNS && this.#sleepingLoops >= this.#loops && !requestsInFlight.any) return;
      changes = this.#changes;
      await (quiet < BUSY_TURNS ? nextTurn() : realPause(1));
    }
    requestsInFlight.forget();
    const asleep = new Set([...this.#sleepers].map(({ signal }) => signal));
    if (this.#sleepers.size >= this.#minLoops)
      for (const signal of this.#woken) if (!asleep.has(signal)) this.#pauses.add(signal);
    this.#loops = Math.max(this.#minLoops, this.#sleepingLoops);
  }

  /** Moves to `at` and wakes every sleeper on the way at its time. */
  async runUntil(at: EpochMs): Promise<void> {
    await this.settle();
    for (;;) {
      const next = Math.min(...[...this.#sleepers].map((sleeper) => sleeper.at));
      if (next > at) break;
      this.#now = Math.max(this.#now, next);
      if (this.#onJump) await this.#onJump(this.#now);
      const due = [...this.#sleepers].filter((sleeper) => sleeper.at <= this.#now);
      this.#woken = due.map(({ signal }) => signal);
      for (const sleeper of due) sleeper.wake();
      await this.settle();
    }
    this.#now = Math.max(this.#now, at);
    if (this.#onJump) await this.#onJump(this.#now);
  }
}
