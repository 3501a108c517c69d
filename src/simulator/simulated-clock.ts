import type { EpochMs } from "../core/time/interval.ts";

export interface ClockStart {
  /** Start of the simulated time; the real time by default. */
  readonly at?: EpochMs | undefined;
  /** Simulated seconds per real second, at least 0 (stopped); 1 by default. */
  readonly speed?: number | undefined;
}

/** Simulated clock based on a real one, with another start and speed. Without options both are equal. */
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

  /** Returns the simulated time in whole ms. */
  now(): EpochMs {
    return this.#anchor + Math.floor((this.#source() - this.#sourceAnchor) * this.#speed);
  }

  get speed(): number {
    return this.#speed;
  }

  /** Sets time, speed or both; an absent value stays unchanged. */
  set(change: ClockStart): void {
    const now = this.now();
    this.#sourceAnchor = this.#source();
    this.#anchor = change.at ?? now;
    this.#speed = change.speed ?? this.#speed;
  }
}
