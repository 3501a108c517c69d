/** What the daemon notes of itself while it runs: counts from 0 at every start, the pulse of its loops, past problems. */
import type { monitorEventLoopDelay } from "node:perf_hooks";
import type { MonotonicMs } from "../core/fetching/rate-limit.ts";
import type { Clock } from "../core/runtime/clock.ts";
import { LoopHeartbeat } from "../core/runtime/loop-heartbeat.ts";
import { ProblemHistory } from "../core/status/problem-history.ts";
import { Counter } from "../core/text/counter.ts";

type LoopDelay = ReturnType<typeof monitorEventLoopDelay>;

/** How often the event loop is looked at, once somebody wants to know. */
const DELAY_RESOLUTION_MS = 50;

export class RuntimeStats {
  /** Requests to the service. Labels: account, operation, outcome (`ok`, a status, or what went wrong). */
  readonly asked = new Counter();
  /** Requests of the LAN that were answered. Labels: name of the key or nothing, status. */
  readonly answered = new Counter();
  readonly problems = new ProblemHistory();
  /** Rows that the archive took, and how to count the chunks that wait for it; null where there is none. */
  archive: { readonly rows: number; readonly count: () => number } | null = null;
  /** When this began, on the clock that never jumps. */
  readonly startedMs: MonotonicMs;
  readonly #clock: Pick<Clock, "now" | "monotonicMs">;
  readonly #pulses: LoopHeartbeat[] = [];
  #delay: LoopDelay | null = null;

  constructor(clock: Pick<Clock, "now" | "monotonicMs">) {
    this.#clock = clock;
    this.startedMs = clock.monotonicMs();
  }

  /** The pulse of a loop that is about to run. Bounded by the loops of the daemon. */
  pulse(name: string): LoopHeartbeat {
    const pulse = new LoopHeartbeat(name, this.#clock);
    this.#pulses.push(pulse);
    return pulse;
  }

  /** The loop of a pulse has ended for good. */
  ended(pulse: LoopHeartbeat): void {
    this.#pulses.splice(this.#pulses.indexOf(pulse), 1);
  }

  /**
   * How late the event loop comes to its work. Watched from the first time that anybody asks, until the signal fires.
   * `monitor` is Node's, handed in by who asks: it takes 2 ms to load, which no start needs.
   */
  loopDelay(monitor: typeof monitorEventLoopDelay, signal: AbortSignal): LoopDelay {
    if (this.#delay) return this.#delay;
    const delay = monitor({ resolution: DELAY_RESOLUTION_MS });
    delay.enable();
    signal.addEventListener("abort", () => delay.disable());
    this.#delay = delay;
    return delay;
  }

  get pulses(): readonly LoopHeartbeat[] {
    return this.#pulses;
  }
}
