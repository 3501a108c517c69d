/** Facade over client, rate limiter and circuit breaker of one account. Polling and the LAN both use it. */

import { LRUCache } from "lru-cache";
import type { Deferred, FetchFailure } from "../../core/fetching/fetch-outcome.ts";
import type { MonotonicMs, Share } from "../../core/fetching/rate-limit.ts";
import { InvariantError } from "../../core/invariant.ts";
import { message, type Text } from "../../core/language/text.ts";
import type { BackfillPause, ReportedWindow } from "../../core/status/daemon-status.ts";
import { reportBroken } from "../../core/status/kept-promise.ts";
import type { ServiceProblemCode } from "../../core/status/problem-catalog.ts";
import { type EpochMs, type Interval, SECOND_MS } from "../../core/time/interval.ts";
import type { QuotaWindow } from "../contract/limits.ts";
import { type BodyOf, type OperationId, operationOf, type ParamsOf, type Success } from "../contract/operations.ts";
import type { QuotaStanding } from "../contract/quota-headers.ts";
import { writeRequest } from "../contract/request.ts";
import { AccountProblems, type AccountProblemsDeps } from "./account-problems.ts";
import { serviceTime } from "./answer-notes.ts";
import type { CircuitBreaker, Scopes } from "./circuit-breaker.ts";
import type { AskContext, Client } from "./client.ts";
import { Flights } from "./flights.ts";
import type { Permit, RateLimiter } from "./rate-limiter.ts";
import { scopesOf } from "./request-scopes.ts";

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

export interface AccountDeps extends AccountProblemsDeps {
  readonly name: string;
  readonly client: Client;
  readonly rateLimiter: RateLimiter;
  readonly circuitBreaker: CircuitBreaker;
  readonly signal: AbortSignal;
  /** Called with the service's time for every response that contains it. */
  readonly onServerTime: (serverMs: EpochMs) => void;
  readonly onSpent: (operation: OperationId, outcome: string) => void;
}

/** Maximum remembered failures. A household has a few dozen series, but LAN clients may request anything. */
const MAX_FAILURES = 200;
/** Key of the last failure that counted as trouble; it may have paused the whole account. */
const TROUBLE = " trouble";

export class Account {
  readonly name: string;
  readonly flights = new Flights();
  readonly #deps: AccountDeps;
  readonly #problems: AccountProblems;
  #reportedQuota: Partial<QuotaStanding> = {};
  /** Last failure per paused scope, for requests during the pause. Null before the first failure, to save 4 kB. */
  #failures: LRUCache<string, FetchFailure> | null = null;

  constructor(deps: AccountDeps) {
    this.name = deps.name;
    this.#deps = deps;
    this.#problems = new AccountProblems(deps.name, deps);
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
    const scopes = scopesOf(this.name, operation, params, share);
    const paused = circuitBreaker.pausedUntil(scopes, ownTime && ((since) => ownTime(bootAt + since) - bootAt));
    const until = Math.max(paused, rateLimiter.earliest(share, monotonicMs));
    return now + Math.max(0, Math.ceil(until - monotonicMs));
  }

  /**
   * Reports whether due requests wait for the quota longer than `SHOWN_WAIT_MS`, until `heldUntil`. Ends the problem of
   * a used-up quota when its pause is over. Returns the end of that pause; infinity without one.
   */
  rest(heldUntil: EpochMs | null, now: EpochMs): EpochMs {
    const { clock, rateLimiter } = this.#deps;
    const monotonicMs = clock.monotonicMs();
    const pausedMs = this.#pausedUntil - monotonicMs;
    const [poll, prices] = [rateLimiter.hold("poll", monotonicMs), rateLimiter.hold("prices", monotonicMs)];
    const { until, why } = poll.until > prices.until ? poll : prices;
    const waitMs = heldUntil === null || pausedMs > 0 ? 0 : Math.min(heldUntil - now, until - monotonicMs);
    this.#problems.waits(waitMs, why, now);
    this.#problems.set("quota_too_small", "quota", rateLimiter.shortage);
    if (pausedMs <= 0) this.#problems.pauseEnded();
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
    const scopes = scopesOf(this.name, inquiry.operation, inquiry.params, inquiry.share);
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
      this.#problems.set("no_addresses", "address list", isEmpty ? message("found.no_addresses") : null, requestId);
    }
    this.#deps.circuitBreaker.success(scopes);
    for (const scope of [...Object.values(scopes), TROUBLE]) this.#failures?.delete(scope);
    this.#problems.succeeded(scopes, answer, requestId);
    return { ...answer, requestId };
  }

  #failed(
    { operation, share }: Pick<AccountRequest<OperationId>, "operation" | "share">,
    scopes: Scopes,
    failure: FetchFailure,
    sentAt: MonotonicMs,
  ): FetchFailure & { readonly settled: boolean } {
    const { circuitBreaker, signal } = this.#deps;
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
    if (!isGuests) this.#problems.failed(failure, verdict, scopes, share);
    return { ...failure, settled: verdict.settled };
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
