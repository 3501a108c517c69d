/** Shelly plugs of the first generation. */
import { availabilityReader, stateReader } from "./payload-readers.ts";
import { type PlugAddress, type PlugFamilyRow, withRoot } from "./plug-family.ts";

export const shellyGen1Plug = {
  topic: "the device's id or custom MQTT prefix, as in shellies/<id>",
  channel: { about: "number of the relay, from 0", fits: /^\d\d?$/, ordinary: "0" },
  // Its timer is a setting of the device (auto off), or of its HTTP interface: MQTT has no word for it.
  deadManNote: "no, not by MQTT: set *auto off* in the device, to 20 minutes",
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
} as const satisfies PlugFamilyRow;

function shellies(address: PlugAddress): string {
  return withRoot("shellies", address);
}
