/** Tasmota plugs. */

import { message } from "../../language/text.ts";
import { objectIn, objectOf } from "../../text/foreign-text.ts";
import { type MeterReader, measuredOf } from "./meter-readers.ts";
import { availabilityReader, type Reader, stateReader, stateWithin } from "./payload-readers.ts";
import type { AnnouncedPlug, PlugAddress, PlugFamilyRow, PlugMessage } from "./plug-family.ts";

/**
 * Tasmota's PulseTime counts tenths of a second up to 111, and seconds from 112 on. The device stores it and starts it
 * with every ON, or with every OFF if PowerOnState is 5. Source: Tasmota 15, docs "Commands"; support_command.ino,
 * CmndPulsetime: setting a value restarts a running timer.
 */
const PULSE_TIME = { offset: 100, least: 112, most: 64_900 };
const LIMITS = { leastSec: PULSE_TIME.least - PULSE_TIME.offset, mostSec: PULSE_TIME.most - PULSE_TIME.offset };

/**
 * Tasmota's PowerOnState. With 5, PulseTime ends an OFF instead of an ON. After a power cut, 5 switches ON when
 * PulseTime has passed; without a PulseTime it stays OFF. So an ON without a timer sets 1, which switches ON at boot.
 * With 5 an ON has no timer, so an ON with a timer sets 0, which stays OFF at boot. The plug may have had `when_lost:
 * on` before. Source: Tasmota 15, support_command.ino, CmndPowerOnState; support_tasmota.ino, ExecuteCommandPower,
 * SetPowerOnState.
 */
const POWER_ON_STATE = { off: 0, on: 1, onAfterPulseTime: 5 };

/** Start of the topic of commands, which some enter with the plug's own topic. */
const COMMANDS = "cmnd/";

export const tasmotaPlug = {
  topic: message("mistake.tasmota_topic"),
  optionalStart: COMMANDS,
  channel: { about: message("mistake.tasmota_channel"), fits: /^[1-9]\d?$/, ordinary: "" },
  deadManNote: {
    on: "yes: `PulseTime` with `PowerOnState` 0, set in one message with the ON; the OFF clears `PulseTime`",
    off: "yes, the same for all relays of a device: `PulseTime` with `PowerOnState` 5, cleared with the ON",
  },
  leaves: "PulseTime and PowerOnState; in its console: Backlog PulseTime 0; PowerOnState 3 (3 is the default)",
  shared: "PowerOnState",
  deadMan: () => ({ on: LIMITS, off: LIMITS }),
  answers: () => "always",
  turn: (address, on, deadManSec) => [cmnd(address, "Backlog0", switching(address, on, deadManSec))],
  ask: (address) => [cmnd(address, `POWER${address.channel}`, "")],
  clearTimer: (address) => [cmnd(address, `PulseTime${relayOf(address)}`, "0")],
  listens: (address) => {
    const names = powersOf(address);
    return {
      ...Object.fromEntries(names.map((name) => [tasmota(address, "stat", name), powerReader(names)])),
      [tasmota(address, "stat", "RESULT")]: powerReader(names),
      [tasmota(address, "tele", "STATE")]: powerReader(names),
      [tasmota(address, "tele", "LWT")]: availabilityReader("Online", "Offline"),
    };
  },
  measures: (address) => ({
    [tasmota(address, "tele", "SENSOR")]: meterReader(address),
    [tasmota(address, "stat", "STATUS8")]: meterReader(address),
    [tasmota(address, "stat", "STATUS10")]: meterReader(address),
  }),
  announces: {
    filter: "tasmota/discovery/+/config",
    topic: /^tasmota\/discovery\/\w+\/config$/,
    read: (payload) => announced(objectIn(payload)),
  },
  // Source: Tasmota 15, docs "Commands", "With Web Requests": GET /cm?cmnd=…; the response to a Backlog has no state.
  http: {
    deadMan: () => ({ on: LIMITS, off: LIMITS }),
    answers: () => "always",
    turn: (address, on, deadManSec) => [cm(`Backlog0 ${switching(address, on, deadManSec)}`), power(address)],
    ask: (address) => [power(address), cm("Status 10")],
    clearTimer: (address) => [cm(`PulseTime${relayOf(address)} 0`)],
    // Source: Tasmota docs "Commands", "With Web Requests". Older versions refuse with the status 200 and "Need
    // user=<username>&password=<password>", in the language of the firmware.
    login: "query",
    refusal: /"[^"]*=<[^>"]*>&[^"]*=<[^>"]*>"/,
    reads: (address) => powerReader(powersOf(address)),
    measures: (address) => meterReader(address),
  },
} as const satisfies PlugFamilyRow;

/** Reads `ENERGY` in W and kWh; of several meters, lists by relay. Source: Tasmota 15, xdrv_03_energy.ino. */
function meterReader({ channel }: PlugAddress): MeterReader {
  const ofRelay = (value: unknown, isShared: boolean) =>
    Array.isArray(value) ? (value[Number(channel || "1") - 1] as unknown) : isShared ? null : value;
  return (payload) => {
    const message = objectIn(payload);
    const { Power: watts, Total: total } = objectOf((objectOf(message?.StatusSNS) ?? message)?.ENERGY) ?? {};
    return measuredOf(ofRelay(watts, false), ofRelay(total, Array.isArray(watts)));
  };
}

const ORDINARY_FULL_TOPIC = "%prefix%/%topic%/";
/** Type in `rl`, which has one number per relay: 1 is a relay, 2 a light, 3 a shutter. */
const RELAY = 1;

/** Returns the relays of a device with the usual prefixes. Source: Tasmota 15, xdrv_12_discovery.ino. */
function announced(device: Readonly<Record<string, unknown>> | null): AnnouncedPlug[] {
  const { dn, fn, md, t, ft, tp, rl } = device ?? {};
  if (typeof t !== "string" || typeof ft !== "string" || !Array.isArray(rl) || String(tp) !== "cmnd,stat,tele")
    return [];
  const topic = ft === ORDINARY_FULL_TOPIC ? t : ft.replaceAll("%topic%", t).replace(/\/$/, "");
  const relays = rl.flatMap((kind, i) => (kind === RELAY ? i + 1 : []));
  return relays.map((relay) => {
    const own: unknown = Array.isArray(fn) ? fn[relay - 1] : null;
    const name = [own, dn, t].find((each) => typeof each === "string" && each !== "");
    return {
      topic,
      channel: rl.filter(Boolean).length === 1 ? "" : String(relay),
      name: String(name),
      model: typeof md === "string" ? md : null,
    };
  });
}

function tasmota({ topic }: PlugAddress, prefix: string, command: string): string {
  const own = topic.startsWith(COMMANDS) ? topic.slice(COMMANDS.length) : topic;
  const full = topic.includes("%prefix%") ? topic.replaceAll("%prefix%", prefix) : `${prefix}/${own}`;
  return `${full}/${command}`;
}

function cmnd(address: PlugAddress, command: string, payload: string): PlugMessage {
  return { topic: tasmota(address, "cmnd", command), payload };
}

function cm(command: string): PlugMessage {
  return { topic: `/cm?cmnd=${encodeURIComponent(command)}`, payload: "" };
}

function power(address: PlugAddress): PlugMessage {
  return cm(`Power${relayOf(address)}`);
}

function relayOf({ channel }: PlugAddress): string {
  return channel || "1";
}

/** Returns the names of the relay. A single one is POWER, or POWER1 with SetOption26; of several, none is POWER. */
function powersOf({ channel }: PlugAddress): string[] {
  return channel === "" || channel === "1" ? ["POWER", "POWER1"] : [`POWER${channel}`];
}

/**
 * Reads the state from JSON or as text: with SetOption90 only JSON is published, with SetOption4 on the topic of the
 * relay instead of RESULT. Source: Tasmota 15, xdrv_02_9_mqtt.ino, MqttPublishPowerState.
 */
function powerReader(names: readonly string[]): Reader {
  const readText = stateReader();
  return (payload) => (payload.startsWith("{") ? stateWithin(objectIn(payload), names) : readText(payload));
}

/** Returns a Backlog of timer and switching. Without a timer it clears the previous one, which would end this state. */
function switching(address: PlugAddress, on: boolean, deadManSec: number | null): string {
  const relay = relayOf(address);
  const isResting = deadManSec === null;
  const pulseTime = isResting ? 0 : deadManSec + PULSE_TIME.offset;
  const pulse = `PulseTime${relay} ${pulseTime}; Power${relay} ${on ? "ON" : "OFF"}`;
  if (!on) return isResting ? pulse : `PowerOnState ${POWER_ON_STATE.onAfterPulseTime}; ${pulse}`;
  return `PowerOnState ${isResting ? POWER_ON_STATE.on : POWER_ON_STATE.off}; ${pulse}`;
}
