/**
 * Other programs and devices on the broker: what they publish when they connect, and how they answer a command.
 *
 * - Zigbee2MQTT: recorded from the real program 2.14.1 with a played adapter, played-zigbee2mqtt-process.ts.
 * - Tasmota: 15, xdrv_12_discovery.ino, TasDiscoverMessage and TasDiscovery; xdrv_02_9_mqtt.ino, MqttConnected and
 *   MqttPublishPowerState.
 * - ESPHome: 2024.11, mqtt_component.cpp, send_discovery_ (with its abbreviations); mqtt_switch.cpp; mqtt/__init__.py.
 */
import { readFileSync } from "node:fs";
import mqtt from "mqtt";

export type NeighbourMessage = { readonly topic: string; readonly payload: string; readonly retain: boolean };

export interface Neighbour {
  readonly name: string;
  /** Version of MQTT that it uses by default. */
  readonly protocolVersion: 4 | 5;
  /** Its last will. */
  readonly will: NeighbourMessage;
  readonly messages: readonly NeighbourMessage[];
  /** Topic and payload of a command ON. */
  readonly on: { readonly topic: string; readonly payload: string };
  /** What it publishes after the command. */
  readonly answer: readonly NeighbourMessage[];
}

const recorded = new URL("../../fixtures/zigbee2mqtt-2.14.json", import.meta.url);
const MAC = "D8BC38A1B2C3";

function said(topic: string, payload: string | object, retain = true): NeighbourMessage {
  return { topic, payload: typeof payload === "string" ? payload : JSON.stringify(payload), retain };
}

function zigbee2mqtt(): Neighbour {
  const all = JSON.parse(readFileSync(recorded, "utf8")) as { topic: string; retain: boolean; payload: object }[];
  const messages = all.map(({ topic, payload, retain }) => said(topic, payload, retain));
  return {
    name: "Zigbee2MQTT",
    protocolVersion: 5,
    will: said("zigbee2mqtt/bridge/state", { state: "offline" }),
    messages: messages.filter(({ topic }) => topic !== "zigbee2mqtt/Kitchen plug"),
    on: { topic: "zigbee2mqtt/Kitchen plug/set", payload: "ON" },
    answer: messages.filter(({ topic }) => topic === "zigbee2mqtt/Kitchen plug"),
  };
}

/** The last relay, switch and button of the firmware are the 32nd; the message names all. */
function many<T>(first: T, others: T): T[] {
  return [first, ...Array.from({ length: 31 }, () => others)];
}

const tasmota: Neighbour = {
  name: "Tasmota",
  protocolVersion: 4,
  will: said("tele/washer/LWT", "Offline"),
  messages: [
    said("tele/washer/LWT", "Online"),
    said("stat/washer/RESULT", { POWER: "OFF" }, false),
    said("stat/washer/POWER", "OFF", false),
    said(`tasmota/discovery/${MAC}/config`, {
      ...{ ip: "192.168.1.60", dn: "Washer", fn: ["Washer", null, null, null, null, null, null, null] },
      ...{ hn: "washer-4771", mac: MAC, md: "NOUS A1T", ty: 0, if: 0, ofln: "Offline", onln: "Online" },
      ...{ state: ["OFF", "ON", "TOGGLE", "HOLD"], sw: "15.0.1", t: "washer", ft: "%prefix%/%topic%/" },
      ...{ tp: ["cmnd", "stat", "tele"], rl: many(1, 0), swc: many(-1, -1), swn: many(null, null), btn: many(0, 0) },
      so: { 4: 0, 11: 0, 13: 0, 17: 0, 20: 0, 30: 0, 68: 0, 73: 0, 82: 0, 114: 0, 117: 0 },
      ...{ lk: 0, lt_st: 0, bat: 0, dslp: 0, sho: [], sht: [], ver: 1 },
    }),
    said(`tasmota/discovery/${MAC}/sensors`, {
      sn: { Time: "2026-11-26T06:00:00", ENERGY: { Total: 12.345, Yesterday: 0.5, Today: 0.1, Power: 0 } },
      ver: 1,
    }),
  ],
  // Home Assistant names the relay of a device with one relay too.
  on: { topic: "cmnd/washer/Power1", payload: "ON" },
  answer: [said("stat/washer/RESULT", { POWER: "ON" }, false), said("stat/washer/POWER", "ON", false)],
};

const esphome: Neighbour = {
  name: "ESPHome",
  protocolVersion: 4,
  will: said("bathroom/status", "offline"),
  messages: [
    said("bathroom/status", "online"),
    said("homeassistant/switch/bathroom/floor_relay/config", {
      ...{ name: "Floor relay", stat_t: "bathroom/switch/floor_relay/state" },
      ...{ cmd_t: "bathroom/switch/floor_relay/command", avty_t: "bathroom/status", uniq_id: "ESPswitchfloor_relay" },
      dev: {
        ...{ ids: "a0b765010203", name: "bathroom", sw: "2024.11.0 (Nov 26 2026, 06:00:00)", mdl: "esp32dev" },
        ...{ mf: "Espressif", cns: [["mac", "a0b765010203"]] },
      },
    }),
    said("bathroom/switch/floor_relay/state", "OFF"),
  ],
  on: { topic: "bathroom/switch/floor_relay/command", payload: "ON" },
  answer: [said("bathroom/switch/floor_relay/state", "ON")],
};

export const neighbours: readonly Neighbour[] = [zigbee2mqtt(), tasmota, esphome];

type Login = { readonly port: number; readonly username: string; readonly password: string };

/** Connects a program that publishes what it has, and obeys a command. */
export async function played({ protocolVersion, will, messages, on, answer }: Neighbour, { port, ...login }: Login) {
  const lastWill = { ...will, payload: Buffer.from(will.payload), qos: 1 as const };
  const options = { ...login, protocolVersion, will: lastWill, reconnectPeriod: 0 };
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, options);
  const publish = async (all: typeof messages) => {
    for (const { topic, payload, retain } of all) await client.publishAsync(topic, payload, { retain, qos: 1 });
  };
  client.on("message", (topic, payload) => {
    if (topic === on.topic && payload.toString() === on.payload) void publish(answer);
  });
  await client.subscribeAsync(on.topic, { qos: 1 });
  await publish(messages);
  return { stream: client.stream, [Symbol.asyncDispose]: () => client.endAsync(true) };
}
