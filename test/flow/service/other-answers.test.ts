/** Answers that are not the service's, or that cannot be true, and the waits that follow from them. */
import { expect, test } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import type { FaultRule } from "../../../src/simulator/fault-rules.ts";
import { demoHomes } from "../../../src/simulator/homes.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const ONE_O_CLOCK = Date.parse("2026-03-10T12:00:00Z");

function daemon(options: Partial<Parameters<typeof TestDaemon.start>[0]> = {}): Promise<TestDaemon> {
  const homes = [{ address_id: demoHomes.danish.address.id, id: "home" }];
  return TestDaemon.start({ start: MORNING, config: { history: { months: 0 }, homes }, ...options });
}

const codes = (it: TestDaemon) =>
  ((it.watcher.json("elbro/info") as { problems?: { code: string }[] }).problems ?? []).map(({ code }) => code);

const tomorrowIsValid = (it: TestDaemon) =>
  (it.watcher.json("elbro/home/prices") as { tomorrow_valid: boolean }).tomorrow_valid;

test.each([401, 403, 404, 429, 200])(
  "a web page with status %i for 20 minutes is an outage, and tomorrow's prices arrive within the hour",
  async (status) => {
    await using it = await daemon();
    await it.clock.runUntil(ONE_O_CLOCK);
    const page: FaultRule = {
      operation: "*",
      fault: "html",
      status,
      from: ONE_O_CLOCK,
      to: ONE_O_CLOCK + 20 * MINUTE_MS,
    };
    it.simulator.setFaults([page]);
    await it.clock.runUntil(ONE_O_CLOCK + 15 * MINUTE_MS);
    expect(codes(it)).toEqual(["unreachable"]);
    await it.clock.runUntil(ONE_O_CLOCK + HOUR_MS);
    expect([tomorrowIsValid(it), codes(it)]).toEqual([true, []]);
  },
);

test.each([
  { "X-RateLimit-Limit-Day": "1", "X-RateLimit-Remaining-Day": "0" },
  { "X-RateLimit-Limit-Day": "1" },
  { "X-RateLimit-Reset-Day": "99999999999", "X-RateLimit-Remaining-Day": "0" },
  { "X-RateLimit-Reset-Minute": "99999999999", "X-RateLimit-Remaining-Minute": "0" },
])("one answer with %o silences nothing", async (headers) => {
  await using it = await daemon();
  await it.clock.runUntil(ONE_O_CLOCK - 10 * MINUTE_MS);
  it.simulator.setFaults([{ operation: "*", fault: "headers", headers, times: 1 }]);
  await it.clock.runUntil(ONE_O_CLOCK + 8 * HOUR_MS);
  const asked = it.simulator.answered().filter(({ at }) => at > ONE_O_CLOCK);
  expect(new Set(asked.map(({ operation }) => operation))).toContain("forecastPrices");
  expect([tomorrowIsValid(it), codes(it)]).toEqual([true, []]);
});

test("a day limit that two answers state is kept, and the wait for it is a problem with its end", async () => {
  await using it = await daemon();
  await it.clock.runUntil(ONE_O_CLOCK - 10 * MINUTE_MS);
  const headers = { "X-RateLimit-Limit-Day": "2", "X-RateLimit-Remaining-Day": "0" };
  it.simulator.setFaults([{ operation: "*", fault: "headers", headers }]);
  await it.clock.runUntil(ONE_O_CLOCK + 6 * HOUR_MS);
  expect(it.simulator.answered().filter(({ at }) => at > ONE_O_CLOCK + 15 * MINUTE_MS)).toEqual([]);
  expect(codes(it)).toContain("waiting_for_quota");
  const { problems } = it.watcher.json("elbro/info") as { problems: { code: string; detail: string }[] };
  const found = problems.find(({ code }) => code === "waiting_for_quota");
  expect(found?.detail).toMatch(/used up for now; next request 2026-03-1[01]T\d\d:\d\d:\d\dZ$/);
});

test("rate_limited ends with its pause, although the next request is hours later", async () => {
  await using it = await daemon({ start: Date.parse("2026-03-10T19:00:00Z") });
  await it.clock.runUntil(Date.parse("2026-03-10T20:40:00Z"));
  const limited = { operation: "*", fault: "status", status: 429, retryAfterSec: 1_200 } as const;
  it.simulator.setFaults([{ ...limited, times: 1 }]);
  const range = "from=2025-03-01T00:00:00Z&to=2025-03-08T00:00:00Z&resolution=hour";
  await it.request(`/consumer/v1/me/addresses/${it.simulator.addressIds.danish}/prices?${range}`);
  const before = it.simulator.answered().length;
  await it.clock.runUntil(Date.parse("2026-03-10T20:50:00Z"));
  await it.watcher.until(() => codes(it).includes("rate_limited"), "the problem");
  await it.clock.runUntil(Date.parse("2026-03-10T21:02:00Z"));
  await it.watcher.until(() => codes(it).length === 0, "the end of the problem");
  expect(it.simulator.answered().length - before).toBe(0);
});

test("an account without addresses is reported, until it has one", async () => {
  const empty: FaultRule = { operation: "addresses", fault: "empty" };
  await using it = await daemon({ simulator: { faults: [empty] } });
  await it.clock.runUntil(MORNING + 2 * MINUTE_MS);
  expect(codes(it)).toContain("no_addresses");
  it.simulator.setFaults([]);
  await it.clock.runUntil(MORNING + 24 * HOUR_MS);
  expect(codes(it)).toEqual([]);
});

test("a LAN client during a slow first request of the day gets 503, because the quota is not the reason", async () => {
  const slow: FaultRule = { operation: "addresses", fault: "delay", delayMs: 1_000 };
  await using it = await daemon({ simulator: { faults: [slow] } });
  const path = "/consumer/v1/me/addresses/3f2504e0-4f89-41d3-9a0c-0305e82c3399/forecast-prices";
  const answer = await it.request(path);
  expect([answer.status, ((await answer.json()) as { errorCode: string }).errorCode]).toEqual([
    503,
    "entitlement_unavailable",
  ]);
  expect(answer.headers.get("retry-after")).toBe("1");
});

test("after a move the new home has prices a quarter of an hour after the first 404, and the old one is readable", async () => {
  await using it = await TestDaemon.start({ start: MORNING, config: { history: { months: 1 } } });
  await it.clock.runUntil(MORNING + HOUR_MS);
  it.simulator.setFaults([{ operation: "*", fault: "otherAccount" }]);
  await it.clock.runUntil(ONE_O_CLOCK + 8 * MINUTE_MS);
  const valid = (home: string) =>
    (it.watcher.json(`elbro/${home}/prices`) as { tomorrow_valid?: boolean } | null)?.tomorrow_valid;
  expect([valid("home_99"), codes(it)]).toEqual([false, ["address_gone", "address_gone"]]);
  await it.clock.runUntil(ONE_O_CLOCK + 25 * MINUTE_MS);
  const { problems } = it.watcher.json("elbro/info") as { problems: { detail: string }[] };
  expect(problems.map(({ detail }) => detail)).toEqual(
    ["Home", "Stugan"].map((name) => expect.stringContaining(`${name} is in no list`)),
  );
  const usage = await it.request("/local/v1/usage?home=home&measure=consumption&from=2026-03-01T00:00:00Z");
  const { id, rows } = (await usage.json()) as { id: string; rows: unknown[] };
  expect([id, rows.length]).toEqual(["home", 9]);
  expect([(await it.request("/local/v1/now?home=home")).status, valid("home_99")]).toEqual([404, true]);
  const lists = it.simulator.answered().filter(({ at, operation }) => at > ONE_O_CLOCK && operation === "addresses");
  expect(lists).toHaveLength(2);
});
