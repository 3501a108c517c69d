/** Reports a broker that is unreachable or refuses the login for 10 min. A shorter restart is not a problem. */
import type { MonotonicMs } from "../core/fetching/rate-limit.ts";
import type { Text } from "../core/language/text.ts";
import type { Problems } from "../core/status/problem.ts";
import { type EpochMs, MINUTE_MS } from "../core/time/interval.ts";

const TOLERATED_MS: number = 10 * MINUTE_MS;
const SUBJECT = "broker";

export class BrokerWatch {
  readonly #problems: Pick<Problems, "start" | "end">;
  /** Monotonic time, because the wall clock may be set between two checks. */
  #awaySince: MonotonicMs | null = null;

  constructor(problems: Pick<Problems, "start" | "end">) {
    this.#problems = problems;
  }

  /**
   * Starts or ends the problem. `trouble` is null while the broker is connected. Returns when to call again at the
   * latest.
   */
  look(trouble: Text | null, now: EpochMs, monotonicMs: MonotonicMs): EpochMs {
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
