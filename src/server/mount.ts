/**
 * Puts an implementation of the service's operations behind HTTP: the mirror and the simulator both come to life here.
 *
 * Everything that is the same for both stands in this file and in the contract: routes, parameters, the order of
 * checks, bodies, headers. What differs is handed in: who may ask and how much (`admit`), and what is answered
 * (`handlers`).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import createRouter, { type HTTPVersion, type Instance } from "find-my-way";
import { type ContractError, contractError, errorBody, errorTable } from "../contract/errors.ts";
import {
  type Handlers,
  type InterfaceName,
  type OperationId,
  operationIds,
  operationOf,
} from "../contract/operations.ts";
import { type QuotaStanding, quotaHeaders } from "../contract/quota-headers.ts";
import { readRequest } from "../contract/request.ts";
import type { Calendar } from "../core/calendar.ts";
import type { EpochMs } from "../core/interval.ts";

export type Router = Instance<HTTPVersion.V1>;

/** What a handler may know of a request beside its parameters. */
export interface RequestContext {
  readonly now: EpochMs;
  readonly headers: IncomingMessage["headers"];
}

/** A body that is JSON already, and headers that go with it. */
export interface Encoded {
  readonly kind: "encoded";
  readonly json: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

export type ServerHandlers = Handlers<ContractError | Encoded, RequestContext>;

/** What is known of a request before its parameters are read. */
export interface Arrival {
  readonly interface: InterfaceName;
  readonly authorization: string | undefined;
  readonly remoteAddress: string;
  /** What else it says of itself: the cookie of a page's session. */
  readonly headers?: IncomingMessage["headers"];
  readonly now: EpochMs;
}

/** The verdict on an arrival. `quota` is there once quota has been evaluated, also for a refusal. */
export type Admission =
  | { readonly kind: "admitted"; readonly quota?: QuotaStanding }
  | {
      readonly kind: "refused";
      readonly error: ContractError;
      readonly quota?: QuotaStanding;
    };

/** A finished answer on its way out. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface MountOptions {
  readonly handlers: ServerHandlers;
  readonly admit: (arrival: Arrival) => Admission;
  readonly calendar: Calendar;
  readonly now: () => EpochMs;
  readonly newRequestId: () => string;
  /** Headers of every answer beside the service's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Told of a handler that threw; the caller of the API sees `internal_error` and the request id, nothing else. */
  readonly onCrash: (error: unknown, requestId: string) => void;
  /** Stands between a finished reply and the socket. The simulator's faults live here. */
  readonly deliver?: (operation: OperationId, reply: Reply, response: ServerResponse) => Promise<void>;
}

/** Longest path parameter a route takes; a free-text address search is bounded below this by the contract. */
const MAX_PATH_PARAMETER_LENGTH = 1_000;

/** A router that keeps repeated names of a query apart and answers unknown paths in the service's own shape, or as it is told. */
export function createApiRouter(
  newRequestId: () => string,
  notFound: (request: IncomingMessage, response: ServerResponse) => void = (request, response) =>
    sendReply(null, replyNotFound(request.method, newRequestId()), response),
): Router {
  return createRouter({
    maxParamLength: MAX_PATH_PARAMETER_LENGTH,
    querystringParser: (text) => new URLSearchParams(text),
    defaultRoute: notFound,
    onBadUrl: (_path, request, response) => notFound(request, response),
  });
}

/** Adds a route for every operation of the contract. */
export function mount(router: Router, options: MountOptions): void {
  const deliver = options.deliver ?? sendReply;
  for (const id of operationIds) {
    const path = operationOf(id).path.replace(/\{(\w+)\}/g, ":$1");
    router.on("GET", path, async (request, response, params, _store, query) => {
      await deliver(id, await answer(id, options, request, params, query), response);
    });
  }
}

/** Answers a path that no operation has, in the service's own shape. */
function replyNotFound(method: string | undefined, requestId: string): Reply {
  const reason =
    method === "GET"
      ? "there is nothing at this path"
      : `there is no ${method ?? "such"} here; every operation is a GET`;
  return errorReply(contractError("resource_not_found", reason), baseHeaders(requestId));
}

/** Writes a reply as it is. */
export async function sendReply(_operation: OperationId | null, reply: Reply, response: ServerResponse): Promise<void> {
  response.writeHead(reply.status, {
    ...reply.headers,
    "Content-Length": String(byteLength(reply.body)),
  });
  response.end(reply.body);
}

async function answer(
  id: OperationId,
  options: MountOptions,
  request: IncomingMessage,
  path: Readonly<Record<string, string | undefined>>,
  query: unknown,
): Promise<Reply> {
  const requestId = options.newRequestId();
  const headers = { ...options.headers, ...baseHeaders(requestId) };
  try {
    const now = options.now();
    const admission = options.admit({
      interface: operationOf(id).interface,
      authorization: request.headers.authorization,
      remoteAddress: request.socket.remoteAddress ?? "",
      headers: request.headers,
      now,
    });
    if (admission.quota) Object.assign(headers, quotaHeaders(admission.quota));
    if (admission.kind === "refused") return errorReply(admission.error, headers);
    const reading = readRequest(id, { path, query: query as Iterable<[string, string]> }, options.calendar);
    if (reading.kind === "error") return errorReply(reading, headers);
    const handler = options.handlers[id] as (
      params: unknown,
      context: RequestContext,
    ) => ReturnType<ServerHandlers[OperationId]>;
    const result = await handler(reading.params, {
      now,
      headers: request.headers,
    });
    if (result.kind === "error") return errorReply(result, headers);
    if (result.kind === "encoded")
      return {
        status: 200,
        headers: { ...headers, ...result.headers },
        body: result.json,
      };
    return { status: 200, headers, body: JSON.stringify(result.body) };
  } catch (error) {
    options.onCrash(error, requestId);
    return errorReply(contractError("internal_error", `unexpected error; quote ${requestId}`), headers);
  }
}

function errorReply(error: ContractError, headers: Record<string, string>): Reply {
  if (error.retryAfterSec !== undefined) headers["Retry-After"] = String(error.retryAfterSec);
  return {
    status: errorTable[error.code].status,
    headers,
    body: JSON.stringify(errorBody(error)),
  };
}

function baseHeaders(requestId: string): Record<string, string> {
  return {
    "Content-Type": "application/json",
    "Cache-Control": "private, no-store",
    "X-Request-ID": requestId,
  };
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
}
