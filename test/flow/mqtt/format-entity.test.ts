import { describe, expect, test } from "vitest";
import { type AttributeFormat, attributeFormats } from "../../../src/core/prices/home-snapshot.ts";
import { HOUR_MS } from "../../../src/core/time/interval.ts";
import { demoHomes } from "../../../src/simulator/homes.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { assertDiscovery } from "../../support/home/discovery-validator.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

/** Maximum size of attributes in Home Assistant's recorder. */
const MAX_BYTES = 16_384;
/** What a home may cost the recorder in a day. */
const MAX_DAY_BYTES = 300_000;
/** Estimate for a row of its table of states, with the indexes. */
const STATE_BYTES = 200;

function configOf(format?: AttributeFormat) {
  const home = { address_id: demoHomes.danish.address.id, id: "home", resolution: "fifteenMinutes" as const };
  return { homes: [{ ...home, ...(format ? { format } : {}) }] };
}

const retained = (daemon: TestDaemon) =>
  daemon.watcher.topics().map((topic) => ({ topic, payload: daemon.watcher.payload(topic) ?? "" }));

describe("prices for another program over MQTT", () => {
  test.each(attributeFormats)(
    "%s: the entity's attributes are within Home Assistant's limit on the 100-quarter day",
    async (format) => {
      const noon = Date.parse("2026-10-24T10:00:00Z");
      await using daemon = await TestDaemon.start({
        start: noon,
        simulator: { homes: ["danish"], publicationDelayMinutes: () => 0 },
        config: configOf(format),
      });
      for (const at of [noon + 6 * HOUR_MS, noon + 30 * HOUR_MS]) {
        await daemon.clock.runUntil(at);
        await daemon.watcher.until(() => daemon.watcher.json("elbro/home/prices").tomorrow_valid === true, "tomorrow");
        const payload = daemon.watcher.payload("elbro/home/format") ?? "";
        expect(Buffer.byteLength(payload)).toBeGreaterThan(5_000);
        expect(Buffer.byteLength(payload)).toBeLessThan(MAX_BYTES - 500);
        assertDiscovery(retained(daemon));
        const document = daemon.watcher.json("homeassistant/device/elbro_home/config") as {
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

  test("the enabled entities of a home with a list cost Home Assistant's recorder at most MAX_DAY_BYTES a day", async () => {
    const start = Date.parse("2026-06-10T09:00:00Z");
    await using daemon = await TestDaemon.start({
      start,
      simulator: { homes: ["danish"] },
      config: configOf("nordpool"),
    });
    await daemon.clock.runUntil(start + 24 * HOUR_MS);
    await daemon.watcher.until(() => daemon.watcher.json("elbro/home/prices").tomorrow_valid === false, "the next day");
    const { components } = daemon.watcher.json("homeassistant/device/elbro_home/config") as {
      components: Record<string, Record<string, string | boolean>>;
    };
    const enabled = Object.entries(components).filter(([, { enabled_by_default }]) => enabled_by_default !== false);
    const changesOf = (topic: unknown, part: (payload: string) => string) => {
      const parts = daemon.watcher.seen
        .filter((each) => each.topic === topic && each.payload !== "")
        .map((each) => part(each.payload));
      return parts.filter((each, i) => each !== parts[i - 1]);
    };
    const bytes = enabled.map(([key, { state_topic, json_attributes_topic, json_attributes_template }]) => {
      const states = changesOf(state_topic, (payload) =>
        JSON.stringify((JSON.parse(payload) as Record<string, unknown>)[key]),
      );
      const attributes = json_attributes_template ? [] : changesOf(json_attributes_topic, (payload) => payload);
      return (
        STATE_BYTES * (states.length + attributes.length) +
        [...new Set(attributes)].reduce((sum, text) => sum + text.length, 0)
      );
    });
    const day = bytes.reduce((sum, each) => sum + each, 0);
    expect(enabled.map(([key]) => key)).toContain("price_list");
    expect(day).toBeGreaterThan(3 * MAX_BYTES);
    expect(day).toBeLessThan(MAX_DAY_BYTES);
  });

  test("another format replaces the previous one; without one the entity is removed", async () => {
    using dir = new TempDir();
    const start = Date.parse("2026-03-10T09:00:00Z");
    await using daemon = await TestDaemon.start({
      start,
      dir,
      simulator: { homes: ["danish"] },
      config: configOf("nordpool"),
    });
    await daemon.watcher.until(() => daemon.watcher.payload("elbro/home/format") !== null, "the format");
    expect(daemon.watcher.json("elbro/home/format")).toHaveProperty("raw_today");
    expect(daemon.watcher.json("elbro/home/format")).toMatchObject({ region: "DK1", country: "Denmark" });
    await daemon.restart(configOf("emhass"));
    await daemon.watcher.until(() => "load_cost_forecast" in daemon.watcher.json("elbro/home/format"), "EMHASS");
    await daemon.restart(configOf());
    await daemon.watcher.until(
      () => daemon.watcher.payload("homeassistant/device/elbro_home/config") !== null,
      "the home",
    );
    await daemon.clock.settle();
    expect(daemon.watcher.payload("elbro/home/format")).toBeNull();
    expect(daemon.watcher.payload("homeassistant/device/elbro_home/config")).not.toContain("price_list");
  });
});
