/**
 * Messages of firmware in the words, topics and forms that it can be set to. Sources:
 *
 * - Tasmota: 15, xdrv_02_9_mqtt.ino, MqttPublishPowerState and MqttConnected; docs "Commands", StateText, SetOption4,
 *   SetOption26, SetOption90; docs "MQTT", FullTopic.
 * - Shelly Gen1: Shelly Gen1 API, "MQTT" (relay, online) and "/relay/{index}".
 * - Shelly Gen2+: Shelly Gen2+ API, "Notifications", "Switch", "RPC Protocol" (response frame), "MQTT" (status_ntf).
 * - Zigbee2MQTT: 2.12, controller.ts, publishEntityState and iteratePayloadAttributeOutput; availability.ts; bridge.ts,
 *   renameEntity; its docs "MQTT topics and messages". All 1,844 switches of zigbee-herdsman-converters 26.112 say ON
 *   and OFF.
 * - ESPHome: 2024.11, mqtt_switch.cpp; mqtt/__init__.py (birth and will message).
 */
import { describe, expect, test } from "vitest";
import { plugFamilies } from "../../../../../src/core/plugs/families/families.ts";
import type { Heard } from "../../../../../src/core/plugs/families/payload-readers.ts";
import type { PlugAddress, PlugFamilyRow } from "../../../../../src/core/plugs/families/plug-family.ts";
import { neighbours } from "../../../../support/broker/neighbours.ts";

const on = { kind: "reported", on: true };
const off = { kind: "reported", on: false };
const isThere = { kind: "availability", available: true };
const isAway = { kind: "availability", available: false };
const unreadable = (value: string) => ({ kind: "unclear", what: "state", value });
const error = (value: string) => ({ kind: "unclear", what: "error", value });

function heard(
  family: keyof typeof plugFamilies,
  change: Partial<PlugAddress>,
  [topic, payload]: readonly [string, string],
): Heard | null {
  const row: PlugFamilyRow = plugFamilies[family];
  const address = { topic: "p", channel: row.channel.ordinary ?? "relay", caller: "elbro/plug/p", ...change };
  const reader = row.listens(address)[topic];
  if (!reader) throw new Error(`elbro does not follow ${topic}`);
  return reader(payload);
}

type Case = readonly [setting: string, change: Partial<PlugAddress>, topic: string, payload: string, expected: unknown];

const tasmota: readonly Case[] = [
  ["the default", {}, "stat/p/POWER", "ON", on],
  ["the default", {}, "stat/p/RESULT", '{"POWER":"OFF"}', off],
  ["another command", {}, "stat/p/RESULT", '{"PulseTime1":{"Set":1060,"Remaining":1060}}', null],
  ["the default", {}, "tele/p/STATE", '{"Time":"2026-11-01T10:00:00","Uptime":"0T00:00:10","POWER":"ON"}', on],
  ["SetOption26 1", {}, "stat/p/POWER1", "ON", on],
  ["SetOption26 1", {}, "stat/p/RESULT", '{"POWER1":"ON"}', on],
  ["SetOption4 1", {}, "stat/p/POWER", '{"POWER":"ON"}', on],
  ["SetOption4 1, SetOption26 1", {}, "stat/p/POWER1", '{"POWER1":"OFF"}', off],
  ["SetOption90 1", {}, "stat/p/RESULT", '{"POWER":"ON"}', on],
  ["StateText1 0, StateText2 1", {}, "stat/p/POWER", "1", on],
  ["StateText1 0, StateText2 1", {}, "stat/p/RESULT", '{"POWER":"0"}', off],
  ["StateText1 false, StateText2 true", {}, "stat/p/POWER", "true", on],
  ["StateText1 aus, StateText2 an", {}, "stat/p/POWER", "an", unreadable("an")],
  ["StateText1 aus, StateText2 an", {}, "tele/p/STATE", '{"POWER":"aus"}', unreadable("aus")],
  ["two relays", { channel: "2" }, "stat/p/RESULT", '{"POWER2":"ON"}', on],
  ["two relays", { channel: "2" }, "stat/p/RESULT", '{"POWER1":"ON"}', null],
  ["two relays", { channel: "2" }, "tele/p/STATE", '{"POWER1":"OFF","POWER2":"ON"}', on],
  ["FullTopic home/%topic%/%prefix%/", { topic: "home/p/%prefix%" }, "home/p/stat/POWER", "OFF", off],
  ["the topic of its commands", { topic: "cmnd/p" }, "stat/p/POWER", "OFF", off],
  ["FullTopic %prefix%/home/%topic%/", { topic: "%prefix%/home/p" }, "tele/home/p/LWT", "Online", isThere],
  ["the default", {}, "tele/p/LWT", "Offline", isAway],
];

const shellyGen1: readonly Case[] = [
  ["the default", {}, "shellies/p/relay/0", "on", on],
  ["the default", {}, "shellies/p/relay/0", "off", off],
  ["a limit of the power", {}, "shellies/p/relay/0", "overpower", off],
  ["a limit of the temperature", {}, "shellies/p/relay/0", "overtemperature", off],
  ["a second relay", { channel: "1" }, "shellies/p/relay/1", "on", on],
  ["a prefix of the owner", { topic: "shellies/kitchen" }, "shellies/kitchen/relay/0", "on", on],
  ["an unknown word", {}, "shellies/p/relay/0", "stop", unreadable("stop")],
  ["the default", {}, "shellies/p/online", "true", isThere],
  ["the default", {}, "shellies/p/online", "false", isAway],
];

const notified = (method: string, status: object) =>
  JSON.stringify({ src: "p", dst: "p/events", method, params: { ts: 1_764_000_000.12, ...status } });
const answered = (id: number, result: object) => JSON.stringify({ id, src: "p", dst: "elbro/plug/p", ...result });
const shellyGen2: readonly Case[] = [
  ["rpc_ntf", {}, "p/events/rpc", notified("NotifyStatus", { "switch:0": { id: 0, output: true } }), on],
  ["rpc_ntf", {}, "p/events/rpc", notified("NotifyFullStatus", { "switch:0": { id: 0, output: false } }), off],
  ["rpc_ntf", {}, "p/events/rpc", notified("NotifyStatus", { "switch:0": { id: 0, apower: 8.9 } }), null],
  ["rpc_ntf", {}, "p/events/rpc", notified("NotifyStatus", { "switch:1": { id: 1, output: true } }), null],
  ["rpc_ntf", {}, "p/events/rpc", notified("NotifyEvent", { events: [{ component: "sys", event: "ota" }] }), null],
  ["status_ntf", {}, "p/status/switch:0", '{"id":0,"source":"WS_in","output":true,"apower":8.9}', on],
  ["neither", {}, "elbro/plug/p/rpc", answered(3, { result: { id: 0, source: "init", output: true } }), on],
  ["neither", {}, "elbro/plug/p/rpc", answered(1, { result: { was_on: false } }), { kind: "done", on: true }],
  [
    "a channel that it lacks",
    { channel: "3" },
    "elbro/plug/p/rpc",
    answered(1, { error: { code: -105, message: "Argument 'id', value 3 not found!" } }),
    error("Argument 'id', value 3 not found!"),
  ],
  [
    "a cover or light",
    {},
    "elbro/plug/p/rpc",
    answered(1, { error: { code: 404, message: "No handler for Switch.Set" } }),
    error("No handler for Switch.Set"),
  ],
  ["the default", {}, "p/online", "false", isAway],
];

const zigbee2mqtt: readonly Case[] = [
  ["output: json", {}, "zigbee2mqtt/p", '{"state":"ON","power":12,"linkquality":80}', on],
  ["output: json, cache_state: false", {}, "zigbee2mqtt/p", '{"linkquality":80}', null],
  ["output: json, before its first report", {}, "zigbee2mqtt/p", '{"state":null}', null],
  ["include_device_information", {}, "zigbee2mqtt/p", '{"device":{"friendlyName":"p"},"state":"OFF"}', off],
  ["output: attribute", {}, "zigbee2mqtt/p/state", "ON", on],
  ["output: attribute, before its first report", {}, "zigbee2mqtt/p/state", "", null],
  ["two endpoints", { channel: "l1" }, "zigbee2mqtt/p", '{"state_l1":"ON","state_l2":"OFF"}', on],
  ["two endpoints", { channel: "l2" }, "zigbee2mqtt/p", '{"state_l1":"ON","state_l2":"OFF"}', off],
  ["two endpoints, output: attribute", { channel: "right" }, "zigbee2mqtt/p/state_right", "OFF", off],
  ["two endpoints without channel", {}, "zigbee2mqtt/p", '{"state_l1":"ON","state_l2":"OFF"}', null],
  ["base_topic: z2m", { topic: "z2m/cellar/p" }, "z2m/cellar/p", '{"state":"ON"}', on],
  ["a thermostat", {}, "zigbee2mqtt/p", '{"state":"AUTO"}', unreadable("AUTO")],
  ["renamed: the old topic is cleared", {}, "zigbee2mqtt/p", "", null],
  ["renamed: the old topic is cleared", {}, "zigbee2mqtt/p/availability", "", null],
  ["availability since 2.0", {}, "zigbee2mqtt/p/availability", '{"state":"online"}', isThere],
  ["availability before 2.0", {}, "zigbee2mqtt/p/availability", "offline", isAway],
  ["the bridge since 2.0", {}, "zigbee2mqtt/bridge/state", '{"state":"offline"}', { kind: "bridge", up: false }],
];

const esphome: readonly Case[] = [
  ["the default", {}, "p/switch/relay/state", "ON", on],
  ["the default", {}, "p/switch/relay/state", "OFF", off],
  ["a topic_prefix of two levels", { topic: "home/p" }, "home/p/switch/relay/state", "ON", on],
  ["the default", {}, "p/status", "online", isThere],
  ["the default", {}, "p/status", "offline", isAway],
  ["a birth_message of the owner", {}, "p/status", "hello", null],
  ["an unknown word", {}, "p/switch/relay/state", "unknown", unreadable("unknown")],
];

const words = (first: string, second: string): Partial<PlugAddress> => {
  const message = { topic: "p/set", payload: "x" };
  return { custom: { on: message, off: message, state: { topic: "p/is", on: first, off: second } } };
};
const custom: readonly Case[] = [
  ...["ON", "on", "On", "1", "true", '{"state":"ON"}', '{"state":true}'].map(
    (payload): Case => ["ordinary words", words("on", "off"), "p/is", payload, on],
  ),
  ...["OFF", "0", "false", '{"state":"off"}'].map(
    (payload): Case => ["ordinary words", words("1", "0"), "p/is", payload, off],
  ),
  ["inverted words", words("0", "1"), "p/is", "0", on],
  ["inverted words", words("0", "1"), "p/is", "ON", unreadable("ON")],
  ["words of the owner", words("running", "idle"), "p/is", "running", on],
  ["words of the owner", words("running", "idle"), "p/is", "ON", unreadable("ON")],
  ["an expression that is a choice", words("/^(running|busy)$/", "/^idle$/"), "p/is", "busy", on],
  ["an unknown word", words("on", "off"), "p/is", "opening", unreadable("opening")],
];

describe.each(
  Object.entries({ tasmota, shelly_gen1: shellyGen1, shelly_gen2: shellyGen2, zigbee2mqtt, esphome, custom }),
)("%s", (family, cases) => {
  test.each(cases)("with %s: %j on %s: %s", (_, change, topic, payload, expected) => {
    expect(heard(family as keyof typeof plugFamilies, change, [topic, payload])).toEqual(expected);
  });
});

test("the plugs, timers and states of the real Zigbee2MQTT are read", () => {
  const [real] = neighbours;
  const devices = real?.messages.find(({ topic }) => topic === "zigbee2mqtt/bridge/devices")?.payload ?? "";
  const { announces } = plugFamilies.zigbee2mqtt;
  expect(announces.read(devices, ["zigbee2mqtt"]).map(({ topic, learned }) => [topic, learned?.timer])).toEqual([
    ["Kitchen plug", "countdown"],
    ["Cellar/fan", "on_time"],
  ]);
  const last = real?.answer.at(-1)?.payload ?? "";
  expect(heard("zigbee2mqtt", { topic: "Kitchen plug" }, ["zigbee2mqtt/Kitchen plug", last])).toEqual(on);
});

describe("responses over HTTP", () => {
  const read = (family: "tasmota" | "shelly_gen1" | "shelly_gen2", payload: string, channel: string) =>
    plugFamilies[family].http.reads({ topic: "", channel, caller: "" })(payload);

  test.each([
    ["tasmota", "", '{"POWER":"ON"}', on],
    ["tasmota", "", '{"POWER1":"OFF"}', off],
    ["tasmota", "2", '{"POWER2":"1"}', on],
    ["tasmota", "", '{"POWER":"an"}', unreadable("an")],
    ["tasmota", "", '{"Command":"Unknown"}', null],
    ["shelly_gen1", "0", '{"ison":true,"has_timer":true,"timer_started":0,"timer_remaining":960}', on],
    ["shelly_gen1", "1", '{"relays":[{"ison":true},{"ison":false}],"meters":[{"power":1}]}', off],
    ["shelly_gen2", "0", '{"id":0,"source":"HTTP_in","output":true}', on],
    ["shelly_gen2", "0", '{"was_on":true}', null],
  ] as const)("%s, channel %s: %s", (family, channel, payload, expected) => {
    expect(read(family, payload, channel)).toEqual(expected);
  });
});
