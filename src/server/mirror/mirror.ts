/**
 * The mirror: the service's operations answered from storage, read through when that may be, and from what the series store
 * has when the service cannot be asked.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { Deferred, FetchFailure } from "../../core/fetching/fetch-outcome.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import {
  type ContractError,
  contractError,
  type ErrorCode,
  errorTable,
  isErrorCode,
} from "../../service/contract/errors.ts";
import { type OperationId, operationIds, type ParamsOf } from "../../service/contract/operations.ts";
import type { Encoded, Headers, RequestContext, ServerHandlers } from "../../service/serve/mount.ts";
import type { Found } from "../../state/stored-answer.ts";
import type { ResponseCache } from "./response-cache.ts";

/** Shelf and service, as the mirror needs them. */
export interface MirrorSource {
  /** What the service would refuse for certain, by the addresses it told of; null where it has to be asked. */
  readonly refusal: (operation: OperationId, params: ParamsOf<OperationId>) => ContractError | null;
  readonly find: <Id extends OperationId>(operation: Id, params: ParamsOf<Id>, now: EpochMs) => Found | null;
  /** What there is of a request that was never asked as a whole; null for nothing of it. */
  readonly findPart: <Id extends OperationId>(operation: Id, params: ParamsOf<Id>, now: EpochMs) => Found | null;
  /** Asks the service out of the LAN's share and keeps the answer. */
  readonly ask: <Id extends OperationId>(operation: Id, params: ParamsOf<Id>) => Promise<Asked>;
  /** Told of a request that threw when its caller had been answered from storage. */
  readonly onLateCrash: (error: unknown) => void;
}

/** What became of asking the service. `at` is when the last of the answer was in storage, if it could be kept. */
export type Asked =
  | { readonly kind: "kept"; readonly at: EpochMs }
  | { readonly kind: "unkept"; readonly found: Found }
  | FetchFailure
  | Deferred;

/** What the service decides permanently, whatever the series store has of earlier. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 404, 422]);
/** Errors of the service that are the caller's to know as they are. */
const PASSED_ON: ReadonlySet<number> = new Set([400, 403, 404, 422, 502, 503]);
const FROM_SHELF = { "X-Elbro-Source": "shelf" };
const FROM_SERVICE = { "X-Elbro-Source": "service" };
const STALE = { ...FROM_SHELF, "X-Elbro-Stale": "true" };
/** What a status of the service says of the caller's request. */
const CODE_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: "invalid_parameter",
  403: "forbidden",
  404: "resource_not_found",
  422: "feature_unavailable",
};
/** When to try again after a 429 that named no time. */
const UNNAMED_WAIT_MS = 60_000;

/** So long the service may take before what is kept is the answer. */
const OVERDUE_MS = 1_000;
const LATE = { kind: "late" } as const;

/** Makes the mirror's handlers from the contract's table. `overdue` resolves when a request has taken too long. */
export function mirrorHandlers(
  source: MirrorSource,
  cache: ResponseCache,
  overdue: () => Promise<void> = () => pause(OVERDUE_MS, undefined, { ref: false }),
): ServerHandlers {
  const parts = { source, cache, fly: singleFlight(source, overdue) };
  const handlers = operationIds.map((id) => [
    id,
    (params: ParamsOf<OperationId>, context: RequestContext) => answer(parts, id, params, context),
  ]);
  return Object.fromEntries(handlers) as ServerHandlers;
}

interface MirrorContext {
  readonly source: MirrorSource;
  readonly cache: ResponseCache;
  readonly fly: (operation: OperationId, params: ParamsOf<OperationId>) => Flight;
}

/** A request under way. */
interface Flight {
  readonly landed: Promise<Asked>;
  /** Resolves when it takes too long for who has something older; it then goes on by itself. */
  readonly late: Promise<typeof LATE>;
}

/** Equal requests in flight at the same time are asked, and stored, once. */
function singleFlight({ ask, onLateCrash }: MirrorSource, overdue: () => Promise<void>): MirrorContext["fly"] {
  /** By request. Bounded by the rate limiter's minute. */
  const flights = new Map<string, Flight>();
  return (operation, params) => {
    const key = keyOf(operation, params);
    const flying = flights.get(key);
    if (flying) return flying;
    let isLate = false;
    const late = overdue().then(() => {
      isLate = true;
      return LATE;
    });
    const landed = ask(operation, params).finally(() => flights.delete(key));
    landed.catch((error) => isLate && onLateCrash(error));
    const flight = { landed, late };
    flights.set(key, flight);
    return flight;
  };
}

function keyOf(operation: OperationId, params: ParamsOf<OperationId>): string {
  return JSON.stringify([operation, params]);
}

type Answer = Encoded | ContractError;

/** A caller that would rather have what is kept than have the service asked. Source: RFC 9111, 5.2.1.2. */
const TAKES_OLDER = /\bmax-stale\b/i;

async function answer(
  parts: MirrorContext,
  id: OperationId,
  params: ParamsOf<OperationId>,
  context: RequestContext,
): Promise<Answer> {
  const refused = parts.source.refusal(id, params);
  if (refused) return refused;
  while (parts.cache.isBusy) await parts.cache.nextTick();
  const found = parts.source.find(id, params, context.now);
  const given =
    found && (found.fresh || TAKES_OLDER.test(context.headers["cache-control"] ?? ""))
      ? { kind: "given" as const, found, at: context.now, how: found.fresh ? FROM_SHELF : STALE }
      : await ask(parts, [id, params, context.now], found !== null);
  if (given.kind === "error") return given;
  const { status, headers, body } = await parts.cache.represent(context.key, given.found, context.headers);
  const age = Math.max(0, Math.floor((given.at - given.found.answeredAt) / 1_000));
  return { kind: "encoded", status, headers: { Age: String(age), ...given.how, ...headers }, body };
}

/** What is answered, the time by which its age counts, and the headers that tell where it is from. */
interface Given {
  readonly kind: "given";
  readonly found: Found;
  readonly at: EpochMs;
  readonly how: Headers;
}

/** Asks the service. Where that fails or takes too long, what is kept may be the answer. */
async function ask(
  { source, fly }: MirrorContext,
  [id, params, now]: readonly [OperationId, ParamsOf<OperationId>, EpochMs],
  hasOlder: boolean,
): Promise<Given | ContractError> {
  const { landed, late } = fly(id, params);
  const asked = await (hasOlder ? Promise.race([landed, late]) : landed);
  if (asked.kind === "unkept")
    return { kind: "given", found: asked.found, at: asked.found.answeredAt, how: FROM_SERVICE };
  if (asked.kind === "kept") {
    // An answer is newer than the request it is for.
    const kept = source.find(id, params, asked.at);
    if (kept) return { kind: "given", found: kept, at: asked.at, how: FROM_SERVICE };
  }
  const isFinal = asked.kind === "refused" && FINAL_STATUSES.has(asked.status);
  // The series store may have changed while the service was asked.
  const older = isFinal ? null : ((hasOlder ? source.find(id, params, now) : null) ?? source.findPart(id, params, now));
  return older ? { kind: "given", found: older, at: now, how: STALE } : errorOf(asked, now);
}

/** What a LAN caller gets of a failure when the series store has nothing. Source: design, table of answers. */
function errorOf(asked: Exclude<Asked, { kind: "unkept" }> | typeof LATE, now: EpochMs): ContractError {
  switch (asked.kind) {
    case "late":
      return contractError("upstream_unavailable", "the service has not answered yet");
    case "kept":
      return contractError("internal_error", "an answer was stored and cannot be found");
    case "withheld": {
      // A silence that was asked for is told with its rest; any other as what made it.
      if (asked.after && !(asked.after.kind === "refused" && asked.after.status === 429))
        return errorOf(asked.after, now);
      const retryAfterSec = Math.max(1, Math.ceil((asked.until - now) / 1_000));
      const code = asked.isUnwritten ? "entitlement_unavailable" : "rate_limited";
      return { ...contractError(code, `${asked.why}; the shelf has nothing for this request`), retryAfterSec };
    }
    case "unreachable":
      return contractError("upstream_unavailable", `the service cannot be reached: ${asked.why}`);
    case "malformed":
      return contractError("upstream_unavailable", "the service answered in a form that does not fit its contract");
    case "refused":
      return refusalOf(asked);
  }
}

/** The service's own error where it names one of the contract; the third-party interface has statuses alone. */
function refusalOf({ status, code, reason, retryAfterMs }: FetchFailure & { kind: "refused" }): ContractError {
  if (code !== null && isErrorCode(code) && errorTable[code].status === status && PASSED_ON.has(status))
    return contractError(code, reason);
  const ownCode = CODE_BY_STATUS[status];
  if (ownCode) return contractError(ownCode, reason);
  if (status === 401)
    return contractError("entitlement_unavailable", "the service refuses the daemon's key; see its problems");
  if (status === 429) {
    const retryAfterSec = Math.max(1, Math.ceil((retryAfterMs ?? UNNAMED_WAIT_MS) / 1_000));
    return { ...contractError("rate_limited", reason), retryAfterSec };
  }
  const failure = status === 503 ? "entitlement_unavailable" : "upstream_unavailable";
  return contractError(failure, `the service answered with status ${status}`);
}
