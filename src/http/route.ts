/** A route of the pipeline: one row with method, path, scope and handler. `pipeline.ts` does all other steps. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { EpochMs } from "../core/time/interval.ts";
import type { InterfaceName } from "../service/contract/operations.ts";
import type { QuotaStanding } from "../service/contract/quota-headers.ts";
import type { LocalError } from "./errors.ts";
import type { Headers, LocalAnswer, Reply } from "./response.ts";

/**
 * `open`: no key needed. `optional`: no key needed; if one is sent, it must be valid, and `handle` receives its name.
 * `read`: any key. `control`: a key with the scope `control`. `admin`: a key with the scope `admin`.
 */
export type RouteScope = "open" | "optional" | "read" | "control" | "admin";

/** Permission that a caller needs. An operation of the service needs a key of its interface. */
export type Permission = "read" | "control" | InterfaceName;

/** Returns whether a route is an operation of the service, which answers GET only and has the service's format. */
export function isOperation(scope: Route["scope"]): scope is InterfaceName {
  return scope === "consumer" || scope === "thirdParty";
}

/** Route as the router and the pipeline need it. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path in the router's syntax: `/local/v1/plans/:id`. */
  readonly path: string;
  readonly scope: RouteScope | InterfaceName;
  /** True if the body is a file, which the handler reads itself. */
  readonly takesFile?: true;
  readonly handle: (request: LocalRequest) => LocalAnswer | Promise<LocalAnswer>;
}

/** Route outside the service's contract. */
export interface LocalRoute extends Route {
  readonly scope: RouteScope;
  /** One sentence for the documentation. */
  readonly summary: string;
  /** Returns further OpenAPI fields: parameters, body, responses. Called for the OpenAPI document only. */
  readonly openApi?: () => Promise<Readonly<Record<string, unknown>>>;
}

export interface LocalRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  /** Decoded path parameters. */
  readonly path: Readonly<Record<string, string | undefined>>;
  /** Repeated parameters stay separate. */
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Parsed JSON of a POST or PUT; undefined without a body. */
  readonly body: unknown;
  /** The body of a route that takes a file; null for any other. */
  readonly file: Readable | null;
  readonly remoteAddress: string;
  readonly now: EpochMs;
  readonly requestId: string;
  /** Returns whether the caller may use routes of a scope: the rules by which the route itself was admitted. */
  readonly may: (scope: RouteScope) => boolean;
  readonly isAdmin: () => boolean;
  /** Reports what the request did, with the name of its caller. */
  readonly report: (deed: Deed) => void;
  /** Name of the key or of the dashboard's visitor; null if no key was checked. */
  readonly caller: string | null;
  /** Returns a signal that fires when the response is complete or the caller has disconnected. */
  readonly signal: () => AbortSignal;
  /** Returns whether the caller would still be admitted, so that a stream ends with its key. */
  readonly isStillAuthorized: () => boolean;
}

/** A request that did more than read. A tool of /mcp has the method and path of its endpoint. */
export type Deed = { readonly operation: string; readonly method: string; readonly path: string };

/** Request data for authentication, before body and parameters are read. */
export interface AuthRequest {
  readonly permission: Permission;
  readonly authorization: string | undefined;
  readonly remoteAddress: string;
  /** All request headers, for example the cookie of a page's session. */
  readonly headers?: IncomingHttpHeaders;
  readonly now: EpochMs;
}

/** Result of authentication. `quota` is set if it was counted, `caller` if a valid key was sent. */
export type AuthResult = ({ readonly kind: "admitted" } | { readonly kind: "refused"; readonly error: LocalError }) & {
  readonly caller?: string;
  readonly quota?: QuotaStanding;
};

export interface RouteContext {
  /** Headers of every response, in addition to `Cache-Control` and `X-Request-ID`. */
  readonly headers: Headers;
  readonly admit: (message: AuthRequest) => AuthResult;
  readonly now: () => EpochMs;
  readonly newRequestId: () => string;
  /** Called with the error that a handler threw. The caller sees only `internal_error` and the request id. */
  readonly onCrash: (error: unknown, requestId: string) => void;
  /** Returns whether a request would be admitted, quota aside. Without it, admitted callers may stay. */
  readonly remains?: (message: AuthRequest) => boolean;
  /** Returns whether an admitted caller has the scope admin. Without it, nobody has. */
  readonly isAdmin?: (message: AuthRequest) => boolean;
  /** Called after every response of a route. `caller` is null if no valid key was sent. */
  readonly onAnswer?: (caller: string | null, status: number) => void;
  /** Called after every request that did more than read. `caller` is null if the route needs no key. */
  readonly onDeed?: (deed: Deed, caller: string | null, request: IncomingMessage) => void;
  /** Sends a reply instead of `sendReply`. The simulator uses it to inject faults. */
  readonly deliver?: (reply: Reply, response: ServerResponse) => Promise<void>;
}
