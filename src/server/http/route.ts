/**
 * A route of the LAN API outside the service's contract: what stands here is the same for all of them, so that a route
 * is a row: method, path, who may ask, and what is answered.
 *
 * In their order: the key and its scope, its quota, the body (POST, PUT), then `handle`. Every answer bears X-Request-ID,
 * Cache-Control, the key's quota and the headers of `security-headers.ts`; an error has the body of the service's own.
 * A GET is answered to HEAD as well, without its body.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { EpochMs } from "../../core/time/interval.ts";
import { addQuotaHeaders, type QuotaStanding } from "../../service/contract/quota-headers.ts";
import { type AuthRequest, queryOf, type Router } from "../../service/serve/mount.ts";
import { negotiated } from "./compression.ts";
import { type LocalError, localError } from "./errors.ts";
import { readJsonBody } from "./request-body.ts";
import { answerHeaders, type Exchange, type Headers, type LocalAnswer, sendAnswer } from "./response.ts";

/**
 * `open`: anybody, without a key. `optional`: anybody too, but a key that comes along has to be good, and is told to
 * `handle`. `read`: any key. `control`: a key with the scope `control`.
 */
export type RouteScope = "open" | "optional" | "read" | "control";

export interface LocalRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** As the router takes it: `/local/v1/plans/:id`. */
  readonly path: string;
  readonly scope: RouteScope;
  /** Whether its body is a file, which it reads itself. */
  readonly takesFile?: true;
  /** One sentence for the documentation. */
  readonly summary: string;
  /** Returns what else the OpenAPI document says of it: parameters, body, responses. Called for that document only. */
  readonly openApi?: () => Readonly<Record<string, unknown>>;
  readonly handle: (request: LocalRequest) => LocalAnswer | Promise<LocalAnswer>;
}

export interface LocalRequest {
  readonly method: string;
  /** Decoded parameters of the path. */
  readonly path: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON of a POST or PUT; undefined where it has none. */
  readonly body: unknown;
  /** The body of a route that takes a file; null for any other. */
  readonly file: Readable | null;
  readonly remoteAddress: string;
  readonly now: EpochMs;
  readonly requestId: string;
  /** The name of the key that asks; null for who came without. */
  readonly caller: string | null;
  /** Fires when the answer is out or the caller has left. */
  readonly signal: AbortSignal;
  /** Whether the caller would still be let in: what lasts longer than a request ends with its key. */
  readonly isStillAuthorized: () => boolean;
}

/** A request to a route that asks for a key. */
export interface LocalAuthRequest extends Omit<AuthRequest, "interface"> {
  readonly interface: "local";
  readonly scope: Exclude<RouteScope, "open" | "optional">;
}

/** The verdict on an arrival. `quota` is there once quota has been evaluated, also for a refusal. */
export type LocalAuthResult =
  | { readonly kind: "admitted"; readonly caller: string; readonly quota?: QuotaStanding }
  | {
      readonly kind: "refused";
      readonly error: LocalError;
      /** Where a good key is refused all the same. */
      readonly caller?: string;
      readonly quota?: QuotaStanding;
    };

/** What all routes share. */
export interface RouteContext {
  readonly admit: (message: LocalAuthRequest) => LocalAuthResult;
  readonly now: () => EpochMs;
  readonly newRequestId: () => string;
  /** Told of a handler that threw; the caller sees `internal_error` and the request id, nothing else. */
  readonly onCrash: (error: unknown, requestId: string) => void;
  /** Whether an arrival would be admitted, quota aside; without it, what was admitted may stay. */
  readonly remains?: (message: LocalAuthRequest) => boolean;
  /** Told of every answer; the name of the key is null where none came, or no good one. */
  readonly onAnswer?: (caller: string | null, status: number) => void;
}

/** Adds a route. */
export function addRoute(router: Router, route: LocalRoute, door: RouteContext): void {
  const methods = route.method === "GET" ? (["GET", "HEAD"] as const) : ([route.method] as const);
  router.on([...methods], route.path, (request, response, path, _store, query) =>
    answer(route, door, { request, response, path, query: queryOf(query) }),
  );
}

interface Visit extends Exchange {
  readonly path: LocalRequest["path"];
  readonly query: URLSearchParams;
}

async function answer(route: LocalRoute, door: RouteContext, visit: Visit): Promise<void> {
  const { request, response } = visit;
  const requestId = door.newRequestId();
  const headers = answerHeaders(requestId);
  const found: Found = { requestId, headers, caller: null };
  try {
    sendAnswer(await negotiated(await answerOf(route, door, visit, found), request.headers), headers, visit);
  } catch (error) {
    // A caller who left while the body was read.
    const isGone = response.destroyed && !request.complete;
    if (!isGone) door.onCrash(error, requestId);
    if (isGone || response.headersSent) response.destroy();
    else sendAnswer(localError("internal_error", `unexpected error; quote ${requestId}`), headers, visit);
  }
  door.onAnswer?.(found.caller, response.statusCode);
}

/** What is found out of a request while it is answered. */
interface Found {
  readonly requestId: string;
  readonly headers: Headers;
  caller: string | null;
}

function scopeOf({ scope }: LocalRoute, authorization: string | undefined): "open" | LocalAuthRequest["scope"] {
  if (scope !== "optional") return scope;
  return authorization === undefined ? "open" : "read";
}

/** What a route answers; the standing of the key's quota is added to the headers of `found`. */
async function answerOf(
  route: LocalRoute,
  door: RouteContext,
  { request, response, path, query }: Visit,
  found: Found,
): Promise<LocalAnswer> {
  const { requestId, headers } = found;
  const now = door.now();
  const { headers: told, socket } = request;
  const remoteAddress = socket.remoteAddress ?? "";
  const { authorization } = told;
  const scope = scopeOf(route, authorization);
  const from = { authorization, remoteAddress, headers: told };
  const arrivalAt = (at: EpochMs): LocalAuthRequest | null =>
    scope === "open" ? null : { interface: "local", scope, ...from, now: at };
  const message = arrivalAt(now);
  if (message) {
    const admission = door.admit(message);
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
    const again = arrivalAt(door.now());
    return again === null || (door.remains?.(again) ?? true);
  };
  return route.handle({
    method: route.method,
    path,
    query,
    headers: told,
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
