/** Whether a loop lives: it says when it turns and until when it means to sleep, and is late after that. */

import type { MonotonicMs } from "../fetching/rate-limit.ts";
import { type EpochMs, MINUTE_MS } from "../time/interval.ts";
import type { Clock } from "./clock.ts";

/** A turn may take this long: a request of half a minute, and a year of rows stored on a slow card. */
const MAX_TICK_MS: number = 5 * MINUTE_MS;
/** A loop may wake this late: a machine that was asleep itself, or is busy. */
const LATE_MS: number = 2 * MINUTE_MS;

export class LoopHeartbeat {
  readonly name: string;
  readonly #clock: Pick<Clock, "now" | "monotonicMs">;
  #since: MonotonicMs;
  #at: EpochMs;
  /** Null while the loop works. */
  #until: EpochMs | null = null;

  constructor(name: string, clock: Pick<Clock, "now" | "monotonicMs">) {
    this.name = name;
    this.#clock = clock;
    this.#since = clock.monotonicMs();
    this.#at = clock.now();
  }

  /** The loop begins a turn. */
  turn(): void {
    this.#since = this.#clock.monotonicMs();
    this.#until = null;
  }

  /** The loop goes to sleep. */
  sleep(until: EpochMs): void {
    this.#since = this.#clock.monotonicMs();
    this.#at = this.#clock.now();
    this.#until = until;
  }

  /**
   * By how much the loop is later than it may be; 0 for one that lives. Both clocks have to say so: the wall clock may
   * be set while the loop sleeps, and a sleeper takes some seconds to notice.
   */
  get lateMs(): number {
    const passedMs = this.#clock.monotonicMs() - this.#since;
    if (this.#until === null) return Math.max(0, passedMs - MAX_TICK_MS);
    const byMonotonic = passedMs - (this.#until - this.#at);
    const byWall = this.#clock.now() - this.#until;
    return Math.max(0, Math.min(byMonotonic, byWall) - LATE_MS);
  }
}
