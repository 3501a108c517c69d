/** Shelly plugs since the second generation: JSON-RPC over MQTT or HTTP, identical in Gen2, Gen3 and Gen4. */

import { message } from "../../language/text.ts";
import { objectIn, objectOf } from "../../text/foreign-text.ts";
import { dividedBy, type MeterReader, measuredOf } from "./meter-readers.ts";
import { availabilityReader, type Reader, stateWithin, unclear } from "./payload-readers.ts";
import type { Announcement, PlugAddress, PlugFamilyRow, PlugMessage } from "./plug-family.ts";

const LIMITS = { leastSec: 1, mostSec: 86_400 };
/** Ids of our RPC requests; the response repeats the id and so identifies the command. */
const RPC = { on: 1, off: 2, ask: 3 };

/**
 * Model part of a device id: shellyplus2pm-…, shelly1minig3-…, shellyplugsg3-…. Topics start with the id unless the
 * owner changed the prefix. A digit is the number of switches. Source: Shelly Gen2+ API, "MQTT" (`online` is retained),
 * and the ids on its device pages; not verified on each device.
 */
const SWITCH_MODEL = /^(?:plus|pro)?(?:plug[a-z]*|([1-4])(?:pm|l)?(?:mini)?)$/;

function announcedBy(generation: "" | "g3" | "g4"): Announcement {
  return {
    filter: "+/online",
    topic: new RegExp(`^(shelly([a-z0-9]+?)${generation}-[0-9a-f]{12})/online$`),
    read(payload, [id = "", model = ""]) {
      const found = SWITCH_MODEL.exec(model);
      if (!found || payload !== "true") return [];
      return Array.from({ length: Number(found[1] ?? 1) }, (_, i) => ({
        topic: id,
        name: i === 0 ? id : `${id} ${i}`,
        model: `${model}${generation}`,
        channel: i === 0 ? "" : String(i),
      }));
    },
  };
}

export const shellyGen2Plug = {
  topic: message("mistake.shelly_gen2_topic"),
  channel: { about: message("mistake.shelly_gen2_channel"), fits: /^\d\d?$/, ordinary: "0" },
  // Source: Shelly Gen2+ API (firmware 1.7), "Switch.Set": `toggle_after` is a flip-back timer for ON and OFF.
  deadManNote: {
    on: "yes: `toggle_after`, in the ON command itself",
    off: "yes: `toggle_after`, in the OFF command itself",
  },
  deadMan: () => ({ on: LIMITS, off: LIMITS }),
  answers: () => "always",
  turn: (address, on, deadManSec) => [rpc(address, on ? RPC.on : RPC.off, "Switch.Set", setTo(on, deadManSec))],
  ask: (address) => [rpc(address, RPC.ask, "Switch.GetStatus", {})],
  announces: announcedBy(""),
  listens: (address) => ({
    ...statusTopics(address, outputIn),
    [`${address.caller}/rpc`]: readAnswer,
    [`${address.topic}/online`]: availabilityReader("true", "false"),
  }),
  measures: (address) => ({
    ...statusTopics(address, measuredIn),
    [`${address.caller}/rpc`]: readMeasuredAnswer,
  }),
  // Source: Shelly Gen2+ API, "RPC Channels": methods are also GET /rpc/<method>. Switch.Set returns the previous
  // state.
  http: {
    deadMan: () => ({ on: LIMITS, off: LIMITS }),
    answers: () => "always",
    turn: (address, on, deadManSec) => [call(address, "Switch.Set", setTo(on, deadManSec)), status(address)],
    ask: (address) => [status(address)],
    // Source: Shelly Gen2+ API, "Authentication": digest with SHA-256 (RFC 7616), user `admin`.
    login: "digest",
    reads: () => (payload) => outputIn(objectIn(payload)),
    measures: () => (payload) => measuredIn(objectIn(payload)),
  },
} as const satisfies PlugFamilyRow;

export const shellyGen3Plug = { ...shellyGen2Plug, announces: announcedBy("g3") } as const satisfies PlugFamilyRow;
export const shellyGen4Plug = { ...shellyGen2Plug, announces: announcedBy("g4") } as const satisfies PlugFamilyRow;

function setTo(on: boolean, deadManSec: number | null): { readonly on: boolean; readonly toggle_after?: number } {
  return deadManSec === null ? { on } : { on, toggle_after: deadManSec };
}

function call({ channel }: PlugAddress, method: string, params: object): PlugMessage {
  const query = new URLSearchParams({ id: channel, ...params });
  return { topic: `/rpc/${method}?${query}`, payload: "" };
}

function status(address: PlugAddress): PlugMessage {
  return call(address, "Switch.GetStatus", {});
}

function rpc({ topic, channel, caller }: PlugAddress, id: number, method: string, params: object): PlugMessage {
  const payload = { id, src: caller, method, params: { id: Number(channel), ...params } };
  return { topic: `${topic}/rpc`, payload: JSON.stringify(payload) };
}

type Status = Readonly<Record<string, unknown>> | null;

/** Changes arrive on events/rpc by default, and on status/ if status_ntf is set; responses arrive below `caller`. */
function statusTopics<Read>({ topic, channel }: PlugAddress, read: (status: Status) => Read) {
  const component = `switch:${channel}`;
  return {
    [`${topic}/status/${component}`]: (payload: string) => read(objectIn(payload)),
    [`${topic}/events/rpc`]: (payload: string) => read(objectOf(objectOf(objectIn(payload)?.params)?.[component])),
  };
}

function outputIn(status: Status) {
  return stateWithin(status, ["output"]);
}

/** Source: Shelly Gen2+ API, "Switch", "Status": `apower` in W, `aenergy.total` in Wh. */
function measuredIn(status: Status) {
  return measuredOf(status?.apower, dividedBy(objectOf(status?.aenergy)?.total, 1_000));
}

const readMeasuredAnswer: MeterReader = (payload) => {
  const { id, result } = objectIn(payload) ?? {};
  return id === RPC.ask ? measuredIn(objectOf(result)) : null;
};

const readAnswer: Reader = (payload) => {
  const { id, result: given, error } = objectIn(payload) ?? {};
  const result = objectOf(given);
  // Source: Shelly Gen2+ API, "RPC Protocol", "Response frame": `error` with `code` and `message`.
  const reason = objectOf(error)?.message;
  if (typeof reason === "string") return unclear("error", reason);
  if (!result) return null;
  if (id === RPC.ask) return outputIn(result);
  return id === RPC.on || id === RPC.off ? { kind: "done", on: id === RPC.on } : null;
};
