/** Pages of other servers: none may read an answer, except those of the list. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { headerTable } from "../../service/contract/headers.ts";
import type { Headers } from "./response.ts";

const ALLOWED_HEADERS = ["Authorization", "Content-Type", "If-Match", "If-None-Match", "Last-Event-ID"].join(", ");
const EXPOSED_HEADERS = [...Object.keys(headerTable), "Age", "ETag", "X-Elbro-Source", "X-Elbro-Stale"].join(", ");
/** Browsers ask again after this; Chromium's own most is two hours. */
const PREFLIGHT_SEC = 600;

/** Whether a browser asks, before it sends a request, whether it may. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined;
}

/** What a preflight of a page of the list is told, at a path that has these methods. */
export function preflightHeaders(origin: string, methods: string, { headers }: IncomingMessage): Headers {
  const asksForPrivate = headers["access-control-request-private-network"] === "true";
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Allow-Methods": methods,
    "Access-Control-Allow-Headers": ALLOWED_HEADERS,
    "Access-Control-Max-Age": String(PREFLIGHT_SEC),
    ...(asksForPrivate ? { "Access-Control-Allow-Private-Network": "true" } : {}),
  };
}

/** Lets a page of the list read the answer. */
export function allowReading(origin: string, response: ServerResponse): void {
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", EXPOSED_HEADERS);
}

/** Keeps caches from giving the answer for one origin, or for none, to another. */
export function varyByOrigin(response: ServerResponse): void {
  response.setHeader("Vary", "Origin");
}
