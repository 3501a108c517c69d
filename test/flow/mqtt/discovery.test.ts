import { expect, test } from "vitest";
import { HOUR_MS } from "../../../src/core/time/interval.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { assertDiscovery } from "../../support/home/discovery-validator.ts";

test("over the day of 100 quarters, all discovery documents and states are valid for Home Assistant", async () => {
  const start = Date.parse("2026-10-24T09:00:00Z");
  await using daemon = await TestDaemon.start({ start });
  const { clock, watcher } = daemon;
  const tree = () => watcher.topics().map((topic) => ({ topic, payload: watcher.payload(topic) ?? "" }));
  for (const hours of [1, 6, 13, 14, 20, 30, 40]) {
    await clock.runUntil(start + hours * HOUR_MS);
    const now = clock.now();
    await watcher.until(() => {
      const { start: from, end: to } = watcher.json("elbro/home/price/state");
      return Date.parse(String(from)) <= now && now < Date.parse(String(to));
    }, `the price of hour ${hours}`);
    assertDiscovery(tree());
  }
  expect(watcher.topics().filter((topic) => topic.startsWith("homeassistant/"))).toEqual(
    ["elbro", "elbro_home", "elbro_stugan"].map((id) => `homeassistant/device/${id}/config`),
  );
  expect(watcher.json("elbro/home/usage").consumption_date).toBe("2026-10-24");
});
