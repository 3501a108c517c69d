/** Tests keys, errors, quota and clock of the simulator, beyond the rules of any contract server. */
import { expect, test } from "vitest";
import { DAY_MS, MINUTE_MS } from "../../src/core/time/interval.ts";
import { type ErrorCode, errorTable } from "../../src/service/contract/errors.ts";
import { ask, askPath } from "../support/service/service-caller.ts";
import { startAt } from "../support/service/standing-simulator.ts";
import { SMALL_RANGE } from "./service-expectations.ts";

const NOON = Date.UTC(2026, 5, 10, 12);

test("each of the 13 error codes can be reached over HTTP with its status", async () => {
  await using started = await startAt(NOON, { limits: { minute: 100, day: 8 } });
  const { simulator, service } = started;
  const { danish, swedish } = simulator.addressIds;
  const range = { ...SMALL_RANGE, aggregation: "hour" };
  const reached = new Map<ErrorCode, number>();
  const reach = async (
    ...[operation, values]: Parameters<typeof ask> extends [unknown, ...infer Rest] ? Rest : never
  ) => {
    const { status, json } = await ask(service, operation, values);
    reached.set(json.errorCode, status);
  };

  await reach("consumption", { addressId: danish, ...range, aggregation: "week" });
  await reach("consumption", { addressId: danish, ...range, to: range.from });
  await reach("solarExport", { addressId: danish, ...range, to: "2027-01-01T00:00:00Z" });
  await reach("consumption", { addressId: simulator.addressIds.norwegian, ...range });
  await reach("consumptionCosts", { addressId: swedish, ...range });
  simulator.account.setEntitlement("plusEnded");
  await reach("addresses");
  simulator.account.setEntitlement("forbidden");
  await reach("addresses");
  simulator.account.setEntitlement("unverifiable");
  await reach("addresses");
  simulator.account.setEntitlement("active");
  simulator.setFaults([
    { operation: "addresses", fault: "status", status: 500, times: 1 },
    { operation: "addresses", fault: "status", status: 502, times: 1 },
  ]);
  await reach("addresses");
  await reach("addresses");
  simulator.account.expireKey(NOON);
  await reach("addresses");
  simulator.account.newKey("replace");
  await reach("addresses");
  const { key } = simulator.account.newKey("replace") as { key: string };
  await ask({ ...service, consumerKey: key }, "addresses");
  const limited = await ask({ ...service, consumerKey: key }, "addresses");
  reached.set(limited.json.errorCode, limited.status);

  const expected = Object.entries(errorTable).map(([code, { status }]) => [code, status] as const);
  expect([...reached].sort()).toEqual(expected.sort());
});

test("denied attempts count, and Retry-After is the latest reset of the exhausted windows", async () => {
  await using started = await startAt(NOON + 20_300, { limits: { minute: 2, day: 4 } });
  const { service, time } = started;
  const standing = async () => {
    const { status, headers } = await ask(service, "addresses");
    const numbers = ["Remaining-Minute", "Remaining-Day"].map((name) => Number(headers.get(`X-RateLimit-${name}`)));
    return [status, ...numbers, headers.get("retry-after")];
  };
  expect(await standing()).toEqual([200, 1, 3, null]);
  expect(await standing()).toEqual([200, 0, 2, null]);
  expect(await standing()).toEqual([429, 0, 1, "40"]);
  time.now += MINUTE_MS;
  expect(await standing()).toEqual([200, 1, 0, null]);
  const untilMidnight = String(12 * 3600 - 80);
  expect(await standing()).toEqual([429, 0, 0, untilMidnight]);
  expect(await standing()).toEqual([429, 0, 0, untilMidnight]);
  time.now = Date.UTC(2026, 5, 11);
  expect(await standing()).toEqual([200, 1, 3, null]);
  expect([...started.simulator.attempts().day.values()]).toEqual([6, 1]);
});

test("a 429 has all quota headers and a Retry-After of at least 1", async () => {
  await using started = await startAt(NOON + MINUTE_MS - 1, { limits: { minute: 1, day: 9 } });
  await ask(started.service, "addresses");
  const { status, headers } = await ask(started.service, "addresses");
  expect(status).toBe(429);
  expect(headers.get("retry-after")).toBe("1");
  expect(headers.get("x-request-id")).toBeTruthy();
  expect(headers.get("cache-control")).toBe("private, no-store");
  const quota = [...headers.keys()].filter((name) => name.startsWith("x-ratelimit-"));
  expect(quota).toHaveLength(6);
});

test("the Date header has the simulator's time", async () => {
  await using started = await startAt(NOON);
  const { headers } = await ask(started.service, "addresses");
  expect(headers.get("date")).toBe("Wed, 10 Jun 2026 12:00:00 GMT");
});

test("the third-party interface has no quota headers, counts its requests by day, and has its own 401", async () => {
  await using started = await startAt(NOON, { limits: { minute: 1, day: 1 } });
  const { service, time } = started;
  for (let i = 0; i < 3; i++) expect((await ask(service, "regionPrices", { region: "DK1" })).status).toBe(200);
  time.now += DAY_MS;
  const { json, headers } = await ask(service, "requestCounts");
  expect(json).toEqual([
    { date: "2026-06-10T00:00:00Z", requestCount: 3 },
    { date: "2026-06-11T00:00:00Z", requestCount: 1 },
  ]);
  expect([...headers.keys()].filter((name) => name.startsWith("x-ratelimit"))).toEqual([]);
});

test("the token's hash is hexadecimal or Base64, depending on the account", async () => {
  await using hex = await startAt(NOON);
  await using base64 = await startAt(NOON, { hashEncoding: "base64" });
  const statusOf = async (url: string, token: string) =>
    (await askPath(url, "/thirdParty/currentRequestCount", `Bearer ${token}`)).status;
  expect(await statusOf(base64.service.url, base64.service.thirdPartyToken)).toBe(200);
  expect(await statusOf(base64.service.url, hex.service.thirdPartyToken)).toBe(401);
  expect(await statusOf(hex.service.url, hex.service.thirdPartyToken)).toBe(200);
});

test("errors before the quota check do not count and have no quota headers", async () => {
  await using started = await startAt(NOON);
  const { service, simulator } = started;
  for (const entitlement of ["plusEnded", "unverifiable"] as const) {
    simulator.account.setEntitlement(entitlement);
    const { status, headers } = await ask(service, "addresses");
    expect([403, 503]).toContain(status);
    expect([...headers.keys()].filter((name) => name.startsWith("x-ratelimit"))).toEqual([]);
  }
  expect([...simulator.attempts().day.values()]).toEqual([]);
});

test("an unknown id of the address register gets the spot price without charges", async () => {
  await using started = await startAt(NOON);
  const { status, json } = await ask(started.service, "addressPrices", { addressId: crypto.randomUUID() });
  expect(status).toBe(200);
  expect(json).toContainEqual({ date: expect.any(String), price: expect.any(Number) });
  const nowhere = await ask(started.service, "addressPrices", { addressId: "nowhere" });
  expect(nowhere.status).toBe(404);
});
