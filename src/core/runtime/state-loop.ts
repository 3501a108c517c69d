/**
 * Loop that recomputes and publishes the whole state when it changes: at a new interval, a new day or new data. It
 * sleeps until the next change, so a price changes at its boundary and not at a poll tick.
 */
import type { EpochMs } from "../time/interval.ts";
import type { Clock } from "./clock.ts";
import type { LoopHeartbeat } from "./loop-heartbeat.ts";
import { LoopWaker } from "./loop-waker.ts";

/** Minimum sleep if the next change is already past; it prevents a busy loop. */
const MIN_PAUSE_MS = 1_000;

export class StateLoop {
  readonly #clock: Clock;
  readonly #show: (now: EpochMs) => EpochMs;
  readonly #heartbeat: Pick<LoopHeartbeat, "turn" | "sleep"> | null;
  readonly #waker = new LoopWaker();

  /** `show` publishes the state at `now` and returns the instant of the next change. */
  constructor(clock: Clock, show: (now: EpochMs) => EpochMs, heartbeat?: Pick<LoopHeartbeat, "turn" | "sleep">) {
    this.#clock = clock;
    this.#show = show;
    this.#heartbeat = heartbeat ?? null;
  }

  /** Publishes the state again immediately because data changed. */
  wake(): void {
    this.#waker.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#heartbeat?.turn();
      const now = this.#clock.now();
      const next = this.#show(now);
      const until = next > now ? next : now + MIN_PAUSE_MS;
      this.#heartbeat?.sleep(until);
      await this.#waker.sleep((wake) => this.#clock.sleepUntil(until, wake), signal);
    }
  }
}
