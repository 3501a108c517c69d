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

  turn(): void {
    this.#since = this.#clock.monotonicMs();
    this.#until = null;
  }

  sleep(until: EpochMs): void {
    this.#since = this.#clock.monotonicMs();
    this.#at = this.#clock.now();
    this.#until = until;
  }

  /** Returns how late the loop is, in ms; 0 on time. A sleeping loop is late only if both clocks show it. */
  get lateMs(): number {
    const passedMs = this.#clock.monotonicMs() - this.#since;
    if (this.#until === null) return Math.max(0, passedMs - MAX_TICK_MS);
    const byMonotonic = passedMs - (this.#until - this.#at);
    const byWall = this.#clock.now() - this.#until;
    return Math.max(0, Math.min(byMonotonic, byWall) - LATE_MS);
  }
}
