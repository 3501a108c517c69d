import { expect, test } from "vitest";
import { overlayDifferences } from "../../../src/config/overlay/overlay-differences.ts";
import { EMPTY_OVERLAY, type Overlay } from "../../../src/config/overlay/overlay-file.ts";
import { withoutReplaced, withPresentSecrets } from "../../../src/config/overlay/overlay-secrets.ts";

const page = (settings: Overlay["settings"]): Overlay => ({ ...EMPTY_OVERLAY, settings });

test("a replaced secret leaves a kept state, a removed one stays, and the present one takes its place", () => {
  const kept = page({
    consumer: { api_key: "one" },
    mqtt: { url: "mqtt://a:b@c.test", password: "word" },
    language: "da",
  });
  const now = page({ consumer: { api_key: "two" }, mqtt: { url: "mqtt://d.test" } });
  const without = withoutReplaced(kept, now);
  expect(JSON.stringify(without)).not.toMatch(/one|a:b/);
  expect(without.settings).toMatchObject({ mqtt: { password: "word" }, language: "da" });
  expect(withPresentSecrets(without, now)).toMatchObject({
    settings: { consumer: { api_key: "two" }, mqtt: { url: "mqtt://d.test", password: "word" }, language: "da" },
  });
  expect(withPresentSecrets(without, page({}))).toMatchObject([
    { path: "settings.consumer.api_key" },
    { path: "settings.mqtt.url" },
  ]);
});

test("differences are those of the effective configuration, without secrets", () => {
  const owner = { plans: [{ name: "Car", hours: 2 }], log: { level: "info" } };
  const before = EMPTY_OVERLAY;
  const after: Overlay = {
    settings: { consumer: { api_key: "one" }, log: { level: "warn" }, mqtt: { url: "mqtt://a:b@c.test" } },
    plans: { car: { name: "Car", hours: 3 } },
    plugs: { lamp: { name: "Lamp", password: "word" } },
    servers: {},
  };
  const found = overlayDifferences(owner, before, after);
  expect(found.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: "consumer.api_key", before: null, after: "(set)" },
    { path: "log.level", before: "info", after: "warn" },
    { path: "mqtt.url", before: null, after: "mqtt://(set)@c.test" },
    { path: "plans.car.hours", before: 2, after: 3 },
    { path: "plugs.lamp", before: null, after: { name: "Lamp", password: "(set)" } },
  ]);
});
