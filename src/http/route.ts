/**
 * A route of the LAN API outside the service's contract. The common steps are done here, so that a route is one row:
 * method, path, scope and handler.
 *
 * Order: the key and its scope, its quota, the body (POST, PUT), then `handle`. Every response has X-Request-ID,
 * Cache-Control, the key's quota and the headers of `security-headers.ts`. An error has the service's format.
 * HEAD gets the same response as GET, without its body.
 */

import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { PassingStartError } from "../core/status/start-error.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { addQuotaHeaders, type QuotaStanding } from "../service/contract/quota-headers.ts";
import { negotiated } from "./compression.ts";
import { type LocalError, localError } from "./errors.ts";
import { type AuthRequest, queryOf, type Router } from "./mount.ts";
import { readJsonBody } from "./request-body.ts";
import { answerHeaders, type Exchange, type Headers, type LocalAnswer, sendAnswer } from "./response.ts";

/**
 * `open`: no key needed. `optional`: no key needed; if one is sent, it must be valid, and `handle` receives its name.
 * `read`: any key. `control`: a key with the scope `control`.
 */
export type RouteScope = "open" | "optional" | "read" | "control";

export interface LocalRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path in the router's syntax: `/local/v1/plans/:id`. */
  readonly path: string;
  readonly scope: RouteScope;
  /** True if the body is a file, which the handler reads itself. */
  readonly takesFile?: true;
  /** One sentence for the documentation. */
  readonly summary: string;
  /** Returns further OpenAPI fields: parameters, body, responses. Called for the OpenAPI document only. */
  readonly openApi?: () => Readonly<Record<string, unknown>>;
  readonly handle: (request: LocalRequest) => LocalAnswer | Promise<LocalAnswer>;
}

export interface LocalRequest {
  readonly method: string;
  /** Decoded path parameters. */
  readonly path: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Parsed JSON of a POST or PUT; undefined without a body. */
  readonly body: unknown;
  /** The body of a route that takes a file; null for any other. */
  readonly file: Readable | null;
  readonly remoteAddress: string;
  readonly now: EpochMs;
  readonly requestId: string;
  /** Name of the key or of the dashboard's visitor; null if no key was checked. */
  readonly caller: string | null;
  /** Fires when the response is complete or the caller has disconnected. */
  readonly signal: AbortSignal;
  /** Returns whether the caller would still be admitted, so that a stream ends with its key. */
  readonly isStillAuthorized: () => boolean;
}

/** A request to a route that needs a key. */
export interface LocalAuthRequest extends Omit<AuthRequest, "interface"> {
  readonly interface: "local";
  readonly scope: Exclude<RouteScope, "open" | "optional">;
}

/** Result of the check of a key. `quota` is set once quota has been counted, also for a refusal. */
export type LocalAuthResult =
  | { readonly kind: "admitted"; readonly caller: string; readonly quota?: QuotaStanding }
  | {
      readonly kind: "refused";
      readonly error: LocalError;
      /** Set if a valid key is refused. */
      readonly caller?: string;
      readonly quota?: QuotaStanding;
    };

/** Dependencies of all routes. */
export interface RouteContext {
  readonly admit: (message: LocalAuthRequest) => LocalAuthResult;
  readonly now: () => EpochMs;
  readonly newRequestId: () => string;
  /** Called with the error that a handler threw. The caller sees only `internal_error` and the request id. */
  readonly onCrash: (error: unknown, requestId: string) => void;
  /** Returns whether a request would be admitted, quota aside. Without it, admitted callers may stay. */
  readonly remains?: (message: LocalAuthRequest) => boolean;
  /** Called after every response. `caller` is null if no valid key was sent. */
  readonly onAnswer?: (caller: string | null, status: number) => void;
  /** Called after every response to a caller with a valid key. */
  readonly onAccepted?: (caller: string, status: number, request: Exchange["request"]) => void;
}

/** Adds a route to the router. */
export function addRoute(router: Router, route: LocalRoute, context: RouteContext): void {
  const methods = route.method === "GET" ? (["GET", "HEAD"] as const) : ([route.method] as const);
  router.on([...methods], route.path, (request, response, path, _store, query) =>
    answer(route, context, { request, response, path, query: queryOf(query) }),
  );
}

interface Visit extends Exchange {
  readonly path: LocalRequest["path"];
  readonly query: URLSearchParams;
}

async function answer(route: LocalRoute, context: RouteContext, visit: Visit): Promise<void> {
  const { request, response } = visit;
  const requestId = context.newRequestId();
  const headers = answerHeaders(requestId);
  const found: Found = { requestId, headers, caller: null };
  try {
    sendAnswer(await negotiated(await answerOf(route, context, visit, found), request.headers), headers, visit);
  } catch (error) {
    if (error instanceof PassingStartError && !response.headersSent)
      return sendAnswer(localError("not_saved", error.message), headers, visit);
    // The caller disconnected while the body was read.
    const isGone = response.destroyed && !request.complete;
    if (!isGone) context.onCrash(error, requestId);
    if (isGone || response.headersSent) response.destroy();
    else sendAnswer(localError("internal_error", `unexpected error; quote ${requestId}`), headers, visit);
  }
  context.onAnswer?.(found.caller, response.statusCode);
  if (found.caller !== null) context.onAccepted?.(found.caller, response.statusCode, request);
}

/** Facts that are collected while a request is processed. */
interface Found {
  readonly requestId: string;
  readonly headers: Headers;
  caller: string | null;
}

function scopeOf({ scope }: LocalRoute, authorization: string | undefined): "open" | LocalAuthRequest["scope"] {
  if (scope !== "optional") return scope;
  return authorization === undefined ? "open" : "read";
}

/** Returns the response of a route. Adds the key's quota to the headers in `found`. */
async function answerOf(
  route: LocalRoute,
  context: RouteContext,
  { request, response, path, query }: Visit,
  found: Found,
): Promise<LocalAnswer> {
  const { requestId, headers } = found;
  const now = context.now();
  const { headers: requestHeaders, socket } = request;
  const remoteAddress = socket.remoteAddress ?? "";
  const { authorization } = requestHeaders;
  const scope = scopeOf(route, authorization);
  const from = { authorization, remoteAddress, headers: requestHeaders };
  const arrivalAt = (at: EpochMs): LocalAuthRequest | null =>
    scope === "open" ? null : { interface: "local", scope, ...from, now: at };
  const message = arrivalAt(now);
  if (message) {
    const admission = context.admit(message);
    if (admission.quota) addQuotaHeaders(headers, admission.quota);
    found.caller = admission.caller ?? null;
    if (admission.kind === "refused") return admission.error;
  }
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const reading =
    !route.takesFile && (route.method === "POST" || route.method === "PUT")
      ? await readJsonBody(request)
      : { kind: "body" as const, body: undefined };
  if (reading.kind === "error") return reading;
  const { signal } = gone;
  const isStillAuthorized = () => {
    const again = arrivalAt(context.now());
    return again === null || (context.remains?.(again) ?? true);
  };
  return route.handle({
    method: route.method,
    path,
    query,
    headers: requestHeaders,
    body: reading.body,
    file: route.takesFile ? request : null,
    remoteAddress,
    now,
    requestId,
    caller: found.caller,
    signal,
    isStillAuthorized: isStillAuthorized,
  });
}
