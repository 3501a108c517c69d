/**
 * The families of plugs, one row each: how to say ON, with an end that the device enforces by itself where it can, how
 * to say OFF, how to ask, and how to read what it tells. The rows are pure; adding a family is adding one.
 *
 * Every message is sent with QoS 1 and never retained: a retained ON would switch a plug on when it boots.
 */
import type { DeadManLimits, PlugRules } from "../core/plug-state.ts";
import { customRow } from "./custom.ts";
import { availabilityReader, objectIn, type Reader, stateReader, stateWithin } from "./reading.ts";

/** Something to say to a plug. */
export interface PlugMessage {
  readonly topic: string;
  readonly payload: string;
}

/** The topics and payloads of a plug that belongs to no family here. */
export interface CustomTopics {
  readonly on: PlugMessage;
  readonly off: PlugMessage;
  readonly dead_man?: PlugMessage | undefined;
  readonly ask?: PlugMessage | undefined;
  readonly state?: { readonly topic: string; readonly on: string; readonly off: string } | undefined;
  readonly availability?: { readonly topic: string; readonly online: string; readonly offline: string } | undefined;
}

/** Where a plug is. */
export interface PlugAddress {
  readonly topic: string;
  /** Which of the device's outputs; empty where it has one. */
  readonly channel: string;
  /** What the daemon calls itself towards this plug: a topic, below which the plug may answer. */
  readonly caller: string;
  readonly custom?: CustomTopics | undefined;
}

export interface PlugFamilyRow {
  /** For the documentation: what `topic` is. */
  readonly topic: string;
  /** What `channel` is, and what it is where nothing is said; null where it has to be said. */
  readonly channel: { readonly about: string; readonly fits: RegExp; readonly ordinary: string | null };
  readonly deadMan: (address: PlugAddress) => DeadManLimits | null;
  readonly answers: (address: PlugAddress) => PlugRules["answers"];
  /** Shape: one message that says both, wherever the family can: of two, the end could be the one that is lost. */
  readonly on: (address: PlugAddress, deadManSec: number | null) => PlugMessage[];
  readonly off: (address: PlugAddress) => PlugMessage[];
  readonly ask: (address: PlugAddress) => PlugMessage[];
  /** Readers of what the plug tells, by topic. */
  readonly listens: (address: PlugAddress) => Readonly<Record<string, Reader>>;
}

const DAY_SEC = 86_400;
/** Numbers of Shelly's requests: an answer tells by its number which command was done. */
const RPC = { on: 1, off: 2, ask: 3 };
/** Tasmota's PulseTime counts tenths of a second up to 111, and seconds from 112 on. */
const PULSE_TIME = { offset: 100, least: 112, most: 64_900 };
/** Zigbee counts tenths of a second in 16 bits. */
const ZIGBEE_MOST_SEC = 6_553;

export const plugFamilies = {
  tasmota: {
    topic: "the device's Topic; with another FullTopic, that with %prefix% left in: home/heater/%prefix%",
    channel: { about: "number of the relay, for devices with several", fits: /^[1-9]\d?$/, ordinary: "" },
    deadMan: () => ({ leastSec: PULSE_TIME.least - PULSE_TIME.offset, mostSec: PULSE_TIME.most - PULSE_TIME.offset }),
    answers: () => "always",
    // Backlog: the timer and the switching in one message. PulseTime stays set, and runs anew with every ON.
    on: (address, deadManSec) => {
      const relay = address.channel || "1";
      const pulse = `PulseTime${relay} ${(deadManSec ?? 0) + PULSE_TIME.offset}`;
      return [{ topic: tasmota(address, "cmnd", "Backlog0"), payload: `${pulse}; Power${relay} ON` }];
    },
    off: (address) => [{ topic: tasmota(address, "cmnd", `POWER${address.channel}`), payload: "OFF" }],
    ask: (address) => [{ topic: tasmota(address, "cmnd", `POWER${address.channel}`), payload: "" }],
    listens: (address) => {
      // The only relay of a device is POWER, or POWER1 with SetOption26.
      const names = address.channel === "" ? ["POWER", "POWER1"] : [`POWER${address.channel}`];
      return {
        ...Object.fromEntries(names.map((name) => [tasmota(address, "stat", name), stateReader()])),
        [tasmota(address, "tele", "STATE")]: (payload) => stateWithin(objectIn(payload), names),
        [tasmota(address, "tele", "LWT")]: availabilityReader("Online", "Offline"),
      };
    },
  },
  shelly_gen1: {
    topic: "the device's id or custom MQTT prefix, as in shellies/<id>",
    channel: { about: "number of the relay, from 0", fits: /^\d\d?$/, ordinary: "0" },
    // Its timer is a setting of the device (auto off), or of its HTTP interface: MQTT has no word for it.
    deadMan: () => null,
    answers: () => "changes",
    on: (address) => [{ topic: `${shellies(address)}/relay/${address.channel}/command`, payload: "on" }],
    off: (address) => [{ topic: `${shellies(address)}/relay/${address.channel}/command`, payload: "off" }],
    ask: (address) => [{ topic: `${shellies(address)}/command`, payload: "update" }],
    listens: (address) => ({
      // A relay that tripped is off.
      [`${shellies(address)}/relay/${address.channel}`]: stateReader("overpower", "overtemperature"),
      [`${shellies(address)}/online`]: availabilityReader("true", "false"),
    }),
  },
  shelly_gen2: {
    topic: "the device's MQTT prefix, ordinarily its id",
    channel: { about: "number of the switch, from 0", fits: /^\d\d?$/, ordinary: "0" },
    deadMan: () => ({ leastSec: 1, mostSec: DAY_SEC }),
    answers: () => "always",
    on: (address, deadManSec) => [rpc(address, RPC.on, "Switch.Set", { on: true, toggle_after: deadManSec ?? 0 })],
    off: (address) => [rpc(address, RPC.off, "Switch.Set", { on: false })],
    ask: (address) => [rpc(address, RPC.ask, "Switch.GetStatus", {})],
    // Changes come by events/rpc as delivered, and by status/ where status_ntf is set; answers come to the caller.
    listens: (address) => {
      const component = `switch:${address.channel}`;
      return {
        [`${address.topic}/status/${component}`]: (payload) => stateWithin(objectIn(payload), ["output"]),
        [`${address.topic}/events/rpc`]: (payload) =>
          stateWithin(objectIn(objectIn(objectIn(payload)?.params)?.[component]), ["output"]),
        [`${address.caller}/rpc`]: readAnswer,
        [`${address.topic}/online`]: availabilityReader("true", "false"),
      };
    },
  },
  zigbee2mqtt: {
    topic: "the device's friendly name, or the whole topic with another base topic than zigbee2mqtt",
    channel: { about: "the endpoint, for devices with several: left, l1", fits: /^\w+$/, ordinary: "" },
    // Most plugs keep it; it depends on the device's firmware.
    deadMan: () => ({ leastSec: 1, mostSec: ZIGBEE_MOST_SEC }),
    answers: () => "always",
    on: (address, deadManSec) => [zigbee(address, "set", { [zigbeeState(address)]: "ON", on_time: deadManSec ?? 0 })],
    off: (address) => [zigbee(address, "set", { [zigbeeState(address)]: "OFF" })],
    ask: (address) => [zigbee(address, "get", { [zigbeeState(address)]: "" })],
    listens: (address) => ({
      [rooted("zigbee2mqtt", address)]: (payload) => stateWithin(objectIn(payload), [zigbeeState(address)]),
      [`${rooted("zigbee2mqtt", address)}/availability`]: (payload) =>
        availabilityReader("online", "offline")(String(objectIn(payload)?.state ?? payload)),
    }),
  },
  esphome: {
    topic: "the device's topic_prefix, ordinarily its name",
    channel: {
      about: "the switch's object id, as in <prefix>/switch/<object id>/state",
      fits: /^[\w-]+$/,
      ordinary: null,
    },
    deadMan: () => null,
    // A state that does not change is not published again; it lies in the broker.
    answers: () => "changes",
    on: ({ topic, channel }) => [{ topic: `${topic}/switch/${channel}/command`, payload: "ON" }],
    off: ({ topic, channel }) => [{ topic: `${topic}/switch/${channel}/command`, payload: "OFF" }],
    ask: () => [],
    listens: ({ topic, channel }) => ({
      [`${topic}/switch/${channel}/state`]: stateReader(),
      [`${topic}/status`]: availabilityReader("online", "offline"),
    }),
  },
  custom: customRow,
} as const satisfies Readonly<Record<string, PlugFamilyRow>>;

export type PlugFamily = keyof typeof plugFamilies;

function tasmota({ topic }: PlugAddress, prefix: string, command: string): string {
  const full = topic.includes("%prefix%") ? topic.replaceAll("%prefix%", prefix) : `${prefix}/${topic}`;
  return `${full}/${command}`;
}

/** A name alone stands below the family's root; a topic of several levels is whole. */
function rooted(root: string, { topic }: PlugAddress): string {
  return topic.includes("/") ? topic : `${root}/${topic}`;
}

function shellies(address: PlugAddress): string {
  return rooted("shellies", address);
}

function rpc({ topic, channel, caller }: PlugAddress, id: number, method: string, params: object): PlugMessage {
  const payload = { id, src: caller, method, params: { id: Number(channel), ...params } };
  return { topic: `${topic}/rpc`, payload: JSON.stringify(payload) };
}

const readAnswer: Reader = (payload) => {
  const { id, result: given } = objectIn(payload) ?? {};
  const result = objectIn(given);
  if (!result) return null;
  if (id === RPC.ask) return stateWithin(result, ["output"]);
  return id === RPC.on || id === RPC.off ? { kind: "done", on: id === RPC.on } : null;
};

function zigbeeState({ channel }: PlugAddress): string {
  return channel === "" ? "state" : `state_${channel}`;
}

function zigbee(address: PlugAddress, verb: "set" | "get", payload: object): PlugMessage {
  return { topic: `${rooted("zigbee2mqtt", address)}/${verb}`, payload: JSON.stringify(payload) };
}
