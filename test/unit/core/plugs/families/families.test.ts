import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plugFamilies } from "../../../../../src/core/plugs/families/families.ts";
import type { PlugAddress, PlugFamilyRow } from "../../../../../src/core/plugs/families/plug-family.ts";
import { FAMILIES, firmwares } from "../../../../support/plugs/firmware-emulators.ts";

const rows: Readonly<Record<string, PlugFamilyRow>> = plugFamilies;
const rowOf = (family: string): PlugFamilyRow => rows[family] ?? plugFamilies.custom;
const addressOf = (family: (typeof FAMILIES)[number], change: Partial<PlugAddress> = {}): PlugAddress => {
  const { topic = "", channel: given, on, off, ...rest } = firmwares[family].setup;
  const channel = String(given ?? rowOf(family).channel.ordinary ?? "");
  const custom = on && off ? { ...rest, on, off } : undefined;
  return { topic, channel, custom, caller: "elbro/plug/p", ...change };
};
const line = ({ topic, payload }: { topic: string; payload: string }) => `${topic} ${payload}`;

describe("plug commands", () => {
  test.each([
    [
      "tasmota",
      "cmnd/heater/Backlog0 PowerOnState 0; PulseTime1 1060; Power1 ON",
      "cmnd/heater/Backlog0 PulseTime1 0; Power1 OFF",
      "cmnd/heater/POWER ",
    ],
    [
      "shelly_gen1",
      "shellies/shellyplug-s-1/relay/0/command on",
      "shellies/shellyplug-s-1/relay/0/command off",
      "shellies/shellyplug-s-1/command update",
    ],
    [
      "shelly_gen2",
      'shellyplusplugs-2/rpc {"id":1,"src":"elbro/plug/p","method":"Switch.Set","params":{"id":0,"on":true,"toggle_after":960}}',
      'shellyplusplugs-2/rpc {"id":2,"src":"elbro/plug/p","method":"Switch.Set","params":{"id":0,"on":false}}',
      'shellyplusplugs-2/rpc {"id":3,"src":"elbro/plug/p","method":"Switch.GetStatus","params":{"id":0}}',
    ],
    [
      "zigbee2mqtt",
      'zigbee2mqtt/Kitchen plug/set {"state":"ON","on_time":960}',
      'zigbee2mqtt/Kitchen plug/set {"state":"OFF"}',
      'zigbee2mqtt/Kitchen plug/get {"state":""}',
    ],
    ["esphome", "boiler/switch/relay/command ON", "boiler/switch/relay/command OFF", null],
    ["custom", "garden/pump/do on 960", "garden/pump/do off", "garden/pump/do tell"],
  ] as const)("%s: ON for 960 s, OFF, state request", (family, on, off, ask) => {
    const row = rowOf(family);
    const address = addressOf(family);
    const seconds = row.deadMan(address).on ? 960 : null;
    expect(row.turn(address, true, seconds).map(line)).toEqual([on]);
    expect(row.turn(address, false, null).map(line)).toEqual([off]);
    expect(row.ask(address).map(line)).toEqual(ask === null ? [] : [ask]);
  });

  test.each([
    ["tasmota", { channel: "2" }, "cmnd/heater/Backlog0 PowerOnState 0; PulseTime2 160; Power2 ON"],
    [
      "tasmota",
      { topic: "home/%prefix%/heater" },
      "home/cmnd/heater/Backlog0 PowerOnState 0; PulseTime1 160; Power1 ON",
    ],
    ["zigbee2mqtt", { topic: "z2m/cellar/fan" }, 'z2m/cellar/fan/set {"state":"ON","on_time":60}'],
    ["zigbee2mqtt", { channel: "left" }, 'zigbee2mqtt/Kitchen plug/set {"state_left":"ON","on_time":60}'],
    ["shelly_gen1", { channel: "1" }, "shellies/shellyplug-s-1/relay/1/command on"],
  ] as const)("%s at %j: %s", (family, change, on) => {
    expect(rowOf(family).turn(addressOf(family, change), true, 60).map(line)).toEqual([on]);
  });

  test.each([
    ["tasmota", true, null, "cmnd/heater/Backlog0 PowerOnState 1; PulseTime1 0; Power1 ON"],
    ["tasmota", false, 960, "cmnd/heater/Backlog0 PowerOnState 5; PulseTime1 1060; Power1 OFF"],
    [
      "shelly_gen2",
      false,
      960,
      'shellyplusplugs-2/rpc {"id":2,"src":"elbro/plug/p","method":"Switch.Set","params":{"id":0,"on":false,"toggle_after":960}}',
    ],
    [
      "shelly_gen3",
      true,
      60,
      'shellyplugsg3-3/rpc {"id":1,"src":"elbro/plug/p","method":"Switch.Set","params":{"id":0,"on":true,"toggle_after":60}}',
    ],
    [
      "shelly_gen4",
      false,
      60,
      'shelly1g4-4/rpc {"id":2,"src":"elbro/plug/p","method":"Switch.Set","params":{"id":0,"on":false,"toggle_after":60}}',
    ],
    ["zigbee2mqtt", true, null, 'zigbee2mqtt/Kitchen plug/set {"state":"ON"}'],
  ] as const)("%s with when_lost: on or an inverted relay: ON %s, timer %s", (family, on, seconds, expected) => {
    expect(rowOf(family).turn(addressOf(family), on, seconds).map(line)).toEqual([expected]);
  });

  test("Tasmota, Shelly Gen2 to Gen4 and custom plugs with {seconds} can end an OFF with their timer", () => {
    const ends = FAMILIES.filter((family) => rowOf(family).deadMan(addressOf(family)).off !== null);
    expect(ends).toEqual(["tasmota", "shelly_gen2", "shelly_gen3", "shelly_gen4"]);
    const off = { topic: "p/set", payload: "off for {seconds}" };
    const custom = addressOf("custom", { custom: { on: { topic: "p/set", payload: "on" }, off } });
    expect(plugFamilies.custom.deadMan(custom)).toEqual({ on: null, off: { leastSec: 1, mostSec: 86_400 } });
    expect(plugFamilies.custom.turn(custom, false, 960).map(line)).toEqual(["p/set off for 960"]);
    expect(plugFamilies.custom.turn(custom, false, null).map(line)).toEqual(["p/set off for 0"]);
  });

  test("Tasmota's PulseTime stays between 112 and 64900", () => {
    expect(plugFamilies.tasmota.deadMan().on).toEqual({ leastSec: 12, mostSec: 64_800 });
  });

  test("a custom plug without {seconds} has no timer; its dead_man message is sent first", () => {
    const said = { on: { topic: "p/set", payload: "1" }, off: { topic: "p/set", payload: "0" } };
    const plain = addressOf("custom", { custom: said });
    expect(plugFamilies.custom.deadMan(plain)).toEqual({ on: null, off: null });
    expect(plugFamilies.custom.answers(plain)).toBe("never");
    const timed = addressOf("custom", {
      custom: { ...said, dead_man: { topic: "p/{channel}/t", payload: "{seconds}" } },
      channel: "7",
    });
    expect(plugFamilies.custom.turn(timed, true, 90).map(line)).toEqual(["p/7/t 90", "p/set 1"]);
  });

  test.each(FAMILIES)("the emulated %s executes ON with its timer, and OFF", (family) => {
    const row = rowOf(family);
    const address = addressOf(family);
    const limits = row.deadMan(address).on;
    const [on] = row.turn(address, true, limits ? 960 : null);
    const [off] = row.turn(address, false, null);
    const understood = on && firmwares[family].understand(on.topic, on.payload);
    expect(understood?.set).toBe(true);
    expect(understood?.timerSec ?? understood?.pulseSec ?? null).toBe(limits ? 960 : null);
    expect(off && firmwares[family].understand(off.topic, off.payload)?.set).toBe(false);
    expect([on?.topic, off?.topic].every((topic) => firmwares[family].listens.includes(topic ?? ""))).toBe(true);
  });
});

describe("plug messages", () => {
  const heard = (family: (typeof FAMILIES)[number], topic: string, payload: string, change = {}) =>
    rowOf(family).listens(addressOf(family, change))[topic]?.(payload) ?? null;
  const is = (on: boolean) => ({ kind: "reported", on });
  const there = (available: boolean) => ({ kind: "availability", available });

  test.each([
    ["tasmota", "stat/heater/POWER", "ON", is(true)],
    ["tasmota", "stat/heater/POWER", "1", is(true)],
    ["tasmota", "tele/heater/STATE", '{"POWER":"0"}', is(false)],
    ["tasmota", "stat/heater/POWER1", "OFF", is(false)],
    ["tasmota", "tele/heater/STATE", '{"Time":"2026-01-01T00:00:00","POWER":"ON","Wifi":{"RSSI":90}}', is(true)],
    ["tasmota", "tele/heater/LWT", "Online", there(true)],
    ["tasmota", "tele/heater/LWT", "Offline", there(false)],
    ["shelly_gen1", "shellies/shellyplug-s-1/relay/0", "on", is(true)],
    ["shelly_gen1", "shellies/shellyplug-s-1/relay/0", "overpower", is(false)],
    ["shelly_gen1", "shellies/shellyplug-s-1/online", "false", there(false)],
    ["shelly_gen2", "shellyplusplugs-2/status/switch:0", '{"id":0,"output":true,"apower":8.9}', is(true)],
    [
      "shelly_gen2",
      "shellyplusplugs-2/events/rpc",
      '{"method":"NotifyStatus","params":{"ts":1.5,"switch:0":{"id":0,"output":false}}}',
      is(false),
    ],
    ["shelly_gen2", "elbro/plug/p/rpc", '{"id":1,"src":"x","result":{"was_on":false}}', { kind: "done", on: true }],
    ["shelly_gen2", "elbro/plug/p/rpc", '{"id":2,"src":"x","result":{"was_on":true}}', { kind: "done", on: false }],
    ["shelly_gen2", "elbro/plug/p/rpc", '{"id":3,"src":"x","result":{"id":0,"output":true}}', is(true)],
    ["shelly_gen2", "shellyplusplugs-2/online", "true", there(true)],
    ["zigbee2mqtt", "zigbee2mqtt/Kitchen plug", '{"state":"ON","power":12}', is(true)],
    ["zigbee2mqtt", "zigbee2mqtt/Kitchen plug/state", "OFF", is(false)],
    ["zigbee2mqtt", "zigbee2mqtt/Kitchen plug/availability", '{"state":"offline"}', there(false)],
    ["zigbee2mqtt", "zigbee2mqtt/Kitchen plug/availability", "online", there(true)],
    ["zigbee2mqtt", "zigbee2mqtt/bridge/state", '{"state":"offline"}', { kind: "bridge", up: false }],
    ["zigbee2mqtt", "zigbee2mqtt/bridge/state", "online", { kind: "bridge", up: true }],
    // Source: Shelly Gen2+ API, "Shelly Plug S Gen3", notification of a change by the button.
    [
      "shelly_gen3",
      "shellyplugsg3-3/events/rpc",
      '{"src":"shellyplugsg3-3","dst":"shellyplugsg3-3/events","method":"NotifyStatus","params":{"ts":1.5,"switch:0":{"id":0,"output":true,"source":"button"}}}',
      is(true),
    ],
    // Source: the same, "Shelly 1 Gen4": a notification without the output.
    [
      "shelly_gen4",
      "shelly1g4-4/events/rpc",
      '{"method":"NotifyStatus","params":{"ts":1.5,"switch:0":{"id":0,"temperature":{"tC":41.2,"tF":106.1}}}}',
      null,
    ],
    ["shelly_gen4", "shelly1g4-4/status/switch:0", '{"id":0,"source":"MQTT","output":false}', is(false)],
    ["esphome", "boiler/switch/relay/state", "OFF", is(false)],
    ["esphome", "boiler/status", "online", there(true)],
    ["custom", "garden/pump/is", '{"motor":{"is":"RUNNING"}}', is(true)],
    ["custom", "garden/pump/is", '{"motor":{"is":"starting"}}', is(true)],
    ["custom", "garden/pump/is", '{"motor":{"is":"idle"}}', is(false)],
    ["custom", "garden/pump/is", '{"motor":{"watts":12}}', null],
    ["custom", "garden/pump/is", "running", null],
    ["custom", "garden/pump/link", "down", there(false)],
  ] as const)("of %s on %s: %s", (family, topic, payload, expected) => {
    expect(heard(family, topic, payload)).toEqual(expected);
  });

  test.each([
    ["tasmota", "tele/heater/STATE", '{"POWER1":"ON","POWER2":"OFF"}', { channel: "2" }, is(false)],
    ["zigbee2mqtt", "zigbee2mqtt/Kitchen plug", '{"state_left":"ON","state":"OFF"}', { channel: "left" }, is(true)],
    ["shelly_gen2", "shellyplusplugs-2/events/rpc", '{"params":{"switch:1":{"output":true}}}', {}, null],
  ] as const)("of one of several outputs of %s on %s: %s", (family, topic, payload, change, expected) => {
    expect(heard(family, topic, payload, change)).toEqual(expected);
  });

  test.each(FAMILIES)("of an emulated %s are all read", (family) => {
    const readers = rowOf(family).listens(addressOf(family));
    for (const on of [true, false]) {
      const read = firmwares[family].state(on).map(({ topic, payload }) => readers[topic]?.(payload));
      expect(read).toEqual(read.map(() => is(on)));
    }
    const { online, offline } = firmwares[family];
    expect(readers[online.topic]?.(online.payload)).toEqual(there(true));
    expect(readers[offline.topic]?.(offline.payload)).toEqual(there(false));
  });

  test("of any content and topic never cause an error", () => {
    const junk = fc.oneof(fc.string(), fc.json(), fc.constantFrom("", "null", "[]", '"ON"', "{", '{"state":1}', "0"));
    const readers = FAMILIES.flatMap((family) => Object.values(rowOf(family).listens(addressOf(family))));
    fc.assert(
      fc.property(junk, fc.constantFrom(...readers), (payload, read) => {
        const result = read(payload);
        expect(result === null || ["reported", "availability", "bridge", "done", "unclear"].includes(result.kind)).toBe(
          true,
        );
      }),
      { numRuns: 5_000 },
    );
  });

  test.each([
    "1",
    '"ON"',
    '{"state":{"on":true}}',
    '{"output":1}',
    '["ON"]',
    `{"state":"ON","x":"${"x".repeat(70_000)}"}`,
  ])("with a value of the wrong type or size are no state: %#", (payload) => {
    // A topic of its own has a bare state.
    for (const family of ["zigbee2mqtt", "shelly_gen2"] as const)
      for (const [topic, read] of Object.entries(rowOf(family).listens(addressOf(family))))
        if (!topic.endsWith("plug/state")) expect([null, "unclear"], topic).toContain(read(payload)?.kind ?? null);
  });
});
