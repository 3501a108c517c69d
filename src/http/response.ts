/** Responses of handlers, and how they are sent. */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { errorBody, type LocalError, localErrorTable } from "./errors.ts";
import { endSoon } from "./write-batching.ts";

/** Header values by name, in the order in which they are sent. */
export type Headers = Readonly<Record<string, string>>;

interface ResponseInit {
  /** 200 by default. */
  readonly status?: number | undefined;
  /** Override the default headers. */
  readonly headers?: Headers;
}

export type LocalAnswer = Answered | LocalError;

type Answered =
  | ({ readonly kind: "json"; readonly body: unknown } & ResponseInit)
  /** Plain text by default. */
  | ({ readonly kind: "text"; readonly text: string; readonly type?: string } & ResponseInit)
  | ({ readonly kind: "bytes"; readonly bytes: Uint8Array; readonly type: string } & ResponseInit)
  /** `write` is called after the headers. It ends the response, and observes what `out.write` returns. */
  | ({ readonly kind: "stream"; readonly type: string; readonly write: (out: Writable) => void } & ResponseInit)
  | Encoded;

/** Response of one of the service's operations. `headers` contain those of the body. */
export interface Encoded extends ResponseInit {
  readonly kind: "encoded";
  readonly status: number;
  readonly body: string | Uint8Array;
}

/** Complete response. `Content-Length` is added if it is missing. */
export interface Reply {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Uint8Array;
  /** Writes the body of a stream. */
  readonly write?: (out: Writable) => void;
}

export const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain; charset=utf-8";
/** Statuses that have no body by definition. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

export function commonHeaders(own: Headers, requestId: string): Record<string, string> {
  return { ...own, "Cache-Control": "private, no-store", "X-Request-ID": requestId };
}

export function endpointError(error: LocalError): Extract<Answered, { kind: "text" }> {
  const { code, retryAfterSec, allow } = error;
  const { status } = localErrorTable[code];
  const headers = {
    ...challenge(status, error),
    ...(retryAfterSec !== undefined && { "Retry-After": String(retryAfterSec) }),
    ...(allow !== undefined && { Allow: allow }),
  };
  const text = JSON.stringify(errorBody(error));
  return { kind: "text", status, headers, text, type: JSON_TYPE };
}

/** Says how to log in, or which scope is missing. A request that had no key gets no error code (RFC 6750, section 3.1). */
function challenge(status: number, { scope, said }: LocalError): Record<string, string> {
  if (status !== 401 && !scope) return {};
  const missing = scope ? `, error="insufficient_scope", scope="${scope}"` : ', error="invalid_token"';
  return { "WWW-Authenticate": `Bearer realm="elbro"${said?.key === "refused.send_key" ? "" : missing}` };
}

export function operationError(error: LocalError): Encoded {
  const { status = 500, headers, text } = endpointError(error);
  return { kind: "encoded", status, headers: { ...headers, "Content-Type": JSON_TYPE }, body: text };
}

/** Returns the complete response. `origin` is the `Vary` that CORS has set. Throws if a body is no JSON. */
export function replyOf(answer: Answered, common: Headers, origin?: string): Reply {
  const { status = 200, headers: own } = answer;
  const headers: OutgoingHttpHeaders = { ...common, ...own };
  const varies = origin === undefined || own?.Vary === undefined ? null : [own.Vary, origin];
  if (answer.kind === "encoded") {
    if (varies) headers.Vary = varies;
    return { status, headers, body: answer.body };
  }
  if (varies) headers.Vary = varies.join(", ");
  if (answer.kind === "stream")
    return { status, headers: { "Content-Type": answer.type, ...headers }, body: "", write: answer.write };
  if (BODILESS.has(status)) return { status, headers, body: "" };
  const [body, type] = bodyOf(answer);
  const length = String(Buffer.byteLength(body));
  return { status, headers: { "Content-Type": type, "Content-Length": length, ...headers }, body };
}

function bodyOf(answer: Exclude<Answered, { kind: "stream" | "encoded" }>): readonly [Reply["body"], string] {
  switch (answer.kind) {
    case "json":
      return [JSON.stringify(answer.body), JSON_TYPE];
    case "text":
      return [answer.text, answer.type ?? TEXT_TYPE];
    case "bytes":
      return [answer.bytes, answer.type];
  }
}

/** Sends a reply. Throws if a header is invalid. */
export function sendReply({ status, headers, body, write }: Reply, response: ServerResponse): void {
  // Its place is that of the reply's own `Vary`, with one line for each value.
  if (Array.isArray(headers.Vary)) response.removeHeader("Vary");
  if (write) {
    response.writeHead(status, headers);
    if (response.req.method === "HEAD") response.end();
    else {
      response.flushHeaders();
      write(response);
    }
    return;
  }
  if (!BODILESS.has(status)) headers["Content-Length"] ??= Buffer.byteLength(body);
  response.writeHead(status, headers);
  endSoon(response, body);
}
