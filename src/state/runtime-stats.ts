/** Runtime statistics since the start: counters, heartbeats of the loops, past problems. */
import type { monitorEventLoopDelay } from "node:perf_hooks";
import type { MonotonicMs } from "../core/fetching/rate-limit.ts";
import type { Clock } from "../core/runtime/clock.ts";
import { LoopHeartbeat } from "../core/runtime/loop-heartbeat.ts";
import { ProblemHistory } from "../core/status/problem-history.ts";
import type { ReleaseUpdate } from "../core/status/release-update.ts";
import { Counter } from "../core/text/counter.ts";

type LoopDelay = ReturnType<typeof monitorEventLoopDelay>;

const DELAY_RESOLUTION_MS = 50;

export class RuntimeStats {
  /** Requests to the service. Labels: account, operation, outcome (`ok`, a status, or the kind of failure). */
  readonly asked = new Counter();
  /** Answered requests of the LAN. Labels: name of the key or empty, status. */
  readonly answered = new Counter();
  readonly problems = new ProblemHistory();
  /** Number of rows stored in the archive, and a function that counts the waiting chunks; null without an archive. */
  archive: { readonly rows: number; readonly count: () => number } | null = null;
  /** The newest release in the release feed; null without a feed or before its first answer. */
  update: ReleaseUpdate | null = null;
  readonly startedMs: MonotonicMs;
  readonly #clock: Pick<Clock, "now" | "monotonicMs">;
  readonly #heartbeats = new Set<LoopHeartbeat>();
  #delay: LoopDelay | null = null;

  constructor(clock: Pick<Clock, "now" | "monotonicMs">) {
    this.#clock = clock;
    this.startedMs = clock.monotonicMs();
  }

  /** Returns the heartbeat of a loop, watched until `lifetime` fires. Bounded by the loops of the daemon. */
  heartbeat(name: string, lifetime: AbortSignal): LoopHeartbeat {
    const heartbeat = new LoopHeartbeat(name, this.#clock);
    if (lifetime.aborted) return heartbeat;
    this.#heartbeats.add(heartbeat);
    lifetime.addEventListener("abort", () => this.#heartbeats.delete(heartbeat), { once: true });
    return heartbeat;
  }

  /** Returns the monitor of the event-loop delay. The caller passes Node's, because loading it takes 2 ms. */
  loopDelay(monitor: typeof monitorEventLoopDelay, signal: AbortSignal): LoopDelay {
    if (this.#delay) return this.#delay;
    const delay = monitor({ resolution: DELAY_RESOLUTION_MS });
    delay.enable();
    signal.addEventListener("abort", () => delay.disable());
    this.#delay = delay;
    return delay;
  }

  get heartbeats(): readonly LoopHeartbeat[] {
    return [...this.#heartbeats];
  }
}
