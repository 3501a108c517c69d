/** Responses to requests that cannot be routed: malformed, too long, too slow, or CONNECT. */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { message, type TextKey } from "../core/language/text.ts";
import { type LocalErrorCode, localError } from "./errors.ts";
import { DATA_HEADERS } from "./guards/security-headers.ts";
import { commonHeaders, operationError } from "./response.ts";

const WORDS: Readonly<Record<string, readonly [LocalErrorCode, TextKey]>> = {
  HPE_HEADER_OVERFLOW: ["headers_too_large", "refused.headers_long"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["payload_too_large", "refused.chunks"],
  ERR_HTTP_REQUEST_TIMEOUT: ["request_timeout", "refused.request_late"],
  // This server is not a proxy.
  CONNECT: ["method_not_allowed", "refused.connect"],
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
  const [errorCode, reason] = WORDS[code ?? ""] ?? ["malformed_request", "refused.not_http"];
  const error = { ...localError(errorCode, message(reason)), ...(code === "CONNECT" && { allow: "GET, HEAD, POST" }) };
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
