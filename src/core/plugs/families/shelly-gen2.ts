/** Shelly plugs of the second generation (JSON-RPC over MQTT). */
import { availabilityReader, objectIn, type Reader, stateWithin } from "./payload-readers.ts";
import type { PlugAddress, PlugFamilyRow, PlugMessage } from "./plug-family.ts";

const DAY_SEC = 86_400;
/** Numbers of Shelly's requests: an answer tells by its number which command was done. */
const RPC = { on: 1, off: 2, ask: 3 };

export const shellyGen2Plug = {
  topic: "the device's MQTT prefix, ordinarily its id",
  channel: { about: "number of the switch, from 0", fits: /^\d\d?$/, ordinary: "0" },
  deadManNote: "yes: `toggle_after`, in the ON itself",
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
} as const satisfies PlugFamilyRow;

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
