import type { FetchFailure } from "../../../src/core/fetching/fetch-outcome.ts";

/** Returns an error response of the service. `namedMs` is its Retry-After. */
export function refused(status: number, code: string | null, namedMs: number | null = null): FetchFailure {
  return { kind: "refused", status, code, reason: "because", retryAfterMs: namedMs, requestId: `id-${status}` };
}

export function malformed(): FetchFailure {
  return { kind: "malformed", why: "row 3: expected number", requestId: "id-200" };
}

export function unreachable(): FetchFailure {
  return { kind: "unreachable", why: "it did not answer within 30 s" };
}

/** Returns the failure of a request of which no byte was sent. */
export function unsent(): FetchFailure {
  return { kind: "unreachable", why: "it refuses the connection", isUnsent: true };
}
