import { expect, test } from "vitest";
import { configSchema } from "../../../src/config/schema/schema.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { demoHomes } from "../../../src/simulator/homes.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";

const EVENING = Date.parse("2026-03-10T20:00:00Z");
const MIDNIGHT = Date.parse("2026-03-10T23:00:00Z");
const AWAY = [{ operation: "*", fault: "status", status: 502 }] as const;

/**
 * Simulates a night without confirmed prices. Returns signal, plug and level for each hour, and the plug's reasons.
 */
async function night(): Promise<{ signal: string; plug: string; level: string; reasons: Set<string> }> {
  const config = configSchema.parse({
    homes: [{ address_id: demoHomes.danish.address.id, id: "home" }],
    plugs: [{ name: "Boiler", family: "tasmota", topic: "boiler", home: "home", signal: "cheap" }],
  });
  const { homes, plugs } = config;
  // Today's prices are stored; tomorrow's never arrive.
  await using it = await TestDaemon.start({ start: EVENING - 12 * HOUR_MS, config: { homes, plugs } });
  await it.clock.runUntil(EVENING - 10 * HOUR_MS);
  it.simulator.setFaults([...AWAY]);
  const shown = { signal: "", plug: "", level: "", reasons: new Set<string>() };
  for (let hour = 0; hour < 16; hour++) {
    const at = MIDNIGHT + hour * HOUR_MS + MINUTE_MS;
    await it.clock.runUntil(at);
    const state = () =>
      it.watcher.json("elbro/home/price/state") as { start: string; estimate: boolean; level: string };
    await it.watcher.until(() => Date.parse(state().start) === at - MINUTE_MS, "the price of the hour");
    const { estimate, level } = state();
    expect(estimate).toBe(true);
    const plug = () => it.watcher.json("elbro/plug/boiler/state") as { wanted: boolean; reason: string };
    await it.watcher.until(() => plug().reason.includes(level), "the plug's reason");
    shown.signal += it.watcher.payload("elbro/home/cheap") === "ON" ? "#" : ".";
    shown.plug += plug().wanted ? "#" : ".";
    shown.level += level.endsWith("cheap") ? "#" : ".";
    shown.reasons.add(plug().reason);
  }
  return shown;
}

test("cheap and a plug that follows it are never ON because of an estimate, with that reason", async () => {
  const { signal, plug, level, reasons } = await night();
  expect(level).toMatch(/#/);
  expect([signal, plug]).toEqual([".".repeat(16), ".".repeat(16)]);
  for (const reason of reasons)
    expect(reason).toMatch(/^the price at .* is \w+ based on an estimate, and only a confirmed price switches on$/);
});
