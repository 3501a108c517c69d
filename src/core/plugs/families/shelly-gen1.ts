/** Shelly plugs of the first generation. */

import { message } from "../../language/text.ts";
import { objectIn, objectOf } from "../../text/foreign-text.ts";
import { dividedBy, measuredOf } from "./meter-readers.ts";
import { availabilityReader, stateReader, stateWithin } from "./payload-readers.ts";
import { type PlugAddress, type PlugFamilyRow, withRoot } from "./plug-family.ts";

const WATT_MINUTES_PER_KWH = 60_000;
const LIMITS = { leastSec: 1, mostSec: 86_400 };

export const shellyGen1Plug = {
  topic: message("mistake.shelly_gen1_topic"),
  channel: { about: message("mistake.shelly_gen1_channel"), fits: /^\d\d?$/, ordinary: "0" },
  // Source: Shelly Gen1 API, "MQTT" and "/relay/{index}" (firmware 1.14): only the HTTP interface has a `timer`.
  deadManNote: {
    on: "over HTTP yes; over MQTT no: set *auto off* in the device to 20 minutes",
    off: "over HTTP yes; over MQTT no: set *auto on* in the device to 20 minutes",
  },
  deadMan: () => ({ on: null, off: null }),
  answers: () => "changes",
  turn: (address, on) => [
    { topic: `${shellies(address)}/relay/${address.channel}/command`, payload: on ? "on" : "off" },
  ],
  ask: (address) => [{ topic: `${shellies(address)}/command`, payload: "update" }],
  listens: (address) => ({
    // A relay that tripped is off.
    [`${shellies(address)}/relay/${address.channel}`]: stateReader("overpower", "overtemperature"),
    [`${shellies(address)}/online`]: availabilityReader("true", "false"),
  }),
  // Source: Shelly Gen1 API, "MQTT": power in W, energy in watt-minutes since the last boot.
  measures: (address) => ({
    [`${shellies(address)}/relay/${address.channel}/power`]: (payload) => measuredOf(payload, null),
    [`${shellies(address)}/relay/${address.channel}/energy`]: (payload) =>
      measuredOf(null, dividedBy(payload, WATT_MINUTES_PER_KWH)),
  }),
  // Source: Shelly Gen1 API, "MQTT": published on shellies/announce at connection and after `announce`, without the
  // number of relays.
  announces: {
    filter: "shellies/announce",
    topic: /^shellies\/announce$/,
    ask: { topic: "shellies/command", payload: "announce" },
    read(payload) {
      const { id, model } = objectIn(payload) ?? {};
      const isPlug = typeof id === "string" && typeof model === "string" && /^SH(SW|PLG)/.test(model);
      return isPlug ? [{ topic: id, channel: "", name: id, model }] : [];
    },
  },
  // Source: Shelly Gen1 API, "/relay/{index}": `timer` is "a one-shot flip-back timer in seconds", for ON and OFF.
  http: {
    deadMan: () => ({ on: LIMITS, off: LIMITS }),
    answers: () => "always",
    turn({ channel }, on, deadManSec) {
      const timer = deadManSec === null ? "" : `&timer=${deadManSec}`;
      return [{ topic: `/relay/${channel}?turn=${on ? "on" : "off"}${timer}`, payload: "" }];
    },
    // Source: Shelly Gen1 API, "/status": the relays and, of devices that measure, the meters.
    ask: () => [{ topic: "/status", payload: "" }],
    // Source: Shelly Gen1 API, "Common HTTP API", "Authentication": HTTP basic authentication.
    login: "basic",
    reads: (address) => (payload) => stateWithin(partOf(payload, "relays", address) ?? objectIn(payload), ["ison"]),
    measures: (address) => (payload) => {
      const { power, total } = partOf(payload, "meters", address) ?? {};
      return measuredOf(power, dividedBy(total, WATT_MINUTES_PER_KWH));
    },
  },
} as const satisfies PlugFamilyRow;

/** Returns the part of a status that belongs to the relay; null if the response is not a status. */
function partOf(payload: string, list: "relays" | "meters", { channel }: PlugAddress) {
  const parts = objectIn(payload)?.[list];
  return Array.isArray(parts) ? objectOf(parts[Number(channel)]) : null;
}

function shellies(address: PlugAddress): string {
  return withRoot("shellies", address);
}
