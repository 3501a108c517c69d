import { expect, test } from "vitest";
import { pageDifferences } from "../../../src/config/page/page-differences.ts";
import { EMPTY_PAGE, type PageFile } from "../../../src/config/page/page-file.ts";
import { withoutReplaced, withPresentSecrets } from "../../../src/config/page/page-secrets.ts";

const page = (settings: PageFile["settings"]): PageFile => ({ ...EMPTY_PAGE, settings });

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
  const before = EMPTY_PAGE;
  const after: PageFile = {
    settings: { consumer: { api_key: "one" }, log: { level: "warn" }, mqtt: { url: "mqtt://a:b@c.test" } },
    plans: { car: { name: "Car", hours: 3 } },
    plugs: { lamp: { name: "Lamp", password: "word" } },
    servers: {},
  };
  const found = pageDifferences(owner, before, after);
  expect(found.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: "consumer.api_key", before: null, after: "(set)" },
    { path: "log.level", before: "info", after: "warn" },
    { path: "mqtt.url", before: null, after: "mqtt://(set)@c.test" },
    { path: "plans.car.hours", before: 2, after: 3 },
    { path: "plugs.lamp", before: null, after: { name: "Lamp", password: "(set)" } },
  ]);
});
