/**
 * One account of the service: client, rate limiter and error policy as one door. Polling and the LAN both go through it.
 */

import { LRUCache } from "lru-cache";
import type { Deferred, FetchFailure } from "../../core/fetching/fetch-outcome.ts";
import type { MonotonicMs, Share } from "../../core/fetching/rate-limit.ts";
import type { Need, Verdict } from "../../core/fetching/retry-policy.ts";
import type { BackfillPause } from "../../core/status/daemon-status.ts";
import type { Problems } from "../../core/status/problem.ts";
import type { ServiceProblemCode } from "../../core/status/problem-catalog.ts";
import { type EpochMs, type Interval, SECOND_MS } from "../../core/time/interval.ts";
import type { QuotaWindow } from "../contract/limits.ts";
import { type OperationId, operationOf, type ParamsOf, type Success } from "../contract/operations.ts";
import type { QuotaStanding } from "../contract/quota-headers.ts";
import { writeRequest } from "../contract/request.ts";
import type { CircuitBreaker, Scopes } from "./circuit-breaker.ts";
import { type AskContext, type Client, serviceTime } from "./client.ts";
import type { Outage } from "./outage.ts";
import type { Permit, RateLimiter, RateLimiterClock } from "./rate-limiter.ts";
import { SharedFlights } from "./shared-flights.ts";

/** One request of an account, with what the request log notes of it. */
export interface AccountRequest<Id extends OperationId> {
  readonly operation: Id;
  readonly params: ParamsOf<Id>;
  readonly share: Share;
  readonly seriesId: number | null;
  readonly range: Interval | null;
}

/** An answer with what its headers said. */
export type AccountReply<Id extends OperationId> =
  | (Success<Id> & { readonly requestId: string | null })
  | (FetchFailure & { readonly settled: boolean })
  | Deferred;

/** A window of the service's quota. `resetsAt` is null between its end and the next answer. */
export interface ReportedWindow {
  readonly limit: number;
  readonly left: number;
  readonly resetsAt: EpochMs | null;
}

export interface AccountDeps {
  readonly name: string;
  readonly client: Client;
  readonly governor: RateLimiter;
  readonly gate: CircuitBreaker;
  readonly clock: RateLimiterClock;
  readonly problems: Problems;
  /** Shared with the other accounts. */
  readonly outage: Outage;
  /** Ends all requests at shutdown. */
  readonly signal: AbortSignal;
  /** Told the service's own time whenever an answer carries it. */
  readonly onServerTime: (serverMs: EpochMs) => void;
  /** Told of every spend, with how it ended. */
  readonly onSpent: (operation: OperationId, outcome: string) => void;
}

/** Failures remembered at the same time; a house has a few dozen series, and guests may ask for anything. */
const MAX_SETBACKS = 200;
/** Under which the last trouble of the service is remembered: it is what made all of an account silent. */
const TROUBLE = " trouble";

export class Account {
  readonly name: string;
  readonly flights = new SharedFlights();
  readonly #deps: AccountDeps;
  /** Requests in flight, by path: equal callers share one. Bounded by the rate limiter's minute. */
  readonly #flights = new Map<string, Promise<AccountReply<OperationId>>>();
  #told: Partial<QuotaStanding> = {};
  /** The last failure by the scope it silenced, for callers who ask meanwhile. */
  readonly #setbacks = new LRUCache<string, FetchFailure>({ max: MAX_SETBACKS });

  constructor(deps: AccountDeps) {
    this.name = deps.name;
    this.#deps = deps;
    for (const { name, kind, verdict } of deps.gate.restored())
      this.#tell(verdict, name, `${kind} before the start; the pause goes on`, null, "poll");
  }

  /** What all of the account meets at this time; null if its requests are answered. */
  get trouble(): ServiceProblemCode | null {
    return this.#deps.outage.codeOf(this.name);
  }

  /** The windows as the service last told them; null where it has not told. What is left is whole again after a reset. */
  standing(now: EpochMs): Readonly<Record<QuotaWindow, ReportedWindow | null>> {
    const told = (window: QuotaWindow): ReportedWindow | null => {
      const standing = this.#told[window];
      if (!standing) return null;
      const { limit, remaining, resetSec } = standing;
      const resetsAt = resetSec * SECOND_MS;
      return resetsAt > now ? { limit, left: remaining, resetsAt } : { limit, left: limit, resetsAt: null };
    };
    return { minute: told("minute"), day: told("day") };
  }

  /** The earliest moment at which a request of this share may go out, seen from `now`; `now` itself for at once. */
  notBefore(operation: OperationId, params: ParamsOf<OperationId>, share: Share, now: EpochMs): EpochMs {
    const { clock, gate, governor } = this.#deps;
    const monotonicMs = clock.monotonicMs();
    const scopes = this.#scopesOf(operation, params, share);
    const until = Math.max(gate.pausedUntil(scopes), governor.earliest(share, monotonicMs));
    return now + Math.max(0, Math.ceil(until - monotonicMs));
  }

  /** Why nothing may be asked for the history at this time; null while it may. */
  backfillPause(now: EpochMs): BackfillPause | null {
    const { clock, gate, governor } = this.#deps;
    const monotonicMs = clock.monotonicMs();
    const silentUntil = gate.pausedUntil({ account: this.name, place: "", series: "", request: "" });
    const until = Math.max(silentUntil, governor.earliest("backfill", monotonicMs));
    if (until <= monotonicMs) return null;
    const why = until > silentUntil ? "quota" : (this.trouble ?? "service_trouble");
    return { until: now + Math.ceil(until - monotonicMs), why };
  }

  /** Asks the service, or says why not now. Equal requests in flight at the same time are one. */
  async ask<Id extends OperationId>(inquiry: AccountRequest<Id>): Promise<AccountReply<Id>> {
    const path = writeRequest(inquiry.operation, inquiry.params);
    const flying = this.#flights.get(path);
    if (flying) return flying as Promise<AccountReply<Id>>;
    const { governor, gate, clock } = this.#deps;
    const scopes = this.#scopesOf(inquiry.operation, inquiry.params, inquiry.share);
    const silentUntil = gate.pausedUntil(scopes);
    if (silentUntil > clock.monotonicMs())
      return this.#withheld(
        silentUntil,
        "the service asked for silence, or has trouble",
        this.#lastSetback(scopes) ?? gate.cause(scopes),
      );
    const verdict = governor.acquire(inquiry.share, inquiry.seriesId, inquiry.range);
    if (verdict.kind === "wait")
      return { ...this.#withheld(verdict.untilMs, verdict.why), isUnwritten: verdict.isUnwritten ?? false };
    const reply = this.#send(inquiry, scopes, verdict.leave).finally(() => this.#flights.delete(path));
    this.#flights.set(path, reply);
    return reply;
  }

  async #send<Id extends OperationId>(
    inquiry: AccountRequest<Id>,
    scopes: Scopes,
    leave: Permit,
  ): Promise<AccountReply<Id>> {
    const { client, clock } = this.#deps;
    const sentAt = clock.monotonicMs();
    let requestId: string | null = null;
    const context: AskContext = {
      signal: this.#deps.signal,
      note: (notes) => {
        requestId = notes.requestId;
        this.#told = { ...this.#told, ...notes.quota };
        leave.note(notes);
        this.#tellShortage();
        const serverMs = serviceTime(notes);
        if (serverMs !== null) this.#deps.onServerTime(serverMs);
      },
    };
    try {
      const answer = await client(inquiry.operation, inquiry.params, context);
      this.#deps.onSpent(inquiry.operation, answer.kind === "refused" ? String(answer.status) : answer.kind);
      if (answer.kind === "ok") return this.#succeeded(scopes, answer, requestId);
      return this.#failed(inquiry, scopes, answer, sentAt);
    } finally {
      leave.settle();
    }
  }

  #tellShortage(): void {
    const { problems, governor, clock } = this.#deps;
    const subject = `${this.name} quota`;
    const detail = governor.shortage;
    if (detail === null) problems.end(subject);
    else problems.start({ code: "quota_too_small", subject, since: clock.now(), detail });
  }

  #succeeded<Id extends OperationId>(scopes: Scopes, answer: Success<Id>, requestId: string | null): AccountReply<Id> {
    const { gate, problems, outage, clock } = this.#deps;
    gate.success(scopes);
    for (const scope of [...Object.values(scopes), TROUBLE]) this.#setbacks.delete(scope);
    const well = [scopes.series, scopes.place];
    // An answer that was on its way ends no silence of the account, and so no problem of it either.
    if (gate.pausedUntil(scopes) <= clock.monotonicMs()) well.push(this.name);
    outage.answered(this.name, well, clock.now());
    for (const subject of well) problems.end(subject);
    return { ...answer, requestId };
  }

  #failed(
    { operation, share }: Pick<AccountRequest<OperationId>, "operation" | "share">,
    scopes: Scopes,
    failure: FetchFailure,
    sentAt: MonotonicMs,
  ): FetchFailure & { readonly settled: boolean } {
    const { gate, signal } = this.#deps;
    if (signal.aborted) return { ...failure, settled: false };
    const isGuests = isCallersOwn(share, failure);
    const reached = isGuests ? { ...scopes, series: scopes.request, place: scopes.request } : scopes;
    const verdict = gate.failure(reached, failure, sentAt, needOf(operation));
    this.#setbacks.set(reached[verdict.scope], failure);
    if (verdict.trouble) this.#setbacks.set(TROUBLE, failure);
    // A request has no life of its own: what is wrong with one is shown at its series.
    const subject = scopes[verdict.scope === "request" ? "series" : verdict.scope];
    const requestId = failure.kind === "unreachable" ? null : failure.requestId;
    if (!isGuests) this.#tell(verdict, subject, detailOf(failure), requestId, share);
    return { ...failure, settled: verdict.settled };
  }

  /** Tells the owner what follows from a failure. */
  #tell(verdict: Verdict, subject: string, detail: string, requestId: string | null, share: Share): void {
    const { outage, problems, clock } = this.#deps;
    const [since, account, code] = [clock.now(), this.name, verdict.problem];
    if (code === null) return;
    if (verdict.trouble) {
      const series = subject === account ? null : subject;
      outage.start({ account, code, since, detail, requestId, series, isGuests: share === "lan" });
      return;
    }
    // The service answered: what was wrong before with so much of it is over.
    outage.answered(account, [subject], since);
    problems.start({ code, subject, since, detail, requestId });
  }

  /**
   * What a failure on one request says about others: the same operation at the same place, and all of the place. The
   * fetch schedule asks for a range that moves with time, so what is wrong with one is wrong with its next too; a LAN guest
   * may ask for anything.
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

  #lastSetback({ request, series, place, account }: Scopes): FetchFailure | null {
    const last = [request, series, place, account, TROUBLE].find((scope) => this.#setbacks.has(scope));
    return this.#setbacks.get(last ?? "") ?? null;
  }

  #withheld(until: MonotonicMs, why: string, after: FetchFailure | null = null): Deferred {
    const { clock } = this.#deps;
    return { kind: "withheld", until: clock.now() + Math.max(0, Math.ceil(until - clock.monotonicMs())), why, after };
  }
}

/** What goes missing while an operation is denied. */
function needOf(operation: OperationId): Need {
  const { poll } = operationOf(operation).keep;
  return poll === "prices" || poll === "placePrices" || poll === "addresses" ? "prices" : "other";
}

/** Parameters of a query that name a place. */
const PLACE_NAMES: readonly string[] = ["latitude", "longitude"];

/** A caller of the LAN may ask for what there is not, or in a form that the service does not take. */
function isCallersOwn(share: Share, failure: FetchFailure): boolean {
  return share === "lan" && failure.kind === "refused" && (failure.status === 400 || failure.status === 404);
}

function detailOf(setback: FetchFailure): string {
  if (setback.kind !== "refused") return setback.why;
  return `${[setback.status, setback.code].filter((part) => part !== null).join(" ")}: ${setback.reason}`;
}
