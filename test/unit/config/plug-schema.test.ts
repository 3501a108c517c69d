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

describe("a mistake is reported with its place:", () => {
  test.each([
    [
      "name: A, family: hue, topic: a, plan: p",
      /^plugs\[0\].family: expected one of tasmota, .*custom, found "hue"; .*Home Assistant/,
    ],
    [`name: A, family: tasmota, ${CHEAP}`, /^plugs\[0\].topic: expected the device's Topic; .*found nothing$/],
    [
      `name: A, family: esphome, topic: b, ${CHEAP}`,
      /^plugs\[0\].channel: expected the switch's object id.*found nothing$/,
    ],
    [
      `name: A, family: shelly_gen2, topic: b, channel: left, ${CHEAP}`,
      /^plugs\[0\].channel: expected number of the switch, from 0; found "left"$/,
    ],
    [
      "name: A, family: tasmota, topic: b",
      /^plugs\[0\].plan: expected one of plan, signal with home, or signal_topic, found none$/,
    ],
    [`name: A, family: tasmota, topic: b, plan: p, ${CHEAP}`, /^plugs\[0\].plan: expected one of .*found 2$/],
    ["name: A, family: tasmota, topic: b, signal: cheap", /^plugs\[0\].home: expected the id of a home with signal/],
    [
      "name: A, family: tasmota, topic: b, signal_topic: a/#",
      /^plugs\[0\].signal_topic: expected a topic without wildcards/,
    ],
    ["name: A, family: tasmota, topic: b, plan: p, min_on: -1", /^plugs\[0\].min_on: expected at least 0, found -1$/],
    [
      "name: A, family: tasmota, topic: b, plan: p, on: { topic: a, payload: b }",
      /^plugs\[0\].on: is for the family custom only/,
    ],
    [
      "name: A, family: custom, plan: p, on: { topic: a, payload: b }",
      /^plugs\[0\].off: expected a topic and a payload/,
    ],
    [
      "name: A, family: custom, plan: p, on: { topic: a, payload: b }, off: { topic: a, payload: c }, state: { topic: s, on: [], off: x }",
      /^plugs\[0\].state.on: expected a payload, or a list of at least one/,
    ],
    [
      `name: A, family: esphome, url: "http://a", channel: r, ${CHEAP}`,
      /^plugs\[0\].url: is for tasmota and shelly only/,
    ],
    [`name: A, family: tasmota, topic: b, url: "http://a", ${CHEAP}`, /^plugs\[0\].topic: cannot be used with url$/],
    [`name: A, family: tasmota, url: "http://me:secret@a", ${CHEAP}`, /^plugs\[0\].url: expected http:\/\/host/],
    [`name: A, family: homeassistant, topic: b, entity: switch.a, ${CHEAP}`, /topic: cannot be used with entity/],
    [`name: A, family: homeassistant, ${CHEAP}`, /entity: .* an entity of Home Assistant/],
    [`name: A, family: homeassistant, entity: cover.door, ${CHEAP}`, /entity: .*found "cover.door"/],
    [`name: A, family: homeassistant, entity: number.a, ${CHEAP}`, /values: .* the values that mean ON and OFF/],
    [`name: A, family: homeassistant, entity: switch.a, values: { on: 1, off: 0 }, ${CHEAP}`, /values: cannot be used/],
    [`name: A, family: homeassistant, entity: select.a, values: { on: a, off: a }, ${CHEAP}`, /two different values/],
    [`name: A, family: homeassistant, entity: switch.a, power: { topic: p }, ${CHEAP}`, /power: expected the sensor/],
    [`name: A, family: tasmota, topic: b, power: { entity: sensor.a }, ${CHEAP}`, /power: expected a topic/],
    [`name: A, family: tasmota, topic: b, entity: switch.a, ${CHEAP}`, /entity: is for the family homeassistant only/],
    [`name: A, family: tasmota, topic: b, when_lost: open, ${CHEAP}`, /^plugs\[0\].when_lost: expected one of on, off/],
  ])("%s", (plug, message) => {
    const mistakes = mistakesOf(plug);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatch(message);
  });

  test("two plugs with the same id or the same device", () => {
    const plug = `name: Water heater, family: tasmota, topic: heater, ${CHEAP}`;
    expect(mistakesOf(plug, plug)).toEqual([
      "plugs[1].id: is the same as that of [0]: water_heater; give each its own",
      "plugs[1].topic: is the same plug as [0]; the two would switch against each other",
    ]);
    const spelt = (family: string, topic: string, name: string) =>
      `name: ${name}, family: ${family}, topic: ${topic}, ${CHEAP}`;
    const same = ["plugs[1].topic: is the same plug as [0]; the two would switch against each other"];
    expect(mistakesOf(spelt("zigbee2mqtt", "Lamp", "A"), spelt("zigbee2mqtt", "zigbee2mqtt/Lamp", "B"))).toEqual(same);
    expect(mistakesOf(spelt("tasmota", "cmnd/heater", "A"), spelt("tasmota", "heater", "B"))).toEqual(same);
    expect(mistakesOf(spelt("zigbee2mqtt", "up/Lamp", "A"), spelt("zigbee2mqtt", "Lamp", "B"))).toEqual([]);
    const gen2 = (more: string) => `family: shelly_gen2, topic: a, ${more}, ${CHEAP}`;
    expect(mistakesOf(gen2("name: A"), gen2("name: B, channel: 0"))).toHaveLength(1);
    expect(mistakesOf(gen2("name: A"), gen2("name: B, channel: 1"))).toEqual([]);
  });
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

describe("an unknown reference is reported with the nearest valid name:", () => {
  const plug = "name: A, family: tasmota, topic: b";
  const homes = `homes:
  - { address_id: 0a0a0a0a-0000-4000-8000-000000000001, id: house }
  - { address_id: 0a0a0a0a-0000-4000-8000-000000000002, id: cabin }
`;

  test("a plug with an unknown plan", () => {
    expect(mistakesOf(`${plug}, plan: wahser`)).toEqual([
      'plugs[0].plan: expected the id of a plan (p, a, washer), found "wahser"; did you mean washer?',
    ]);
    expect(mistakesIn(`plugs:\n  - { ${plug}, plan: washer }\n`)).toEqual([
      'plugs[0].plan: expected the id of a plan, found "washer"; none exists',
    ]);
  });

  test("a plug with another home than its plan's", () => {
    expect(mistakesOf(`${plug}, plan: washer, home: home`)).toEqual([]);
    expect(mistakesOf(`${plug}, plan: washer, home: cabin`)).toEqual([
      'plugs[0].home: expected home, the home of the plan washer, found "cabin"',
    ]);
  });

  test("a plug and a plan with unknown homes, if all homes are listed", () => {
    const plans = "plans:\n  - { name: W, home: hosue, kind: avoid, hours: 1 }\n";
    expect(mistakesIn(`${homes}${plans}plugs:\n  - { ${plug}, signal: cheap, home: cabins }\n`)).toEqual([
      'plans[0].home: expected the id of a home (house, cabin), found "hosue"; did you mean house?',
      'plugs[0].home: expected the id of a home (house, cabin), found "cabins"; did you mean cabin?',
    ]);
  });

  test("a plan with an unknown place; plans and plugs may name one by its slug", () => {
    const places = "third_party:\n  places: [{ name: Summer House, region: DK1 }]\n";
    expect(mistakesIn(`${homes}${places}plugs:\n  - { ${plug}, signal: cheap, home: summer_house }\n`)).toEqual([]);
    const plan = "plans:\n  - { name: W, home: winter_house, kind: avoid, hours: 1 }\n";
    expect(mistakesIn(`${homes}${places}${plan}`)).toEqual([
      'plans[0].home: expected the id of a home (house, cabin, summer_house), found "winter_house"; did you mean summer_house?',
    ]);
    expect(mistakesIn(`${homes}${places}${plan.replace("winter", "summer")}`)).toEqual([]);
  });

  test("a plan without any account, which would wait for its home for ever", () => {
    const places = "third_party:\n  places: [{ name: Summer House, region: DK1 }]\n";
    const plan = "plans:\n  - { name: W, home: house, kind: avoid, hours: 1 }\n";
    expect(mistakesIn(`${places}${plan}`)).toEqual([
      'plans[0].home: expected a home of an account (consumer) or a place of third_party (summer_house), found "house"',
    ]);
    expect(mistakesIn(`${places}${plan.replace("house", "summer_house")}`)).toEqual([]);
    expect(mistakesIn(`consumer: { api_key: a }\n${places}${plan}`)).toEqual([]);
    expect(mistakesIn(plan)).toEqual([]);
  });

  test("but not a home whose name is only known to the account", () => {
    const unnamed = `${homes}  - { address_id: 0a0a0a0a-0000-4000-8000-000000000003 }\n`;
    expect(mistakesIn(`${unnamed}plugs:\n  - { ${plug}, signal: cheap, home: summerhouse }\n`)).toEqual([]);
    expect(mistakesOf(`${plug}, signal: cheap, home: summerhouse`)).toEqual([]);
  });
});

describe("relays of one Tasmota device, which has one setting for the state at a boot,", () => {
  const plans = "plans:\n  - { name: Freezer, home: home, kind: avoid, hours: 4 }\n";
  const relays = (first: string, second: string) =>
    mistakesIn(`${plans}plugs:
  - { name: A, family: tasmota, channel: 1, ${first} }
  - { name: B, family: tasmota, channel: 2, ${second} }`);

  test.each(["topic: dual", "url: http://192.168.1.20"])(
    "relays of one Tasmota device, which has one setting for the state at a boot, need the same when_lost: %s",
    (where) => {
      expect(relays(`${where}, plan: freezer`, `${where}, signal: cheap, home: home`)).toEqual([
        "plugs[1].when_lost: expected on, as for [0], because PowerOnState is one setting of the whole device; found off",
      ]);
      expect(relays(`${where}, plan: freezer`, `${where}, signal: cheap, home: home, when_lost: on`)).toEqual([]);
    },
  );

  test("relays of one Tasmota device, which has one setting for the state at a boot, may differ on two devices", () => {
    expect(relays("topic: one, plan: freezer", "topic: two, signal: cheap, home: home")).toEqual([]);
  });
});
