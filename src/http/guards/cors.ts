/** CORS: only pages of configured origins may read responses. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { headerTable } from "../../service/contract/headers.ts";
import type { Headers } from "../response.ts";

const ALLOWED_HEADERS = ["Authorization", "Content-Type", "If-Match", "If-None-Match", "Last-Event-ID"].join(", ");
const EXPOSED_HEADERS = [...Object.keys(headerTable), "Age", "ETag", "X-Elbro-Source", "X-Elbro-Stale"].join(", ");
/** Time in seconds for which browsers keep a preflight. Chromium keeps it for at most two hours. */
const PREFLIGHT_SEC = 600;

export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined;
}

/** Returns the headers of a preflight response for an allowed origin. `methods` are those of the path. */
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

export function allowReading(origin: string, response: ServerResponse): void {
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", EXPOSED_HEADERS);
}
