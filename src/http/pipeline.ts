/**
 * The steps from a request to its response, for all routes: our endpoints, the service's operations in mirror and
 * simulator, unknown paths and what `request-guard.ts` rejects.
 *
 * Order: the key and its permission, its quota, the body (POST, PUT), the handler, then ETag and compression. Every
 * response has X-Request-ID, Cache-Control, the key's quota and the headers of the context. An error has the service's
 * format. HEAD gets the same response as GET, without its body.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { message } from "../core/language/text.ts";
import { PassingStartError } from "../core/status/start-error.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { addQuotaHeaders } from "../service/contract/quota-headers.ts";
import { negotiated } from "./compression.ts";
import { type LocalError, localError, scopeError } from "./errors.ts";
import { hasBody, readJsonBody } from "./request-body.ts";
import { commonHeaders, endpointError, type LocalAnswer, operationError, replyOf, sendReply } from "./response.ts";
import { type AuthRequest, isOperation, type LocalRequest, type Route, type RouteContext } from "./route.ts";

/** Route, or the handler of a request that has none. */
export interface Served extends Pick<Route, "scope" | "handle">, Partial<Pick<Route, "method" | "takesFile">> {
  /** True if responses are not reported to `onAnswer`. */
  readonly isUncounted?: boolean;
}

/** Request and response, with what the router has read. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path?: LocalRequest["path"];
  /** Text of the query. */
  readonly query?: unknown;
}

/** A request in the pipeline, with the facts that are collected there. */
interface Visit extends Exchange {
  readonly route: Served;
  readonly context: RouteContext;
  readonly requestId: string;
  readonly now: EpochMs;
  /** Headers of the response, whatever the handler returns. */
  readonly headers: Record<string, string>;
  caller: string | null;
}

const NEEDS_ADMIN = message("refused.needs_admin");
const NO_BODY = { kind: "body", body: undefined } as const;

/** Serves a request. Never rejects. */
export async function serve(route: Served, context: RouteContext, exchange: Exchange): Promise<void> {
  const { response } = exchange;
  const requestId = context.newRequestId();
  const headers = commonHeaders(context.headers, requestId);
  const visit: Visit = { ...exchange, route, context, requestId, now: context.now(), headers, caller: null };
  try {
    await send(visit, await answerOf(visit));
  } catch (error) {
    const answer = answerToFailure(visit, error);
    if (answer) await send(visit, answer).catch(() => response.destroy());
    else response.destroy();
  }
  if (route.isUncounted) return;
  context.onAnswer?.(visit.caller, response.statusCode);
}

async function answerOf(visit: Visit): Promise<LocalAnswer> {
  const { route, request } = visit;
  const auth = messageOf(visit);
  const refused = auth && admit(visit, auth);
  if (refused) return refused;
  if (route.scope === "admin" && !isAdmin(visit, auth)) return scopeError("admin", NEEDS_ADMIN);
  const takesJson = !route.takesFile && (route.method === "POST" || route.method === "PUT");
  const reading = takesJson ? await readJsonBody(request) : NO_BODY;
  if (reading.kind === "error") return reading;
  const answer = await route.handle(requestOf(visit, auth, reading.body));
  return answer.kind === "json" || answer.kind === "bytes" ? negotiated(answer, request.headers) : answer;
}

/** Returns the request for authentication; null if the route needs no key. */
function messageOf(visit: Visit, { scope }: Pick<Route, "scope"> = visit.route): AuthRequest | null {
  const { headers, socket } = visit.request;
  const { authorization } = headers;
  if (scope === "open" || (scope === "optional" && authorization === undefined)) return null;
  const permission = scope === "optional" ? "read" : scope === "admin" ? "control" : scope;
  return { permission, authorization, remoteAddress: socket.remoteAddress ?? "", headers, now: visit.now };
}

function isAdmin({ context }: Visit, auth: AuthRequest | null): boolean {
  return auth !== null && (context.isAdmin?.(auth) ?? false);
}

function remains({ context }: Visit, auth: AuthRequest | null): boolean {
  return auth === null || (context.remains?.(auth) ?? true);
}

/** Checks key and quota. Returns the error of a rejected request; null if it is admitted. */
function admit(visit: Visit, auth: AuthRequest): LocalError | null {
  const admission = visit.context.admit(auth);
  if (admission.quota) addQuotaHeaders(visit.headers, admission.quota);
  visit.caller = admission.caller ?? null;
  return admission.kind === "refused" ? admission.error : null;
}

function requestOf(visit: Visit, auth: AuthRequest | null, body: unknown): LocalRequest {
  const { route, context, request, response, path = {}, query, requestId, now, caller } = visit;
  return {
    method: request.method ?? "GET",
    url: request.url ?? "/",
    path,
    // Parsed only if it is read: operations know the parameters of a repeated URL.
    get query() {
      return new URLSearchParams(String(query));
    },
    headers: request.headers,
    body,
    file: route.takesFile ? request : null,
    remoteAddress: request.socket.remoteAddress ?? "",
    now,
    requestId,
    caller,
    may: (scope) => remains(visit, messageOf(visit, { scope })) && (scope !== "admin" || isAdmin(visit, auth)),
    isAdmin: () => isAdmin(visit, auth),
    report: (deed) => context.onDeed?.(deed, caller, request),
    signal: () => endOf(response),
    isStillAuthorized: () => remains(visit, auth && { ...auth, now: context.now() }),
  };
}

/** Returns a signal that fires when a response is complete or its caller has disconnected. */
function endOf(response: ServerResponse): AbortSignal {
  const end = new AbortController();
  if (response.destroyed) end.abort();
  else response.once("close", () => end.abort());
  return end.signal;
}

/** Returns the response to a failed request, which is logged; null if no response can be sent any more. */
function answerToFailure({ context, request, response, requestId }: Visit, error: unknown): LocalError | null {
  if (error instanceof PassingStartError && !response.headersSent) return localError("not_saved", error.text);
  // The caller disconnected while the body was read.
  const isGone = response.destroyed && !request.complete;
  if (!isGone) context.onCrash(error, requestId);
  return isGone || response.headersSent
    ? null
    : localError("internal_error", message("refused.crash", { id: requestId }));
}

async function send({ route, context, request, response, headers }: Visit, answer: LocalAnswer): Promise<void> {
  // Prevents the unread rest of a body from being parsed as the next request.
  if (hasBody(request) && !request.complete) headers.Connection = "close";
  const errorForm = isOperation(route.scope) ? operationError : endpointError;
  const sent = answer.kind === "error" ? errorForm(answer) : answer;
  const vary = response.getHeader("Vary");
  const reply = replyOf(sent, headers, typeof vary === "string" ? vary : undefined);
  if (context.deliver) await context.deliver(reply, response);
  else sendReply(reply, response);
}
