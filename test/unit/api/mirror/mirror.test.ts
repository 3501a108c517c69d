import { once } from "node:events";
import { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { queryObjects } from "node:v8";
import { describe, expect, test } from "vitest";
import { type Asked, mirrorHandlers } from "../../../../src/api/mirror/mirror.ts";
import { HOUR_MS } from "../../../../src/core/time/interval.ts";
import { ResponseCache } from "../../../../src/http/response-cache.ts";
import { ADDRESS_ID } from "../../../fixtures/answers.ts";
import { malformed, refused, unreachable } from "../../../support/service/fetch-failures.ts";
import { foundAt, startMirror } from "../../../support/service/mirror-server.ts";

const NOW = Date.parse("2026-03-10T09:00:30Z");
const deferred: Asked = {
  kind: "deferred",
  until: NOW + 90_500,
  why: "the request quota for this purpose is used up for now",
  after: null,
};

/** Failures of the service, with status and code for a LAN client without stored data. */
const failures: readonly (readonly [string, Asked, number, string])[] = [
  ["400 with a code", refused(400, "range_too_large"), 400, "range_too_large"],
  ["400 without one", refused(400, null), 400, "invalid_parameter"],
  ["401", refused(401, "invalid_token"), 503, "entitlement_unavailable"],
  ["401 of an expired key", refused(401, "credential_expired"), 503, "entitlement_unavailable"],
  ["403 of a subscription", refused(403, "plus_required"), 403, "plus_required"],
  ["403 without a code", refused(403, null), 403, "forbidden"],
  ["404", refused(404, "resource_not_found"), 404, "resource_not_found"],
  ["404 without a code", refused(404, null), 404, "resource_not_found"],
  ["422", refused(422, "feature_unavailable"), 422, "feature_unavailable"],
  ["422 without a code", refused(422, null), 422, "feature_unavailable"],
  ["429", refused(429, "rate_limited", 41_200), 429, "rate_limited"],
  ["500", refused(500, "internal_error"), 502, "upstream_unavailable"],
  ["502", refused(502, "upstream_unavailable"), 502, "upstream_unavailable"],
  ["503", refused(503, "entitlement_unavailable"), 503, "entitlement_unavailable"],
  ["503 without a code", refused(503, null), 503, "entitlement_unavailable"],
  ["a redirection", refused(302, null), 502, "upstream_unavailable"],
  ["a status nobody knows", refused(418, "teapot"), 502, "upstream_unavailable"],
  ["a code under another status", refused(418, "rate_limited"), 502, "upstream_unavailable"],
  ["a malformed answer", malformed(), 502, "upstream_unavailable"],
  ["no answer", unreachable(), 502, "upstream_unavailable"],
  ["the daemon's own quota", deferred, 429, "rate_limited"],
  ["a silence after a 422", { ...deferred, after: refused(422, "feature_unavailable") }, 422, "feature_unavailable"],
  ["a silence after no answer", { ...deferred, after: unreachable() }, 502, "upstream_unavailable"],
  [
    "a silence after a refused key",
    { ...deferred, after: refused(401, "invalid_token") },
    503,
    "entitlement_unavailable",
  ],
  ["a silence that was asked for", { ...deferred, after: refused(429, "rate_limited", 1_000) }, 429, "rate_limited"],
];

/** Statuses that are final: stored data is not returned instead. */
const FINAL = [400, 404, 422];

describe("without stored data the client gets the service's error:", () => {
  test.each(failures)("%s", async (_name, asked, status, errorCode) => {
    await using mirror = await startMirror({ ask: async () => asked });
    const answer = await mirror.ask();
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ error: true, errorCode, reason: expect.any(String) });
    expect(answer.headers.has("retry-after")).toBe(status === 429);
    expect(answer.headers.get("x-elbro-stale")).toBeNull();
  });

  test.each([
    [refused(429, null, 41_200), "42"],
    [refused(429, null, 0), "1"],
    [refused(429, null), "60"],
    [deferred, "91"],
    [{ ...deferred, until: NOW - HOUR_MS }, "1"],
  ] as const)("with a Retry-After of at least one second: %o", async (asked, retryAfter) => {
    await using mirror = await startMirror({ ask: async () => asked });
    expect((await mirror.ask()).headers.get("retry-after")).toBe(retryAfter);
  });
});

describe("with older stored data the client gets", () => {
  const older = foundAt(NOW - HOUR_MS, false, '{"data":[1]}');

  test.each(failures)("the data, or a final error, after %s", async (_name, asked, status, errorCode) => {
    await using mirror = await startMirror({ find: () => older, ask: async () => asked });
    const answer = await mirror.ask();
    if (asked.kind === "refused" && FINAL.includes(asked.status)) {
      expect([answer.status, answer.body.errorCode]).toEqual([status, errorCode]);
      return;
    }
    expect([answer.status, answer.body]).toEqual([200, { data: [1] }]);
    const said = ["age", "x-elbro-stale", "x-elbro-source"].map((name) => answer.headers.get(name));
    expect(said).toEqual(["3600", "true", "shelf"]);
  });
});

describe("a response", () => {
  test("that is fresh comes from the store with its age, without a request", async () => {
    await using mirror = await startMirror({ find: () => foundAt(NOW - 61_900, true) });
    const { status, headers } = await mirror.ask();
    expect(status).toBe(200);
    expect(["age", "x-elbro-stale", "x-elbro-source"].map((name) => headers.get(name))).toEqual(["61", null, "shelf"]);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("x-request-id")).toBe("request-id");
  });

  test("that was requested has its actual age, although it arrived after the client's request", async () => {
    const at = NOW + 2_400;
    let kept = false;
    await using mirror = await startMirror({
      // As the store does: a response from the future has an unknown age.
      find: (_operation, _params, now) => (kept ? foundAt(now >= at ? at : now - 90 * 24 * HOUR_MS, true) : null),
      ask: async () => {
        kept = true;
        return { kind: "kept", at };
      },
    });
    const { headers } = await mirror.ask();
    expect(["age", "x-elbro-stale", "x-elbro-source"].map((name) => headers.get(name))).toEqual(["0", null, "service"]);
  });

  test("that could not be stored is returned anyway, also instead of an older one", async () => {
    for (const shelved of [null, foundAt(NOW - HOUR_MS, false)]) {
      const found = { ...foundAt(NOW, true, '{"data":[2]}'), version: -NOW };
      await using mirror = await startMirror({ find: () => shelved, ask: async () => ({ kind: "unkept", found }) });
      const { status, body, headers } = await mirror.ask();
      expect([status, body]).toEqual([200, { data: [2] }]);
      expect(["age", "x-elbro-stale", "x-elbro-source"].map((name) => headers.get(name))).toEqual([
        ...["0", null, "service"],
      ]);
    }
  });

  test("a response has no negative age after the clock was set back", async () => {
    await using mirror = await startMirror({ find: () => foundAt(NOW + HOUR_MS, true) });
    expect((await mirror.ask()).headers.get("age")).toBe("0");
  });

  test("that was stored but is not found is an internal error", async () => {
    await using mirror = await startMirror({ ask: async () => ({ kind: "kept", at: NOW }) });
    expect(await mirror.ask()).toMatchObject({ status: 500, body: { errorCode: "internal_error" } });
  });

  test("after an exception contains only a request id", async () => {
    await using mirror = await startMirror({
      ask: async () => {
        throw new Error("canary in a stack");
      },
    });
    const answer = await mirror.ask();
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([500, expect.not.stringContaining("canary")]);
    expect(mirror.world.crashes).toHaveLength(1);
  });
});

test("stored data is returned after a second without a response, and the request continues", async () => {
  const overdue = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<Asked>();
  let stored = foundAt(NOW - HOUR_MS, false, '{"data":[1]}');
  await using mirror = await startMirror(
    { find: () => stored, ask: () => asked.promise },
    { overdue: () => overdue.promise },
  );
  const first = mirror.ask();
  overdue.resolve();
  const { status, body, headers } = await first;
  expect([status, body]).toEqual([200, { data: [1] }]);
  expect(["age", "x-elbro-stale", "x-elbro-source"].map((name) => headers.get(name))).toEqual([
    "3600",
    "true",
    "shelf",
  ]);
  expect((await mirror.ask()).headers.get("x-elbro-stale")).toBe("true");
  stored = { ...foundAt(NOW, true, '{"data":[2]}'), version: 2 };
  asked.resolve({ kind: "kept", at: NOW });
  expect((await mirror.ask()).body).toEqual({ data: [2] });
});

test("an exception after the response is reported and has no other effect", async () => {
  const asked = Promise.withResolvers<Asked>();
  await using mirror = await startMirror(
    { find: () => foundAt(NOW - HOUR_MS, false), ask: () => asked.promise },
    { overdue: async () => undefined },
  );
  expect((await mirror.ask()).headers.get("x-elbro-stale")).toBe("true");
  asked.reject(new Error("late"));
  await expect.poll(() => mirror.world.crashes).toHaveLength(1);
});

test("a part of the range is returned if the service is not available", async () => {
  const part = foundAt(NOW - HOUR_MS, false, '{"data":[1]}');
  for (const asked of [unreachable(), deferred, refused(503, null)]) {
    await using mirror = await startMirror({ findPart: () => part, ask: async () => asked });
    const { status, body, headers } = await mirror.ask();
    expect([status, body, headers.get("x-elbro-stale"), headers.get("age")]).toEqual([
      200,
      { data: [1] },
      "true",
      "3600",
    ]);
  }
  await using final = await startMirror({ findPart: () => part, ask: async () => refused(400, "range_too_large") });
  expect((await final.ask()).status).toBe(400);
});

test("a client without stored data waits for the service", async () => {
  const asked = Promise.withResolvers<Asked>();
  await using mirror = await startMirror({ ask: () => asked.promise }, { overdue: async () => undefined });
  const answer = mirror.ask();
  await setImmediate();
  asked.resolve(unreachable());
  expect((await answer).status).toBe(502);
});

test("a database without writes leads to 503 with Retry-After", async () => {
  const unwritten: Asked = { ...deferred, why: "the database cannot be written", isQuota: false };
  await using mirror = await startMirror({ ask: async () => unwritten });
  const { status, body, headers } = await mirror.ask();
  expect([status, body.errorCode, headers.get("retry-after")]).toEqual([503, "entitlement_unavailable", "91"]);
});

test("a client with max-stale gets stored data marked as stale, without a request", async () => {
  await using mirror = await startMirror({ find: () => foundAt(NOW - HOUR_MS, false, '{"data":[1]}') });
  const url = `http://127.0.0.1:${mirror.port}/consumer/v1/me/addresses/${ADDRESS_ID}/forecast-prices`;
  const headers = { authorization: "Bearer kitchen-key", "cache-control": "max-stale" };
  const answer = await fetch(url, { headers });
  expect([answer.status, await answer.json()]).toEqual([200, { data: [1] }]);
  expect(answer.headers.get("x-elbro-stale")).toBe("true");
  expect(answer.headers.get("age")).toBe("3600");
});

test("a slow client gets its own response, also if other responses are cached and evicted before it ends", async () => {
  /** The cache holds two of these bodies. Four fill the socket buffers of a connection that is not read. */
  const bodyOf = (address: string) => address.slice(-1).repeat(2_000_000);
  const address = (digit: number) => ADDRESS_ID.replace(/.$/, String(digit));
  const pathOf = (digit: number) => `/consumer/v1/me/addresses/${address(digit)}/forecast-prices`;
  await using mirror = await startMirror({
    find: (_operation, params) =>
      foundAt(NOW, true, JSON.stringify(bodyOf("addressId" in params ? String(params.addressId) : ""))),
  });
  const head = `GET ${pathOf(1)} HTTP/1.1\r\nHost: elbro\r\nAuthorization: Bearer kitchen-key\r\n`;
  const slow = connect(mirror.port, "127.0.0.1").setEncoding("latin1");
  slow.write(`${`${head}\r\n`.repeat(3)}${head}Connection: close\r\n\r\n`);
  await once(slow, "readable");
  for (let digit = 2; digit <= 6; digit++) {
    const other = await mirror.ask(pathOf(digit));
    expect(other.body).toEqual(bodyOf(address(digit)));
  }
  let read = "";
  for await (const part of slow) read += part;
  const answers = read.split("\r\n\r\n").slice(1);
  expect(answers.map((text) => text.startsWith(`"${bodyOf(address(1))}"`))).toEqual([true, true, true, true]);
});

test("of many simultaneous requests, a few bodies are made per event-loop tick, in order", async () => {
  const made: { readonly turn: number; readonly digit: string }[] = [];
  let turn = 0;
  const handlers = mirrorHandlers(
    {
      ...{ onLateCrash: () => undefined, findPart: () => null },
      refusal: () => null,
      find: (_operation, params) => ({
        ...foundAt(NOW, true),
        read: () => {
          made.push({ turn, digit: "addressId" in params ? String(params.addressId) : "" });
          return Buffer.from("[]");
        },
      }),
      ask: () => Promise.reject(new Error("nobody was to be asked")),
    },
    new ResponseCache(),
    () => new Promise(() => undefined),
  );
  const ask = (addressId: string) => handlers.forecastPrices({ addressId }, { now: NOW, headers: {}, key: addressId });
  const asked = Array.from({ length: 30 }, (_, i) => String(i));
  let waiting = 1;
  void Promise.all(asked.map(ask)).then(() => waiting--);
  for (; waiting > 0; turn++) await setImmediate();
  expect(made.map(({ digit }) => digit)).toEqual(asked);
  const perTurn = new Map<number, number>();
  for (const one of made) perTurn.set(one.turn, (perTurn.get(one.turn) ?? 0) + 1);
  // Four when they arrive, and four at the end of the same tick.
  expect(Math.max(...perTurn.values())).toBe(8);
});

test("only the parsed form of an answered request is kept", async () => {
  const asked = 100;
  await using mirror = await startMirror({ find: () => foundAt(NOW, true) });
  const before = queryObjects(IncomingMessage, { format: "count" });
  for (let i = 0; i < asked; i++) {
    const address = `${ADDRESS_ID.slice(0, -3)}${String(i).padStart(3, "0")}`;
    const { status } = await mirror.ask(`/consumer/v1/me/addresses/${address}/forecast-prices`);
    expect(status).toBe(200);
  }
  expect(queryObjects(IncomingMessage, { format: "count" }) - before).toBeLessThan(asked / 10);
});
