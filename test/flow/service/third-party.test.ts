import { expect, test } from "vitest";
import { configSchema } from "../../../src/config/schema/schema.ts";
import { DAY_MS, HOUR_MS } from "../../../src/core/time/interval.ts";
import { TestDaemon, type TestDaemonOptions } from "../../support/daemon/test-daemon.ts";
import { thirdPartyWith } from "../../support/http/local-api.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const at = (text: string) => Date.parse(text);
const PLACES = [
  { name: "Region", region: "DK1" },
  { name: "Sommerhus", latitude: 56.1, longitude: 10.2 },
  { name: "Flat", address: "Vesterbrogade 1" },
];

/** Starts a daemon whose third-party account has three places. */
function withPlaces(options: Partial<TestDaemonOptions> = {}): Promise<TestDaemon> {
  return TestDaemon.start({ start: MORNING, ...options, config: { ...thirdPartyWith(PLACES), ...options.config } });
}

test("places by region, coordinates and address are published with discovery", async () => {
  await using daemon = await withPlaces();
  await daemon.clock.runUntil(MORNING + HOUR_MS);
  const { watcher } = daemon;
  await watcher.until(() => watcher.payload("elbro/flat/spot") !== null, "the spot price of the flat");
  expect(Number(watcher.payload("elbro/region/spot"))).toBeGreaterThan(-5);
  expect(Number(watcher.payload("elbro/sommerhus/charges"))).toBeGreaterThan(0);
  expect(["green", "yellow", "red"]).toContain(watcher.payload("elbro/sommerhus/color"));
  expect(watcher.topics()).toEqual(
    expect.arrayContaining(["region", "sommerhus", "flat"].map((id) => `homeassistant/device/elbro_${id}/config`)),
  );
});

test("without a consumer key, plugs follow a place, but no price that cannot be right before a second answer states it too", async () => {
  const followed = { family: "tasmota", home: "region", signal: "cheap" } as const;
  const { plugs } = configSchema.parse({
    plugs: [
      { ...followed, name: "Freezer", topic: "freezer", when_lost: "on" },
      { ...followed, name: "Boiler", topic: "boiler", when_lost: "off" },
    ],
  });
  await using daemon = await withPlaces({
    start: at("2026-03-09T09:00:00Z"),
    config: { consumer: {} as never, plugs },
  });
  const { watcher, clock } = daemon;
  const problems = () => (watcher.json("elbro/info") as { problems: { code: string; subject: string }[] }).problems;
  const doubted = () => problems().filter(({ code }) => code === "implausible_price");
  const reaches = () => (watcher.json("elbro/region/prices") as { prices: { start: string }[] }).prices.at(-1)?.start;
  const wanted = () => ["freezer", "boiler"].map((id) => watcher.json(`elbro/plug/${id}/state`).wanted);
  for (let days = 1; days <= 15; days++) {
    clock.leap(MORNING + days * DAY_MS - HOUR_MS);
    await clock.runUntil(MORNING + days * DAY_MS);
  }
  await clock.runUntil(at("2026-03-25T18:00:00Z"));
  const { wanted: isWanted, reason } = watcher.json("elbro/plug/boiler/state");
  expect(reason).toMatch(/^the price at Region is /);
  expect(isWanted).toBe(watcher.payload("elbro/region/cheap") === "ON");
  expect([daemon.simulator.attempts("consumer").day.size, doubted()]).toEqual([0, []]);
  const wrong = { operation: "regionPrices", fault: "wrongRows" } as const;
  const ofDay = (day: string) => ({ rowsFrom: at(`${day}T00:00:00+01:00`), rowsTo: at(`${day}T24:00:00+01:00`) });
  daemon.simulator.setFaults([
    // The recheck at 20:02 has a wrong hour of today, and one of tomorrow, of which the next answer is at 00:20.
    { ...wrong, factor: 1_000, rowsFrom: at("2026-03-25T20:00:00Z"), rowsTo: at("2026-03-25T21:00:00Z") },
    { ...wrong, factor: 1_000, rowsFrom: at("2026-03-26T10:00:00Z"), rowsTo: at("2026-03-26T11:00:00Z") },
    // Tomorrow comes in the hundredth of the currency, and is corrected at 13:40.
    { ...wrong, factor: 100, ...ofDay("2026-03-27"), to: at("2026-03-26T12:40:00Z") },
    // The day after it really is a hundredth, which a second answer says, too.
    { ...wrong, factor: 0.01, ...ofDay("2026-03-28") },
  ]);
  await clock.runUntil(at("2026-03-25T19:55:00Z"));
  expect(doubted()).toEqual([expect.objectContaining({ subject: 'third_party regionPrices {"region":"DK1"} values' })]);
  expect(watcher.payload("elbro/region/price")).not.toBe(null);
  await clock.runUntil(at("2026-03-25T20:05:00Z"));
  expect([watcher.payload("elbro/region/price"), watcher.payload("elbro/region/cheap")]).toEqual([null, "OFF"]);
  expect(wanted()).toEqual([true, false]);
  await clock.runUntil(at("2026-03-25T21:05:00Z"));
  expect(watcher.payload("elbro/region/price")).not.toBe(null);
  await clock.runUntil(at("2026-03-26T10:05:00Z"));
  expect(Number(watcher.payload("elbro/region/price"))).toBeGreaterThan(50);
  await clock.runUntil(at("2026-03-26T12:35:00Z"));
  expect([doubted().length, reaches()]).toEqual([1, "2026-03-26T22:00:00Z"]);
  await clock.runUntil(at("2026-03-26T13:15:00Z"));
  expect([doubted().length, reaches()]).toEqual([0, "2026-03-27T22:00:00Z"]);
  await clock.runUntil(at("2026-03-27T14:15:00Z"));
  expect([doubted().length, reaches()]).toEqual([0, "2026-03-28T22:00:00Z"]);
});

test("an address is looked up once, charges and their history once a day, with one request in 10 s", async () => {
  await using daemon = await withPlaces({ config: { homes: [] } });
  await daemon.clock.runUntil(MORNING + 2 * DAY_MS);
  const asked = daemon.simulator.answered().map(({ operation }) => operation);
  const count = (name: string) => asked.filter((operation) => operation === name).length;
  expect(count("addressSuggestions")).toBe(1);
  expect(count("charges")).toBe(3);
  expect(count("chargesHistory")).toBe(3);
  expect(count("requestCounts")).toBe(3);
  // One more or less if tomorrow's prices are published between the two.
  expect(Math.abs(count("addressPrices") - count("regionPrices"))).toBeLessThanOrEqual(1);
  expect(count("regionPrices")).toBeLessThanOrEqual(12);
  expect(Math.max(...daemon.simulator.attempts("thirdParty").minute.values())).toBeLessThanOrEqual(7);
});
