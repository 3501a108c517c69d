/**
 * The head of an answer, written without Node's check of each header by itself: with the twenty headers of an answer of
 * the mirror that check costs as much as all the rest of answering.
 *
 * `_storeHeader` is what `writeHead` ends in; it still adds `Date` and `Connection` and keeps the connection's books.
 * Where it is missing, `writeHead` does the same slower.
 */
import type { ServerResponse } from "node:http";
import { type HeaderLines, headerList } from "../contract/header-lines.ts";

interface Inner {
  readonly _storeHeader?: (head: string, headers: readonly string[]) => void;
}

const OK = "HTTP/1.1 200 OK\r\n";

/** Begins an answer with status 200 and a body of so many bytes. */
export function writeQuickHead(response: ServerResponse, lines: HeaderLines, length: number): void {
  const inner = response as Inner;
  const measured = ["Content-Length", String(length)];
  if (inner._storeHeader === undefined || response.headersSent || response.getHeaderNames().length > 0) {
    response.writeHead(200, [...headerList(lines), ...measured]);
    return;
  }
  response.statusCode = 200;
  inner._storeHeader(OK + lines, measured);
}
