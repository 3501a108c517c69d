/** Zigbee plugs behind Zigbee2MQTT. */

import { message } from "../../language/text.ts";
import { fnv1a } from "../../text/fnv.ts";
import { foreignValue, objectIn, objectOf } from "../../text/foreign-text.ts";
import { type MeterReader, measuredOf } from "./meter-readers.ts";
import { availabilityReader, type Reader, stateReader, stateWithin } from "./payload-readers.ts";
import type { AnnouncedPlug, GonePlug, LearnedPlug, PlugAddress, PlugFamilyRow, PlugMessage } from "./plug-family.ts";

const ROOT = "zigbee2mqtt";
/** Zigbee counts tenths of a second in 16 bits. Source: Zigbee Cluster Library 8, 3.8.2.3.6 (On With Timed Off). */
const MAX_ON_TIME_SEC = 6_553;
/** Source: zigbee-herdsman-converters 26.112, tuya.ts, on_off_countdown: at most 12 hours. */
const MAX_COUNTDOWN_SEC = 43_200;
/** Bit of `access` of an expose: the property can be set. Source: Zigbee2MQTT, docs "Exposes". */
const CAN_BE_SET = 2;
/** Plugs that switch themselves off seconds after an ON without a load. Source: zigbee2mqtt issues 31604 and 31799. */
const CUT_IDLE: readonly unknown[] = ["S60ZBTPF", "S60ZBTPG"];
/** Longest text of a device that is used. */
const MAX_TEXT_LENGTH = 200;

/**
 * Timers of Zigbee plugs:
 * - `on_time` is Zigbee's On With Timed Off. A plug that is already ON publishes no state after it, so elbro requests
 *   the state. Source: zigbee-herdsman-converters 26.112, toZigbee.ts, on_off (pull request 2326).
 * - Many plugs accept it and ignore it, so elbro observes it once. Source: zigbee2mqtt issues 32478, 27913, 26004.
 * - Tuya plugs take `countdown`, which `bridge/devices` lists. Source: zigbee-herdsman-converters 26.112, tuya.ts,
 *   on_off_countdown.
 * - Zigbee has no command for a timed OFF: `off_wait_time` only ignores timed ONs for a while.
 */
export const zigbee2mqttPlug = {
  topic: message("mistake.zigbee2mqtt_topic"),
  optionalStart: `${ROOT}/`,
  channel: { about: message("mistake.zigbee2mqtt_channel"), fits: /^\w+$/, ordinary: "" },
  deadManNote: {
    on: "yes, if the device supports `countdown` or `on_time`: elbro checks it at the end of the first run",
    off: "no: set *power-on behavior* in the device to ON, and use another plug if an OFF must not last",
  },
  deadMan: ({ learned }) => ({ on: { leastSec: 1, mostSec: learned?.maxTimerSec ?? MAX_ON_TIME_SEC }, off: null }),
  isTimerUnsure: true,
  answers: () => "asked",
  turn: (address, on, deadManSec) => {
    const timer = on && deadManSec !== null ? { [address.learned?.timer ?? "on_time"]: deadManSec } : {};
    return [zigbee(address, "set", { [stateName(address)]: on ? "ON" : "OFF", ...timer })];
  },
  ask: (address) => [zigbee(address, "get", { [stateName(address)]: "" })],
  listens: (address) => {
    const bridge = address.learned?.bridge ?? (placesOf(address).length === 1 ? ROOT : null);
    const readers: Record<string, Reader> = {};
    for (const { fullTopic } of placesOf(address)) {
      // With `output: attribute`, each property has a topic of its own. Source: zigbee2mqtt issue 493.
      readers[`${fullTopic}/${stateName(address)}`] = stateReader();
      readers[fullTopic] = (payload) => stateWithin(objectIn(payload), [stateName(address)]);
      readers[`${fullTopic}/availability`] = (payload) =>
        availabilityReader("online", "offline")(String(objectIn(payload)?.state ?? payload));
    }
    for (const { base } of placesOf(address))
      readers[`${base}/bridge/state`] = (payload) => (base === bridge ? readBridge(payload) : null);
    return readers;
  },
  // Source: Zigbee2MQTT, docs "Exposes": `power` in W, `energy` in kWh.
  measures: (address) => {
    const end = address.channel === "" ? "" : `_${address.channel}`;
    const read: MeterReader = (payload) => {
      const values = objectIn(payload);
      return measuredOf(values?.[`power${end}`], values?.[`energy${end}`]);
    };
    return Object.fromEntries(
      placesOf(address).flatMap(({ fullTopic }): [string, MeterReader][] => [
        [fullTopic, read],
        [`${fullTopic}/power${end}`, (payload) => measuredOf(payload, null)],
        [`${fullTopic}/energy${end}`, (payload) => measuredOf(null, payload)],
      ]),
    );
  },
  announces: {
    filter: "+/bridge/devices",
    topic: /^([^/]+)\/bridge\/devices$/,
    read: (payload, [base = ""]) => announced(payload, base),
  },
  learns: (address) =>
    Object.fromEntries(
      placesOf(address).map((place) => [
        `${place.base}/bridge/devices`,
        (payload) => learnedFrom(payload, place, address),
      ]),
    ),
} as const satisfies PlugFamilyRow;

type Place = { readonly base: string; readonly name: string; readonly fullTopic: string };

/** Returns the possible meanings of the topic, because both a friendly name and a base topic may contain slashes. */
function placesOf({ topic }: PlugAddress): Place[] {
  const levels = topic.split("/");
  const splits = levels.slice(1).map((_, i) => {
    const base = levels.slice(0, i + 1).join("/");
    return { base, name: levels.slice(i + 1).join("/"), fullTopic: topic };
  });
  const named = { base: ROOT, name: topic, fullTopic: `${ROOT}/${topic}` };
  return levels[0] === ROOT && levels.length > 1 ? splits : [...splits, named];
}

function readBridge(payload: string): ReturnType<Reader> {
  const heard = availabilityReader("online", "offline")(String(objectIn(payload)?.state ?? payload));
  return heard?.kind === "availability" ? { kind: "bridge", up: heard.available } : null;
}

/** Finds a plug in the list of devices. It is gone if this bridge had it before: it was renamed or removed. */
function learnedFrom(
  payload: string,
  { base, name, fullTopic }: Place,
  { channel, learned }: PlugAddress,
): LearnedPlug | GonePlug | null {
  const wasHere = learned?.fullTopic === fullTopic && learned.bridge === base;
  if (!(wasHere || payload.includes(JSON.stringify(name)))) return null;
  const devices = devicesIn(payload);
  const device = devices.find((each) => each.name === name);
  if (device) return learnedOf(device, fullTopic, base, channel);
  if (!wasHere || devices.length === 0) return null;
  const renamed = devices.find(({ hardware }) => hardware !== null && hardware === learned.hardware);
  return { renamedTo: renamed?.name ?? null };
}

/** What is used of a device. The rest of the list is not kept. */
interface Device {
  readonly name: string;
  readonly hardware: string | null;
  readonly vendor: string | null;
  readonly model: string | null;
  /** Endpoint of each `switch` expose; empty for a device with one. Source: Zigbee2MQTT, docs "Exposes". */
  readonly switches: readonly string[];
  /** Properties `countdown` that can be set, by endpoint. */
  readonly countdowns: readonly { readonly endpoint: string; readonly property: string }[];
}

/** Devices of the last list. Each plug of a bridge reads the same one. */
let latest: { readonly print: string; readonly devices: readonly Device[] } = { print: "", devices: [] };

function devicesIn(payload: string): readonly Device[] {
  const print = `${payload.length} ${fnv1a(payload)}`;
  if (latest.print !== print) {
    const list = foreignValue("devices", payload);
    latest = { print, devices: Array.isArray(list) ? list.flatMap(deviceIn) : [] };
  }
  return latest.devices;
}

function deviceIn(value: unknown): Device | [] {
  const { friendly_name, ieee_address, definition } = objectOf(value) ?? {};
  const { vendor, model, exposes } = objectOf(definition) ?? {};
  const name = shortText(friendly_name);
  if (!name) return [];
  const all = (Array.isArray(exposes) ? exposes : []).map((each) => objectOf(each) ?? {});
  const endpointOf = (expose: Readonly<Record<string, unknown>>) => shortText(expose.endpoint) ?? "";
  return {
    name,
    hardware: shortText(ieee_address),
    vendor: shortText(vendor),
    model: shortText(model),
    switches: all.filter(({ type }) => type === "switch").map(endpointOf),
    countdowns: all.flatMap((expose) => {
      const property = shortText(expose.property);
      const isSettable = expose.name === "countdown" && (Number(expose.access) & CAN_BE_SET) !== 0;
      return isSettable && property !== null ? { endpoint: endpointOf(expose), property } : [];
    }),
  };
}

function shortText(value: unknown): string | null {
  return typeof value === "string" && value.length <= MAX_TEXT_LENGTH ? value : null;
}

function learnedOf(device: Device, fullTopic: string, bridge: string, channel: string): LearnedPlug {
  const { hardware, model, countdowns } = device;
  const countdown = countdowns.find(({ endpoint }) => endpoint === channel);
  const learned = {
    fullTopic,
    bridge,
    ...(CUT_IDLE.includes(model) ? { cutsIdle: true } : {}),
    ...(hardware === null ? {} : { hardware }),
  };
  return countdown
    ? { ...learned, timer: countdown.property, maxTimerSec: MAX_COUNTDOWN_SEC }
    : { ...learned, timer: "on_time", maxTimerSec: MAX_ON_TIME_SEC };
}

/** Returns the switches of all devices. */
function announced(payload: string, base: string): AnnouncedPlug[] {
  return devicesIn(payload).flatMap((device) => {
    const { name, vendor, model } = device;
    return device.switches.map((channel) => ({
      topic: base === ROOT ? name : `${base}/${name}`,
      channel,
      name: channel === "" ? name : `${name} ${channel}`,
      model: [vendor, model].filter((part) => part !== null).join(" ") || null,
      learned: learnedOf(device, `${base}/${name}`, base, channel),
    }));
  });
}

function stateName({ channel }: PlugAddress): string {
  return channel === "" ? "state" : `state_${channel}`;
}

function zigbee(address: PlugAddress, verb: "set" | "get", payload: object): PlugMessage {
  const topic = address.learned?.fullTopic ?? placesOf(address)[0]?.fullTopic;
  return { topic: `${topic}/${verb}`, payload: JSON.stringify(payload) };
}
