/** Plugs with Tasmota. */
import { availabilityReader, objectIn, stateReader, stateWithin } from "./payload-readers.ts";
import type { PlugAddress, PlugFamilyRow } from "./plug-family.ts";

/** Tasmota's PulseTime counts tenths of a second up to 111, and seconds from 112 on. */
const PULSE_TIME = { offset: 100, least: 112, most: 64_900 };

export const tasmotaPlug = {
  topic: "the device's Topic; with another FullTopic, that with %prefix% left in: home/heater/%prefix%",
  channel: { about: "number of the relay, for devices with several", fits: /^[1-9]\d?$/, ordinary: "" },
  deadManNote: "yes: `PulseTime`, set in one message with the ON",
  deadMan: () => ({ leastSec: PULSE_TIME.least - PULSE_TIME.offset, mostSec: PULSE_TIME.most - PULSE_TIME.offset }),
  answers: () => "always",
  // Backlog: the timer and the switching in one message. PulseTime stays set, and runs again with every ON.
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
} as const satisfies PlugFamilyRow;

function tasmota({ topic }: PlugAddress, prefix: string, command: string): string {
  const full = topic.includes("%prefix%") ? topic.replaceAll("%prefix%", prefix) : `${prefix}/${topic}`;
  return `${full}/${command}`;
}
