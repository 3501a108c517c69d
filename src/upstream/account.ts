/**
 * One account of the service: client, governor and error policy as one door. Polling and the LAN both go through it.
 */
import { type OperationId, operationOf, type ParamsOf, type Success } from "../contract/operations.ts";
import { writeRequest } from "../contract/request.ts";
import type { EpochMs, Interval } from "../core/interval.ts";
import type { Setback, Withheld } from "../core/outcome.ts";
import { problemAdvice } from "../core/policy.ts";
import type { Problems } from "../core/problem.ts";
import type { MonotonicMs, Share } from "../core/quota.ts";
import type { AskContext, Client } from "./client.ts";
import type { Gate } from "./gate.ts";
import type { Governor, GovernorClock } from "./governor.ts";

/** One request of an account, with what the ledger notes of it. */
export interface Inquiry<Id extends OperationId> {
  readonly operation: Id;
  readonly params: ParamsOf<Id>;
  readonly share: Share;
  readonly seriesId: number | null;
  readonly range: Interval | null;
}

/** An answer with what its headers said. */
export type Reply<Id extends OperationId> =
  | (Success<Id> & { readonly requestId: string | null })
  | (Setback & { readonly settled: boolean })
  | Withheld;

export interface AccountParts {
  readonly name: string;
  readonly client: Client;
  readonly governor: Governor;
  readonly gate: Gate;
  readonly clock: GovernorClock;
  readonly problems: Problems;
  /** Ends all requests at shutdown. */
  readonly signal: AbortSignal;
  /** Told the service's own time whenever an answer carries it. */
  readonly onServerTime: (serverMs: EpochMs) => void;
  /** Told of every spend, with how it ended. */
  readonly onSpent: (operation: OperationId, outcome: string) => void;
}

export class Account {
  readonly name: string;
  readonly #parts: AccountParts;
  /** Requests under way, by path: equal callers share one. Bounded by the governor's minute. */
  readonly #flights = new Map<string, Promise<Reply<OperationId>>>();

  constructor(parts: AccountParts) {
    this.name = parts.name;
    this.#parts = parts;
  }

  /** The earliest moment at which a request of this share may go out, seen from `now`; `now` itself for at once. */
  notBefore(operation: OperationId, params: ParamsOf<OperationId>, share: Share, now: EpochMs): EpochMs {
    const { clock, gate, governor } = this.#parts;
    const monotonicMs = clock.monotonicMs();
    const until = Math.max(gate.silentUntil(scopeOf(operation, params)), governor.earliest(share, monotonicMs));
    return now + Math.max(0, until - monotonicMs);
  }

  /** Asks the service, or says why not now. Equal requests under way at the same time are one. */
  ask<Id extends OperationId>(inquiry: Inquiry<Id>): Promise<Reply<Id>> {
    const path = writeRequest(inquiry.operation, inquiry.params);
    const flying = this.#flights.get(path);
    if (flying) return flying as Promise<Reply<Id>>;
    const flight = this.#send(inquiry).finally(() => this.#flights.delete(path));
    this.#flights.set(path, flight as Promise<Reply<OperationId>>);
    return flight;
  }

  async #send<Id extends OperationId>(inquiry: Inquiry<Id>): Promise<Reply<Id>> {
    const { client, governor, gate } = this.#parts;
    const scope = scopeOf(inquiry.operation, inquiry.params);
    const silentUntil = gate.silentUntil(scope);
    if (silentUntil > this.#parts.clock.monotonicMs())
      return this.#withheld(silentUntil, "the service asked for silence, or has trouble");
    const verdict = governor.request(inquiry.share, inquiry.seriesId, inquiry.range);
    if (verdict.kind === "wait") return this.#withheld(verdict.untilMs, "the quota for this is used up for now");
    let requestId: string | null = null;
    const context: AskContext = {
      signal: this.#parts.signal,
      note: (notes) => {
        requestId = notes.requestId;
        verdict.leave.note(notes);
        if (notes.serverMs !== null) this.#parts.onServerTime(notes.serverMs);
      },
    };
    const handler = client[inquiry.operation] as (
      params: ParamsOf<Id>,
      context: AskContext,
    ) => Promise<Success<Id> | Setback>;
    try {
      const answer = await handler(inquiry.params, context);
      this.#parts.onSpent(inquiry.operation, answer.kind === "refused" ? String(answer.status) : answer.kind);
      if (answer.kind === "ok") return this.#succeeded(scope, answer, requestId);
      return this.#failed(scope, answer);
    } finally {
      verdict.leave.settle();
    }
  }

  #succeeded<Id extends OperationId>(scope: string, answer: Success<Id>, requestId: string | null): Reply<Id> {
    const { gate, problems } = this.#parts;
    gate.success(scope);
    problems.end(this.name);
    problems.end(`${this.name} ${scope}`);
    return { ...answer, requestId };
  }

  #failed(scope: string, setback: Setback): Setback & { readonly settled: boolean } {
    const { gate, problems, clock, signal } = this.#parts;
    if (signal.aborted) return { ...setback, settled: false };
    const verdict = gate.setback(scope, setback);
    if (verdict.problem) {
      problems.start({
        code: verdict.problem,
        subject: verdict.scope === "account" ? this.name : `${this.name} ${scope}`,
        since: clock.now(),
        advice: problemAdvice[verdict.problem],
        detail: setback.kind === "refused" ? `${setback.status} ${setback.code ?? ""}: ${setback.reason}` : setback.why,
        requestId: setback.kind === "unreachable" ? null : setback.requestId,
      });
    }
    return { ...setback, settled: verdict.settled };
  }

  #withheld(until: MonotonicMs, why: string): Withheld {
    const { clock } = this.#parts;
    return { kind: "withheld", until: clock.now() + Math.max(0, until - clock.monotonicMs()), why };
  }
}

/** What a setback on one request says about others: the same operation at the same place. */
function scopeOf(operation: OperationId, params: ParamsOf<OperationId>): string {
  const values: Readonly<Record<string, unknown>> = params;
  const place = Object.keys(operationOf(operation).inPath).map((name) => String(values[name]));
  return [operation, ...place].join(" ");
}
