import { expect, test } from "vitest";
import { MINUTE_MS } from "../../../src/core/time/interval.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";

interface System {
  readonly interfaces: readonly {
    readonly quota: { readonly day: { readonly limit: number; readonly left: number } };
    readonly today: { readonly by_share: Record<string, number>; readonly by_outcome: Record<string, number> };
    readonly since_start: readonly { readonly count: number }[];
  }[];
  readonly series: readonly { readonly home: string; readonly series: string }[];
  readonly broker: { readonly published: number };
  readonly database: { readonly bytes: number };
  readonly health: { readonly status: string };
  readonly problems: readonly { readonly advice: string }[];
}

async function systemOf(it: TestDaemon, headers: Record<string, string> = {}): Promise<System> {
  return (await (await it.request("/local/v1/system", headers)).json()) as System;
}

const MORNING = Date.parse("2026-03-10T09:00:00Z");

test("the system endpoint contains quota, requests, ages, broker, versions and problems", async () => {
  await using it = await TestDaemon.start({ start: MORNING, config: { history: { months: 1 } } });
  await it.clock.runUntil(MORNING + 30 * MINUTE_MS);
  const before = it.simulator.answered().length;
  const system = await systemOf(it);
  const requests = it.simulator.answered().length;
  expect(requests).toBe(before);
  expect(system).toMatchObject({
    now: "2026-03-10T09:30:00Z",
    started_at: "2026-03-10T09:00:00Z",
    uptime_seconds: 1_800,
    time_trusted: true,
    health: { status: "ok", checks: { database: { ok: true, code: "ok" } } },
    interfaces: [{ account: "consumer", interface: "consumer", state: "ok", today: { requests } }],
    broker: { kind: "inside", host: null, connected: true, connections: 1 },
    problems: [],
  });
  const [consumer] = system.interfaces;
  expect(consumer?.today.by_outcome).toEqual({ "200": requests });
  const sum = (counts: readonly number[] = []) => counts.reduce((all, count) => all + count, 0);
  expect(sum(Object.values(consumer?.today.by_share ?? {}))).toBe(requests);
  const { limit, left } = consumer?.quota.day ?? { limit: 0, left: 0 };
  expect(limit - left).toBe(requests);
  expect(sum(consumer?.since_start.map(({ count }) => count))).toBe(requests);
  const prices = system.series.find(({ home, series }) => home === "home" && series === "prices");
  expect(prices).toMatchObject({ name: "Home", age_seconds: expect.any(Number) });
  expect(system.broker.published).toBeGreaterThan(50);
  expect(system.database.bytes).toBeGreaterThan(10_000);
});

test("problems have texts in the configured language, or in that of the Accept-Language header", async () => {
  await using it = await TestDaemon.start({ start: MORNING, config: { history: { months: 0 }, language: "sv" } });
  it.simulator.setFaults([{ operation: "*", fault: "status", status: 503 }]);
  await it.clock.runUntil(MORNING + 240 * MINUTE_MS);
  const adviceIn = async (headers = {}) => (await systemOf(it, headers)).problems[0]?.advice;
  expect(await adviceIn()).toBe("tjänsten rapporterar fel; elbro försöker igen med allt längre mellanrum");
  expect(await adviceIn({ "Accept-Language": "da-DK, en;q=0.5" })).toBe(
    "tjenesten melder fejl; elbro prøver igen med længere og længere mellemrum",
  );
  expect(await adviceIn({ "Accept-Language": "en" })).toContain("elbro retries");
});

test("an ended problem is still listed with its end and a remedy", async () => {
  await using it = await TestDaemon.start({ start: MORNING, config: { history: { months: 0 } } });
  await it.clock.runUntil(MORNING + 30 * MINUTE_MS);
  it.simulator.setFaults([{ operation: "*", fault: "status", status: 503 }]);
  await it.clock.runUntil(MORNING + 240 * MINUTE_MS);
  const during = await systemOf(it);
  expect(during.problems[0]).toMatchObject({ code: "service_trouble", ended_at: null });
  expect(during.problems[0]?.advice).toContain("elbro retries");
  it.simulator.setFaults([]);
  await it.clock.runUntil(MORNING + 360 * MINUTE_MS);
  const after = await systemOf(it);
  expect(after.problems[0]).toMatchObject({
    code: "service_trouble",
    ended_at: expect.stringMatching(/^2026-03-10T1/),
  });
  expect(after.health.status).toBe("ok");
});
