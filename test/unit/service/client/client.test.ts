/** Tests the client with the simulator: every operation, both keys, and the result of each fault. */

import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../../src/core/time/interval.ts";
import { addressOfScope, scopesOf } from "../../../../src/service/client/request-scopes.ts";
import {
  type OperationId,
  operationIds,
  operationOf,
  type ParamsOf,
} from "../../../../src/service/contract/operations.ts";
import { readRequest } from "../../../../src/service/contract/request.ts";
import { serviceCalendar } from "../../../../src/service/service-calendar.ts";
import { CANARY_KEY, CANARY_PARTNER, openAsking } from "../../../support/service/asking-client.ts";
import { RawServer, rawAnswer } from "../../../support/service/raw-server.ts";
import { startAt } from "../../../support/service/standing-simulator.ts";

const NOON = Date.UTC(2026, 5, 10, 12);
const keys = { keys: { consumerKey: CANARY_KEY, thirdParty: CANARY_PARTNER } };
const credentials = { consumerKey: CANARY_KEY, thirdParty: CANARY_PARTNER };
const COPENHAGEN = { latitude: 55.676, longitude: 12.568 };

/** Parameters for which the simulator has data. */
function paramsFor(addressId: string): { readonly [Id in OperationId]: ParamsOf<Id> } {
  const range = { addressId, from: NOON - 5 * DAY_MS, to: NOON - 3 * DAY_MS };
  const hourly = { ...range, aggregation: "hour" } as const;
  return {
    addresses: {},
    consumption: hourly,
    consumptionCosts: hourly,
    solarExport: hourly,
    solarExportRevenue: hourly,
    prices: { ...range, resolution: "fifteenMinutes" },
    forecastPrices: { addressId },
    regionPrices: { region: "DK1" },
    locationPrices: COPENHAGEN,
    addressSuggestions: { query: "Vesterbrogade 1, 1620 København V/2" },
    addressPrices: { addressId: "0a3f50b1-4a3c-32b8-e044-0003ba298018" },
    charges: { ...COPENHAGEN, date: NOON },
    chargesHistory: { ...COPENHAGEN, fromDate: NOON - 30 * DAY_MS, toDate: NOON },
    requestCounts: {},
  };
}

describe("the operation", () => {
  test.each(operationIds)("%s gets a response", async (operation) => {
    await using started = await startAt(NOON, keys);
    await using asking = await openAsking(started.simulator.url, credentials);
    const params = paramsFor(started.simulator.addressIds.danish)[operation];
    const { answer, notes } = await asking.ask(operation, params);
    expect(answer).toMatchObject({ kind: "ok" });
    expect(notes).toMatchObject({ status: 200, serverMs: NOON });
    if (operationOf(operation).interface === "consumer") {
      expect(notes?.quota.day).toMatchObject({ limit: 2_000, remaining: 1_999 });
      expect(notes?.requestId).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test.each(operationIds)("the address that %s requests is found in the names of its scopes", (operation) => {
    const params = paramsFor("3f2504e0-4f89-41d3-9a0c-0305e82c3301")[operation];
    const { series, place, account } = scopesOf("my house", operation, params, "poll");
    const address = "addressId" in params ? String(params.addressId) : undefined;
    expect([series, place, account].map(addressOfScope)).toEqual([address, address, undefined]);
  });

  test.each(operationIds)("%s: the server reads the parameters that the client writes", async (operation) => {
    let path = "";
    await using server = await RawServer.start((socket, request) => {
      path = request.split(" ")[1] ?? "";
      socket.end(rawAnswer("[]"));
    });
    await using asking = await openAsking(server.url);
    const params = paramsFor("3f2504e0-4f89-41d3-9a0c-0305e82c3301")[operation];
    await asking.ask(operation, params);
    const url = new URL(path, server.url);
    const names = [...operationOf(operation).path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
    const pattern = new RegExp(`^${operationOf(operation).path.replaceAll(/\{\w+\}/g, "([^/]+)")}$`);
    const found = pattern.exec(url.pathname)?.slice(1) ?? [];
    const inPath = Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(found[i] ?? "")]));
    const reading = readRequest(operation, { path: inPath, query: url.searchParams }, serviceCalendar());
    expect(reading.kind === "params" && Object.keys(reading.params)).toEqual(Object.keys(params));
  });
});

describe("authentication", () => {
  test.each(["hex", "base64"] as const)(
    "authentication sends the hash in %s if the service requires it",
    async (hashEncoding) => {
      await using started = await startAt(NOON, { ...keys, hashEncoding });
      await using right = await openAsking(started.simulator.url, { ...credentials, hashEncoding });
      expect((await right.ask("regionPrices", { region: "DK1" })).answer.kind).toBe("ok");
      const other = hashEncoding === "hex" ? "base64" : "hex";
      await using wrong = await openAsking(started.simulator.url, { ...credentials, hashEncoding: other });
      expect((await wrong.ask("regionPrices", { region: "DK1" })).answer).toMatchObject({
        kind: "refused",
        status: 401,
      });
    },
  );

  test("authentication sends the key only in its header, and names the program", async () => {
    await using server = await RawServer.start((socket) => socket.end(rawAnswer('{"data":[]}')));
    await using asking = await openAsking(server.url);
    await asking.ask("addresses", {});
    await asking.ask("regionPrices", { region: "DK1" });
    const [consumer = "", thirdParty = ""] = server.requests;
    expect(consumer.match(new RegExp(CANARY_KEY, "g"))).toHaveLength(1);
    expect(consumer).toMatch(new RegExp(`^authorization: Bearer ${CANARY_KEY}$`, "m"));
    expect(consumer).toMatch(/^user-agent: elbro\/1\.2\.3$/m);
    expect(consumer).toMatch(/^accept-encoding: identity$/m);
    expect(consumer.split("\r\n")[0]).toBe("GET /consumer/v1/me/addresses HTTP/1.1");
    expect(thirdParty).not.toContain(CANARY_PARTNER.apiSecret);
    expect(thirdParty).not.toContain(CANARY_KEY);
  });

  test("authentication requests below the path of the base URL", async () => {
    await using server = await RawServer.start((socket) => socket.end(rawAnswer('{"data":[]}')));
    await using asking = await openAsking(server.url, { basePath: "/energy/v2" });
    await asking.ask("addresses", {});
    expect(server.requests[0]).toMatch(/^GET \/energy\/v2\/consumer\/v1\/me\/addresses /);
  });

  test("authentication does not repeat a key that the service quotes in an error", async () => {
    const body = JSON.stringify({ error: true, reason: `key ${CANARY_KEY} is bad`, errorCode: `x ${CANARY_KEY}` });
    const headers = [`X-Request-ID: ${CANARY_KEY}`];
    await using server = await RawServer.start((socket) => socket.end(rawAnswer(body, headers, "403 Forbidden")));
    await using asking = await openAsking(server.url);
    const { answer, notes } = await asking.ask("addresses", {});
    expect(answer).toEqual({
      ...{ kind: "refused", status: 403, code: null, reason: "key … is bad", retryAfterMs: null, requestId: "…" },
    });
    expect(JSON.stringify([answer, notes])).not.toContain("canary");
  });
});

describe("a response", () => {
  test.each([
    [400, "invalid_parameter"],
    [401, "credential_expired"],
    [403, "plus_required"],
    [404, "resource_not_found"],
    [422, "feature_unavailable"],
    [500, "internal_error"],
    [502, "upstream_unavailable"],
    [503, "entitlement_unavailable"],
  ] as const)("%i %s is a rejection with code, reason and request id", async (status, errorCode) => {
    await using started = await startAt(NOON, {
      ...keys,
      faults: [{ operation: "*", fault: "status", status, errorCode }],
    });
    await using asking = await openAsking(started.simulator.url, credentials);
    const { answer, notes } = await asking.ask("addresses", {});
    expect(answer).toMatchObject({ kind: "refused", status, code: errorCode, retryAfterMs: null });
    expect(answer.kind === "refused" && answer.requestId).toBe(notes?.requestId);
    // The service checks these two before the quota.
    expect(notes?.quota.minute?.limit).toBe(status === 401 || status === 503 ? undefined : 60);
  });

  test.each([
    [200, "addresses"],
    [401, "addresses"],
    [403, "addresses"],
    [404, "addresses"],
    [429, "addresses"],
    [504, "addresses"],
    [401, "regionPrices"],
    [429, "regionPrices"],
  ] as const)("with status %i and a web page has not the service's meaning: %s", async (status, operation) => {
    await using started = await startAt(NOON, { ...keys, faults: [{ operation: "*", fault: "html", status }] });
    await using asking = await openAsking(started.simulator.url, credentials);
    const { answer, notes } = await asking.ask(
      operation,
      operation === "addresses" ? {} : ({ region: "DK1" } as never),
    );
    expect(answer).toMatchObject({ kind: "unreachable", why: { key: "net.not_service", facts: { status } } });
    expect(notes).toEqual({ status: 0, requestId: null, quota: {}, serverMs: null });
  });

  test.each(['{"message":"Unauthorized"}', '{"error":true}', "", "Unauthorized"])(
    "with status 401 and the body %o is not the service's, which has a reason and a code",
    async (body) => {
      await using server = await RawServer.start((socket) => socket.end(rawAnswer(body, [], "401 Unauthorized")));
      await using asking = await openAsking(server.url);
      expect((await asking.ask("addresses", {})).answer).toMatchObject({ kind: "unreachable" });
      expect((await asking.ask("regionPrices", { region: "DK1" })).answer).toMatchObject({ status: 401 });
    },
  );

  test.each(["426 Upgrade Required", "505 HTTP Version Not Supported"])("%s names the version", async (status) => {
    await using server = await RawServer.start((socket) => socket.end(rawAnswer("", [], status)));
    await using asking = await openAsking(server.url);
    expect((await asking.ask("addresses", {})).answer).toMatchObject({ why: { key: "net.http2" } });
  });

  test.each([
    ["net.not_service", [300, 304, 309]],
    ["net.redirect", [301, 302, 303, 307, 308]],
  ])("means %s with the statuses %j", async (key, statuses) => {
    for (const status of statuses) {
      await using server = await RawServer.start((socket) => socket.end(rawAnswer("", [], `${status} Elsewhere`)));
      await using asking = await openAsking(server.url);
      expect((await asking.ask("addresses", {})).answer).toMatchObject({ why: { key, facts: { status } } });
    }
  });

  test("with a redirect names it and is not followed", async () => {
    await using elsewhere = await RawServer.start((socket) => socket.end(rawAnswer('{"data":[]}')));
    await using started = await startAt(NOON, {
      ...keys,
      faults: [{ operation: "*", fault: "redirect", location: `${elsewhere.url}/consumer/v1/me/addresses` }],
    });
    await using asking = await openAsking(started.simulator.url, credentials);
    expect((await asking.ask("addresses", {})).answer).toMatchObject({
      kind: "unreachable",
      why: { key: "net.redirect" },
    });
    expect(elsewhere.connections).toBe(0);
  });

  test.each([
    [{ fault: "brokenJson" }, "malformed", /not JSON/],
    [{ fault: "missingField", field: "totalPricePerKWh" }, "malformed", /row 0: totalPricePerKWh: expected number/],
    [{ fault: "wrongType", field: "currency" }, "malformed", /currency/],
    [{ fault: "lostConnection" }, "unreachable", "net.closed"],
    [{ fault: "cutOff" }, "unreachable", "net.midway"],
  ] as const)("with fault %o is %s: %s", async (fault, kind, why) => {
    await using started = await startAt(NOON, { ...keys, faults: [{ operation: "*", ...fault }] });
    await using asking = await openAsking(started.simulator.url, credentials);
    const { answer } = await asking.ask("prices", paramsFor(started.simulator.addressIds.danish).prices);
    expect(answer).toMatchObject({ kind, why: typeof why === "string" ? { key: why } : expect.stringMatching(why) });
  });

  test("without rows is valid", async () => {
    await using started = await startAt(NOON, { ...keys, faults: [{ operation: "*", fault: "empty" }] });
    await using asking = await openAsking(started.simulator.url, credentials);
    const { answer } = await asking.ask("prices", paramsFor(started.simulator.addressIds.danish).prices);
    expect(answer).toMatchObject({ kind: "ok", body: { data: [] } });
  });

  test("that would need a hundred times its size in memory is malformed and not parsed", async () => {
    const nested = `{"data":${"[".repeat(4_000_000)}`;
    await using server = await RawServer.start((socket) => socket.end(rawAnswer(nested)));
    await using asking = await openAsking(server.url);
    const before = process.memoryUsage.rss();
    const why = "the response to addresses: more than the expected 32 levels of lists and objects at character 39";
    expect((await asking.ask("addresses", {})).answer).toMatchObject({ kind: "malformed", why });
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024);
  });

  test("with an error status and a deeply nested body is not parsed", async () => {
    const status = "500 Internal Server Error";
    await using server = await RawServer.start((s) => s.end(rawAnswer("[".repeat(100_000), [], status)));
    await using asking = await openAsking(server.url);
    expect((await asking.ask("addresses", {})).answer).toMatchObject({ kind: "unreachable" });
  });

  test("in an encoding that was not requested is malformed", async () => {
    await using server = await RawServer.start((s) => s.end(rawAnswer("\x1f\x8b\b", ["Content-Encoding: gzip"])));
    await using asking = await openAsking(server.url);
    const why = expect.stringMatching(/a content encoding that was not requested/);
    expect((await asking.ask("addresses", {})).answer).toMatchObject({ kind: "malformed", why });
  });
});

describe("Retry-After of a 429", () => {
  const reset = (atMs: number) => String(atMs / 1_000);

  /** Returns the wait of a 429 with these headers, at noon by the service's clock. */
  async function waitNamedBy(...headers: readonly string[]): Promise<number | null> {
    const date = `Date: ${new Date(NOON).toUTCString()}`;
    const body = JSON.stringify({ error: true, reason: "slow down", errorCode: "rate_limited" });
    await using server = await RawServer.start((socket) => {
      socket.end(rawAnswer(body, [date, ...headers], "429 Too Many Requests"));
    });
    await using asking = await openAsking(server.url);
    const { answer } = await asking.ask("addresses", {});
    if (answer.kind !== "refused") throw new Error(answer.kind);
    return answer.retryAfterMs;
  }

  function quota(window: "Minute" | "Day", remaining: number, resetAt: number): string[] {
    const name = (what: string) => `X-RateLimit-${what}-${window}`;
    return [`${name("Limit")}: 60`, `${name("Remaining")}: ${remaining}`, `${name("Reset")}: ${reset(resetAt)}`];
  }

  test.each([
    ["Retry-After in seconds", ["Retry-After: 17"], 17_000],
    ["Retry-After as a date", [`Retry-After: ${new Date(NOON + 90_000).toUTCString()}`], 90_000],
    ["a date that is past", [`Retry-After: ${new Date(NOON - 90_000).toUTCString()}`], null],
    ["Retry-After: 0", ["Retry-After: 0"], null],
    ["nothing", [], null],
    ["nonsense", ["Retry-After: soon"], null],
    ["thirty years: at most until the day ends", ["Retry-After: 1000000000"], 12 * HOUR_MS + 60_000],
    ["the reset of the exhausted minute", quota("Minute", 0, NOON + 42_000), 42_000],
    ["a minute that is not exhausted", quota("Minute", 3, NOON + 42_000), null],
    [
      "the later reset of two exhausted windows",
      [...quota("Minute", 0, NOON + 42_000), ...quota("Day", 0, NOON + 12 * HOUR_MS)],
      12 * HOUR_MS,
    ],
    ["a Retry-After shorter than the reset", ["Retry-After: 5", ...quota("Day", 0, NOON + 12 * HOUR_MS)], 12 * HOUR_MS],
    ["a Retry-After longer than the reset", ["Retry-After: 500", ...quota("Minute", 0, NOON + 42_000)], 500_000],
  ])("%s", async (_, headers, expected) => {
    expect(await waitNamedBy(...headers)).toBe(expected);
  });
});
