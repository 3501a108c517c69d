/**
 * Emulates the firmware of each plug family, without a network: subscribed topics, effects of commands, published
 * states. Written from the documentation of the devices, not from the daemon's drivers.
 */
import type { PlugConfig } from "../../../src/config/schema/plug-schema.ts";

/** Message that a plug publishes. */
export type Said = { readonly topic: string; readonly payload: string; readonly retain: boolean };

/** Effect of a command. `timerSec` is the time after which the plug switches back. */
export interface Order {
  readonly set?: boolean;
  readonly timerSec?: number;
  /** Setting that survives a power cut: every later ON ends after this time. 0 clears it and stops a running timer. */
  readonly pulseSec?: number;
  /** Tasmota's PowerOnState: with 5, `pulseSec` ends an OFF. */
  readonly powerOnState?: number;
  /** True if the plug publishes its state even without a change. */
  readonly tells: boolean;
  readonly answer?: (on: boolean) => Said;
}

export interface Firmware {
  readonly setup: Omit<Partial<PlugConfig>, "family"> & Pick<PlugConfig, "family">;
  /** True if its timer can switch it off. */
  readonly hasTimer: boolean;
  /** True if its timer can switch it on. */
  readonly hasOffTimer: boolean;
  /** True if it neither answers an unchanged state nor can be asked for it. */
  readonly reportsOnlyChanges?: true;
  readonly listens: readonly string[];
  readonly online: Said;
  readonly offline: Said;
  readonly state: (on: boolean) => Said[];
  readonly understand: (topic: string, payload: string) => Order | null;
  /** Message that switches the plug on if another client has retained it. */
  readonly foreignOn: { readonly topic: string; readonly payload: string };
}

const onOff = (on: boolean) => (on ? "ON" : "OFF");
const fresh = (topic: string, payload: string): Said => ({ topic, payload, retain: false });
const kept = (topic: string, payload: string): Said => ({ topic, payload, retain: true });

function plain(payload: string): boolean | undefined {
  const text = payload.toLowerCase();
  return text === "on" ? true : text === "off" ? false : undefined;
}

/** Returns a switch command; null for an unknown payload. */
function switching(payload: string, tells: boolean): Order | null {
  const set = plain(payload);
  return set === undefined ? null : { set, tells };
}

const tasmota: Firmware = {
  setup: { family: "tasmota", topic: "heater" },
  hasTimer: true,
  hasOffTimer: true,
  listens: ["cmnd/heater/POWER", "cmnd/heater/Backlog0", "cmnd/heater/PulseTime1"],
  online: kept("tele/heater/LWT", "Online"),
  offline: kept("tele/heater/LWT", "Offline"),
  state: (on) => [
    fresh("stat/heater/RESULT", JSON.stringify({ POWER: onOff(on) })),
    fresh("stat/heater/POWER", onOff(on)),
  ],
  understand(topic, payload) {
    if (topic.endsWith("/POWER")) return payload === "" ? { tells: true } : switching(payload, true);
    if (topic.endsWith("/PulseTime1")) return { pulseSec: pulseSec(payload), tells: false };
    const orders = payload.split(";").map((part) => part.trim().split(" "));
    const argumentOf = (command: string) => orders.find(([word]) => word === command)?.[1];
    const [pulse, power, start] = ["PulseTime1", "Power1", "PowerOnState"].map(argumentOf);
    const set = switching(power ?? "", true);
    const stored = pulse === undefined ? {} : { pulseSec: pulseSec(pulse) };
    return set && { ...set, ...stored, ...(start === undefined ? {} : { powerOnState: Number(start) }) };
  },
  foreignOn: { topic: "cmnd/heater/POWER", payload: "ON" },
};

/**
 * Converts PulseTime to seconds. Source: Tasmota, "PulseTime": 1 to 111 are tenths of a second, 112 to 64900 are
 * seconds + 100.
 */
function pulseSec(text: string): number {
  const value = Number(text);
  return value <= 111 ? value / 10 : value - 100;
}

const shellyGen1: Firmware = {
  setup: { family: "shelly_gen1", topic: "shellyplug-s-1" },
  hasTimer: false,
  hasOffTimer: false,
  listens: ["shellies/shellyplug-s-1/relay/0/command", "shellies/shellyplug-s-1/command"],
  online: kept("shellies/shellyplug-s-1/online", "true"),
  offline: kept("shellies/shellyplug-s-1/online", "false"),
  state: (on) => [fresh("shellies/shellyplug-s-1/relay/0", on ? "on" : "off")],
  understand: (topic, payload) =>
    topic.endsWith("relay/0/command") ? switching(payload, false) : payload === "update" ? { tells: true } : null,
  foreignOn: { topic: "shellies/shellyplug-s-1/relay/0/command", payload: "on" },
};

interface Request {
  readonly id: number;
  readonly src: string;
  readonly method: string;
  readonly params: { readonly id: number; readonly on?: boolean; readonly toggle_after?: number };
}

/**
 * Emulates the RPC interface, which is the same since the second generation; only the device ids differ.
 * Source: Shelly Gen2+ API, firmware 1.7, "Shelly Plus Plug S", "Shelly Plug S Gen3", "Shelly 1 Gen4".
 */
const shellyRpc = (family: "shelly_gen2" | "shelly_gen3" | "shelly_gen4", prefix: string): Firmware => ({
  setup: { family, topic: prefix },
  hasTimer: true,
  hasOffTimer: true,
  listens: [`${prefix}/rpc`],
  online: kept(`${prefix}/online`, "true"),
  offline: kept(`${prefix}/online`, "false"),
  state: (on) => [
    fresh(
      `${prefix}/events/rpc`,
      JSON.stringify({
        src: prefix,
        dst: `${prefix}/events`,
        method: "NotifyStatus",
        params: { ts: 1_700_000_000.5, "switch:0": { id: 0, output: on, source: "MQTT" } },
      }),
    ),
  ],
  understand(_topic, payload) {
    const { id, src, method, params } = JSON.parse(payload) as Request;
    const answer = (result: object) => fresh(`${src}/rpc`, JSON.stringify({ id, src: "shelly", dst: src, result }));
    if (method === "Switch.GetStatus") return { tells: false, answer: (on) => answer({ id: 0, output: on }) };
    if (method !== "Switch.Set" || params.on === undefined) return null;
    const timer = params.toggle_after === undefined ? {} : { timerSec: params.toggle_after };
    return { set: params.on, ...timer, tells: false, answer: () => answer({ was_on: !params.on }) };
  },
  foreignOn: {
    topic: `${prefix}/rpc`,
    payload: '{"id":9,"src":"app","method":"Switch.Set","params":{"id":0,"on":true}}',
  },
});

const zigbee: Firmware = {
  setup: { family: "zigbee2mqtt", topic: "Kitchen plug" },
  hasTimer: true,
  hasOffTimer: false,
  listens: ["zigbee2mqtt/Kitchen plug/set", "zigbee2mqtt/Kitchen plug/get"],
  online: kept("zigbee2mqtt/Kitchen plug/availability", '{"state":"online"}'),
  offline: kept("zigbee2mqtt/Kitchen plug/availability", '{"state":"offline"}'),
  state: (on) => [fresh("zigbee2mqtt/Kitchen plug", JSON.stringify({ linkquality: 80, state: onOff(on) }))],
  understand(topic, payload) {
    const { state, on_time: timerSec } = JSON.parse(payload) as { state: string; on_time?: number };
    if (topic.endsWith("/get")) return { tells: true };
    // A timed ON publishes no state. Source: zigbee-herdsman-converters 26.112, toZigbee.ts, on_off.
    const order = switching(state, timerSec === undefined);
    return order && timerSec !== undefined ? { ...order, timerSec } : order;
  },
  foreignOn: { topic: "zigbee2mqtt/Kitchen plug/set", payload: '{"state":"ON"}' },
};

const esphome: Firmware = {
  setup: { family: "esphome", topic: "boiler", channel: "relay" },
  hasTimer: false,
  hasOffTimer: false,
  reportsOnlyChanges: true,
  listens: ["boiler/switch/relay/command"],
  online: kept("boiler/status", "online"),
  offline: kept("boiler/status", "offline"),
  state: (on) => [kept("boiler/switch/relay/state", onOff(on))],
  understand: (_topic, payload) => switching(payload, false),
  foreignOn: { topic: "boiler/switch/relay/command", payload: "ON" },
};

/** Custom plug: `on 960` switches it on for 960 s. */
const custom: Firmware = {
  setup: {
    family: "custom",
    topic: "pump",
    on: { topic: "garden/{topic}/do", payload: "on {seconds}" },
    off: { topic: "garden/{topic}/do", payload: "off" },
    ask: { topic: "garden/{topic}/do", payload: "tell" },
    state: { topic: "garden/pump/is", key: "motor.is", on: ["Running", "starting"], off: "idle" },
    availability: { topic: "garden/pump/link", online: "up", offline: "down" },
  },
  hasTimer: true,
  hasOffTimer: false,
  listens: ["garden/pump/do"],
  online: kept("garden/pump/link", "up"),
  offline: kept("garden/pump/link", "down"),
  state: (on) => [fresh("garden/pump/is", JSON.stringify({ motor: { is: on ? "running" : "idle" } }))],
  understand(_topic, payload) {
    const [word = "", seconds] = payload.split(" ");
    if (word === "tell") return { tells: true };
    const order = switching(word, false);
    return order && Number(seconds) > 0 ? { ...order, timerSec: Number(seconds) } : order;
  },
  foreignOn: { topic: "garden/pump/do", payload: "on" },
};

export const firmwares = {
  tasmota,
  shelly_gen1: shellyGen1,
  shelly_gen2: shellyRpc("shelly_gen2", "shellyplusplugs-2"),
  shelly_gen3: shellyRpc("shelly_gen3", "shellyplugsg3-3"),
  shelly_gen4: shellyRpc("shelly_gen4", "shelly1g4-4"),
  zigbee2mqtt: zigbee,
  esphome,
  custom,
} as const satisfies Readonly<Record<BrokerFamily, Firmware>>;

/** Families of plugs on the broker. */
export type BrokerFamily = Exclude<PlugConfig["family"], "homeassistant">;
export const FAMILIES = Object.keys(firmwares) as BrokerFamily[];
