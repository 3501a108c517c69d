/** Problems of one account, as its owner sees them. */
import type { Deferred, FetchFailure } from "../../core/fetching/fetch-outcome.ts";
import type { Share } from "../../core/fetching/rate-limit.ts";
import type { Verdict } from "../../core/fetching/retry-policy.ts";
import { message, type Text } from "../../core/language/text.ts";
import { type ProblemFound, type Problems, setProblem } from "../../core/status/problem.ts";
import type { ProblemCode } from "../../core/status/problem-catalog.ts";
import { type EpochMs, formatInstant, MINUTE_MS } from "../../core/time/interval.ts";
import type { OperationId, Success } from "../contract/operations.ts";
import type { CircuitBreaker, Scopes } from "./circuit-breaker.ts";
import type { Outage } from "./outage.ts";
import type { RateLimiterClock } from "./rate-limiter.ts";
import { addressOfScope } from "./request-scopes.ts";

/** Minimum wait for the quota, or pause after a failure, that is shown. */
const SHOWN_WAIT_MS = 10 * MINUTE_MS;

export interface AccountProblemsDeps {
  readonly problems: Problems;
  /** Shared with the other accounts. */
  readonly outage: Outage;
  readonly circuitBreaker: Pick<CircuitBreaker, "pausedUntil" | "restored">;
  readonly clock: RateLimiterClock;
}

export class AccountProblems {
  readonly #account: string;
  readonly #deps: AccountProblemsDeps;

  constructor(account: string, deps: AccountProblemsDeps) {
    this.#account = account;
    this.#deps = deps;
    for (const { name, kind, verdict } of deps.circuitBreaker.restored())
      this.#report(verdict, { subject: name, detail: message("found.before_start", { code: kind }) }, "poll");
  }

  /** Starts a problem of a part of the account, or ends it without a detail. */
  set(code: ProblemCode, part: string, detail: Text | null, requestId: string | null = null): void {
    const { problems, clock } = this.#deps;
    setProblem(problems, { code, subject: `${this.#account} ${part}`, since: clock.now(), detail, requestId });
  }

  /** Shows a long wait for the quota. One that is almost over lasts if the next begins, so that a day of waits is one problem. */
  waits(waitMs: number, why: Text, now: EpochMs): void {
    const isShown = waitMs > SHOWN_WAIT_MS;
    const detail = isShown ? message("found.quota_wait", { why, until: formatInstant(now + waitMs) }) : null;
    if (waitMs <= 0 || isShown) this.set("waiting_for_quota", "wait", detail);
  }

  /** Ends the problem of a used-up quota, whose pause is over. */
  pauseEnded(): void {
    const { problems } = this.#deps;
    if (problems.of(this.#account)?.code === "rate_limited") problems.end(this.#account);
  }

  /** Ends the problems that a success disproves. */
  succeeded(scopes: Scopes, answer: Success<OperationId>, requestId: string | null): void {
    const { circuitBreaker, problems, outage, clock } = this.#deps;
    const well = [scopes.series, scopes.place];
    // A response to an earlier request does not end a pause of the account, so its problem stays too.
    if (circuitBreaker.pausedUntil(scopes) <= clock.monotonicMs()) well.push(this.#account);
    outage.answered(this.#account, well, clock.now());
    for (const subject of well) problems.end(subject);
    // Until a response of the series fits.
    const { series } = scopes;
    const { count, why = null } = answer.dropped ?? { count: 0 };
    const detail = why === null ? null : message("found.dropped", { series, count, why });
    const found = { code: "parts_dropped", subject: `${series} parts`, address: addressOfScope(series) } as const;
    setProblem(problems, { ...found, since: clock.now(), requestId, detail });
  }

  /** Reports a failure, with the end of a long pause, which the owner may ask about. */
  failed(failure: FetchFailure, verdict: Verdict, scopes: Scopes, share: Share): void {
    const { circuitBreaker, clock } = this.#deps;
    // Problems have no request as subject: a problem of one request is reported for its series.
    const subject = scopes[verdict.scope === "request" ? "series" : verdict.scope];
    const requestId = failure.kind === "unreachable" ? null : failure.requestId;
    const what = detailOf(failure);
    const leftMs = circuitBreaker.pausedUntil(scopes) - clock.monotonicMs();
    const until = formatInstant(clock.now() + Math.ceil(leftMs));
    const detail = leftMs <= SHOWN_WAIT_MS ? what : message("found.paused", { what, until });
    this.#report(verdict, { subject, detail, requestId }, share);
  }

  #report(verdict: Verdict, failure: Pick<ProblemFound, "subject" | "detail" | "requestId">, share: Share): void {
    const { subject, detail, requestId = null } = failure;
    const { outage, problems, clock } = this.#deps;
    const [since, account, code] = [clock.now(), this.#account, verdict.problem];
    if (code === null) return;
    if (verdict.trouble) {
      const series = subject === account ? null : subject;
      outage.start({ account, code, since, detail, requestId, series, isGuests: share === "lan" });
      return;
    }
    // The service responded, so its outage is over for this scope.
    outage.answered(account, [subject], since);
    problems.start({ code, subject, address: addressOfScope(subject), since, detail, requestId });
  }
}

/** Returns what a failure was, or what a request waits for and until when. */
export function detailOf(failure: FetchFailure | Deferred): Text {
  if (failure.kind === "deferred") {
    const what = failure.after ? detailOf(failure.after) : failure.why;
    return message("found.paused", { what, until: formatInstant(failure.until) });
  }
  if (failure.kind !== "refused") return failure.why;
  return `${[failure.status, failure.code].filter((part) => part !== null).join(" ")}: ${failure.reason}`;
}
