import { describe, expect, test } from "vitest";
import { plugFamilies } from "../../../../../src/core/plugs/families/families.ts";
import type { LearnedPlug, PlugAddress, PlugFamilyRow } from "../../../../../src/core/plugs/families/plug-family.ts";

/** Returns the plugs that a message announces, as the daemon reads it; null if the topic is not of the family. */
function announced(family: PlugFamilyRow, topic: string, payload: unknown) {
  const parts = family.announces?.topic.exec(topic);
  return parts ? family.announces?.read(textOf(payload), parts.slice(1)) : null;
}

function textOf(payload: unknown): string {
  return typeof payload === "string" ? payload : JSON.stringify(payload);
}

describe("a Tasmota device", () => {
  const topic = "tasmota/discovery/C8F09E000001/config";
  const device = {
    ...{ dn: "Washer", fn: ["Drum", "", null], md: "NOUS A1T", t: "washer" },
    ...{ ft: "%prefix%/%topic%/", tp: ["cmnd", "stat", "tele"], rl: [1, 0, 0] },
  };
  const read = (change: object) => announced(plugFamilies.tasmota, topic, { ...device, ...change });

  test("a Tasmota device with one relay is one plug, with the name of the relay, the device or the topic", () => {
    const plug = { topic: "washer", channel: "", name: "Drum", model: "NOUS A1T" };
    expect(read({})).toEqual([plug]);
    expect(read({ fn: [""] })).toEqual([{ ...plug, name: "Washer" }]);
    expect(read({ fn: null, dn: "" })).toEqual([{ ...plug, name: "washer" }]);
    expect(read({ md: 7 })).toEqual([{ ...plug, model: null }]);
    expect(read({ ft: "home/%topic%/%prefix%/" })).toEqual([{ ...plug, topic: "home/washer/%prefix%" }]);
  });

  test("a Tasmota device with several outputs has a plug for each relay, with its number, and none for a light", () => {
    const found = read({ rl: [2, 1, 0, 1], fn: ["Lamp", "Left", null, "Right"] });
    expect(found?.map(({ channel, name }) => `${channel} ${name}`)).toEqual(["2 Left", "4 Right"]);
  });

  test.each([{ t: 1 }, { ft: null }, { rl: 1 }, { tp: ["stat", "cmnd", "tele"] }, { rl: [2, 3] }])(
    "a Tasmota device with %j has no plugs",
    (change) => {
      expect(read(change)).toEqual([]);
      expect(announced(plugFamilies.tasmota, topic, "text")).toEqual([]);
    },
  );
});

describe("a Shelly", () => {
  test.each([
    ["shelly_gen2", "shellyplusplugs-0123456789ab", "plusplugs", 1],
    ["shelly_gen2", "shellyplus2pm-0123456789ab", "plus2pm", 2],
    ["shelly_gen2", "shellypro4pm-0123456789ab", "pro4pm", 4],
    ["shelly_gen3", "shelly1minig3-0123456789ab", "1minig3", 1],
    ["shelly_gen3", "shellyplugsg3-0123456789ab", "plugsg3", 1],
    ["shelly_gen4", "shelly2pmg4-0123456789ab", "2pmg4", 2],
  ] as const)("a Shelly of the family %s with the id %s has the model %s and %i plugs", (family, id, model, count) => {
    const plugs = Array.from({ length: count }, (_, i) => ({
      ...{ topic: id, model, name: i === 0 ? id : `${id} ${i}`, channel: i === 0 ? "" : String(i) },
    }));
    expect(announced(plugFamilies[family], `${id}/online`, "true")).toEqual(plugs);
    expect(announced(plugFamilies[family], `${id}/online`, "false")).toEqual([]);
    expect(announced(plugFamilies[family], `${id}x/online`, "true")).toBeNull();
  });

  test("a Shelly without switches has no plugs", () => {
    expect(announced(plugFamilies.shelly_gen2, "shellyplusht-0123456789ab/online", "true")).toEqual([]);
  });

  test("a Shelly of the first generation is a plug if its model is one", () => {
    const read = (payload: unknown) => announced(plugFamilies.shelly_gen1, "shellies/announce", payload);
    const id = "shellyplug-s-1";
    for (const model of ["SHPLG-S", "SHSW-25"])
      expect(read({ id, model })).toEqual([{ topic: id, channel: "", name: id, model }]);
    for (const payload of [{ id, model: "SHHT-1" }, { id, model: 1 }, { id: 1, model: "SHPLG-S" }, "text"])
      expect(read(payload)).toEqual([]);
    expect(plugFamilies.shelly_gen1.announces.ask).toEqual({ topic: "shellies/command", payload: "announce" });
  });
});

describe("Zigbee2MQTT", () => {
  const MAX_LENGTH = 4 * 1024 * 1024;
  const state = { type: "switch", features: [] };
  const timer = (access: number, endpoint?: string) => ({
    ...{ type: "numeric", name: "countdown", property: endpoint ? `countdown_${endpoint}` : "countdown", access },
    ...(endpoint ? { endpoint } : {}),
  });
  const plain = {
    ...{ friendly_name: "Kitchen plug", ieee_address: "0x01" },
    definition: { vendor: "IKEA", model: "E1603", exposes: [state, { type: "numeric", name: "power" }] },
  };
  const double = {
    friendly_name: "double",
    definition: {
      ...{ model: "TS011F_2" },
      exposes: [{ ...state, endpoint: "left" }, { ...state, endpoint: "right" }, timer(7, "left"), timer(1, "right")],
    },
  };
  const idle = { friendly_name: "heater", definition: { model: "S60ZBTPF", exposes: [state, timer(2)] } };
  const learnedAs = (fullTopic: string, bridge = "zigbee2mqtt"): LearnedPlug => ({
    ...{ fullTopic, bridge, timer: "on_time", maxTimerSec: 6_553 },
  });
  const kitchen = { ...learnedAs("zigbee2mqtt/Kitchen plug"), hardware: "0x01" };
  const devices = [plain, double, idle, { friendly_name: "sensor", definition: null }, { definition: {} }, null, 1];
  const read = (payload: unknown, base = "zigbee2mqtt") =>
    announced(plugFamilies.zigbee2mqtt, `${base}/bridge/devices`, payload);

  test("Zigbee2MQTT announces each switch of its devices, with the timer of the device", () => {
    const left = { timer: "countdown_left", maxTimerSec: 43_200 };
    expect(read(devices)).toEqual([
      { topic: "Kitchen plug", channel: "", name: "Kitchen plug", model: "IKEA E1603", learned: kitchen },
      ...[left, {}].map((own, i) => {
        const [channel = ""] = [["left"], ["right"]][i] ?? [];
        const learned = { ...learnedAs("zigbee2mqtt/double"), ...own };
        return { topic: "double", channel, name: `double ${channel}`, model: "TS011F_2", learned };
      }),
      {
        ...{ topic: "heater", channel: "", name: "heater", model: "S60ZBTPF" },
        learned: { ...learnedAs("zigbee2mqtt/heater"), timer: "countdown", maxTimerSec: 43_200, cutsIdle: true },
      },
    ]);
    const unnamed = { ...plain, friendly_name: "", definition: null };
    expect(read([{ ...plain, definition: { exposes: [state] } }, unnamed], "upstairs")).toEqual([
      {
        ...{ topic: "upstairs/Kitchen plug", channel: "", name: "Kitchen plug", model: null },
        learned: { ...learnedAs("upstairs/Kitchen plug", "upstairs"), hardware: "0x01" },
      },
    ]);
  });

  test("Zigbee2MQTT announces nothing in a list that is too long or invalid", () => {
    const text = JSON.stringify([plain]);
    expect(read(text.padEnd(MAX_LENGTH))).toHaveLength(1);
    expect([text.padEnd(MAX_LENGTH + 1), "{}", "["].map((each) => read(each))).toEqual([[], [], []]);
  });

  /** Returns what a configured plug learns from the list of its bridge. */
  function learnedBy(change: Partial<PlugAddress>, payload: unknown, base = "zigbee2mqtt") {
    const address: PlugAddress = { topic: "Kitchen plug", channel: "", caller: "", ...change };
    return plugFamilies.zigbee2mqtt.learns(address)[`${base}/bridge/devices`]?.(textOf(payload));
  }

  test("a plug learns its topic, timer and address from the list of its bridge, for any meaning of its topic", () => {
    expect(learnedBy({}, devices)).toEqual(kitchen);
    expect(learnedBy({}, JSON.stringify(devices).padEnd(MAX_LENGTH + 1))).toBeNull();
    expect(learnedBy({ topic: "double", channel: "left" }, devices)).toMatchObject({ timer: "countdown_left" });
    const [topic, named] = ["up/stairs/lamp", (name: string) => [{ ...plain, friendly_name: name }]];
    expect(learnedBy({ topic }, named("stairs/lamp"), "up")).toMatchObject({ fullTopic: topic, bridge: "up" });
    expect(learnedBy({ topic }, named("lamp"), "up/stairs")).toMatchObject({ fullTopic: topic, bridge: "up/stairs" });
    expect(learnedBy({ topic }, named(topic))).toMatchObject({ fullTopic: `zigbee2mqtt/${topic}` });
    expect(learnedBy({ topic: "zigbee2mqtt/a/b" }, named("a/b"))).toMatchObject({ fullTopic: "zigbee2mqtt/a/b" });
    expect(learnedBy({ topic }, named("lamp"), "up")).toBeNull();
  });

  test("a plug that its bridge no longer has is gone, under its other name if the bridge knows its address", () => {
    const renamed = [{ ...plain, friendly_name: "Sink plug" }, double];
    expect(learnedBy({ learned: kitchen }, renamed)).toEqual({ renamedTo: "Sink plug" });
    expect(learnedBy({ learned: kitchen }, [double])).toEqual({ renamedTo: null });
    expect(learnedBy({ learned: learnedAs(kitchen.fullTopic) }, [...renamed, idle])).toEqual({ renamedTo: null });
    expect(learnedBy({ learned: kitchen }, [])).toBeNull();
    expect(learnedBy({}, renamed)).toBeNull();
    expect(learnedBy({ learned: learnedAs("zigbee2mqtt/other") }, renamed)).toBeNull();
    expect(learnedBy({ learned: learnedAs(kitchen.fullTopic, "upstairs") }, renamed)).toBeNull();
  });
});
