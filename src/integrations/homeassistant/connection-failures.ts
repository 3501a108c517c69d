/** Failures of the connection to Home Assistant: when to try again, and when to report a problem. */
import { message } from "../../core/language/text.ts";
import type { Clock } from "../../core/runtime/clock.ts";
import type { Problems } from "../../core/status/problem.ts";
import { type EpochMs, formatInstant, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../core/time/interval.ts";
import type { HomeAssistantError } from "./websocket-client.ts";

export interface ConnectionFailuresDeps {
  readonly problems: Pick<Problems, "start" | "end">;
  readonly clock: Pick<Clock, "now">;
  readonly random: () => number;
}

const FIRST_RETRY_MS: number = 10 * SECOND_MS;
/** Time for which Home Assistant may be unreachable without a problem. Its update takes this long. */
const TOLERATED_MS: number = 10 * MINUTE_MS;
/** Delay after a refused token. Home Assistant notifies its users each time, and may ban the address. */
const RETRY_TOKEN_MS: number = 6 * HOUR_MS;

export class ConnectionFailures {
  readonly #deps: ConnectionFailuresDeps;
  readonly #subject: string;
  readonly #maxRetryMs: number;
  /** Time of the first failure, and the number of failures since. */
  #failures: { readonly since: EpochMs; readonly count: number } | null = null;

  /** `maxRetryMs` is the longest delay after an unreachable or refusing Home Assistant. */
  constructor(subject: string, maxRetryMs: number, deps: ConnectionFailuresDeps) {
    this.#deps = deps;
    this.#subject = subject;
    this.#maxRetryMs = maxRetryMs;
  }

  get isFailing(): boolean {
    return this.#failures !== null;
  }

  /** Records a success. */
  end(): void {
    this.#failures = null;
    this.#deps.problems.end(this.#subject);
  }

  /** Records a failure. Returns when to try again. */
  add({ kind, text: why }: HomeAssistantError): EpochMs {
    const { clock, problems, random } = this.#deps;
    const now = clock.now();
    const { since, count } = this.#failures ?? { since: now, count: 0 };
    this.#failures = { since, count: count + 1 };
    const backoffMs = Math.min(FIRST_RETRY_MS * 2 ** count, this.#maxRetryMs);
    const nextAt = now + (kind === "token" ? RETRY_TOKEN_MS : backoffMs * (0.5 + random() / 2));
    if (kind === "unreachable" && nextAt - since < TOLERATED_MS) return nextAt;
    const isLong = nextAt - now > TOLERATED_MS;
    const detail = isLong ? message("found.paused", { what: why, until: formatInstant(nextAt) }) : why;
    const found = { subject: this.#subject, since: now, detail };
    if (kind === "unreachable") problems.start({ ...found, code: "home_assistant_unreachable" });
    else problems.start({ ...found, code: "home_assistant_refused" });
    return nextAt;
  }
}
