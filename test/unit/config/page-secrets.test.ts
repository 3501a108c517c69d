import { expect, test } from "vitest";
import { parse } from "yaml";
import { pageDifferences } from "../../../src/config/page-differences.ts";
import { EMPTY_PAGE, type PageFile } from "../../../src/config/page-file.ts";
import { withoutReplaced, withoutSecrets, withPresentSecrets } from "../../../src/config/page-secrets.ts";

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

test("a text of page.yaml without secrets has none of any kind, and keeps everything else", () => {
  const secrets = [
    "settings:",
    "  notify: { topic_url: https://ntfy.sh/my-house, token: 4711, events: [plan_started] }",
    "  archive: { url: postgres://elbro:4711@localhost/elbro }",
    "  api: { keys: [{ name: kitchen, key: [4711, x4711] }], cors: [https://a:4711@panel.example, https://panel.example] }",
    "  home_assistant: { token: (replaced) }",
    "  mqtt: { password: null, username: ha }",
  ].join("\n");
  const open = withoutSecrets(secrets) ?? "";
  expect(open).not.toMatch(/4711|my-house/);
  expect(parse(open)).toEqual({
    settings: {
      notify: { events: ["plan_started"] },
      archive: {},
      api: { keys: [{ name: "kitchen", key: [] }], cors: ["https://panel.example"] },
      home_assistant: { token: "(replaced)" },
      mqtt: { password: null, username: "ha" },
    },
  });
  expect(withoutSecrets(open)).toBe(open);
  expect(withoutSecrets("settings: [")).toBeNull();
});
