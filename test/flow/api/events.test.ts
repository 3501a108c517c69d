import { expect, test } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { EventListener } from "../../support/http/event-listener.ts";
import { thirdPartyWith } from "../../support/http/local-api.ts";
import { planEntry } from "../../support/plans/plan-topics.ts";
import { loopMs } from "../../support/runner/loop-time.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const OTHER_KEY = "another-device-7d1f";
const QUARTER_MS = 15 * MINUTE_MS;

/** Starts a daemon that has prices. */
async function daemon(): Promise<TestDaemon> {
  const it = await TestDaemon.start({
    start: MORNING,
    config: {
      history: { months: 0 },
      plans: [planEntry({ kind: "slots", hours: 2, from: "08:00", ready_by: "20:00" })],
    },
  });
  await it.clock.runUntil(MORNING + 5 * MINUTE_MS);
  return it;
}

const listen = (it: TestDaemon, options = {}) => EventListener.open(it.apiPort, options);

test("a client gets the current state, every event with an id, and then changes", async () => {
  await using it = await daemon();
  await using ear = await listen(it);
  await ear.ready();
  expect(ear.status).toBe(200);
  expect(ear.answer.headers).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "x-accel-buffering": "no",
    "cache-control": "private, no-store, no-transform",
  });
  expect(ear.retryMs).toBeGreaterThan(0);
  expect(ear.events.every(({ id }) => id !== "")).toBe(true);
  expect(ear.events[0]).toMatchObject({ type: "hello", data: { resumed: false } });
  const types = new Set(ear.events.map(({ type }) => type));
  for (const type of ["price", "level", "signal", "plan", "problem", "quota"]) expect(types).toContain(type);
  const shown = it.watcher.json("elbro/home/price/state");
  const price = ear.of("price").find(({ data }) => data.home === "home")?.data;
  expect(price).toEqual({ home: "home", ...shown });
  const before = ear.events.length;
  await it.clock.runUntil(MORNING + QUARTER_MS);
  await ear.until(() => ear.of("price").some(({ data }) => data.start === "2026-03-10T09:15:00Z"), "the next price");
  expect(ear.events.slice(before).map(({ type }) => type)).not.toContain("hello");
});

test("a client that reconnects gets missed events once and in order", async () => {
  await using it = await daemon();
  await using steady = await listen(it);
  const first = await listen(it);
  await Promise.all([steady.ready(), first.ready()]);
  const lastEventId = first.lastId ?? "";
  await first[Symbol.asyncDispose]();
  const before = steady.events.length;
  await it.clock.runUntil(MORNING + 2 * HOUR_MS);
  await steady.until(() => steady.of("price").some(({ data }) => data.start === "2026-03-10T11:00:00Z"), "11 o'clock");
  await using again = await listen(it, { lastEventId });
  await again.ready();
  expect(again.events[0]).toMatchObject({ type: "hello", data: { resumed: true } });
  expect(again.events.slice(1, -1)).toEqual(steady.events.slice(before));
  expect(again.of("price").length).toBeGreaterThan(7);
});

test("after a restart an earlier id is unknown, and the client gets the complete current state", async () => {
  await using it = await daemon();
  const first = await listen(it);
  await first.ready();
  const lastEventId = first.lastId ?? "";
  expect(await loopMs(it.stop())).toBeLessThan(2_000);
  await first.until(() => first.end !== "open", "the end");
  expect(first.end).toBe("clean");
  await it.clock.runUntil(MORNING + HOUR_MS);
  await it.restart({ history: { months: 0 } });
  await it.clock.settle();
  await using again = await listen(it, { lastEventId });
  await again.until(() => again.of("price").length > 0, "a price");
  expect(again.events[0]).toMatchObject({ type: "hello", data: { resumed: false } });
  expect(again.of("price").at(-1)?.data.start).toBe("2026-03-10T10:00:00Z");
});

test("a data event is sent after the rows of its series can be read", async () => {
  await using it = await daemon();
  await using ear = await listen(it);
  await ear.ready();
  await it.clock.runUntil(MORNING + 5 * HOUR_MS);
  const published = () => ear.of("data").filter(({ data }) => data.series === "prices" && data.home === "home");
  await ear.until(() => published().length > 0, "tomorrow's prices");
  expect(published().at(-1)?.data).toEqual({ home: "home", series: "prices", unit: "fifteenMinutes" });
});

test("?home= selects one home and events of all; an unknown home is rejected by name", async () => {
  await using it = await daemon();
  await using ear = await listen(it, { path: "/events?home=stugan" });
  await ear.ready();
  await it.clock.runUntil(MORNING + HOUR_MS);
  await ear.until(() => ear.of("price").length > 3, "prices");
  expect(new Set(ear.events.map(({ data }) => data.home))).toEqual(new Set([undefined, "stugan"]));
  const unknown = await it.request("/events?home=castle");
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { reason: expect.stringContaining("stugan") }]);
});

test("a place has spot price, level and signal events as a home has", async () => {
  const config = { history: { months: 0 }, ...thirdPartyWith([{ name: "Region", region: "DK1" }]) };
  await using it = await TestDaemon.start({ start: MORNING, config });
  await it.clock.runUntil(MORNING + HOUR_MS);
  await it.watcher.until(() => it.watcher.payload("elbro/region/spot") !== null, "the spot price");
  await using ear = await listen(it, { path: "/events?home=region" });
  const published = () => Number(it.watcher.payload("elbro/region/spot"));
  await ear.until(() => ear.of("spot").at(-1)?.data.spot === published(), "the spot price that is published");
  expect(ear.of("spot").at(-1)?.data).toEqual({ home: "region", spot: published() });
  expect(new Set(ear.events.map(({ data }) => data.home))).toEqual(new Set([undefined, "region"]));
});

test("100 clients get the same events, at most half of them with one key; one more is rejected", async () => {
  await using it = await TestDaemon.start({
    start: MORNING,
    config: { api: { ...(await apiOf()), requests_per_minute: 1_000 }, history: { months: 0 } },
  });
  await it.clock.runUntil(MORNING + 5 * MINUTE_MS);
  const before = process.memoryUsage().rss;
  const other = { key: OTHER_KEY, localAddress: "127.0.0.2" };
  const half = await Promise.all(Array.from({ length: 50 }, () => listen(it)));
  await Promise.all(half.map((ear) => ear.ready()));
  const refused = await it.request("/events");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "30"]);
  const ears = [...half, ...(await Promise.all(Array.from({ length: 50 }, () => listen(it, other))))];
  await Promise.all(ears.map((ear) => ear.ready()));
  await using full = await listen(it, { ...other, localAddress: "127.0.0.3" });
  expect(full.status).toBe(429);
  await it.clock.runUntil(MORNING + HOUR_MS);
  const hasHeard = (ear: EventListener) => ear.of("price").some(({ data }) => data.start === "2026-03-10T10:00:00Z");
  await Promise.all(ears.map((ear) => ear.until(() => hasHeard(ear), "10 o'clock")));
  const prices = new Set(
    ears.map((ear) =>
      JSON.stringify(
        ear
          .of("price")
          .map(({ id }) => id)
          .filter((id) => !id.endsWith("unfinished")),
      ),
    ),
  );
  expect(prices.size).toBe(1);
  expect((await it.request("/healthz")).status).toBe(200);
  expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(60);
  expect(await loopMs(it.stop())).toBeLessThan(2_000);
  await Promise.all(ears.map((ear) => ear.until(() => ear.end !== "open", "the end")));
  expect(new Set(ears.map(({ end }) => end))).toEqual(new Set(["clean"]));
});

async function apiOf() {
  return {
    host: "127.0.0.1",
    port: 0,
    keys: [
      { name: "test", key: LAN_KEY },
      { name: "other", key: OTHER_KEY },
    ],
    requests_per_day: 2_000,
  };
}
