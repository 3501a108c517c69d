import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Listener, listen } from "../../../src/http/listener.ts";
import { readJsonBody } from "../../../src/http/request-body.ts";
import { loopMs } from "../../support/runner/loop-time.ts";

/** Timeout for headers plus 5 s until the next check of the sockets, if it just missed them. */
const HEADERS_MS = 9_500;

/** Connection of the test, with the time of its end. */
type Connection = { readonly socket: Socket; readonly closed: Promise<void> };

type Lookup = Parameters<typeof listen>[0]["lookup"];

async function listening(lookup: Lookup = (_request, response) => void response.end("here")) {
  const listener: Listener = await listen({ lookup }, "127.0.0.1", 0);
  const sockets = new Set<Socket>();
  return {
    listener,
    async open(text: string): Promise<Connection> {
      const socket = connect(listener.port, "127.0.0.1");
      sockets.add(socket);
      socket.on("error", () => undefined); // The server can disconnect at any time.
      const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
      socket.resume();
      await once(socket, "connect");
      socket.write(text);
      return { socket, closed };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await listener.close();
    },
  };
}

test("two hundred idle connections do not prevent a request", async () => {
  await using server = await listening();
  const idle = await Promise.all(Array.from({ length: 200 }, () => server.open("")));
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(await (await fetch(`http://127.0.0.1:${server.listener.port}/`)).text()).toBe("here");
  await Promise.race(idle.map(({ closed }) => closed));
  expect(idle.filter(({ socket }) => socket.destroyed).length).toBeLessThan(5);
});

test("a client that sends requests without reading responses is disconnected", async () => {
  await using server = await listening(() => undefined);
  const { closed } = await server.open("GET / HTTP/1.1\r\nHost: elbro\r\n\r\n".repeat(5));
  await expect(closed).resolves.toBeUndefined();
});

test.each([
  ["no HTTP", "\x16\x03\x01 hello\r\n\r\n", 400, "malformed_request"],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "malformed_request"],
  ["a tunnel", "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n", 405, "method_not_allowed"],
  ["too long", `GET /${"a".repeat(17_000)} HTTP/1.1\r\n\r\n`, 431, "headers_too_large"],
  [
    "two lengths",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    400,
    "malformed_request",
  ],
  [
    "a length and parts",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    400,
    "malformed_request",
  ],
])("an invalid request is rejected in the format of all errors: %s", async (_name, text, status, errorCode) => {
  await using server = await listening();
  const { socket, closed } = await server.open("");
  let got = "";
  socket.on("data", (data) => {
    got += data;
  });
  socket.write(text);
  await closed;
  const [head = "", body = ""] = got.split("\r\n\r\n");
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toMatch(/\r\nX-Request-ID: [0-9a-f-]{36}\r\n/);
  expect(JSON.parse(body)).toMatchObject({ error: true, errorCode, reason: expect.stringContaining(" ") });
});

const POST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";

test.concurrent.each([
  ["a broken chunk", `${POST}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\nzz\r\n`, ["400 malformed_request"]],
  ["an unknown transfer encoding", `${POST}Transfer-Encoding: foo\r\n\r\nabc`, ["400 malformed_request"]],
  [
    "a chunk that says more than it holds",
    `${POST}Transfer-Encoding: chunked\r\n\r\n1;${"a".repeat(20_000)}\r\n{`,
    ["413 payload_too_large"],
  ],
  ["a body that does not come", `${POST}Content-Length: 20\r\n\r\n{`, ["408 request_timeout"]],
  [
    "no HTTP behind a good request",
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n\x01\r\n\r\n",
    ["200 ok", "400 malformed_request"],
  ],
])("a request with %s is rejected after the responses to earlier requests", async (_name, text, answers) => {
  await using server = await listening(async (request, response) => {
    const reading = request.method === "POST" ? await readJsonBody(request).catch(() => null) : null;
    await setImmediate();
    response.end(JSON.stringify({ errorCode: reading?.kind ?? "ok" }));
  });
  const { socket, closed } = await server.open("");
  let got = "";
  socket.on("data", (data) => {
    got += data;
  });
  socket.write(text);
  await closed;
  const received = [...got.matchAll(/HTTP\/1\.1 (\d{3}) [\s\S]*?"errorCode":"(\w+)"/g)].map(([, ...parts]) =>
    parts.join(" "),
  );
  expect(received).toEqual(answers);
});

test.concurrent("sockets with slow headers are closed, and other clients are served before that", async () => {
  await using server = await listening();
  const slow = await Promise.all(
    Array.from({ length: 60 }, () => server.open("GET / HTTP/1.1\r\nHost: elbro\r\nX-Slow: ")),
  );
  const drip = setInterval(() => {
    for (const { socket } of slow) if (!socket.destroyed) socket.write("a");
  });
  const closed = loopMs(Promise.all(slow.map((connection) => connection.closed)));
  expect(await (await fetch(`http://127.0.0.1:${server.listener.port}/`)).text()).toBe("here");
  expect(slow.every(({ socket }) => !socket.destroyed)).toBe(true);
  expect(await closed).toBeLessThan(HEADERS_MS);
  clearInterval(drip);
});

test("a request that expects 100 Continue gets it; other expectations are ignored", async () => {
  await using server = await listening();
  const { socket } = await server.open("");
  let got = "";
  socket.on("data", (data) => {
    got += data;
  });
  socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\na");
  await expect.poll(() => got).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  got = "";
  socket.write("GET / HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n\r\n");
  await expect.poll(() => got).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

test("a route that throws or rejects closes only its own connection", async () => {
  const failing: Lookup = (request, response) => {
    if (request.url === "/at-once") throw new Error("at once");
    return request.url === "/later" ? Promise.reject(new Error("later")) : response.end("here");
  };
  await using server = await listening(failing);
  const url = `http://127.0.0.1:${server.listener.port}`;
  await expect(fetch(`${url}/at-once`)).rejects.toThrow();
  await expect(fetch(`${url}/later`)).rejects.toThrow();
  expect(await (await fetch(`${url}/`)).text()).toBe("here");
});

test("close does not wait for open connections", async () => {
  const server = await listening(() => undefined);
  const waiting = await server.open("GET / HTTP/1.1\r\nHost: elbro\r\n\r\n");
  expect(await loopMs(server.listener.close())).toBeLessThan(1_000);
  await waiting.closed;
});

test("a port in use rejects with its error code", async () => {
  await using server = await listening();
  await expect(listen({ lookup: () => undefined }, "127.0.0.1", server.listener.port)).rejects.toMatchObject({
    code: "EADDRINUSE",
  });
});
