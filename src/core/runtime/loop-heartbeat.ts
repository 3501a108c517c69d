/** Heartbeat of a loop: records when the loop works and until when it sleeps, and reports how late it is. */

import type { MonotonicMs } from "../fetching/rate-limit.ts";
import { type EpochMs, MINUTE_MS } from "../time/interval.ts";
import type { Clock } from "./clock.ts";

/** Maximum duration of one iteration: a request of 30 s, plus storing a year of rows on a slow card. */
const MAX_TICK_MS: number = 5 * MINUTE_MS;
/** Allowed delay of a wake-up, for example after the machine was suspended or busy. */
const LATE_MS: number = 2 * MINUTE_MS;

export class LoopHeartbeat {
  readonly name: string;
  readonly #clock: Pick<Clock, "now" | "monotonicMs">;
  #since: MonotonicMs;
  #at: EpochMs;
  /** Planned end of the sleep; null while the loop works. */
  #until: EpochMs | null = null;

  constructor(name: string, clock: Pick<Clock, "now" | "monotonicMs">) {
    this.name = name;
    this.#clock = clock;
    this.#since = clock.monotonicMs();
    this.#at = clock.now();
  }

  /** Records the start of an iteration. */
  turn(): void {
    this.#since = this.#clock.monotonicMs();
    this.#until = null;
  }

  /** Records the start of a sleep. */
  sleep(until: EpochMs): void {
    this.#since = this.#clock.monotonicMs();
    this.#at = this.#clock.now();
    this.#until = until;
  }

  /**
   * Returns how late the loop is; 0 if it is on time. Unit: ms. A sleeping loop is late only if both clocks show it.
   * The wall clock may be set during a sleep, and the loop needs a few seconds to notice.
   */
  get lateMs(): number {
    const passedMs = this.#clock.monotonicMs() - this.#since;
    if (this.#until === null) return Math.max(0, passedMs - MAX_TICK_MS);
    const byMonotonic = passedMs - (this.#until - this.#at);
    const byWall = this.#clock.now() - this.#until;
    return Math.max(0, Math.min(byMonotonic, byWall) - LATE_MS);
  }
}
