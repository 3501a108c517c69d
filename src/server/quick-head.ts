/**
 * The head of an answer, written without Node's check of each header by itself: with the twenty headers of an answer of
 * the mirror that check costs as much as all the rest of answering.
 *
 * `_storeHeader` is what `writeHead` ends in; it still adds `Date` and `Connection` and keeps the connection's books.
 * Where it is missing, `writeHead` does the same slower.
 */
import type { ServerResponse } from "node:http";

interface Inner {
  readonly _storeHeader?: (head: string, headers: readonly string[]) => void;
}

const OK = "HTTP/1.1 200 OK\r\n";

/**
 * Begins an answer with status 200. Shape: names and values in turn, made by this program, so that none of them has a
 * line end; `Content-Length` is not among them.
 */
export function writeQuickHead(response: ServerResponse, headers: readonly string[], length: number): void {
  const inner = response as Inner;
  const measured = ["Content-Length", String(length)];
  if (inner._storeHeader === undefined || response.headersSent || response.getHeaderNames().length > 0) {
    response.writeHead(200, [...headers, ...measured]);
    return;
  }
  let head = OK;
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  response.statusCode = 200;
  inner._storeHeader(head, measured);
}
