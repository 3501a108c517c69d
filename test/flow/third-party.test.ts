import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/core/interval.ts";
import { RunningHouse, type RunningHouseOptions } from "../support/running-house.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const PLACES = [
  { name: "Region", region: "DK1" },
  { name: "Sommerhus", latitude: 56.1, longitude: 10.2 },
  { name: "Flat", address: "Vesterbrogade 1" },
];

/** A house whose account of the third-party interface has three places. */
function withPlaces(options: Partial<RunningHouseOptions> = {}): Promise<RunningHouse> {
  return RunningHouse.start({
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

test("places by region, coordinates and address are shown, each found by Home Assistant", async () => {
  await using house = await withPlaces();
  await house.clock.runUntil(MORNING + HOUR_MS);
  const { watcher } = house;
  await watcher.until(() => watcher.payload("elbro/flat/spot") !== null, "the spot price of the flat");
  expect(Number(watcher.payload("elbro/region/spot"))).toBeGreaterThan(-5);
  expect(Number(watcher.payload("elbro/sommerhus/charges"))).toBeGreaterThan(0);
  expect(["green", "yellow", "red"]).toContain(watcher.payload("elbro/sommerhus/color"));
  expect(watcher.topics()).toEqual(
    expect.arrayContaining(["region", "sommerhus", "flat"].map((id) => `homeassistant/device/elbro_${id}/config`)),
  );
});

test("an address is looked up once, charges once a day and their history too, within a request in ten seconds", async () => {
  await using house = await withPlaces({ config: { homes: [] } });
  await house.clock.runUntil(MORNING + 2 * DAY_MS);
  const asked = house.simulator.answered().map(({ operation }) => operation);
  const count = (name: string) => asked.filter((operation) => operation === name).length;
  expect(count("addressSuggestions")).toBe(1);
  expect(count("charges")).toBe(3);
  expect(count("chargesHistory")).toBe(3);
  expect(count("requestCounts")).toBe(3);
  expect(count("addressPrices")).toBe(count("regionPrices"));
  expect(count("regionPrices")).toBeLessThanOrEqual(12);
  expect(Math.max(...house.simulator.attempts("thirdParty").minute.values())).toBeLessThanOrEqual(7);
});

test("works without a consumer key", async () => {
  await using house = await withPlaces({ config: { consumer: {} as never } });
  await house.clock.runUntil(MORNING + HOUR_MS);
  const { watcher } = house;
  await watcher.until(() => watcher.payload("elbro/region/spot") !== null, "the spot price of the region");
  expect(house.simulator.attempts("consumer").day.size).toBe(0);
  expect(watcher.json("elbro/info").problems).toEqual([]);
});
