/**
 * The loop that shows the house: at every edge (a new interval, a new day, new data) the whole state is made again and
 * told. It sleeps until the next edge, so a price changes on its boundary and not on a poll's tick.
 */
import type { EpochMs } from "../time/interval.ts";
import type { Clock } from "./clock.ts";
import type { LoopHeartbeat } from "./loop-heartbeat.ts";
import { LoopWaker } from "./loop-waker.ts";

/** A pause after a state that was over before it was told; a bound against a spinning loop. */
const MIN_PAUSE_MS = 1_000;

export class StateLoop {
  readonly #clock: Clock;
  readonly #show: (now: EpochMs) => EpochMs;
  readonly #pulse: Pick<LoopHeartbeat, "turn" | "sleep"> | null;
  readonly #waker = new LoopWaker();

  /** `show` tells the state at a moment and returns when it changes of itself next. */
  constructor(clock: Clock, show: (now: EpochMs) => EpochMs, pulse?: Pick<LoopHeartbeat, "turn" | "sleep">) {
    this.#clock = clock;
    this.#show = show;
    this.#pulse = pulse ?? null;
  }

  /** Shows the state again at once: data changed. */
  wake(): void {
    this.#waker.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#pulse?.turn();
      const now = this.#clock.now();
      const next = this.#show(now);
      const until = next > now ? next : now + MIN_PAUSE_MS;
      this.#pulse?.sleep(until);
      await this.#waker.sleep((wake) => this.#clock.sleepUntil(until, wake), signal);
    }
  }
}
