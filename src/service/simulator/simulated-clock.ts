import type { EpochMs } from "../../core/time/interval.ts";

export interface ClockStart {
  /** Where simulated time begins; the real time where absent. */
  readonly at?: EpochMs | undefined;
  /** Simulated seconds per real second, 0 (stands still) or more; 1 where absent. */
  readonly speed?: number | undefined;
}

/** The simulator's own time: a source of real time, moved and stretched. Unset, it is exactly that source. */
export class SimulatedClock {
  readonly #source: () => EpochMs;
  #sourceAnchor: EpochMs;
  #anchor: EpochMs;
  #speed: number;

  constructor(source: () => EpochMs, start: ClockStart = {}) {
    this.#source = source;
    this.#sourceAnchor = source();
    this.#anchor = start.at ?? this.#sourceAnchor;
    this.#speed = start.speed ?? 1;
  }

  /** Simulated time, in whole milliseconds. */
  now(): EpochMs {
    return this.#anchor + Math.floor((this.#source() - this.#sourceAnchor) * this.#speed);
  }

  get speed(): number {
    return this.#speed;
  }

  /** Sets the time, the speed, or both; what is left out goes on from where it is. */
  set(change: ClockStart): void {
    const now = this.now();
    this.#sourceAnchor = this.#source();
    this.#anchor = change.at ?? now;
    this.#speed = change.speed ?? this.#speed;
  }
}
