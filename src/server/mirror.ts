/**
 * The mirror: the service's operations answered from the shelf, read through when that may be, and from what the shelf
 * has when the service cannot be asked.
 */
import { type ContractError, contractError, errorTable, isErrorCode } from "../contract/errors.ts";
import { type OperationId, operationIds, operationOf, type ParamsOf } from "../contract/operations.ts";
import type { EpochMs } from "../core/interval.ts";
import type { Setback, Withheld } from "../core/outcome.ts";
import type { Encoded, RequestContext, ServerHandlers } from "./mount.ts";

/** What the shelf has for a request. `json` is the whole body. */
export interface Found {
  readonly json: string | Uint8Array;
  /** When the oldest part of it was last answered by the service. */
  readonly answeredAt: EpochMs;
  /** Whether it may be given without asking again. */
  readonly fresh: boolean;
}

/** Shelf and service, as the mirror needs them. */
export interface MirrorSource {
  /** What the service would refuse for certain, by the addresses it told of; null where it has to be asked. */
  refusal(operation: OperationId, params: ParamsOf<OperationId>): ContractError | null;
  find<Id extends OperationId>(operation: Id, params: ParamsOf<Id>, now: EpochMs): Found | null;
  /** Asks the service out of the LAN's share and keeps the answer. */
  ask<Id extends OperationId>(
    operation: Id,
    params: ParamsOf<Id>,
  ): Promise<{ readonly kind: "kept" } | Setback | Withheld>;
}

/** Makes the mirror's handlers from the contract's table. */
export function mirrorHandlers(source: MirrorSource): ServerHandlers {
  const handlers = operationIds.map((id) => [
    id,
    (params: ParamsOf<OperationId>, context: RequestContext) => answer(source, id, params, context.now),
  ]);
  return Object.fromEntries(handlers) as ServerHandlers;
}

async function answer(
  source: MirrorSource,
  id: OperationId,
  params: ParamsOf<OperationId>,
  now: EpochMs,
): Promise<Encoded | ContractError> {
  const refused = source.refusal(id, params);
  if (refused) return refused;
  const found = source.find(id, params, now);
  if (found?.fresh) return encoded(found, now, "shelf");
  const asked = await source.ask(id, params);
  if (asked.kind === "kept") {
    const kept = source.find(id, params, now);
    if (kept) return encoded(kept, now, "service");
  }
  if (found) return encoded(found, now, "stale");
  return errorOf(id, asked, now);
}

function encoded(found: Found, now: EpochMs, from: "shelf" | "service" | "stale"): Encoded {
  return {
    kind: "encoded",
    json: found.json,
    headers: {
      Age: String(Math.max(0, Math.floor((now - found.answeredAt) / 1_000))),
      "X-Elbro-Source": from === "service" ? "service" : "shelf",
      ...(from === "stale" ? { "X-Elbro-Stale": "true" } : {}),
    },
  };
}

/** What a LAN caller gets of a setback when the shelf has nothing. Source: design, table of answers. */
function errorOf(id: OperationId, asked: Setback | Withheld | { readonly kind: "kept" }, now: EpochMs): ContractError {
  switch (asked.kind) {
    case "kept":
      return contractError("internal_error", "an answer was stored and cannot be found");
    case "withheld": {
      const retryAfterSec = Math.max(1, Math.ceil((asked.until - now) / 1_000));
      return {
        ...contractError("rate_limited", `${asked.why}; the shelf has nothing for this request`),
        retryAfterSec,
      };
    }
    case "unreachable":
      return contractError("upstream_unavailable", `the service cannot be reached: ${asked.why}`);
    case "malformed":
      return contractError("upstream_unavailable", "the service answered in a form that does not fit its contract");
    case "refused":
      return refusalOf(id, asked);
  }
}

function refusalOf(id: OperationId, asked: Setback & { kind: "refused" }): ContractError {
  const { status, code, reason, retryAfterMs } = asked;
  if (status === 401)
    return contractError("entitlement_unavailable", "the service refuses the daemon's key; see its problems");
  if (status === 429)
    return {
      ...contractError("rate_limited", reason),
      retryAfterSec: Math.max(1, Math.ceil((retryAfterMs ?? 60_000) / 1_000)),
    };
  if (code !== null && isErrorCode(code) && errorTable[code].status === status && status !== 500)
    return contractError(code, reason);
  if (operationOf(id).interface === "thirdParty" && status === 404) return contractError("resource_not_found", reason);
  return contractError("upstream_unavailable", `the service answered with status ${status}`);
}
