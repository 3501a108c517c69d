/**
 * Binds an implementation of the service's operations to HTTP, for both mirror and simulator.
 *
 * This file and the contract hold the common part: routes, parameters, order of checks, bodies and headers. The caller
 * supplies authentication and quota (`admit`) and the responses (`handlers`).
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import createRouter, { type HTTPVersion, type Instance } from "find-my-way";
import { LRUCache } from "lru-cache";
import type { Calendar } from "../core/time/calendar.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { type ContractError, contractError, errorBody, errorTable } from "../service/contract/errors.ts";
import {
  type InterfaceName,
  type OperationId,
  operationIds,
  operationOf,
  type ParamsOf,
  type Success,
} from "../service/contract/operations.ts";
import { addQuotaHeaders, type QuotaStanding } from "../service/contract/quota-headers.ts";
import { type RequestReading, type RequestText, readRequest } from "../service/contract/request.ts";
import { endSoon } from "./write-batching.ts";

const JSON_TYPE = { "Content-Type": "application/json" } as const;

/** Header values by name, in the order in which they are sent. */
export type Headers = Readonly<Record<string, string>>;

export type Router = Instance<HTTPVersion.V1>;

/** Request data for a handler, in addition to the parameters. */
export interface RequestContext {
  readonly now: EpochMs;
  readonly headers: IncomingMessage["headers"];
  /** Identifies operation and parameters: equal requests have the same key. */
  readonly key: string;
}

/** Serialised response, or 304 Not Modified. */
export interface Encoded {
  readonly kind: "encoded";
  readonly status: 200 | 304;
  /** Headers in addition to those of every response. */
  readonly headers: Headers;
  readonly body: string | Uint8Array;
}

type Result = Success<OperationId> | ContractError | Encoded;

/** Handlers: one function per operation. */
export type ServerHandlers = {
  readonly [Id in OperationId]: (
    params: ParamsOf<Id>,
    context: RequestContext,
  ) => Promise<Success<Id> | ContractError | Encoded>;
};

/** Request data for authentication, before the parameters are read. */
export interface AuthRequest {
  readonly interface: InterfaceName;
  readonly authorization: string | undefined;
  readonly remoteAddress: string;
  /** All request headers, for example the cookie of a page's session. */
  readonly headers?: IncomingMessage["headers"];
  readonly now: EpochMs;
}

/** Result of authentication. `quota` is present if the quota was checked, also for a rejection. */
export type AuthResult =
  | { readonly kind: "admitted"; readonly caller?: string; readonly quota?: QuotaStanding }
  | {
      readonly kind: "refused";
      readonly error: ContractError;
      /** Present if the key is valid and the request is still rejected. */
      readonly caller?: string;
      readonly quota?: QuotaStanding;
    };

/** Complete response. */
export interface Reply {
  readonly status: number;
  /** Headers without `Content-Length`. */
  readonly headers: Headers;
  readonly body: string | Uint8Array;
  /** Name of the accepted key, if `admit` returned it. */
  readonly caller?: string | undefined;
}

export interface MountOptions {
  readonly handlers: ServerHandlers;
  readonly admit: (message: AuthRequest) => AuthResult;
  readonly calendar: Calendar;
  readonly now: () => EpochMs;
  readonly newRequestId: () => string;
  /** Headers of every response, in addition to the service's own. */
  readonly headers?: Headers;
  /** Called when a handler throws. The client receives only `internal_error` and the request id. */
  readonly onCrash: (error: unknown, requestId: string) => void;
  /** Called for every response; `caller` is null if there was no valid key. */
  readonly onAnswer?: (caller: string | null, status: number) => void;
  /** Sends a reply instead of `sendReply`. The simulator uses it to inject faults. */
  readonly deliver?: (operation: OperationId, reply: Reply, response: ServerResponse) => Promise<void>;
}

/** Longest path parameter of a route. The contract limits free-text address searches to fewer characters. */
const MAX_PATH_PARAMETER_LENGTH = 1_000;

/** Creates the router. It leaves queries as text, see `queryOf`; unknown paths and methods call `notFound`. */
export function createApiRouter(notFound: (request: IncomingMessage, response: ServerResponse) => void): Router {
  return createRouter({
    maxParamLength: MAX_PATH_PARAMETER_LENGTH,
    querystringParser: (text) => text,
    defaultRoute: notFound,
    onBadUrl: (_path, request, response) => notFound(request, response),
  });
}

/** Returns the query of a route's request. Repeated parameters stay separate. `text` comes from the router. */
export function queryOf(text: unknown): URLSearchParams {
  return new URLSearchParams(String(text));
}

/** Maximum total length of the URLs in the parameter cache; clients repeat a few dozen. Unit: characters. */
const MAX_URL_CHARS = 64 * 1024;

/** Parsed request, and the key of its context. */
interface ParsedRequest {
  readonly reading: RequestReading<OperationId>;
  readonly key: string;
}

/** Adds a route for every operation of the contract. */
export function mount(router: Router, options: MountOptions): void {
  /** Cache by URL: parsing takes a quarter of the time of a small response. */
  const parsed = new LRUCache<string, ParsedRequest>({
    maxSize: MAX_URL_CHARS,
    sizeCalculation: (_request, url) => url.length,
  });
  const parse = (id: OperationId, url: string, path: RequestText["path"], query: unknown) => {
    const known = parsed.get(url);
    if (known) return known;
    const reading = readRequest(id, { path, query: queryOf(query) }, options.calendar);
    const key = JSON.stringify([id, reading.kind === "params" ? reading.params : null]);
    parsed.set(url, { reading, key });
    return { reading, key };
  };
  for (const id of operationIds) {
    const path = operationOf(id).path.replace(/\{(\w+)\}/g, ":$1");
    router.on("GET", path, (request, response, params, _store, query) =>
      serve(id, options, { request, response, parse: () => parse(id, request.url ?? "/", params, query) }),
    );
  }
}

/** Returns the service interface of a path; null if it belongs to neither. */
export function interfaceAt(url: string | undefined): InterfaceName | null {
  return (/^\/(consumer|thirdParty)(?![^/?])/.exec(url ?? "")?.[1] as InterfaceName | undefined) ?? null;
}

/**
 * Responds to an unknown path or method with the service's error body. Below an interface's path, authentication and
 * quota are checked first.
 */
export function serveUnknown(options: MountOptions, request: IncomingMessage, response: ServerResponse): void {
  const { method, url } = request;
  const isGet = method === "GET";
  const requestId = options.newRequestId();
  // Close the connection, so that an unread body is not parsed as the next request.
  const unread = isGet || method === "HEAD" ? {} : { Connection: "close" };
  const draft: ResponseDraft = {
    headers: { ...baseHeaders(options, requestId), ...unread },
    caller: undefined,
  };
  const face = interfaceAt(url);
  const refused = face && admit(face, options, request, draft);
  const reason = isGet ? "unknown path" : `${method} is not supported; every operation uses GET`;
  const reply = errorReply(refused ?? contractError("resource_not_found", reason), draft);
  options.onAnswer?.(reply.caller ?? null, reply.status);
  sendReply(reply, response);
}

/** Sends a reply unchanged. A 304 has no `Content-Length`. */
export function sendReply({ status, headers, body }: Reply, response: ServerResponse): void {
  const sent: OutgoingHttpHeaders =
    status === 304 ? headers : { ...headers, "Content-Length": Buffer.byteLength(body) };
  // A CORS response already has `Vary: Origin`: send both values.
  const vary = response.getHeader("Vary");
  if (typeof vary === "string" && headers.Vary !== undefined) {
    response.removeHeader("Vary");
    response.writeHead(status, { ...sent, Vary: [headers.Vary, vary] });
  } else response.writeHead(status, sent);
  endSoon(response, body);
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly parse: () => ParsedRequest;
}

async function serve(id: OperationId, options: MountOptions, exchange: Exchange): Promise<void> {
  const requestId = options.newRequestId();
  const draft: ResponseDraft = { headers: baseHeaders(options, requestId), caller: undefined };
  let reply: Reply;
  try {
    const arrived = arrive(id, options, exchange, draft);
    reply = replyOf(arrived.kind === "error" ? arrived : await handle(id, options, arrived), draft);
  } catch (error) {
    options.onCrash(error, requestId);
    reply = errorReply(contractError("internal_error", `unexpected error; quote ${requestId}`), draft);
  }
  options.onAnswer?.(reply.caller ?? null, reply.status);
  if (options.deliver) await options.deliver(id, reply, exchange.response);
  else sendReply(reply, exchange.response);
}

/** Part of a reply that is known before the result. */
interface ResponseDraft {
  readonly headers: Record<string, string>;
  caller: string | undefined;
}

/** Authenticated and parsed request. */
interface Arrived {
  readonly kind: "arrived";
  readonly params: ParamsOf<OperationId>;
  readonly context: RequestContext;
}

function arrive(
  id: OperationId,
  options: MountOptions,
  { request, parse }: Exchange,
  draft: ResponseDraft,
): Arrived | ContractError {
  const now = options.now();
  const refused = admit(operationOf(id).interface, options, request, draft, now);
  if (refused) return refused;
  const { reading, key } = parse();
  return reading.kind === "error"
    ? reading
    : { kind: "arrived", params: reading.params, context: { now, headers: request.headers, key } };
}

/**
 * Authenticates a request before it is parsed. Returns the error, or null if it is admitted. Adds quota headers and the
 * caller to the draft.
 */
function admit(
  face: InterfaceName,
  options: MountOptions,
  { headers, socket }: IncomingMessage,
  draft: ResponseDraft,
  now = options.now(),
): ContractError | null {
  const admission = options.admit({
    interface: face,
    authorization: headers.authorization,
    remoteAddress: socket.remoteAddress ?? "",
    headers,
    now,
  });
  if (admission.quota) addQuotaHeaders(draft.headers, admission.quota);
  draft.caller = admission.caller;
  return admission.kind === "refused" ? admission.error : null;
}

function handle(id: OperationId, options: MountOptions, { params, context }: Arrived): Promise<Result> {
  const handler = options.handlers[id] as (params: unknown, context: RequestContext) => Promise<Result>;
  return handler(params, context);
}

function replyOf(result: Result, draft: ResponseDraft): Reply {
  const { caller } = draft;
  switch (result.kind) {
    case "error":
      return errorReply(result, draft);
    case "ok":
      return { status: 200, headers: { ...draft.headers, ...JSON_TYPE }, body: JSON.stringify(result.body), caller };
    case "encoded":
      return {
        status: result.status,
        headers: Object.assign(draft.headers, result.headers),
        body: result.body,
        caller,
      };
  }
}

function errorReply(error: ContractError, draft: ResponseDraft): Reply {
  const { code, retryAfterSec } = error;
  const retryAfter = retryAfterSec === undefined ? {} : { "Retry-After": String(retryAfterSec) };
  return {
    status: errorTable[code].status,
    headers: { ...draft.headers, ...retryAfter, ...JSON_TYPE },
    body: JSON.stringify(errorBody(error)),
    caller: draft.caller,
  };
}

function baseHeaders({ headers }: MountOptions, requestId: string): Record<string, string> {
  return { ...headers, "Cache-Control": "private, no-store", "X-Request-ID": requestId };
}
