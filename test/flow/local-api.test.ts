import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/core/interval.ts";
import { isoOf, planEntry } from "../support/planned-house.ts";
import { LAN_KEY, RunningHouse } from "../support/running-house.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const EVENING = Date.parse("2026-03-10T17:00:00Z");
const washer = planEntry({ kind: "window", hours: 3, from: "20:00", ready_by: "07:00", kwh: 1.2 });

function startHouse({ start = MORNING, plans = [washer] } = {}): Promise<RunningHouse> {
  return RunningHouse.start({
    start,
    simulator: { homes: ["danish"] },
    config: {
      plans,
      api: {
        host: "127.0.0.1",
        port: 0,
        keys: [{ name: "test", key: LAN_KEY, scopes: ["control"] }],
        requests_per_minute: 1_000,
        requests_per_day: 100_000,
      },
    } as never,
  });
}

async function json(house: RunningHouse, path: string): Promise<Record<string, unknown>> {
  const answer = await house.ask(`/local/v1/${path}`);
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as Record<string, unknown>;
}

async function told(house: RunningHouse, path: string): Promise<readonly [number, string, string | null]> {
  const answer = await house.ask(`/local/v1/${path}`);
  return [answer.status, await answer.text(), answer.headers.get("x-elbro-reason")];
}

function post(house: RunningHouse, path: string, body: unknown): Promise<Response> {
  return fetch(`http://127.0.0.1:${house.daemon.apiPort}/local/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${LAN_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

describe("prices", () => {
  test("now says what is published, and changes on the boundary", async () => {
    await using house = await startHouse();
    await house.clock.runUntil(EVENING);
    const published = house.watcher.json("elbro/home/price/state");
    const now = await json(house, "now?home=home");
    expect(now).toMatchObject({ ...published, id: "home", kind: "home", time_zone: "Europe/Copenhagen" });
    expect(await json(house, "now")).toMatchObject({ homes: [{ id: "home", price: now.price }] });
    expect(await told(house, "now?format=text")).toEqual([200, String(now.price), null]);
    await house.clock.runUntil(EVENING + 15 * MINUTE_MS);
    expect(await json(house, "now?home=home")).toMatchObject({ start: isoOf(EVENING + 15 * MINUTE_MS) });
  });

  test("one timeline: confirmed, then estimates, without a hole; unchanged it is 304", async () => {
    await using house = await startHouse();
    await house.clock.runUntil(EVENING);
    const answer = await house.ask("/local/v1/prices");
    const { prices, ...head } = (await answer.json()) as { prices: Record<string, unknown>[] };
    expect(head).toMatchObject({ currency: "DKK", resolution: "fifteenMinutes", tomorrow_valid: true });
    expect(prices.slice(1).every(({ start }, i) => start === prices[i]?.end)).toBe(true);
    const first = prices.findIndex(({ estimate }) => estimate === true);
    expect(first).toBe(192);
    expect(prices.slice(first).every(({ estimate, rank }) => estimate === true && rank === null)).toBe(true);
    const ranks = prices.slice(0, 96).map(({ rank }) => Number(rank));
    expect([Math.min(...ranks), prices[0]?.rank_of]).toEqual([1, 96]);
    const now = await json(house, "now?home=home");
    expect(prices.find(({ start }) => start === now.start)).toMatchObject({
      level: now.level,
      rank: now.rank,
      percentile: now.percentile,
    });
    const tag = answer.headers.get("etag") ?? "";
    expect((await house.ask("/local/v1/prices", { "if-none-match": tag })).status).toBe(304);
    await house.clock.runUntil(EVENING + DAY_MS);
    expect((await house.ask("/local/v1/prices", { "if-none-match": tag })).status).toBe(200);
  });

  test("an earlier week comes from the shelf, judged by its own days", async () => {
    await using house = await startHouse();
    await house.clock.runUntil(MORNING + 6 * HOUR_MS);
    const range = "from=2026-02-20T23:00:00Z&to=2026-02-22T23:00:00Z";
    const { prices } = (await json(house, `prices?${range}`)) as { prices: Record<string, unknown>[] };
    expect(prices.length).toBe(192);
    expect(prices.every(({ level, rank }) => level !== null && rank !== null)).toBe(true);
  });
});

describe("a device that asks each minute whether now is cheap", () => {
  test("is ON for three hours of the night, in one piece, also when the daemon restarts in the middle", async () => {
    await using house = await startHouse({ plans: [] });
    await house.clock.runUntil(EVENING);
    const on: number[] = [];
    for (let now = EVENING; now < EVENING + 14 * HOUR_MS; now += 5 * MINUTE_MS) {
      await house.clock.runUntil(now);
      const [status, word] = await told(house, "cheap?hours=3&ready_by=07:00");
      expect(status).toBe(200);
      if (word === "ON") on.push(now);
      if (on.length === 12) {
        await house.stopDaemon();
        await house.startDaemon();
        await house.clock.settle();
      }
    }
    expect(on.length).toBe(36);
    expect((on.at(-1) ?? 0) - (on[0] ?? 0)).toBe(35 * 5 * MINUTE_MS);
    expect(on.at(-1)).toBeLessThan(Date.parse("2026-03-11T06:00:00Z"));
  });
});

describe("plans", () => {
  test("are told as they are published, and changed as by MQTT", async () => {
    await using house = await startHouse();
    await house.clock.runUntil(EVENING);
    const { plans } = (await json(house, "plans")) as { plans: Record<string, unknown>[] };
    expect(plans).toMatchObject([{ id: "washer", name: "Washer", home: "home", kind: "window", on: false }]);
    expect(plans[0]).toMatchObject(house.watcher.json("elbro/home/plan/washer/state"));
    const changed = await post(house, "plans/washer", { hours: 2, ready_by: "06:00" });
    expect([changed.status, await changed.json()]).toMatchObject([
      200,
      { settings: { hours: { value: 2, changed: true, file: 3 }, ready_by: { value: "06:00", file: "07:00" } } },
    ]);
  });
});
