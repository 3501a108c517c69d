/** What the daemon notes of itself while it runs: counts from 0 at every start, the pulse of its loops, past problems. */
import type { Clock } from "./collector/clock.ts";
import { Pulse } from "./collector/pulse.ts";
import { ProblemHistory } from "./core/problem-history.ts";
import type { MonotonicMs } from "./core/quota.ts";
import { Tally } from "./core/tally.ts";

export class Vitals {
  /** Requests to the service. Labels: account, operation, outcome (`ok`, a status, or what went wrong). */
  readonly asked = new Tally();
  /** Requests of the LAN that were answered. Labels: name of the key or nothing, status. */
  readonly answered = new Tally();
  readonly problems = new ProblemHistory();
  /** When this began, on the clock that never jumps. */
  readonly startedMs: MonotonicMs;
  readonly #clock: Pick<Clock, "now" | "monotonicMs">;
  readonly #pulses: Pulse[] = [];

  constructor(clock: Pick<Clock, "now" | "monotonicMs">) {
    this.#clock = clock;
    this.startedMs = clock.monotonicMs();
  }

  /** The pulse of a loop that is about to run. Bounded by the loops of the daemon. */
  pulse(name: string): Pulse {
    const pulse = new Pulse(name, this.#clock);
    this.#pulses.push(pulse);
    return pulse;
  }

  get pulses(): readonly Pulse[] {
    return this.#pulses;
  }
}
