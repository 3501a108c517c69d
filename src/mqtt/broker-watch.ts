/** Tells the owner of a broker that stays away or refuses the login. A restart of it, or of its machine, is no problem. */
import type { MonotonicMs } from "../core/fetching/rate-limit.ts";
import type { Problems } from "../core/status/problem.ts";
import { type EpochMs, MINUTE_MS } from "../core/time/interval.ts";

const TOLERATED_MS: number = 10 * MINUTE_MS;
const SUBJECT = "broker";

export class BrokerWatch {
  readonly #problems: Pick<Problems, "start" | "end">;
  /** By the monotonic clock: the other one may be set meanwhile. */
  #awaySince: MonotonicMs | null = null;

  constructor(problems: Pick<Problems, "start" | "end">) {
    this.#problems = problems;
  }

  /** Starts or ends the problem. `trouble` is null while the broker is connected. Returns when to look again at the latest. */
  look(trouble: string | null, now: EpochMs, monotonicMs: MonotonicMs): EpochMs {
    if (trouble === null) {
      this.#awaySince = null;
      this.#problems.end(SUBJECT);
      return Number.POSITIVE_INFINITY;
    }
    this.#awaySince ??= monotonicMs;
    const leftMs = this.#awaySince + TOLERATED_MS - monotonicMs;
    if (leftMs > 0) return now + Math.ceil(leftMs);
    this.#problems.start({ code: "broker_unreachable", subject: SUBJECT, since: now, detail: trouble });
    return Number.POSITIVE_INFINITY;
  }
}
