import { createServer } from "node:http";
import { expect, test } from "vitest";
import { type Encoded, replyOf, sendReply } from "../../../src/http/response.ts";
import { listening } from "../../support/http/listening.ts";
import { sendRaw } from "../../support/http/raw-answer.ts";

/**
 * Sends a response over a socket, with the CORS headers of an allowed origin. Returns its header lines except `Date`.
 */
async function linesOf(answer: Omit<Encoded, "kind">, cors: Readonly<Record<string, string>> = {}): Promise<string[]> {
  await using server = await listening(
    createServer((_request, response) => {
      for (const [name, value] of Object.entries(cors)) response.setHeader(name, value);
      sendReply(replyOf({ kind: "encoded", ...answer }, {}, cors.Vary), response);
    }),
  );
  const request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const { head } = await sendRaw(server.port, Buffer.from(request), { method: "GET", waitMs: 5_000 });
  return head.split("\r\n").filter((line) => !line.startsWith("Date: "));
}

const headers = { "Cache-Control": "private, no-store", ETag: '"abc"', Vary: "Accept-Encoding" };

test("headers are sent in order, followed by the body length in bytes", async () => {
  expect(await linesOf({ status: 200, headers, body: "æøå" })).toEqual([
    "HTTP/1.1 200 OK",
    "Cache-Control: private, no-store",
    'ETag: "abc"',
    "Vary: Accept-Encoding",
    "Content-Length: 6",
    "Connection: close",
  ]);
});

test("304 has no Content-Length", async () => {
  expect(await linesOf({ status: 304, headers, body: "" })).toEqual([
    "HTTP/1.1 304 Not Modified",
    "Cache-Control: private, no-store",
    'ETag: "abc"',
    "Vary: Accept-Encoding",
    "Connection: close",
  ]);
});

test("a response that varies by encoding and origin has one Vary line for each", async () => {
  const cors = { "Access-Control-Allow-Origin": "http://a", Vary: "Origin" };
  expect(await linesOf({ status: 200, headers, body: "{}" }, cors)).toEqual([
    "HTTP/1.1 200 OK",
    "Access-Control-Allow-Origin: http://a",
    "Cache-Control: private, no-store",
    'ETag: "abc"',
    "Vary: Accept-Encoding",
    "Vary: Origin",
    "Content-Length: 2",
    "Connection: close",
  ]);
});

test("an error in such a request varies by origin only", async () => {
  const cors = { "Access-Control-Allow-Origin": "http://a", Vary: "Origin" };
  expect(await linesOf({ status: 404, headers: { "X-Request-ID": "a" }, body: "{}" }, cors)).toEqual([
    "HTTP/1.1 404 Not Found",
    "Access-Control-Allow-Origin: http://a",
    "Vary: Origin",
    "X-Request-ID: a",
    "Content-Length: 2",
    "Connection: close",
  ]);
});
