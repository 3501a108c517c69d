/** Tests the transport with servers that violate the protocol. */

import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { FetchFailure } from "../../../../src/core/fetching/fetch-outcome.ts";
import { message, textIn } from "../../../../src/core/language/text.ts";
import { UNKNOWN_HOST } from "../../../support/http/unknown-host.ts";
import { loopMs } from "../../../support/runner/loop-time.ts";
import { lacks } from "../../../support/runner/needs.ts";
import { type AskingOptions, CANARY_KEY, openAsking } from "../../../support/service/asking-client.ts";
import { Authority } from "../../../support/service/certificates.ts";
import { RawServer, rawAnswer } from "../../../support/service/raw-server.ts";
import { startAt } from "../../../support/service/standing-simulator.ts";

const SOON_MS = 300;
const ADDRESSES = rawAnswer('{"data":[]}');

/** Returns the reason why a request had no response. */
async function whyUnreachable(url: string, options: AskingOptions = {}): Promise<string> {
  await using asking = await openAsking(url, options);
  const { answer } = await asking.ask("addresses", {});
  expect(answer.kind).toBe("unreachable");
  const why = textIn("en", (answer as FetchFailure & { readonly kind: "unreachable" }).why);
  expect(why).not.toContain(CANARY_KEY);
  return why;
}

describe("a timeout", () => {
  test("a timeout ends a request without a response", async () => {
    await using server = await RawServer.start(() => undefined);
    expect(await whyUnreachable(server.url, { timeoutMs: SOON_MS })).toBe("it did not answer within 0.3 s");
  });

  test("a timeout is not extended by a body that arrives slowly", async () => {
    await using server = await RawServer.start((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{"data":[');
      const drip = setInterval(() => socket.write(" "), 20);
      socket.on("close", () => clearInterval(drip));
    });
    const asked = whyUnreachable(server.url, { timeoutMs: SOON_MS });
    expect(await loopMs(asked)).toBeLessThan(10 * SOON_MS);
    expect(await asked).toBe("it did not answer within 0.3 s");
  });

  test("a timeout is not extended by headers that arrive slowly", async () => {
    await using server = await RawServer.start((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const drip = setInterval(() => socket.write("X-More: 1\r\n"), 20);
      socket.on("close", () => clearInterval(drip));
    });
    expect(await whyUnreachable(server.url, { timeoutMs: SOON_MS })).toBe("it did not answer within 0.3 s");
  });

  test("a timeout is not awaited on shutdown: a pending request ends immediately", async () => {
    const arrived = Promise.withResolvers<void>();
    await using server = await RawServer.start(() => arrived.resolve());
    await using asking = await openAsking(server.url);
    const asked = asking.ask("addresses", {});
    await arrived.promise;
    asking.stop.abort();
    expect(await loopMs(asked)).toBeLessThan(SOON_MS);
    expect((await asked).answer).toMatchObject({
      kind: "unreachable",
      why: "the request was cancelled",
      isUnsent: false,
    });
  });

  test("a timeout is not awaited after shutdown: no request is sent", async () => {
    await using server = await RawServer.start((socket) => socket.end(ADDRESSES));
    await using asking = await openAsking(server.url);
    asking.stop.abort();
    expect((await asking.ask("addresses", {})).answer.kind).toBe("unreachable");
    expect(server.requests).toEqual([]);
  });

  test("a timeout is not awaited when the transport closes", async () => {
    const arrived = Promise.withResolvers<void>();
    await using server = await RawServer.start(() => arrived.resolve());
    const asking = await openAsking(server.url);
    const asked = asking.ask("addresses", {});
    await arrived.promise;
    await asking[Symbol.asyncDispose]();
    expect((await asked).answer.kind).toBe("unreachable");
  });
});

describe("size and format:", () => {
  test("an endless body is cut off at 8 MB", async () => {
    let sent = 0;
    await using server = await RawServer.start((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nX-Request-ID: huge\r\nX-RateLimit-Limit-Day: 90\r\nConnection: close\r\n\r\n");
      const chunk = Buffer.alloc(64 * 1024, " ");
      const pour = () => {
        while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
        sent += chunk.length;
      };
      socket.on("drain", pour);
      pour();
    });
    await using asking = await openAsking(server.url);
    const { answer, notes } = await asking.ask("addresses", {});
    expect(answer).toMatchObject({
      kind: "malformed",
      why: expect.stringMatching(/longer than 8 MB/),
      requestId: "huge",
    });
    expect(notes).toMatchObject({ status: 200, requestId: "huge" });
    expect(sent).toBeLessThan(40 * 1024 * 1024);
  });

  test("an error with a body above the limit is not the service's, and its Retry-After counts", async () => {
    await using server = await RawServer.start((socket) => {
      socket.write("HTTP/1.1 429 Too Many\r\nRetry-After: 600\r\nConnection: close\r\n\r\n");
      socket.write(Buffer.alloc(9 * 1024 * 1024, " "));
    });
    await using asking = await openAsking(server.url);
    const { answer } = await asking.ask("addresses", {});
    expect(answer).toMatchObject({ kind: "unreachable", retryAfterMs: 600_000 });
  });

  test("endless headers are cut off", async () => {
    await using server = await RawServer.start((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      for (let i = 0; i < 200 && !socket.destroyed; i++) socket.write(`X-More: ${"y".repeat(1_000)}\r\n`);
    });
    await using asking = await openAsking(server.url);
    const { answer } = await asking.ask("addresses", {});
    expect(answer).toMatchObject({ kind: "malformed", why: message("net.headers") });
  });

  test("a body in many chunks that split a character is complete", async () => {
    const body = '{"data":[{"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3301","label":"Ærø – 🏠"}]}';
    await using server = await RawServer.start((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      for (const byte of Buffer.from(body)) socket.write(Buffer.from([0x31, 13, 10, byte, 13, 10]));
      socket.end("0\r\n\r\n");
    });
    await using asking = await openAsking(server.url);
    const { answer } = await asking.ask("addresses", {});
    expect(answer).toMatchObject({ kind: "malformed", why: expect.stringMatching(/row 0: formattedAddress/) });
  });

  test.each([
    ["nothing", ""],
    ["something that is not HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["half a head", "HTTP/1.1 200 OK\r\nContent-"],
  ])("a server that sends %s and closes is unreachable", async (_, text) => {
    await using server = await RawServer.start((socket) => socket.end(text));
    expect(await whyUnreachable(server.url)).toMatch(/closed the connection|is not HTTP/);
    // Once: a request that was sent counts towards the quota, so it is not repeated.
    expect(server.requests).toHaveLength(1);
  });

  test("a truncated body is an error", async () => {
    await using server = await RawServer.start((socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"data":[');
    });
    expect(await whyUnreachable(server.url)).toBe("it stopped in the middle of a response");
    expect(server.requests).toHaveLength(1);
  });

  test("a redirect is a response and is not followed", async () => {
    await using server = await RawServer.start((socket) => {
      socket.end(rawAnswer("{}", [`Location: http://127.0.0.1:${server.port}/elsewhere`], "302 Found"));
    });
    await using asking = await openAsking(server.url);
    expect((await asking.ask("addresses", {})).answer).toMatchObject({
      kind: "unreachable",
      why: { key: "net.redirect", facts: { status: 302 } },
    });
    expect(server.requests).toHaveLength(1);
  });

  test("an informational response is not the final response", async () => {
    await using server = await RawServer.start((socket) => {
      socket.end(`HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n${ADDRESSES}`);
    });
    await using asking = await openAsking(server.url);
    expect((await asking.ask("addresses", {})).answer.kind).toBe("ok");
  });

  test("a reset connection is an error", async () => {
    await using server = await RawServer.start((socket) => socket.resetAndDestroy());
    expect(await whyUnreachable(server.url)).toBe("it closed the connection");
    expect(server.requests).toHaveLength(1);
  });

  test("gzip that was not requested is not parsed", async () => {
    const packed = gzipSync('{"data":[]}');
    await using server = await RawServer.start((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`);
      socket.end(packed);
    });
    await using asking = await openAsking(server.url);
    expect((await asking.ask("addresses", {})).answer.kind).toBe("malformed");
  });
});

describe("connections", () => {
  test("that the server closes after each response lose no request", async () => {
    await using server = await RawServer.start((socket) => socket.end(ADDRESSES));
    await using asking = await openAsking(server.url);
    for (let i = 0; i < 30; i++) expect((await asking.ask("addresses", {})).answer.kind).toBe("ok");
    expect(server.requests).toHaveLength(30);
  });

  test("that the server keeps open and then resets lose no request", async () => {
    await using server = await RawServer.start((socket) => {
      socket.write(ADDRESSES);
      void setImmediate().then(() => socket.resetAndDestroy());
    });
    await using asking = await openAsking(server.url);
    for (let i = 0; i < 30; i++) expect((await asking.ask("addresses", {})).answer.kind).toBe("ok");
  });

  test("connections are at most four at the same time", async () => {
    const waiting: (() => void)[] = [];
    const four = Promise.withResolvers<void>();
    await using server = await RawServer.start((socket) => {
      waiting.push(() => socket.end(ADDRESSES));
      if (waiting.length === 4) four.resolve();
      if (waiting.length > 4) socket.end(ADDRESSES);
    });
    await using asking = await openAsking(server.url);
    const asked = Array.from({ length: 10 }, () => asking.ask("addresses", {}));
    await four.promise;
    expect(server.connections).toBe(4);
    for (const answer of waiting) answer();
    expect((await Promise.all(asked)).every(({ answer }) => answer.kind === "ok")).toBe(true);
  });

  test("to a closed port fail with that reason", async () => {
    const server = await RawServer.start(() => undefined);
    await server[Symbol.asyncDispose]();
    expect(await whyUnreachable(server.url)).toBe("it refuses the connection");
  });

  test.each([
    ["resets a request", async () => RawServer.start((socket) => socket.resetAndDestroy()), false],
    ["is silent", async () => RawServer.start(() => undefined), false],
    ["is another service", async () => RawServer.start((socket) => socket.end(rawAnswer("<p>log in"))), false],
    ["closes the connection instead of TLS", async () => RawServer.startTalking("220 mail ESMTP\r\n"), true],
  ])("to a server that %s tell whether a byte of the request was sent", async (_, start, isUnsent) => {
    await using server = await start();
    const url = isUnsent ? server.url.replace("http:", "https:") : server.url;
    await using asking = await openAsking(url, { timeoutMs: SOON_MS });
    const { answer } = await asking.ask("addresses", {});
    expect([answer.kind, answer.kind === "unreachable" && answer.isUnsent === true]).toEqual(["unreachable", isUnsent]);
    expect(server.requests).toHaveLength(isUnsent ? 0 : 1);
  });

  test("to an unknown name fail with that reason", async () => {
    expect(await whyUnreachable(`http://${UNKNOWN_HOST}`)).toMatch(/its name cannot be resolved|name resolution/);
  });

  test.each(["127.0.0.1", "::1"])("over %s succeed", async (host) => {
    await using started = await startAt(Date.UTC(2026, 5, 10), { host, keys: { consumerKey: CANARY_KEY } });
    await using asking = await openAsking(started.simulator.url);
    expect((await asking.ask("addresses", {})).answer.kind).toBe("ok");
  });
});

describe.skipIf(lacks("openssl"))("TLS (skipped without openssl)", () => {
  test("TLS accepts a certificate of the authority in service.ca", async () => {
    using authority = new Authority("the owner's authority");
    const tls = authority.issue("localhost", "IP:127.0.0.1");
    await using server = await RawServer.start((socket) => socket.end(ADDRESSES), tls);
    await using asking = await openAsking(server.url, { ca: authority.cert });
    expect((await asking.ask("addresses", {})).answer.kind).toBe("ok");
  });

  test("TLS rejects a certificate of an unknown authority and does not send the key", async () => {
    using authority = new Authority("a stranger");
    const tls = authority.issue("localhost", "IP:127.0.0.1");
    await using server = await RawServer.start((socket) => socket.end(ADDRESSES), tls);
    expect(await whyUnreachable(server.url)).toMatch(/unknown authority; set service\.ca/);
    expect(server.requests).toEqual([]);
  });

  test("TLS rejects a certificate for another name", async () => {
    using authority = new Authority("the owner's authority");
    const tls = authority.issue("elsewhere", "DNS:elsewhere.example");
    await using server = await RawServer.start((socket) => socket.end(ADDRESSES), tls);
    expect(await whyUnreachable(server.url, { ca: authority.cert })).toBe("its certificate is for another name");
    expect(server.requests).toEqual([]);
  });

  test("TLS rejects an expired certificate", async () => {
    using authority = new Authority("the owner's authority");
    const tls = authority.issue("localhost", "IP:127.0.0.1", -1);
    await using server = await RawServer.start((socket) => socket.end(ADDRESSES), tls);
    expect(await whyUnreachable(server.url, { ca: authority.cert })).toMatch(/expired; check this machine's clock/);
  });

  test("TLS times out if the server does not complete the handshake", async () => {
    await using server = await RawServer.start(() => undefined);
    const silent = server.url.replace("http:", "https:");
    expect(await whyUnreachable(silent, { timeoutMs: SOON_MS })).toBe("it did not answer within 0.3 s");
  });

  test("TLS ends immediately on shutdown during the handshake", async () => {
    await using server = await RawServer.start(() => undefined);
    const asking = await openAsking(server.url.replace("http:", "https:"));
    const asked = asking.ask("addresses", {});
    while (server.connections === 0) await setImmediate();
    asking.stop.abort();
    expect(await loopMs(asked.then(() => asking[Symbol.asyncDispose]()))).toBeLessThan(SOON_MS);
    expect((await asked).answer).toMatchObject({
      kind: "unreachable",
      why: "the request was cancelled",
      isUnsent: true,
    });
  });

  test("TLS rejects a server that does not use TLS", async () => {
    await using server = await RawServer.startTalking("220 mail.example ESMTP\r\n");
    expect(await whyUnreachable(server.url.replace("http:", "https:"))).toMatch(/does not use TLS/);
  });
});
