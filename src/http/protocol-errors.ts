/** Responses to requests that cannot be routed: malformed, too long, too slow, or CONNECT. */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type LocalErrorCode, localError } from "./errors.ts";
import { commonHeaders, operationError } from "./response.ts";
import { DATA_HEADERS } from "./security-headers.ts";

const WORDS: Readonly<Record<string, readonly [LocalErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ["headers_too_large", "path and headers are longer than 16 kB together"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["payload_too_large", "the chunks of the body do not match its length"],
  ERR_HTTP_REQUEST_TIMEOUT: [
    "request_timeout",
    "the request did not arrive in time: limit 4 s for its headers, 8 s in total",
  ],
  // This server is not a proxy.
  CONNECT: ["method_not_allowed", "CONNECT is not supported"],
};

/** Time in which further input of a rejected client is discarded. Without it, the client might not see the reason. */
export const LINGER_MS = 1_000;
const refused = new WeakSet<Duplex>();

/** Writes an error in the common format and ends the connection. `code` is Node's error code, or `CONNECT`. */
export function writeProtocolError(socket: Duplex, code: string | undefined, requestId: string): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const [errorCode, reason] = WORDS[code ?? ""] ?? ["malformed_request", "the request is not valid HTTP/1.1"];
  const error = { ...localError(errorCode, reason), ...(code === "CONNECT" && { allow: "GET, HEAD, POST" }) };
  const { status, headers: ofError, body } = operationError(error);
  const headers = {
    ...commonHeaders(DATA_HEADERS, requestId),
    ...ofError,
    "Content-Length": String(Buffer.byteLength(body)),
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
