import { describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config/reading/load.ts";
import { sizeWarnings } from "../../../src/config/reading/load-config-file.ts";
import { mistakesIn } from "../../support/sources/config-mistakes.ts";

const FLEET = "accounts_dir: ./accounts\nmqtt: { url: mqtt://host }\n";

function shardOf(text: string, environment: Record<string, string> = {}, hostname = "host") {
  const reading = readConfig({ text, environment, readFile: () => "", hostname });
  return reading.kind === "config" ? (reading.config.shard ?? null) : mistakesIn(reading);
}

describe("the shard of a process", () => {
  test.each([
    ["shard: { index: 3, count: 8 }", {}, "host", { index: 3, count: 8 }],
    ["", { ELBRO_SHARD: "3/8" }, "host", { index: 3, count: 8 }],
    ["shard: { index: 1, count: 2 }", { ELBRO_SHARD: "0/2" }, "elbro-7", { index: 0, count: 2 }],
    ["shard: { count: 8 }", {}, "elbro-3", { index: 3, count: 8 }],
    ["", { ELBRO_SHARD_COUNT: "8" }, "elbro-7.elbro.svc.cluster.local", { index: 7, count: 8 }],
    ["shard: { index: 0, count: 1 }", {}, "elbro-3", { index: 0, count: 1 }],
    ["", {}, "elbro-3", null],
  ])(
    "the shard of a process is read from file %s, environment %j or hostname %s as %j",
    (text, environment, hostname, expected) => {
      expect(shardOf(FLEET + text, environment, hostname)).toEqual(expected);
    },
  );

  test.each([
    ["shard: { count: 8 }", "host", "shard.index", "expected a number, or a hostname that ends in a number"],
    ["shard: { count: 8 }", "elbro-8", "shard.index", "expected less than count (8)"],
    ["shard: { index: 8, count: 8 }", "host", "shard.index", "expected less than count (8)"],
    ["shard: three", "host", "shard", "expected keys and values"],
    ["shard: { index: -1, count: 8 }", "host", "shard.index", "expected at least 0"],
  ])("the shard of a process is rejected for %s on %s", (text, hostname, path, found) => {
    expect(shardOf(FLEET + text, {}, hostname)).toMatchObject([{ path, text: expect.stringContaining(found) }]);
  });

  test("the shard of a process requires accounts_dir and a shared broker", () => {
    expect(shardOf("consumer: { api_key: k }\nshard: { index: 0, count: 2 }")).toMatchObject([
      { path: "accounts_dir", text: "is required with shard; found nothing" },
      { path: "mqtt.url", text: "is required with shard, because all shards share one broker; found nothing" },
    ]);
  });
});

test("accounts_dir excludes accounts in the configuration itself", () => {
  const found = shardOf(`${FLEET}consumer: { api_key: k }\nplans: [{ name: A, home: h, kind: slots, hours: 1 }]`);
  expect(found).toMatchObject([{ path: "consumer" }, { path: "plans" }]);
});

test("more accounts than one process serves well are a warning", () => {
  const accounts = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `a${i}`, api_key: "key" }));
  expect(sizeWarnings({ consumer: accounts(100) })).toEqual([]);
  expect(sizeWarnings({ consumer: accounts(101) })).toEqual([
    "101 accounts: a process serves up to 100 homes; share more between shards (docs/fleet.md)",
  ]);
});
