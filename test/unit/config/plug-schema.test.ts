import { describe, expect, test } from "vitest";
import { entryId } from "../../../src/config/entry-list.ts";
import { expressionWarnings, plugWarnings } from "../../../src/config/plug-warnings.ts";
import { readConfig } from "../../../src/config/reading/load.ts";
import { whenLostOfPlug } from "../../../src/config/schema/plug-schema.ts";
import { mistakeLines } from "../../support/sources/config-mistakes.ts";

function read(text: string) {
  return readConfig({ text, environment: {}, readFile: () => "" });
}

/** Plans that plugs may follow. */
const PLANS = `plans:\n${["p", "a", "washer"].map((id) => `  - { name: ${id}, home: home, kind: avoid, hours: 1 }\n`).join("")}`;

/** Returns the mistakes of one plug, given as the inside of a YAML map. */
function mistakesOf(...plugs: string[]): string[] {
  return mistakesIn(`${PLANS}plugs:\n${plugs.map((plug) => `  - { ${plug} }\n`).join("")}`);
}

function mistakesIn(text: string): string[] {
  const reading = read(text);
  return mistakeLines(reading);
}

const CHEAP = "home: home, signal: cheap";

test("a plug requires a name, a family, a topic and a signal; other keys have defaults", () => {
  const reading = read(`plugs:\n  - { name: Water heater, family: tasmota, topic: heater, ${CHEAP} }`);
  const [plug] = reading.kind === "config" ? reading.config.plugs : [];
  expect(plug).toEqual({
    name: "Water heater",
    family: "tasmota",
    topic: "heater",
    home: "home",
    signal: "cheap",
    override: "respect",
    inverted: false,
    min_on: 0,
    min_off: 0,
  });
  expect(plug && entryId(plug)).toBe("water_heater");
});

test.each([
  `name: A, family: shelly_gen1, topic: shellyplug-s-1, plan: washer, override: enforce, min_on: 10, min_off: 5`,
  `name: A, family: shelly_gen2, topic: shelly-2, channel: 1, ${CHEAP}`,
  `name: A, family: zigbee2mqtt, topic: Kitchen plug, channel: left, signal_topic: house/boost`,
  `name: A, family: esphome, topic: boiler, channel: relay, ${CHEAP}`,
  `name: A, family: tasmota, topic: home/%prefix%/heater, ${CHEAP}`,
  `name: A, family: shelly_gen3, url: "http://192.168.1.7", inverted: true, when_lost: on, ${CHEAP}`,
  `name: A, family: tasmota, url: "http://heater.lan:8080/", channel: 2, when_lost: keep, ${CHEAP}`,
  `name: A, family: homeassistant, entity: switch.washer, power: { entity: sensor.washer }, ${CHEAP}`,
  `name: A, family: homeassistant, entity: number.charger, values: { on: 16, off: 0 }, ${CHEAP}`,
  `name: A, family: custom, on: { topic: p, payload: "on {seconds}" }, off: { topic: p, payload: "" }, state: { topic: s, key: a.b, on: [on, warm], off: off }, availability: { topic: s, online: "/^on/", offline: [off] }, plan: a`,
])("a plug is valid with %s", (plug) => {
  expect(mistakesOf(plug)).toEqual([]);
});

const plugsOf = (text: string) => {
  const reading = read(text);
  if (reading.kind !== "config") throw new Error(JSON.stringify(reading.mistakes));
  return reading.config;
};

describe("when_lost", () => {
  const plans = `plans:
  - { name: Freezer, home: home, kind: avoid, hours: 1 }
  - { name: Washer, home: home, kind: slots, hours: 1 }
  - { name: Boiler, home: home, kind: avoid, hours: 1, when_lost: keep }
`;

  test("when_lost is the plug's own value, otherwise its plan's, otherwise OFF", () => {
    const config = plugsOf(`${plans}plugs:
  - { name: A, family: tasmota, topic: a, plan: freezer }
  - { name: B, family: tasmota, topic: b, plan: washer }
  - { name: C, family: tasmota, topic: c, plan: boiler }
  - { name: D, family: tasmota, topic: d, plan: freezer, when_lost: off }
  - { name: E, family: tasmota, topic: e, ${CHEAP} }
`);
    expect(config.plugs.map((plug) => whenLostOfPlug(plug, config.plans))).toEqual(["on", "off", "keep", "off", "off"]);
    expect(plugWarnings(config.plugs, config.plans)).toEqual([]);
  });

  test("when_lost is reported by `check` for plugs that cannot implement it", () => {
    const config = plugsOf(`${plans}plugs:
  - { name: A, family: zigbee2mqtt, topic: a, plan: freezer }
  - { name: B, family: zigbee2mqtt, topic: b, plan: washer }
  - { name: C, family: shelly_gen1, topic: c, plan: washer }
  - { name: D, family: shelly_gen1, url: "http://d", plan: freezer }
  - { name: E, family: zigbee2mqtt, topic: e, plan: freezer, inverted: true }
  - { name: F, family: esphome, topic: f, channel: r, plan: boiler }
`);
    const mistake = (name: string, family: string, state: string) =>
      `plugs: ${name} (${family}) cannot end an ${state} by itself: if elbro fails, it stays ${state}; see docs/plugs.md`;
    expect(plugWarnings(config.plugs, config.plans)).toEqual([
      mistake("A", "zigbee2mqtt", "OFF"),
      mistake("C", "shelly_gen1", "ON"),
    ]);
  });
});

test("a regular expression of an earlier version is a warning that shows the new line, or what to write", () => {
  const config = plugsOf(`plugs:
  - { name: A, family: custom, on: { topic: p, payload: "1" }, off: { topic: p, payload: "0" }, signal_topic: s,
      state: { topic: s, on: "/^(on|true|1)$/i", off: off }, availability: { topic: s, online: "/^up/", offline: down } }
`);
  expect(expressionWarnings(config.plugs)).toEqual([
    'plugs[0].state.on: /^(on|true|1)$/i is used as a list of payloads; write on: ["on", "true", "1"]',
    expect.stringMatching(/^plugs\[0\]\.availability\.online: \/\^up\/ is not used, and the plug follows when_lost: /),
  ]);
});

test("a home that only an account may know is no mistake", () => {
  const unnamed = "homes:\n  - { address_id: 0a0a0a0a-0000-4000-8000-000000000003 }\n";
  const plug = "name: A, family: tasmota, topic: b, signal: cheap, home: summerhouse";
  expect(mistakesIn(`${unnamed}plugs:\n  - { ${plug} }\n`)).toEqual([]);
  expect(mistakesOf(plug)).toEqual([]);
  const places = "third_party:\n  places: [{ name: Summer House, region: DK1 }]\n";
  const plan = "plans:\n  - { name: W, home: house, kind: avoid, hours: 1 }\n";
  expect([mistakesIn(`consumer: { api_key: a }\n${places}${plan}`), mistakesIn(plan)]).toEqual([[], []]);
});
