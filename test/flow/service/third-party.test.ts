import { expect, test } from "vitest";
import { configSchema } from "../../../src/config/schema/schema.ts";
import { DAY_MS, HOUR_MS } from "../../../src/core/time/interval.ts";
import { TestDaemon, type TestDaemonOptions } from "../../support/daemon/test-daemon.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const PLACES = [
  { name: "Region", region: "DK1" },
  { name: "Sommerhus", latitude: 56.1, longitude: 10.2 },
  { name: "Flat", address: "Vesterbrogade 1" },
];

/** Starts a daemon whose third-party account has three places. */
function withPlaces(options: Partial<TestDaemonOptions> = {}): Promise<TestDaemon> {
  return TestDaemon.start({
    start: MORNING,
    ...options,
    config: {
      third_party: {
        api_key: "demo-partner",
        api_secret: "demo-partner-secret",
        hash_encoding: "hex",
        places: PLACES,
      },
      ...options.config,
    },
  });
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

test("every place has cheap, level and the start of the cheapest hours without configuration", async () => {
  await using daemon = await withPlaces();
  const { watcher, clock } = daemon;
  const seen = new Set<string>();
  for (let hour = 1; hour <= 30; hour++) {
    await clock.runUntil(MORNING + hour * HOUR_MS);
    await watcher.until(() => watcher.payload("elbro/region/cheap") !== null, "the signal");
    seen.add(watcher.payload("elbro/region/cheap") ?? "");
  }
  expect(seen).toEqual(new Set(["ON", "OFF"]));
  for (const id of ["region", "sommerhus", "flat"]) {
    const { cheapest } = watcher.json(`elbro/${id}/cheapest`) as { cheapest: { hours: number; start: string }[] };
    expect(cheapest.map(({ hours }) => hours)).toEqual([1, 2, 3, 4]);
    const values = watcher.json(`elbro/${id}/state`);
    expect(values.cheapest_hour).toBe(cheapest[0]?.start);
    expect(values.cheap).toBe(watcher.payload(`elbro/${id}/cheap`) === "ON");
    const { components } = watcher.json(`homeassistant/device/elbro_${id}/config`) as { components: object };
    expect(Object.keys(components)).toEqual(expect.arrayContaining(["cheap", "level", "cheapest_hour"]));
  }
});

test("a plug can follow the cheap signal of a place", async () => {
  const plug = { name: "Boiler", family: "tasmota", topic: "boiler", home: "region", signal: "cheap" };
  const { plugs } = configSchema.parse({ plugs: [plug] });
  await using daemon = await withPlaces({ config: { consumer: {} as never, plugs } });
  const { watcher, clock } = daemon;
  await clock.runUntil(MORNING + 2 * HOUR_MS);
  const state = () => watcher.json("elbro/plug/boiler/state");
  await watcher.until(() => String(state().reason).startsWith("the price at Region is "), "its reason");
  expect(state().wanted).toBe(watcher.payload("elbro/region/cheap") === "ON");
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

test("places work without a consumer key", async () => {
  await using daemon = await withPlaces({ config: { consumer: {} as never } });
  await daemon.clock.runUntil(MORNING + HOUR_MS);
  const { watcher } = daemon;
  await watcher.until(() => watcher.payload("elbro/region/spot") !== null, "the spot price of the region");
  expect(daemon.simulator.attempts("consumer").day.size).toBe(0);
  expect(watcher.json("elbro/info").problems).toEqual([]);
});
