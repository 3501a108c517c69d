/** Responses of the LAN API's own routes, and how they are sent. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { type LocalError, localErrorTable } from "./errors.ts";
import { hasBody } from "./request-body.ts";
import { DATA_HEADERS } from "./security-headers.ts";

interface ResponseInit {
  /** 200 by default. */
  readonly status?: number;
  /** Override the default headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type LocalAnswer =
  | ({ readonly kind: "json"; readonly body: unknown } & ResponseInit)
  /** Plain text by default. */
  | ({ readonly kind: "text"; readonly text: string; readonly type?: string } & ResponseInit)
  | ({ readonly kind: "bytes"; readonly bytes: Uint8Array; readonly type: string } & ResponseInit)
  /**
   * `write` is called after the headers were sent. It ends the response itself and observes what `out.write` returns.
   */
  | ({ readonly kind: "stream"; readonly type: string; readonly write: (out: Writable) => void } & ResponseInit)
  | LocalError;

export type Headers = Record<string, string>;

/** A request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain; charset=utf-8";
/** Statuses that have no body by definition. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Returns the headers of every response. */
export function answerHeaders(requestId: string): Headers {
  return { ...DATA_HEADERS, "Cache-Control": "private, no-store", "X-Request-ID": requestId };
}

/** Sends a response. Throws if a header is invalid or the body cannot be serialized as JSON. */
export function sendAnswer(answer: LocalAnswer, base: Headers, { request, response }: Exchange): void {
  const headers = { ...base };
  // Prevents the unread rest of a body from being parsed as the next request.
  if (hasBody(request) && !request.complete) headers.Connection = "close";
  if (answer.kind === "error") {
    const { code, reason, refusal, mistakes, retryAfterSec } = answer;
    if (retryAfterSec !== undefined) headers["Retry-After"] = String(retryAfterSec);
    const bytes = Buffer.from(JSON.stringify({ error: true, reason, errorCode: code, refusal, mistakes }));
    sendBytes(response, localErrorTable[code].status, headersOf(bytes, JSON_TYPE, headers), bytes);
    return;
  }
  const { status = 200, headers: own } = answer;
  Object.assign(headers, own);
  // With CORS, the response varies by origin as well.
  const vary = response.getHeader("Vary");
  if (typeof vary === "string" && own?.Vary !== undefined) headers.Vary = `${own.Vary}, ${vary}`;
  if (answer.kind === "stream") {
    response.writeHead(status, { "Content-Type": answer.type, ...headers });
    if (request.method === "HEAD") response.end();
    else {
      response.flushHeaders();
      answer.write(response);
    }
    return;
  }
  const [bytes, type] = bytesOf(answer);
  if (BODILESS.has(status)) sendBytes(response, status, headers, undefined);
  else sendBytes(response, status, headersOf(bytes, type, headers), bytes);
}

function bytesOf(answer: Exclude<LocalAnswer, { kind: "error" | "stream" }>): readonly [Uint8Array, string] {
  switch (answer.kind) {
    case "json":
      return [Buffer.from(JSON.stringify(answer.body)), JSON_TYPE];
    case "text":
      return [Buffer.from(answer.text), answer.type ?? TEXT_TYPE];
    case "bytes":
      return [answer.bytes, answer.type];
  }
}

function headersOf(bytes: Uint8Array, type: string, headers: Headers): Headers {
  return { "Content-Type": type, "Content-Length": String(bytes.length), ...headers };
}

function sendBytes(response: ServerResponse, status: number, headers: Headers, bytes: Uint8Array | undefined): void {
  response.writeHead(status, headers);
  response.end(bytes);
}
