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
import { type QuotaStanding, quotaHeaderList } from "../contract/quota-headers.ts";
import { type RequestReading, type RequestText, readRequest } from "../contract/request.ts";
import type { Calendar } from "../core/calendar.ts";
import type { EpochMs } from "../core/interval.ts";

export type Router = Instance<HTTPVersion.V1>;

/** What a handler may know of a request beside its parameters. */
export interface RequestContext {
  readonly now: EpochMs;
  readonly headers: IncomingMessage["headers"];
}

/** A finished answer, or the word that the caller has it already. Its headers name and measure what its body is. */
export interface Encoded {
  readonly kind: "encoded";
  readonly status: 200 | 304;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** A text is ASCII. */
  readonly body: string | Uint8Array;
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
  | { readonly kind: "admitted"; readonly caller?: string; readonly quota?: QuotaStanding }
  | {
      readonly kind: "refused";
      readonly error: ContractError;
      /** Where a good key is refused all the same. */
      readonly caller?: string;
      readonly quota?: QuotaStanding;
    };

/** A finished answer on its way out. */
export interface Reply {
  readonly status: number;
  /** Names and values in turn; without a length that of the body is sent. */
  readonly headers: string[];
  readonly body: string | Uint8Array;
  /** The name of the key that was admitted, as far as admission told it. */
  readonly caller?: string | undefined;
  /** The body is ASCII: half the work of writing it. */
  readonly isAscii?: boolean;
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

/** Readings kept of each operation: a house asks for a few dozen things, again and again. */
const MOST_READINGS = 50;
/** A longer URL is read every time. */
const MOST_KEPT_URL_CHARS = 500;

/** Adds a route for every operation of the contract. */
export function mount(router: Router, options: MountOptions): void {
  const deliver = options.deliver ?? sendReply;
  const always = Object.entries(options.headers ?? {}).flat();
  for (const id of operationIds) {
    const path = operationOf(id).path.replace(/\{(\w+)\}/g, ":$1");
    const readKept = keepingReader(id, options.calendar);
    router.on("GET", path, async (request, response, params, _store, query) => {
      const reading = () => readKept(request.url ?? "", { path: params, query: query as unknown as URLSearchParams });
      await deliver(id, await answer(id, options, request, { read: reading, always }), response);
    });
  }
}

/** Reads requests of one operation. The same URL gives the same reading, so that what was found for it can be kept. */
function keepingReader<Id extends OperationId>(id: Id, calendar: Calendar) {
  const readings = new Map<string, RequestReading<Id>>();
  return (url: string, text: RequestText): RequestReading<Id> => {
    const known = readings.get(url);
    if (known) return known;
    const reading = readRequest(id, text, calendar);
    if (reading.kind === "error" || url.length > MOST_KEPT_URL_CHARS) return reading;
    for (const oldest of readings.keys()) {
      if (readings.size < MOST_READINGS) break;
      readings.delete(oldest);
    }
    readings.set(url, reading);
    return reading;
  };
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
  const { status, headers, body, isAscii } = reply;
  response.writeHead(status, hasLength(reply) ? headers : [...headers, "Content-Length", String(byteLength(body))]);
  if (isAscii) response.end(body, "latin1");
  else response.end(body);
}

/** A 304 has no length, and a finished answer tells its own. */
function hasLength({ status, headers }: Reply): boolean {
  return status === 304 || headers.includes("Content-Length");
}

async function answer(
  id: OperationId,
  options: MountOptions,
  request: IncomingMessage,
  { read, always }: { readonly read: () => RequestReading<OperationId>; readonly always: readonly string[] },
): Promise<Reply> {
  const requestId = options.newRequestId();
  const headers = [...always, "Cache-Control", "private, no-store", "X-Request-ID", requestId];
  try {
    const now = options.now();
    const admission = options.admit({
      interface: operationOf(id).interface,
      authorization: request.headers.authorization,
      remoteAddress: request.socket.remoteAddress ?? "",
      headers: request.headers,
      now,
    });
    if (admission.quota) headers.push(...quotaHeaderList(admission.quota));
    const { caller } = admission;
    if (admission.kind === "refused") return { ...errorReply(admission.error, headers), caller };
    const reading = read();
    if (reading.kind === "error") return { ...errorReply(reading, headers), caller };
    const handler = options.handlers[id] as (
      params: unknown,
      context: RequestContext,
    ) => ReturnType<ServerHandlers[OperationId]>;
    const result = await handler(reading.params, {
      now,
      headers: request.headers,
    });
    if (result.kind === "error") return { ...errorReply(result, headers), caller };
    if (result.kind === "ok")
      return { status: 200, headers: asJson(headers), body: JSON.stringify(result.body), caller };
    headers.push(...result.headers);
    return { status: result.status, headers, body: result.body, caller, isAscii: typeof result.body === "string" };
  } catch (error) {
    options.onCrash(error, requestId);
    return errorReply(contractError("internal_error", `unexpected error; quote ${requestId}`), headers);
  }
}

function errorReply(error: ContractError, headers: string[]): Reply {
  if (error.retryAfterSec !== undefined) headers.push("Retry-After", String(error.retryAfterSec));
  return {
    status: errorTable[error.code].status,
    headers: asJson(headers),
    body: JSON.stringify(errorBody(error)),
  };
}

function baseHeaders(requestId: string): string[] {
  return ["Cache-Control", "private, no-store", "X-Request-ID", requestId];
}

function asJson(headers: string[]): string[] {
  headers.push("Content-Type", "application/json");
  return headers;
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
}
