import { expect, test } from "vitest";
import { HOUR_MS } from "../../../src/core/time/interval.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { assertDiscovery } from "../../support/home/discovery-validator.ts";
import { changesSince } from "../../support/home/state-changes.ts";

/** In the 27 hours from midnight, a value of the current interval and its attributes change in each quarter-hour. */
const MAX_CHANGES = 2 * 4 * 27 + 4;
/** The fetched history, which ends at 100 %. All else about the daemon changes with a problem or a start. */
const HISTORY = "elbro-backfill";

test("over the day of 100 quarters, all discovery documents and states are valid for Home Assistant", async () => {
  const start = Date.parse("2026-10-24T09:00:00Z");
  await using daemon = await TestDaemon.start({ start });
  const { clock, watcher } = daemon;
  const tree = () => watcher.topics().map((topic) => ({ topic, payload: watcher.payload(topic) ?? "" }));
  let midnight = 0;
  for (const hours of [1, 6, 13, 14, 20, 30, 40]) {
    if (hours === 14) midnight = watcher.seen.length;
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
  const changes = [...changesSince(midnight, watcher.seen)];
  expect(changes.filter(([, count]) => count > MAX_CHANGES)).toEqual([]);
  const ofDaemon = changes.filter(([id]) => id.startsWith("elbro-") && id !== HISTORY);
  expect(ofDaemon.length).toBeGreaterThan(3);
  expect(ofDaemon.filter(([, count]) => count > 0)).toEqual([]);
  expect(new Map(changes).get("elbro_home-price")).toBeGreaterThan(90);
});
