import { describe, expect, test } from "vitest";
import { type AttributeFormat, attributeFormats } from "../../src/core/home-snapshot.ts";
import { HOUR_MS } from "../../src/core/interval.ts";
import { assertDiscovery } from "../support/discovery-validator.ts";
import { TempDir } from "../support/temp-dir.ts";
import { TestDaemon } from "../support/test-daemon.ts";

/** The most of attributes that Home Assistant's recorder keeps. */
const MOST_BYTES = 16_384;

function configOf(addressId: string, format?: AttributeFormat) {
  const home = { address_id: addressId, id: "home", resolution: "fifteenMinutes" as const };
  return { homes: [{ ...home, ...(format ? { format } : {}) }] };
}

const retained = (house: TestDaemon) =>
  house.watcher.topics().map((topic) => ({ topic, payload: house.watcher.payload(topic) ?? "" }));

describe("prices for another program, over MQTT", () => {
  test.each(attributeFormats)(
    "%s: an entity with attributes that Home Assistant keeps, on the 100-quarter day",
    async (format) => {
      const noon = Date.parse("2026-10-24T10:00:00Z");
      const addressId = await danishId(noon);
      await using house = await TestDaemon.start({
        start: noon,
        simulator: { homes: ["danish"], publicationDelayMinutes: () => 0 },
        config: configOf(addressId, format),
      });
      for (const at of [noon + 6 * HOUR_MS, noon + 30 * HOUR_MS]) {
        await house.clock.runUntil(at);
        await house.watcher.until(() => house.watcher.json("elbro/home/prices").tomorrow_valid === true, "tomorrow");
        const payload = house.watcher.payload("elbro/home/format") ?? "";
        expect(Buffer.byteLength(payload)).toBeGreaterThan(5_000);
        expect(Buffer.byteLength(payload)).toBeLessThan(MOST_BYTES - 500);
        assertDiscovery(retained(house));
        const document = house.watcher.json("homeassistant/device/elbro_home/config") as {
          components: Record<string, Record<string, unknown>>;
        };
        expect(document.components.price_list).toMatchObject({
          platform: "sensor",
          json_attributes_topic: "elbro/home/format",
          unit_of_measurement: "DKK/kWh",
        });
      }
    },
  );

  test("another format takes the place of the one before; without one the entity is gone", async () => {
    using dir = new TempDir();
    const start = Date.parse("2026-03-10T09:00:00Z");
    const addressId = await danishId(start);
    await using house = await TestDaemon.start({
      start,
      dir,
      simulator: { homes: ["danish"] },
      config: configOf(addressId, "nordpool"),
    });
    await house.watcher.until(() => house.watcher.payload("elbro/home/format") !== null, "the format");
    expect(house.watcher.json("elbro/home/format")).toHaveProperty("raw_today");
    expect(house.watcher.json("elbro/home/format")).toMatchObject({ region: "DK1", country: "Denmark" });
    await house.stopDaemon();
    await house.startDaemon(configOf(addressId, "emhass"));
    await house.watcher.until(() => "load_cost_forecast" in house.watcher.json("elbro/home/format"), "EMHASS");
    await house.stopDaemon();
    await house.startDaemon(configOf(addressId));
    await house.watcher.until(
      () => house.watcher.payload("homeassistant/device/elbro_home/config") !== null,
      "the home",
    );
    await house.clock.settle();
    expect(house.watcher.payload("elbro/home/format")).toBeNull();
    expect(house.watcher.payload("homeassistant/device/elbro_home/config")).not.toContain("price_list");
  });
});

/** The id of the simulator's home, which is the same in every one. */
async function danishId(start: number): Promise<string> {
  await using house = await TestDaemon.start({ start, simulator: { homes: ["danish"] } });
  return house.simulator.addressIds.danish;
}
