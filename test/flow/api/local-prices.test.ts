import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import type { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { askJson, askText, startLocalApi, thirdPartyWith } from "../../support/http/local-api.ts";
import { isoOf } from "../../support/plans/plan-topics.ts";

const EVENING = Date.parse("2026-03-10T17:00:00Z");

interface Told {
  readonly prices: {
    readonly start: string;
    readonly end: string;
    readonly price: number;
    readonly estimate: boolean;
    readonly level: string | null;
    readonly rank: number | null;
    readonly rank_of: number | null;
  }[];
}

type Raw = { readonly price?: number; readonly value?: number };

/** Address of the simulated home. */
const ADDRESS_ID = "5d0c9f0e-6a1b-4c5e-9b64-1f1f4a7e2d01";

const pricesOf = async (daemon: TestDaemon, query = "") => (await askJson(daemon, `prices${query}`)) as unknown as Told;

async function evening(start = EVENING): Promise<TestDaemon> {
  const daemon = await startLocalApi({ start: start - 8 * HOUR_MS });
  await daemon.clock.runUntil(start);
  return daemon;
}

describe("now", () => {
  test("now equals the published state, and changes at the boundary", async () => {
    await using daemon = await evening();
    const published = () => daemon.watcher.json("elbro/home/price/state");
    const now = await askJson(daemon, "now?home=home");
    await daemon.watcher.until(() => published().start === now.start && published().next !== null, "the price now");
    expect(now).toMatchObject({ ...published(), id: "home", kind: "home", time_zone: "Europe/Copenhagen" });
    expect(await askJson(daemon, "now")).toMatchObject({ homes: [{ id: "home", price: now.price }] });
    expect(await askText(daemon, "now?format=text")).toEqual([200, String(now.price), null]);
    await daemon.clock.runUntil(EVENING + 15 * MINUTE_MS);
    expect(await askJson(daemon, "now?home=home")).toMatchObject({ start: isoOf(EVENING + 15 * MINUTE_MS) });
  });

  test("now is null without a current price, and has no number as text", async () => {
    await using daemon = await evening();
    daemon.simulator.setFaults([{ operation: "*", fault: "status", status: 502 }]);
    daemon.clock.leap(EVENING + 14 * DAY_MS);
    await daemon.clock.runUntil(EVENING + 14 * DAY_MS + MINUTE_MS);
    expect(await askJson(daemon, "now?home=home")).toMatchObject({ price: null, level: null, cheap: null });
    const answer = await daemon.request("/local/v1/now?format=text");
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ errorCode: "not_known", reason: expect.stringContaining("no price") });
    for (const format of ["nordpool", "evcc", "emhass", "predbat", "energidataservice"])
      expect((await daemon.request(`/local/v1/formats/${format}`)).status).toBe(503);
  });

  test("now is 404 for an unknown home; while no home is known it is 503 and OFF", async () => {
    await using daemon = await startLocalApi({ start: EVENING });
    await daemon.clock.settle();
    const unknown = await daemon.request("/local/v1/now?home=x");
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { errorCode: "resource_not_found" }]);
    await using strange = await startLocalApi({
      start: EVENING,
      config: { consumer: { name: "consumer", api_key: "no" } },
    });
    await strange.clock.settle();
    expect(await askJson(strange, "now")).toMatchObject({ homes: [] });
    expect((await strange.request("/local/v1/now?home=home")).status).toBe(503);
    expect(await askText(strange, "cheap?hours=3")).toEqual([
      503,
      "OFF",
      expect.stringContaining("no home is known yet"),
    ]);
  });
});

describe("prices", () => {
  test("prices are one timeline without gaps: confirmed, then estimates; 304 if unchanged", async () => {
    await using daemon = await evening();
    const { prices, ...head } = await pricesOf(daemon);
    expect(head).toMatchObject({ currency: "DKK", resolution: "fifteenMinutes", tomorrow_valid: true });
    expect(prices.slice(1).every(({ start }, i) => start === prices[i]?.end)).toBe(true);
    const first = prices.findIndex(({ estimate }) => estimate);
    expect(first).toBe(192);
    expect(prices.slice(first).every(({ estimate, rank }) => estimate && rank === null)).toBe(true);
    const ranks = prices.slice(0, 96).map(({ rank }) => Number(rank));
    expect([Math.min(...ranks), prices[0]?.rank_of]).toEqual([1, 96]);
    const now = await askJson(daemon, "now?home=home");
    const { level, rank, percentile } = now;
    expect(prices.find(({ start }) => start === now.start)).toMatchObject({ level, rank, percentile });
    const tag = (await daemon.request("/local/v1/prices")).headers.get("etag") ?? "";
    const again = await daemon.request("/local/v1/prices", { "if-none-match": tag });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", tag]);
    await daemon.clock.runUntil(EVENING + DAY_MS);
    expect((await daemon.request("/local/v1/prices", { "if-none-match": tag })).status).toBe(200);
  });

  test("of an earlier week come from the store, with levels relative to their own days", async () => {
    await using daemon = await evening();
    const { prices } = await pricesOf(daemon, "?from=2026-02-20T23:00:00Z&to=2026-02-22T23:00:00Z");
    expect(prices.length).toBe(192);
    expect(prices.every(({ level, rank }) => level !== null && rank !== null)).toBe(true);
  });

  test("reject invalid ranges with a reason", async () => {
    await using daemon = await startLocalApi({ start: EVENING });
    await daemon.clock.settle();
    for (const [query, code] of [
      ["?from=2026-03-10T00:00:00Z&to=2026-03-10T00:00:00Z", "invalid_range"],
      ["?from=2026-01-10T00:00:00Z&to=2026-03-10T00:00:00Z", "range_too_large"],
      ["?from=yesterday", "invalid_parameter"],
      ["?from=2026-03-10T00:00:00+01:00", "invalid_parameter"],
    ])
      expect(await (await daemon.request(`/local/v1/prices${query}`)).json()).toMatchObject({ errorCode: code });
  });
});

test("negative prices are in the price, its level, every format and the cheap hour", async () => {
  const noon = Date.parse("2026-07-12T10:00:00Z");
  await using daemon = await evening(noon);
  const { prices } = await pricesOf(daemon);
  const least = prices.reduce((a, b) => (a.price <= b.price ? a : b));
  expect(least.price).toBeLessThan(0);
  expect(least).toMatchObject({ rank: 1, level: "very_cheap" });
  await daemon.clock.runUntil(Math.max(noon, Date.parse(least.start)));
  expect(await askText(daemon, "now?format=text")).toEqual([200, String(least.price), null]);
  const [first] = (await askJson(daemon, "formats/evcc")) as unknown as { value: number }[];
  expect(first?.value).toBe(least.price);
  expect(await askJson(daemon, "formats/nordpool")).toMatchObject({ current_price: least.price, low_price: true });
  expect(await askText(daemon, "cheap?hours=15m&from=11:00&ready_by=18:00")).toEqual([
    200,
    "ON",
    expect.stringContaining("-0."),
  ]);
});

test("every format matches its schema, and none contains an incomplete tomorrow", async () => {
  await using daemon = await startLocalApi({
    start: EVENING - 8 * HOUR_MS,
    simulator: { publicationDelayMinutes: () => 400 },
  });
  await daemon.clock.runUntil(EVENING);
  for (const format of ["nordpool", "energidataservice", "evcc", "emhass", "predbat"])
    await askJson(daemon, `formats/${format}`);
  expect(await askJson(daemon, "formats/nordpool")).toMatchObject({ tomorrow: [], tomorrow_valid: false });
  expect(await askJson(daemon, "formats/energidataservice")).toMatchObject({ raw_tomorrow: null });
  expect(await askJson(daemon, "formats/predbat")).toMatchObject({ raw_tomorrow: [] });
});

test("direction=export returns one list of export prices in every format, with the deductions of the home", async () => {
  const deductions = [{ name: "Supplier", per_kwh: 0.1 }];
  await using daemon = await startLocalApi({
    start: EVENING - 8 * HOUR_MS,
    config: {
      homes: [{ address_id: ADDRESS_ID, id: "home", resolution: "hour", export: { vat_factor: 1.25, deductions } }],
      ...thirdPartyWith([{ name: "Region", region: "DK1" }]),
    },
  });
  await daemon.clock.runUntil(EVENING);
  const spot = (await pricesOf(daemon, "?home=region&direction=export")).prices;
  const sold = (await pricesOf(daemon, "?home=home&direction=export")).prices;
  const priceAt = new Map(spot.map(({ start, price }) => [start, price]));
  expect(sold.length).toBeGreaterThan(24);
  const compared = sold.filter(({ start }) => priceAt.has(start));
  expect(compared.length).toBeGreaterThan(24);
  for (const { start, price } of compared) expect(price).toBeCloseTo((priceAt.get(start) ?? Number.NaN) - 0.1, 6);
  const ahead = sold.filter(({ end }) => Date.parse(end) > EVENING).map(({ price }) => price);
  const format = (name: string) => askJson(daemon, `formats/${name}?home=home&direction=export`);
  const rates = (await format("evcc")) as unknown as { value: number }[];
  const { prod_price_forecast: emhass } = await format("emhass");
  const days = sold.filter(({ estimate }) => !estimate).map(({ price }) => price);
  const { raw_today: today, raw_tomorrow: tomorrow } = (await format("energidataservice")) as Record<string, Raw[]>;
  expect(rates.map(({ value }) => value)).toEqual(ahead);
  expect(Object.values(emhass as Record<string, number>).slice(0, ahead.length)).toEqual(ahead);
  expect([...(today ?? []), ...(tomorrow ?? [])].map(({ price }) => price)).toEqual(days);
  for (const name of ["nordpool", "predbat"]) {
    const { raw_today: first, raw_tomorrow: second } = (await format(name)) as Record<string, Raw[]>;
    expect([...(first ?? []), ...(second ?? [])].map(({ value }) => value)).toEqual(days);
  }
  const unknown = await daemon.request("/local/v1/prices?home=home&direction=sideways");
  expect([unknown.status, await unknown.json()]).toMatchObject([400, { errorCode: "invalid_parameter" }]);
});

test("without charges and spot prices, the export prices are 503 with the reason", async () => {
  await using daemon = await startLocalApi({ start: EVENING - 8 * HOUR_MS, simulator: { homes: ["swedish"] } });
  await daemon.clock.runUntil(EVENING);
  const answer = await daemon.request("/local/v1/formats/predbat?direction=export");
  expect([answer.status, await answer.json()]).toMatchObject([
    503,
    { errorCode: "not_known", reason: expect.stringContaining("the service does not state its charges") },
  ]);
});
