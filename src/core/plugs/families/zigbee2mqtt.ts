/** Zigbee plugs behind Zigbee2MQTT. */
import { availabilityReader, objectIn, stateWithin } from "./payload-readers.ts";
import { type PlugAddress, type PlugFamilyRow, type PlugMessage, withRoot } from "./plug-family.ts";

/** Zigbee counts tenths of a second in 16 bits. */
const ZIGBEE_MOST_SEC = 6_553;

export const zigbee2mqttPlug = {
  topic: "the device's friendly name, or the whole topic with another base topic than zigbee2mqtt",
  channel: { about: "the endpoint, for devices with several: left, l1", fits: /^\w+$/, ordinary: "" },
  // Most plugs keep it; it depends on the device's firmware.
  deadManNote: "yes, where the device knows `on_time`: try it once",
  deadMan: () => ({ leastSec: 1, mostSec: ZIGBEE_MOST_SEC }),
  answers: () => "always",
  on: (address, deadManSec) => [zigbee(address, "set", { [zigbeeState(address)]: "ON", on_time: deadManSec ?? 0 })],
  off: (address) => [zigbee(address, "set", { [zigbeeState(address)]: "OFF" })],
  ask: (address) => [zigbee(address, "get", { [zigbeeState(address)]: "" })],
  listens: (address) => ({
    [withRoot("zigbee2mqtt", address)]: (payload) => stateWithin(objectIn(payload), [zigbeeState(address)]),
    [`${withRoot("zigbee2mqtt", address)}/availability`]: (payload) =>
      availabilityReader("online", "offline")(String(objectIn(payload)?.state ?? payload)),
  }),
} as const satisfies PlugFamilyRow;

function zigbeeState({ channel }: PlugAddress): string {
  return channel === "" ? "state" : `state_${channel}`;
}

function zigbee(address: PlugAddress, verb: "set" | "get", payload: object): PlugMessage {
  return { topic: `${withRoot("zigbee2mqtt", address)}/${verb}`, payload: JSON.stringify(payload) };
}
