import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { DATA_HEADERS } from "../../../src/http/guards/security-headers.ts";
import { listen } from "../../../src/http/listener.ts";
import { MAX_BODY_BYTES } from "../../../src/http/request-body.ts";
import type { Route, RouteContext } from "../../../src/http/route.ts";
import { addRoute, createRouter } from "../../../src/http/router.ts";
import { contractError } from "../../../src/service/contract/errors.ts";

const standing = { limit: 60, remaining: 59, resetSec: 1_000 };
const quota = { minute: standing, day: standing };

/** Serves routes on a real socket. Accepts the key `good` and rejects all others. */
async function serving(...routes: Partial<Route>[]) {
  const crashes: unknown[] = [];
  const answers: (readonly [string | null, number])[] = [];
  const ended = new Set<string>();
  const door: RouteContext = {
    headers: DATA_HEADERS,
    admit: ({ authorization, permission }) =>
      authorization === "Bearer good"
        ? { kind: "admitted", caller: `kitchen, to ${permission}`, quota }
        : { kind: "refused", error: { ...contractError("rate_limited", "no"), retryAfterSec: 7 }, quota },
    now: () => 5,
    newRequestId: () => "request-id",
    onCrash: (error) => void crashes.push(error),
    onAnswer: (caller, status) => void answers.push([caller, status]),
    remains: ({ authorization = "" }) => !ended.has(authorization),
  };
  const router = createRouter(door);
  for (const route of routes)
    addRoute(
      router,
      { method: "GET", path: "/here", scope: "open", handle: () => ({ kind: "json", body: 1 }), ...route },
      door,
    );
  const listener = await listen(router, "127.0.0.1", 0);
  return {
    crashes,
    answers,
    ended,
    port: listener.port,
    ask: (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${listener.port}${path}`, init),
    [Symbol.asyncDispose]: () => listener.close(),
  };
}

const good = { authorization: "Bearer good" };

/** Sends a body with the content type JSON. */
function posted(body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", body, headers: { "content-type": "application/json", ...headers } };
}

const echo: Partial<Route> = {
  method: "POST",
  handle: ({ body, path, query, caller, now }) => ({
    kind: "json",
    body: { body: body ?? "none", path, query: [...query], caller, now },
  }),
};

describe("a route", () => {
  test("responds with JSON, text, bytes or a stream, each with the common headers", async () => {
    await using server = await serving(
      {
        path: "/json/:id",
        handle: ({ path, query }) => ({ kind: "json", body: { ...path, hours: query.getAll("h") } }),
      },
      { path: "/text", handle: () => ({ kind: "text", text: "ON", status: 400 }) },
      { path: "/bytes", handle: () => ({ kind: "bytes", bytes: Buffer.from([1, 2]), type: "image/png" }) },
      {
        path: "/stream",
        handle: () => ({ kind: "stream", type: "text/event-stream", write: (out) => out.end("data") }),
      },
    );
    const answers = await Promise.all(
      ["/json/a%2Fb?h=1&h=2", "/text", "/bytes", "/stream"].map((path) => server.ask(path)),
    );
    expect(
      await Promise.all(answers.map(async (got) => [got.status, got.headers.get("content-type"), await got.text()])),
    ).toEqual([
      [200, "application/json", '{"id":"a/b","hours":["1","2"]}'],
      [400, "text/plain; charset=utf-8", "ON"],
      [200, "image/png", "\u0001\u0002"],
      [200, "text/event-stream", "data"],
    ]);
    for (const { headers } of answers)
      expect([
        headers.get("x-request-id"),
        headers.get("cache-control"),
        headers.get("x-content-type-options"),
      ]).toEqual(["request-id", "private, no-store", "nosniff"]);
  });

  test("a JSON body with a tag is not sent again to a caller that has it", async () => {
    const handle = () => ({ kind: "json" as const, body: 1, headers: { ETag: '"1"' } });
    await using server = await serving({ handle });
    const tag = (await server.ask("/here")).headers.get("etag") ?? "";
    expect(tag).toMatch(/^"/);
    const again = await server.ask("/here", { headers: { "if-none-match": tag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  test("a route responds to HEAD as to GET, without a body; a stream is not started", async () => {
    const write = () => expect.unreachable();
    await using server = await serving({}, { path: "/stream", handle: () => ({ kind: "stream", type: "a/b", write }) });
    const answer = await server.ask("/here", { method: "HEAD" });
    expect([answer.status, answer.headers.get("content-length"), await answer.text()]).toEqual([200, "1", ""]);
    expect((await server.ask("/stream", { method: "HEAD" })).status).toBe(200);
    expect(server.crashes).toEqual([]);
  });

  test("a route responds 405 with the allowed methods to another method, and 404 for an unknown path", async () => {
    await using server = await serving({}, { ...echo, path: "/settings" });
    const other = await server.ask("/here?a=1", { method: "DELETE" });
    expect([other.status, other.headers.get("allow"), await other.json()]).toEqual([
      405,
      "GET, HEAD",
      {
        error: true,
        errorCode: "method_not_allowed",
        reason: "this path does not support DELETE; it supports GET, HEAD",
        key: "refused.no_method",
        facts: { method: "DELETE", allowed: "GET, HEAD" },
      },
    ]);
    expect((await server.ask("/settings")).headers.get("allow")).toBe("POST");
    const none = await server.ask("/nowhere", { method: "POST" });
    expect([none.status, await none.json()]).toMatchObject([404, { errorCode: "resource_not_found" }]);
  });

  test("with a scope authenticates, sends the quota in all cases, and knows the caller", async () => {
    await using server = await serving({ ...echo, scope: "control" });
    const refused = await server.ask("/here", posted("{}"));
    expect([refused.status, refused.headers.get("retry-after"), refused.headers.get("x-ratelimit-limit-day")]).toEqual([
      429,
      "7",
      "60",
    ]);
    const answer = await server.ask("/here?a=1", posted('{"hours":3}', good));
    expect(answer.headers.get("x-ratelimit-remaining-minute")).toBe("59");
    expect(await answer.json()).toEqual({
      body: { hours: 3 },
      path: {},
      query: [["a", "1"]],
      caller: "kitchen, to control",
      now: 5,
    });
  });

  test("that throws responds without details, which go to the log", async () => {
    const handle = () => Promise.reject(new Error("select secret from /data/elbro.db"));
    await using server = await serving({ handle });
    const answer = await server.ask("/here");
    expect([answer.status, await answer.json()]).toEqual([
      500,
      {
        error: true,
        errorCode: "internal_error",
        reason: "unexpected error; quote request-id",
        key: "refused.crash",
        facts: { id: "request-id" },
      },
    ]);
    expect(server.crashes).toHaveLength(1);
  });

  test("that throws within a stream closes the connection", async () => {
    const write = () => {
      throw new Error("in the midst");
    };
    await using server = await serving({ handle: () => ({ kind: "stream", type: "a/b", write }) });
    await expect(server.ask("/here").then((answer) => answer.text())).rejects.toThrow();
    expect(server.crashes).toHaveLength(1);
  });

  test("a route is notified when its client disconnects", async () => {
    const { promise: gone, resolve: left } = Promise.withResolvers<Event>();
    await using server = await serving({
      handle: ({ signal }) => {
        signal().addEventListener("abort", left);
        return { kind: "stream", type: "text/event-stream", write: (out) => void out.write("first") };
      },
    });
    const leaving = new AbortController();
    await server.ask("/here", { signal: leaving.signal });
    leaving.abort();
    expect(await gone).toMatchObject({ type: "abort" });
  });
});

describe("the body of a POST", () => {
  test.each([
    ["none at all", { method: "POST" }, "none"],
    ["an empty one", posted(""), "none"],
    ["JSON", posted('{"a":[1,"ø"]}'), { a: [1, "ø"] }],
    ["JSON with its charset", posted("1", { "content-type": 'application/json; charset="UTF-8"' }), 1],
    ["one as long as may be", posted(`"${"a".repeat(MAX_BODY_BYTES - 2)}"`), "a".repeat(MAX_BODY_BYTES - 2)],
  ])("the body of a POST is read: %s", async (_name, init, body) => {
    await using server = await serving(echo);
    expect(await (await server.ask("/here", init)).json()).toMatchObject({ body });
  });

  test.each<[string, RequestInit, number, string]>([
    ["no JSON", posted("{a:1}"), 400, "the body cannot be read: not JSON"],
    ["no UTF-8", posted(Buffer.from([0x22, 0xff, 0x22])), 400, "the body is not UTF-8"],
    [
      "a form",
      posted("a=1", { "content-type": "application/x-www-form-urlencoded" }),
      415,
      "send the body with Content-Type: application/json",
    ],
    [
      "a plain text",
      posted("{}", { "content-type": "text/plain" }),
      415,
      "send the body with Content-Type: application/json",
    ],
    [
      "another charset",
      posted("{}", { "content-type": "application/json; charset=latin1" }),
      415,
      "send the body with Content-Type: application/json",
    ],
    ["compressed", posted("{}", { "content-encoding": "gzip" }), 415, "send the body without Content-Encoding"],
    ["too long", posted("a".repeat(MAX_BODY_BYTES + 1)), 413, "the body is longer than 16384 bytes"],
  ])("the body of a POST is rejected: %s", async (_name, init, status, reason) => {
    await using server = await serving(echo);
    const answer = await server.ask("/here", init);
    expect([answer.status, await answer.json()]).toMatchObject([status, { reason }]);
    expect(server.crashes).toEqual([]);
  });

  test("that exceeds the limit without a length is rejected immediately, and the connection is closed", async () => {
    await using server = await serving(echo);
    const socket = connect(server.port, "127.0.0.1");
    const closed = new Promise<string>((resolve) => {
      let got = "";
      socket.on("data", (data) => {
        got += data;
      });
      socket.on("close", () => resolve(got));
    });
    socket.write(
      "POST /here HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    socket.write(`${(MAX_BODY_BYTES + 1).toString(16)}\r\n${"a".repeat(MAX_BODY_BYTES + 1)}\r\n`);
    const got = await closed;
    expect(got).toMatch(/^HTTP\/1\.1 413 /);
    expect(got).toMatch(/\r\nConnection: close\r\n/i);
  });

  test("whose client disconnects is not reported as an error", async () => {
    await using server = await serving(echo, { path: "/next" });
    const socket = connect(server.port, "127.0.0.1");
    socket.write("POST /here HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
    await server.ask("/next");
    socket.destroy();
    await server.ask("/next");
    await server.ask("/next");
    expect(server.crashes).toEqual([]);
  });
});

describe("a route with optional authentication", () => {
  const greeting: Partial<Route> = { scope: "optional", handle: ({ caller }) => ({ kind: "json", body: { caller } }) };

  test("a route with optional authentication responds to everyone; a valid key identifies the caller, an invalid one is rejected", async () => {
    await using server = await serving(greeting);
    expect(await (await server.ask("/here")).json()).toEqual({ caller: null });
    expect(await (await server.ask("/here", { headers: good })).json()).toEqual({ caller: "kitchen, to read" });
    expect((await server.ask("/here", { headers: { authorization: "Bearer bad" } })).status).toBe(429);
  });
});

test("every response is reported once with the key's name and status", async () => {
  const wrong = () => {
    throw new Error("wrong");
  };
  await using server = await serving(
    { scope: "read" },
    { path: "/wrong", scope: "read", handle: wrong },
    { path: "/open" },
  );
  await server.ask("/here", { headers: good });
  await server.ask("/here");
  await server.ask("/wrong", { headers: good });
  await server.ask("/open");
  await server.ask("/nowhere");
  await server.ask("/consumer/v1/nothing", { headers: good });
  await server.ask("/consumer/v1/nothing");
  expect(server.answers).toEqual([
    ["kitchen, to read", 200],
    [null, 429],
    ["kitchen, to read", 500],
    [null, 200],
    ["kitchen, to consumer", 404],
    [null, 429],
  ]);
});

test("an operation of the service has no HEAD, and its errors have the headers of every response", async () => {
  const operation: Partial<Route> = { path: "/thirdParty/here", scope: "thirdParty" };
  await using server = await serving(operation);
  const answer = await server.ask("/thirdParty/here", { method: "HEAD", headers: good });
  expect([answer.status, answer.headers.get("allow"), answer.headers.get("x-ratelimit-limit-day")]).toEqual([
    405,
    "GET",
    "60",
  ]);
  expect([answer.headers.get("x-request-id"), answer.headers.get("content-type")]).toEqual([
    "request-id",
    "application/json",
  ]);
  expect((await server.ask("/thirdParty/here", { method: "POST" })).status).toBe(429);
});

test("an unread body of a request closes the connection, so that it is not taken for the next request", async () => {
  await using server = await serving();
  const { headers } = await server.ask("/nowhere", { method: "POST", body: Buffer.alloc(1_000_000) });
  expect(headers.get("connection")).toBe("close");
});

test("isStillAuthorized becomes false when the key is revoked; without a key it stays true", async () => {
  const asked: (() => boolean)[] = [];
  const keep: Route["handle"] = ({ isStillAuthorized }) => {
    asked.push(isStillAuthorized);
    return { kind: "json", body: 1 };
  };
  await using server = await serving({ scope: "read", handle: keep }, { path: "/open", handle: keep });
  await server.ask("/here", { headers: good });
  await server.ask("/open", { headers: good });
  expect(asked.map((mayStay) => mayStay())).toEqual([true, true]);
  server.ended.add(good.authorization);
  expect(asked.map((mayStay) => mayStay())).toEqual([false, true]);
});
