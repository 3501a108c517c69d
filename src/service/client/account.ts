/** Facade over client, rate limiter and circuit breaker of one account. Polling and the LAN both use it. */

import { LRUCache } from "lru-cache";
import type { Deferred, FetchFailure } from "../../core/fetching/fetch-outcome.ts";
import type { MonotonicMs, Share } from "../../core/fetching/rate-limit.ts";
import type { Verdict } from "../../core/fetching/retry-policy.ts";
import { InvariantError } from "../../core/invariant.ts";
import { message, type Text } from "../../core/language/text.ts";
import type { BackfillPause, ReportedWindow } from "../../core/status/daemon-status.ts";
import { reportBroken } from "../../core/status/kept-promise.ts";
import { type ProblemFound, type Problems, setProblem } from "../../core/status/problem.ts";
import type { ProblemCode, ServiceProblemCode } from "../../core/status/problem-catalog.ts";
import { type EpochMs, formatInstant, type Interval, MINUTE_MS, SECOND_MS } from "../../core/time/interval.ts";
import type { QuotaWindow } from "../contract/limits.ts";
import { type BodyOf, type OperationId, operationOf, type ParamsOf, type Success } from "../contract/operations.ts";
import type { QuotaStanding } from "../contract/quota-headers.ts";
import { writeRequest } from "../contract/request.ts";
import { serviceTime } from "./answer-notes.ts";
import type { CircuitBreaker, Scopes } from "./circuit-breaker.ts";
import type { AskContext, Client } from "./client.ts";
import { Flights } from "./flights.ts";
import type { Outage } from "./outage.ts";
import type { Permit, RateLimiter, RateLimiterClock } from "./rate-limiter.ts";

/** Request of an account, with the fields that the request log records. */
export interface AccountRequest<Id extends OperationId> {
  readonly operation: Id;
  readonly params: ParamsOf<Id>;
  readonly share: Share;
  readonly seriesId: number | null;
  readonly range: Interval | null;
}

/** Response with its request id, failure, or deferral. */
export type AccountReply<Id extends OperationId> =
  | (Success<Id> & { readonly requestId: string | null })
  | (FetchFailure & { readonly settled: boolean })
  | Deferred;

export interface AccountDeps {
  readonly name: string;
  readonly client: Client;
  readonly rateLimiter: RateLimiter;
  readonly circuitBreaker: CircuitBreaker;
  readonly clock: RateLimiterClock;
  readonly problems: Problems;
  /** Shared with the other accounts. */
  readonly outage: Outage;
  readonly signal: AbortSignal;
  /** Called with the service's time for every response that contains it. */
  readonly onServerTime: (serverMs: EpochMs) => void;
  readonly onSpent: (operation: OperationId, outcome: string) => void;
}

/** Maximum remembered failures. A household has a few dozen series, but LAN clients may request anything. */
const MAX_FAILURES = 200;
/** Minimum wait for the quota that is shown as a problem. */
const SHOWN_WAIT_MS = 10 * MINUTE_MS;
/** Key of the last failure that counted as trouble; it may have paused the whole account. */
const TROUBLE = " trouble";

export class Account {
  readonly name: string;
  readonly flights = new Flights();
  readonly #deps: AccountDeps;
  #reportedQuota: Partial<QuotaStanding> = {};
  /** Last failure per paused scope, for requests during the pause. Null before the first failure, to save 4 kB. */
  #failures: LRUCache<string, FetchFailure> | null = null;

  constructor(deps: AccountDeps) {
    this.name = deps.name;
    this.#deps = deps;
    for (const { name, kind, verdict } of deps.circuitBreaker.restored())
      this.#report(verdict, { subject: name, detail: message("found.before_start", { code: kind }) }, "poll");
  }

  /** Problem of the whole account; null if its requests succeed. */
  get trouble(): ServiceProblemCode | null {
    return this.#deps.outage.codeOf(this.name);
  }

  /** Returns the windows as last reported; null before that. After its reset, a window counts as unused. */
  standing(now: EpochMs): Readonly<Record<QuotaWindow, ReportedWindow | null>> {
    const reported = (window: QuotaWindow): ReportedWindow | null => {
      const standing = this.#reportedQuota[window];
      if (!standing) return null;
      const { limit, remaining, resetSec } = standing;
      const resetsAt = resetSec * SECOND_MS;
      return resetsAt > now ? { limit, left: remaining, resetsAt } : { limit, left: limit, resetsAt: null };
    };
    return { minute: reported("minute"), day: reported("day") };
  }

  /**
   * Returns the earliest time for a request; `now` if it is allowed immediately. `ownTime` returns the next time of its
   * own schedule after a failure; without one, a request waits for the end of an outage's pause.
   */
  notBefore(
    { operation, params, share }: Pick<AccountRequest<OperationId>, "operation" | "params" | "share">,
    now: EpochMs,
    ownTime?: (since: EpochMs) => EpochMs,
  ): EpochMs {
    const { clock, circuitBreaker, rateLimiter } = this.#deps;
    const monotonicMs = clock.monotonicMs();
    const bootAt = now - monotonicMs;
    const scopes = this.#scopesOf(operation, params, share);
    const paused = circuitBreaker.pausedUntil(scopes, ownTime && ((since) => ownTime(bootAt + since) - bootAt));
    const until = Math.max(paused, rateLimiter.earliest(share, monotonicMs));
    return now + Math.max(0, Math.ceil(until - monotonicMs));
  }

  /**
   * Reports whether due requests wait for the quota longer than `SHOWN_WAIT_MS`, until `heldUntil`. Ends the problem of
   * a used-up quota when its pause is over. Returns the end of that pause; infinity without one.
   */
  rest(heldUntil: EpochMs | null, now: EpochMs): EpochMs {
    const { clock, rateLimiter, problems } = this.#deps;
    const monotonicMs = clock.monotonicMs();
    const pausedMs = this.#pausedUntil - monotonicMs;
    const [poll, prices] = [rateLimiter.hold("poll", monotonicMs), rateLimiter.hold("prices", monotonicMs)];
    const { until, why } = poll.until > prices.until ? poll : prices;
    const waitMs = heldUntil === null || pausedMs > 0 ? 0 : Math.min(heldUntil - now, until - monotonicMs);
    const detail =
      waitMs > SHOWN_WAIT_MS ? message("found.quota_wait", { why, until: formatInstant(now + waitMs) }) : null;
    // A wait that is almost over lasts if the next one begins, so that one day of waits is one problem.
    if (waitMs <= 0 || detail !== null) this.#setProblem("waiting_for_quota", "wait", detail);
    this.#setProblem("quota_too_small", "quota", rateLimiter.shortage);
    if (pausedMs <= 0 && problems.of(this.name)?.code === "rate_limited") problems.end(this.name);
    return pausedMs > 0 ? now + Math.ceil(pausedMs) : Number.POSITIVE_INFINITY;
  }

  /** End of a pause of the whole account. */
  get #pausedUntil(): MonotonicMs {
    return this.#deps.circuitBreaker.pausedUntil({ account: this.name, place: "", series: "", request: "" });
  }

  /** Returns the pause of the back-fill and its reason; null if back-fill requests are allowed now. */
  backfillPause(now: EpochMs): BackfillPause | null {
    const { clock, rateLimiter } = this.#deps;
    const monotonicMs = clock.monotonicMs();
    const until = Math.max(this.#pausedUntil, rateLimiter.earliest("backfill", monotonicMs));
    if (until <= monotonicMs) return null;
    const why = until > this.#pausedUntil ? "quota" : (this.trouble ?? "service_trouble");
    return { until: now + Math.ceil(until - monotonicMs), why };
  }

  /** Counts an attempt in the request log that was made to try another key of this account. */
  countTried(attemptId: number, share: Share): void {
    this.#deps.rateLimiter.count(attemptId, share, this.#deps.clock.monotonicMs());
  }

  /** Sends a request, or returns why it is deferred. Equal requests in flight share one. */
  async ask<Id extends OperationId>(inquiry: AccountRequest<Id>): Promise<AccountReply<Id>> {
    const path = writeRequest(inquiry.operation, inquiry.params);
    const inFlight = this.flights.equal(path);
    if (inFlight) return inFlight as Promise<AccountReply<Id>>;
    const { rateLimiter, circuitBreaker, clock } = this.#deps;
    const scopes = this.#scopesOf(inquiry.operation, inquiry.params, inquiry.share);
    // The schedule paces the requests for prices during an outage, see `notBefore`.
    const pausedUntil = circuitBreaker.pausedUntil(scopes, inquiry.share === "prices" ? () => 0 : undefined);
    if (pausedUntil > clock.monotonicMs())
      return this.#deferred(
        pausedUntil,
        message("held.paused"),
        this.#lastFailure(scopes) ?? circuitBreaker.cause(scopes),
      );
    const verdict = rateLimiter.acquire(inquiry.share, inquiry.seriesId, inquiry.range);
    if (verdict.kind === "wait") return { ...this.#deferred(verdict.until, verdict.why), isQuota: verdict.isQuota };
    return this.flights.share(path, () => this.#send(inquiry, scopes, verdict.permit));
  }

  /** Sends a request. One whose permit does not hold is not sent and counts as one that failed before it was sent. */
  async #asked<Id extends OperationId>({ operation, params }: AccountRequest<Id>, context: AskContext) {
    const { client, problems, clock } = this.#deps;
    try {
      return await client(operation, params, context);
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      reportBroken(problems, `account ${this.name}`, error, clock.now());
      return { kind: "unreachable", why: message("net.failed") } as const;
    }
  }

  async #send<Id extends OperationId>(
    inquiry: AccountRequest<Id>,
    scopes: Scopes,
    permit: Permit,
  ): Promise<AccountReply<Id>> {
    const { clock } = this.#deps;
    const sentAt = clock.monotonicMs();
    let requestId: string | null = null;
    const context: AskContext = {
      permit,
      signal: this.#deps.signal,
      note: (notes) => {
        requestId = notes.requestId;
        this.#reportedQuota = { ...this.#reportedQuota, ...notes.quota };
        const serverMs = serviceTime(notes);
        if (serverMs !== null) this.#deps.onServerTime(serverMs);
      },
    };
    const answer = await this.#asked(inquiry, context);
    this.#deps.onSpent(inquiry.operation, answer.kind === "refused" ? String(answer.status) : answer.kind);
    if (answer.kind !== "ok") return this.#failed(inquiry, scopes, answer, sentAt);
    if (inquiry.operation === "addresses") {
      // Nothing else can be requested for an account without addresses.
      const isEmpty = (answer.body as BodyOf<"addresses">).data.length === 0;
      this.#setProblem("no_addresses", "address list", isEmpty ? message("found.no_addresses") : null, requestId);
    }
    return this.#succeeded(scopes, answer, requestId);
  }

  /** Starts a problem of a part of the account, or ends it without a detail. */
  #setProblem(code: ProblemCode, part: string, detail: Text | null, requestId: string | null = null): void {
    const { problems, clock } = this.#deps;
    setProblem(problems, { code, subject: `${this.name} ${part}`, since: clock.now(), detail, requestId });
  }

  #succeeded<Id extends OperationId>(scopes: Scopes, answer: Success<Id>, requestId: string | null): AccountReply<Id> {
    const { circuitBreaker, problems, outage, clock } = this.#deps;
    circuitBreaker.success(scopes);
    for (const scope of [...Object.values(scopes), TROUBLE]) this.#failures?.delete(scope);
    const well = [scopes.series, scopes.place];
    // A response to an earlier request does not end a pause of the account, so its problem stays too.
    if (circuitBreaker.pausedUntil(scopes) <= clock.monotonicMs()) well.push(this.name);
    outage.answered(this.name, well, clock.now());
    for (const subject of well) problems.end(subject);
    // Until a response of the series fits.
    const { series } = scopes;
    const { count, why = null } = answer.dropped ?? { count: 0 };
    const detail = why === null ? null : message("found.dropped", { series, count, why });
    const found = { code: "parts_dropped", subject: `${series} parts`, since: clock.now(), requestId } as const;
    setProblem(problems, { ...found, detail });
    return { ...answer, requestId };
  }

  #failed(
    { operation, share }: Pick<AccountRequest<OperationId>, "operation" | "share">,
    scopes: Scopes,
    failure: FetchFailure,
    sentAt: MonotonicMs,
  ): FetchFailure & { readonly settled: boolean } {
    const { circuitBreaker, clock, signal } = this.#deps;
    if (signal.aborted) return { ...failure, settled: false };
    // A LAN client requested unknown data, or used a form that the service rejects.
    const isGuests = share === "lan" && failure.kind === "refused" && [400, 404].includes(failure.status);
    const reached = isGuests ? { ...scopes, series: scopes.request, place: scopes.request } : scopes;
    const { poll } = operationOf(operation).keep;
    // Prices require the list of addresses.
    const need = poll === "prices" || poll === "placePrices" || poll === "addresses" ? "prices" : "other";
    const verdict = circuitBreaker.failure(reached, failure, sentAt, need);
    this.#failures ??= new LRUCache({ max: MAX_FAILURES });
    this.#failures.set(reached[verdict.scope], failure);
    if (verdict.trouble) this.#failures.set(TROUBLE, failure);
    // Problems have no request as subject: a problem of one request is reported for its series.
    const subject = scopes[verdict.scope === "request" ? "series" : verdict.scope];
    const requestId = failure.kind === "unreachable" ? null : failure.requestId;
    const what = detailOf(failure);
    const leftMs = circuitBreaker.pausedUntil(scopes) - clock.monotonicMs();
    // The owner may ask about a long pause.
    const detail =
      leftMs <= SHOWN_WAIT_MS
        ? what
        : message("found.paused", { what, until: formatInstant(clock.now() + Math.ceil(leftMs)) });
    if (!isGuests) this.#report(verdict, { subject, detail, requestId }, share);
    return { ...failure, settled: verdict.settled };
  }

  /** Reports the problem that follows from a failure to the owner. */
  #report(verdict: Verdict, failure: Pick<ProblemFound, "subject" | "detail" | "requestId">, share: Share): void {
    const { subject, detail, requestId = null } = failure;
    const { outage, problems, clock } = this.#deps;
    const [since, account, code] = [clock.now(), this.name, verdict.problem];
    if (code === null) return;
    if (verdict.trouble) {
      const series = subject === account ? null : subject;
      outage.start({ account, code, since, detail, requestId, series, isGuests: share === "lan" });
      return;
    }
    // The service responded, so its outage is over for this scope.
    outage.answered(account, [subject], since);
    problems.start({ code, subject, since, detail, requestId });
  }

  /**
   * Returns the scopes that a failure may affect. Scheduled requests are named by series and share, because their
   * ranges move with time; those of LAN clients by path, because they may request anything.
   */
  #scopesOf(operation: OperationId, params: ParamsOf<OperationId>, share: Share): Scopes {
    const values: Readonly<Record<string, unknown>> = params;
    const { inPath, inQuery } = operationOf(operation);
    const names = [...Object.keys(inPath), ...Object.keys(inQuery).filter((name) => PLACE_NAMES.includes(name))];
    const series = [this.name, operation, ...names.map((name) => String(values[name]))].join(" ");
    const { addressId } = values;
    const place = addressId === undefined ? series : `${this.name} ${String(addressId)}`;
    const request = share === "lan" ? writeRequest(operation, params) : `${series} ${share}`;
    return { request, series, place, account: this.name };
  }

  #lastFailure({ request, series, place, account }: Scopes): FetchFailure | null {
    const last = [request, series, place, account, TROUBLE].find((scope) => this.#failures?.has(scope));
    return this.#failures?.get(last ?? "") ?? null;
  }

  #deferred(until: MonotonicMs, why: Text, after: FetchFailure | null = null): Deferred {
    const { clock } = this.#deps;
    return { kind: "deferred", until: clock.now() + Math.max(0, Math.ceil(until - clock.monotonicMs())), why, after };
  }
}

const PLACE_NAMES: readonly string[] = ["latitude", "longitude"];

/** Returns what a failure was, or what a request waits for and until when. */
export function detailOf(failure: FetchFailure | Deferred): Text {
  if (failure.kind === "deferred") {
    const what = failure.after ? detailOf(failure.after) : failure.why;
    return message("found.paused", { what, until: formatInstant(failure.until) });
  }
  if (failure.kind !== "refused") return failure.why;
  return `${[failure.status, failure.code].filter((part) => part !== null).join(" ")}: ${failure.reason}`;
}
