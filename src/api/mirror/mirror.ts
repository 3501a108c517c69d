/** The mirror: answers the service's operations from storage, and asks the service for missing or old data. */

import type { Deferred, FetchFailure } from "../../core/fetching/fetch-outcome.ts";
import { message } from "../../core/language/text.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import { type LocalError, localError } from "../../http/errors.ts";
import type { RequestContext, ServerHandlers } from "../../http/operation-routes.ts";
import { type Encoded, type Headers, JSON_TYPE } from "../../http/response.ts";
import type { ResponseCache } from "../../http/response-cache.ts";
import { type ErrorCode, errorTable, isErrorCode } from "../../service/contract/errors.ts";
import { type OperationId, operationIds, type ParamsOf } from "../../service/contract/operations.ts";
import type { Found } from "../../state/stored-answer.ts";

export interface MirrorSource {
  /** Returns the error that the service would certainly return; null if only the service can decide. */
  readonly refusal: (operation: OperationId, params: ParamsOf<OperationId>) => LocalError | null;
  /** Returns stored data; an answer from before `askedSince` that may still be corrected is not fresh. */
  readonly find: <Id extends OperationId>(
    operation: Id,
    params: ParamsOf<Id>,
    now: EpochMs,
    askedSince?: EpochMs,
  ) => Found | null;
  /** Returns stored rows for a part of a request; null without stored rows. */
  readonly findPart: <Id extends OperationId>(operation: Id, params: ParamsOf<Id>, now: EpochMs) => Found | null;
  /** Asks the service out of the LAN's share of the quota for what is not fresh, and stores the answer. Equal requests share one. */
  readonly ask: <Id extends OperationId>(operation: Id, params: ParamsOf<Id>, askedSince: EpochMs) => Promise<Asked>;
  /** Called with the error of a request whose caller was already answered from storage. */
  readonly onLateCrash: (error: unknown) => void;
}

/** Result of asking the service. `at` is when the last part of the answer was stored. */
export type Asked =
  | { readonly kind: "kept"; readonly at: EpochMs }
  | { readonly kind: "unkept"; readonly found: Found }
  | LocalError
  | FetchFailure
  | Deferred;

/** Statuses that override older stored data. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 404, 422]);
/** Statuses with several error codes, or a reason of the service, which are returned to the caller. */
const PASSED_ON: ReadonlySet<number> = new Set([400, 403, 502, 503]);
const FROM_STORAGE = { "X-Elbro-Source": "shelf" };
const FROM_SERVICE = { "X-Elbro-Source": "service" };
const STALE = { ...FROM_STORAGE, "X-Elbro-Stale": "true" };
/** Error codes for statuses without a known code. */
const CODE_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: "invalid_parameter",
  403: "forbidden",
  404: "resource_not_found",
  422: "feature_unavailable",
};
/** Wait after a 429 that names no time. */
const UNNAMED_WAIT_MS = 60_000;

/** Time after which stored data is returned instead of waiting for the service. */
const OVERDUE_MS = 1_000;
const LATE = { kind: "late" } as const;

/** Makes the handlers of all operations. `sleep` ends when a request has taken too long, or with the signal. */
export function mirrorHandlers(
  source: MirrorSource,
  cache: ResponseCache,
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
): ServerHandlers {
  const parts = { source, cache, sleep };
  const handlers = operationIds.map((id) => [
    id,
    (params: ParamsOf<OperationId>, context: RequestContext) => answer(parts, id, params, context),
  ]);
  return Object.fromEntries(handlers) as ServerHandlers;
}

interface MirrorContext {
  readonly source: MirrorSource;
  readonly cache: ResponseCache;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

type Answer = Encoded | LocalError;

/** Directive of a caller that accepts older data instead of a request to the service. Source: RFC 9111, 5.2.1.2. */
const TAKES_OLDER = /\bmax-stale\b/i;
/** Directive of a caller that wants the service's own answer. Source: RFC 9111, 5.2.1.4. */
const WANTS_NEWEST = /\bno-cache\b/i;
/** Minimum age of an answer that is asked for again. */
const MIN_REPEAT_MS = 60_000;

async function answer(
  parts: MirrorContext,
  id: OperationId,
  params: ParamsOf<OperationId>,
  context: RequestContext,
): Promise<Answer> {
  const refused = parts.source.refusal(id, params);
  if (refused) return refused;
  while (parts.cache.isBusy) await parts.cache.nextTick();
  const wish = context.headers["cache-control"] ?? "";
  const askedSince = WANTS_NEWEST.test(wish) ? context.now - MIN_REPEAT_MS : Number.NEGATIVE_INFINITY;
  const found = parts.source.find(id, params, context.now, askedSince);
  const content =
    found && (found.fresh || TAKES_OLDER.test(wish))
      ? { kind: "content" as const, found, at: context.now, how: found.fresh ? FROM_STORAGE : STALE }
      : await ask(parts, [id, params, context.now, askedSince], found !== null);
  if (content.kind === "error") return content;
  const { status, coding, tag = "", body } = await parts.cache.represent(context.key, content.found, context.headers);
  const age = Math.max(0, Math.floor((content.at - content.found.answeredAt) / 1_000));
  const headers: Record<string, string> = { Age: String(age), ...content.how };
  if (status === 200) headers["Content-Type"] = JSON_TYPE;
  if (status === 200 && coding !== "identity") headers["Content-Encoding"] = coding;
  headers.ETag = tag;
  headers.Vary = "Accept-Encoding";
  return { kind: "encoded", status, headers, body };
}

/** Content of a response, the time from which its age counts, and the headers that name its source. */
type Content = { readonly kind: "content"; readonly found: Found; readonly at: EpochMs; readonly how: Headers };

/** Asks the service. If that fails or takes too long, returns stored data if there is any. */
async function ask(
  { source, sleep }: MirrorContext,
  [id, params, now, askedSince]: readonly [OperationId, ParamsOf<OperationId>, EpochMs, EpochMs],
  hasOlder: boolean,
): Promise<Content | LocalError> {
  const response = source.ask(id, params, askedSince);
  const result = await (hasOlder ? inTime(response, source, sleep) : response);
  if (result.kind === "unkept")
    return { kind: "content", found: result.found, at: result.found.answeredAt, how: FROM_SERVICE };
  if (result.kind === "kept") {
    // Looked up at the time of storage, because the answer is newer than the request.
    const kept = source.find(id, params, result.at);
    if (kept) return { kind: "content", found: kept, at: result.at, how: FROM_SERVICE };
  }
  const isFinal = result.kind === "refused" && FINAL_STATUSES.has(result.status);
  // The stored data may have changed during the request to the service.
  const stored = () => (hasOlder ? source.find(id, params, now) : null) ?? source.findPart(id, params, now);
  const older = isFinal ? null : stored();
  return older ? { kind: "content", found: older, at: now, how: STALE } : errorOf(result, now);
}

/** Resolves with the response, or when it takes too long for a caller with older data. The request continues. */
async function inTime(
  response: Promise<Asked>,
  { onLateCrash }: MirrorSource,
  sleep: MirrorContext["sleep"],
): Promise<Asked | typeof LATE> {
  const answered = new AbortController();
  const late = sleep(OVERDUE_MS, answered.signal).then(() => LATE);
  const first = await Promise.race([response, late]).finally(() => answered.abort());
  if (first === LATE) response.catch(onLateCrash);
  return first;
}

function errorOf(result: Exclude<Asked, { kind: "unkept" }> | typeof LATE, now: EpochMs): LocalError {
  switch (result.kind) {
    case "error":
      return result;
    case "late":
      return localError("upstream_unavailable", message("refused.service_late"));
    case "kept":
      return localError("internal_error", message("refused.answer_lost"));
    case "deferred": {
      // A pause after a 429 is reported with its remaining time, any other pause with the failure that caused it.
      if (result.after && !(result.after.kind === "refused" && result.after.status === 429))
        return errorOf(result.after, now);
      const retryAfterSec = Math.max(1, Math.ceil((result.until - now) / 1_000));
      const code = result.isQuota === false ? "entitlement_unavailable" : "rate_limited";
      return localError(code, message("refused.nothing_stored", { why: result.why }), retryAfterSec);
    }
    case "unreachable":
      return localError("upstream_unavailable", message("refused.service_unreachable", { why: result.why }));
    case "malformed":
      return localError("upstream_unavailable", message("refused.service_malformed"));
    case "refused":
      return refusalOf(result);
  }
}

/** Returns the service's own error if its code is in the contract. The third-party interface has statuses only. */
function refusalOf({ status, code, reason, retryAfterMs }: FetchFailure & { kind: "refused" }): LocalError {
  if (code !== null && isErrorCode(code) && errorTable[code].status === status && PASSED_ON.has(status))
    return localError(code, reason);
  const ownCode = CODE_BY_STATUS[status];
  if (ownCode) return localError(ownCode, reason);
  if (status === 401) return localError("entitlement_unavailable", message("refused.service_key"));
  if (status === 429)
    return localError("rate_limited", reason, Math.max(1, Math.ceil((retryAfterMs ?? UNNAMED_WAIT_MS) / 1_000)));
  const failure = status === 503 ? "entitlement_unavailable" : "upstream_unavailable";
  return localError(failure, message("refused.service_status", { status }));
}
