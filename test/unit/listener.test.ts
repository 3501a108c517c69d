import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { type Listener, listen } from "../../src/server/listener.ts";

/** Time for headers, and a second until the next look at the sockets. */
const HEADERS_MS = 5_500;

/** A connection of the test's, and the moment it is over, however it ends. */
interface Connection {
  readonly socket: Socket;
  readonly closed: Promise<void>;
}

type Lookup = Parameters<typeof listen>[0]["lookup"];

async function listening(lookup: Lookup = (_request, response) => void response.end("here")) {
  const listener: Listener = await listen({ lookup }, "127.0.0.1", 0);
  const sockets = new Set<Socket>();
  return {
    listener,
    async open(text: string): Promise<Connection> {
      const socket = connect(listener.port, "127.0.0.1");
      sockets.add(socket);
      socket.on("error", () => undefined); // the server may hang up at any time
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

test("sockets with slow headers are closed, and others are served meanwhile", { timeout: 15_000 }, async () => {
  await using server = await listening();
  const slow = await Promise.all(
    Array.from({ length: 60 }, () => server.open("GET / HTTP/1.1\r\nHost: elbro\r\nX-Slow: ")),
  );
  const drip = setInterval(() => {
    for (const { socket } of slow) if (!socket.destroyed) socket.write("a");
  }, 250);
  const began = performance.now();
  const closed = Promise.all(slow.map((connection) => connection.closed));
  expect(await (await fetch(`http://127.0.0.1:${server.listener.port}/`)).text()).toBe("here");
  await closed;
  clearInterval(drip);
  expect(performance.now() - began).toBeLessThan(HEADERS_MS);
});

test("beyond two hundred connections none is taken", async () => {
  await using server = await listening();
  await Promise.all(Array.from({ length: 200 }, () => server.open("")));
  const next = await server.open("GET / HTTP/1.1\r\nHost: elbro\r\n\r\n");
  await next.closed;
  expect(next.socket.bytesRead).toBe(0);
});

test("a route that fails, at once or later, ends its own connection only", async () => {
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

test("what is no HTTP is answered with an error and closed", async () => {
  await using server = await listening();
  const { socket, closed } = await server.open("\x16\x03\x01 hello\r\n\r\n");
  await closed;
  expect(socket.bytesRead).toBeGreaterThan(0);
});

test("closing does not wait for open connections", async () => {
  const server = await listening(() => undefined);
  const waiting = await server.open("GET / HTTP/1.1\r\nHost: elbro\r\n\r\n");
  const began = performance.now();
  await server.listener.close();
  await waiting.closed;
  expect(performance.now() - began).toBeLessThan(1_000);
});

test("a port that is taken is an error with its code", async () => {
  await using server = await listening();
  await expect(listen({ lookup: () => undefined }, "127.0.0.1", server.listener.port)).rejects.toMatchObject({
    code: "EADDRINUSE",
  });
});
