/** Tests the recipes of docs/plugs.md for devices without a family, with emulated devices. */
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readConfig } from "../../../src/config/reading/load.ts";
import type { PlugConfig } from "../../../src/config/schema/plug-schema.ts";
import type { Wanted } from "../../../src/core/plugs/plug-types.ts";
import { type Problem, Problems } from "../../../src/core/status/problem.ts";
import { MINUTE_MS, QUARTER_MS } from "../../../src/core/time/interval.ts";
import type { PlugManager } from "../../../src/plugs/plug-manager.ts";
import { pageText } from "../../support/docs/docs-pages.ts";
import { EmulatedPlug } from "../../support/plugs/emulated-plug.ts";
import type { Firmware, Order } from "../../support/plugs/firmware-emulators.ts";
import { openPlugs } from "../../support/plugs/plug-manager.ts";

const T0 = Date.UTC(2026, 2, 10, 12);

function recipeOf(name: string): PlugConfig {
  const examples = [...pageText("docs/plugs.md").matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = ""]) => text);
  const text = examples.find((each) => (parse(each) as { plugs?: { name: string }[] }).plugs?.[0]?.name === name);
  const reading = readConfig({ text: text ?? "", environment: {}, readFile: () => "" });
  const plug = reading.kind === "config" ? reading.config.plugs[0] : undefined;
  if (!plug) throw new Error(`no recipe ${name} in docs/plugs.md`);
  return plug;
}

const fresh = (topic: string, payload: string) => ({ topic, payload, retain: false });

/**
 * Source: OpenBK7231T_App, docs/mqttTopics.md, docs/commands.md, and src/cmnds/cmd_repeatingEvents.c:
 * addRepeatingEventID <seconds> <times> <id> <command>, cancelRepeatingEvent <id>.
 */
const openBeken: Firmware = {
  setup: { family: "custom" },
  hasTimer: true,
  hasOffTimer: true,
  listens: ["cmnd/obk_3A7C11F0/backlog", "obk_3A7C11F0/1/get"],
  online: fresh("obk_3A7C11F0/connected", "online"),
  offline: fresh("obk_3A7C11F0/connected", "offline"),
  state: (on) => [fresh("obk_3A7C11F0/1/get", on ? "1" : "0")],
  understand(topic, payload): Order | null {
    if (topic.endsWith("/get")) return payload === "" ? { tells: true } : null;
    const commands = payload.split(";").map((each) => each.trim().split(" "));
    const set = commands.find(([word]) => word === "setChannel");
    const event = commands.find(([word]) => word === "addRepeatingEventID");
    if (set?.[1] !== "1") return null;
    const timer = event && event[2] === "1" && event[4] === "setChannel" ? { timerSec: Number(event[1]) } : {};
    return { set: set[2] === "1", tells: false, ...timer };
  },
  foreignOn: { topic: "obk_3A7C11F0/1/set", payload: "1" },
};

/** Source: Homey's MQTT Hub, Homie convention: <root>/<device>/<capability> and …/set. */
const homey: Firmware = {
  setup: { family: "custom" },
  hasTimer: false,
  hasOffTimer: false,
  listens: ["homey/homey-pro/socket/onoff/set"],
  online: fresh("-", ""),
  offline: fresh("-", ""),
  state: (on) => [fresh("homey/homey-pro/socket/onoff", String(on))],
  understand: (_topic, payload) => ({ set: payload === "true", tells: false }),
  foreignOn: { topic: "homey/homey-pro/socket/onoff/set", payload: "true" },
};

test.each([
  ["Aquarium", openBeken],
  ["Homey socket", homey],
] as const)("%s gets OFF, ON in its run with renewals, and OFF at its end", (name, firmware) => {
  const device = new EmulatedPlug(firmware, { powerOn: "off", on: true });
  const problems: Problem[] = [];
  let now = T0;
  let wanted: Wanted = { on: false, until: null };
  const plugs: PlugManager = openPlugs({
    plugs: [recipeOf(name)],
    publishOnce(topic, payload) {
      expect(firmware.listens).toContain(topic);
      for (const said of device.receive(topic, payload, now)) plugs.onMessage({ ...said, retained: false });
      return true;
    },
    wanted: () => wanted,
    whenLost: () => "off",
    problems: new Problems((problem, state) => state === "started" && problems.push(problem)),
  });
  const runUntil = (end: number): void => {
    for (; now <= end; now += 1_000) {
      for (const said of device.tick(now)) plugs.onMessage({ ...said, retained: false });
      plugs.tick(now);
    }
  };
  plugs.onUp();
  runUntil(T0 + MINUTE_MS);
  expect([device.on, plugs.snapshots()[0]?.on]).toEqual([false, false]);
  const end = T0 + 3 * QUARTER_MS;
  wanted = { on: true, until: end };
  runUntil(end - 1_000);
  expect([device.on, problems]).toEqual([true, []]);
  expect(device.timerAt).toBe(firmware.hasTimer ? end + 150_000 : null);
  if (firmware.hasTimer) {
    device.tick(end + 150_000);
    expect(device.on).toBe(false);
    return;
  }
  wanted = { on: false, until: null };
  runUntil(end + MINUTE_MS);
  expect(device.on).toBe(false);
});
