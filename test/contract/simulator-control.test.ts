/** Tests the simulator's own paths: key actions of the mobile app, clock, faults. */
import { expect, test } from "vitest";
import { foreignSources } from "../../src/core/text/foreign-text.ts";
import { ask } from "../support/service/service-caller.ts";
import { startAt } from "../support/service/standing-simulator.ts";

const NOON = Date.UTC(2026, 5, 10, 12);

async function post(url: string, name: string, body: unknown) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(`${url}/simulator/${name}`, { method: "POST", body: text });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

test("a key is issued only with Plus, shown once, and replaced: the old one is then 401", async () => {
  await using started = await startAt(NOON, { keys: { consumerKey: null } });
  const { url } = started.service;
  await post(url, "entitlement", { entitlement: "plusEnded" });
  expect((await post(url, "key", { action: "issue" })).status).toBe(409);
  await post(url, "entitlement", { entitlement: "active" });
  expect((await post(url, "key", { action: "replace" })).status).toBe(409);

  const first = String((await post(url, "key", { action: "issue" })).json.key);
  expect(await (await fetch(`${url}/simulator`)).text()).not.toContain(first);
  expect((await post(url, "key", { action: "issue" })).status).toBe(409);
  const withKey = (consumerKey: string) => ask({ ...started.service, consumerKey }, "addresses");
  expect((await withKey(first)).status).toBe(200);

  const second = String((await post(url, "key", { action: "replace" })).json.key);
  expect((await withKey(first)).json.errorCode).toBe("invalid_token");
  expect((await withKey(second)).status).toBe(200);
});

test("a key expires at its time, and a replaced one is valid again", async () => {
  await using started = await startAt(NOON);
  const { service, time } = started;
  await post(service.url, "key", { action: "expire", at: "2026-06-10T12:00:01Z" });
  expect((await ask(service, "addresses")).status).toBe(200);
  time.now += 1_000;
  expect((await ask(service, "addresses")).json.errorCode).toBe("credential_expired");
  const { json } = await post(service.url, "key", { action: "replace" });
  expect((await ask({ ...service, consumerKey: String(json.key) }, "addresses")).status).toBe(200);
});

test("the clock can be set and accelerated", async () => {
  await using started = await startAt(NOON);
  const { url } = started.service;
  const set = await post(url, "clock", { at: "2026-01-01T00:00:00Z", speed: 60 });
  expect(set.json).toMatchObject({ now: "2026-01-01T00:00:00Z", speed: 60 });
  started.time.now += 1_000;
  expect(started.simulator.clock.now()).toBe(Date.UTC(2026, 0, 1, 0, 1));
  expect((await ask(started.service, "addresses")).headers.get("date")).toBe("Thu, 01 Jan 2026 00:01:00 GMT");
});

test("faults can be set, are counted, and are returned as written", async () => {
  await using started = await startAt(NOON);
  const rule = { operation: "addresses", fault: "status", status: 502, times: 1, to: "2026-07-01T00:00:00Z" };
  await post(started.service.url, "faults", [rule]);
  expect((await ask(started.service, "addresses")).status).toBe(502);
  expect((await ask(started.service, "addresses")).status).toBe(200);
  const state = (await (await fetch(`${started.service.url}/simulator`)).json()) as Record<string, unknown>;
  expect(state).toMatchObject({ faults: [{ rule, struck: 1 }], attemptsToday: { consumer: 2, thirdParty: 0 } });
});

test.each([
  ["clock", { at: "noon" }, 400],
  ["clock", { speed: -1 }, 400],
  ["key", { action: "steal" }, 400],
  ["entitlement", { entitlement: "gold" }, 400],
  ["faults", [{ operation: "weather", fault: "hang" }], 400],
  ["faults", "no JSON", 400],
  ["faults", `"${"x".repeat(foreignSources.faults.length)}"`, 413],
])("an invalid control request changes nothing: %s", async (name, body, status) => {
  await using started = await startAt(NOON);
  const answer = await post(started.service.url, name, body);
  expect(answer.status).toBe(status);
  expect(answer.json.reason).toBeTypeOf("string");
  expect((await ask(started.service, "addresses")).status).toBe(200);
});

test("each of many accounts has its own home and quota, and sees no others", async () => {
  await using started = await startAt(NOON, { accounts: 3, homes: ["danish"], limits: { minute: 2, day: 100 } });
  const { service } = started;
  const as = (number: number) => ({ ...service, consumerKey: `${service.consumerKey}-${number}` });
  const second = await ask(as(2), "addresses");
  const third = await ask(as(3), "addresses");
  const [home] = second.json.data as { id: string; label: string }[];
  expect(home).toMatchObject({ label: "Home 2" });
  expect(third.json.data).not.toMatchObject([{ id: home?.id }]);
  const range = { from: "2026-06-10T00:00:00Z", to: "2026-06-10T01:00:00Z", resolution: "hour" };
  const prices = (number: number) => ask(as(number), "prices", { addressId: home?.id ?? "", ...range });
  expect((await prices(2)).status).toBe(200);
  expect((await prices(3)).status).toBe(404);
  expect((await prices(2)).status).toBe(429);
  expect((await ask(as(4), "addresses")).status).toBe(401);
  expect((await ask(service, "addresses")).status).toBe(200);
  const { json } = await post(service.url, "clock", {});
  expect(json.accounts).toEqual({ count: 3, denied: 1 });
});
