/**
 * Reports a broker that is unreachable, refuses the login, or ends its connections, for 10 min or six times in an hour, and
 * topics that it refuses. A shorter restart is not a problem.
 */
import type { MonotonicMs } from "../core/fetching/rate-limit.ts";
import { message } from "../core/language/text.ts";
import type { Problems } from "../core/status/problem.ts";
import { type EpochMs, HOUR_MS, MINUTE_MS } from "../core/time/interval.ts";
import type { MqttClientStatus } from "./client/mqtt-client.ts";

const TOLERATED_MS: number = 10 * MINUTE_MS;
/** A connection of this length ends a series of short ones. */
const STEADY_MS: number = MINUTE_MS;
/** Number of connections that may end within an hour. */
const TOLERATED_ENDS = 5;
/** Maximum number of refused topics that are problems. The log has the others. */
const MAX_TOPICS = 5;
const SUBJECT = "broker";

type Seen = Pick<MqttClientStatus, "trouble" | "lastTrouble" | "connections" | "refused">;

export class BrokerWatch {
  readonly #problems: Pick<Problems, "start" | "end">;
  /** Monotonic time, because the wall clock may be set between two checks. */
  #awaySince: MonotonicMs | null = null;
  #connections = 0;
  #connectedSince: MonotonicMs = 0;
  /** Times of the last ended connections, oldest first. Bounded by `TOLERATED_ENDS` + 1. */
  #ends: readonly MonotonicMs[] = [];
  #topics: readonly string[] = [];

  constructor(problems: Pick<Problems, "start" | "end">) {
    this.#problems = problems;
  }

  /** Starts or ends the problems. Returns when to call again at the latest. */
  check(seen: Seen, now: EpochMs, monotonicMs: MonotonicMs): EpochMs {
    this.#checkTopics(seen, now);
    const { trouble, lastTrouble, connections } = seen;
    if (connections !== this.#connections) {
      const ended = connections - Math.max(1, this.#connections);
      this.#ends = [...this.#ends, ...new Array<MonotonicMs>(ended).fill(monotonicMs)].slice(-TOLERATED_ENDS - 1);
      if (ended > 0) this.#awaySince ??= monotonicMs;
      this.#connections = connections;
      this.#connectedSince = monotonicMs;
    }
    this.#ends = this.#ends.filter((at) => monotonicMs - at < HOUR_MS);
    const comesAndGoes = this.#ends.length > TOLERATED_ENDS;
    if (trouble !== null) this.#awaySince ??= monotonicMs;
    const steadyInMs = trouble === null ? this.#connectedSince + STEADY_MS - monotonicMs : Number.POSITIVE_INFINITY;
    if (steadyInMs <= 0) this.#awaySince = null;
    if (this.#awaySince === null && !comesAndGoes) {
      this.#problems.end(SUBJECT);
      return Number.POSITIVE_INFINITY;
    }
    const leftMs = comesAndGoes ? 0 : (this.#awaySince ?? monotonicMs) + TOLERATED_MS - monotonicMs;
    if (leftMs <= 0) {
      const detail = trouble ?? lastTrouble ?? message("mqtt.closed");
      this.#problems.start({ code: "broker_unreachable", subject: SUBJECT, since: now, detail });
    }
    const endsInMs = comesAndGoes ? (this.#ends[0] ?? monotonicMs) + HOUR_MS - monotonicMs : steadyInMs;
    return now + Math.ceil(leftMs > 0 ? Math.min(leftMs, steadyInMs) : Math.max(endsInMs, 1));
  }

  #checkTopics({ refused }: Seen, now: EpochMs): void {
    const topics = [...refused.keys()].slice(0, MAX_TOPICS);
    for (const topic of this.#topics) if (!topics.includes(topic)) this.#problems.end(subjectOf(topic));
    this.#topics = topics;
    for (const topic of topics)
      this.#problems.start({
        code: "topics_refused",
        subject: subjectOf(topic),
        since: now,
        names: { topic },
        detail: refused.get(topic) ?? "",
      });
  }
}

function subjectOf(topic: string): string {
  return `mqtt topic ${topic}`;
}
