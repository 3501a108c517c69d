/** Plug family whose topics and payloads the owner configures. */

import { message } from "../../language/text.ts";
import { payloadValue } from "../../text/foreign-text.ts";
import { onOff, type Reader, textState, unclear } from "./payload-readers.ts";
import { matches } from "./payload-values.ts";
import type { CustomTopics, PlugAddress, PlugFamilyRow, PlugMessage } from "./plug-family.ts";

const LIMITS = { leastSec: 1, mostSec: 86_400 };
const NOTHING: CustomTopics = { on: { topic: "", payload: "" }, off: { topic: "", payload: "" } };

/** `{seconds}` in a message starts the device's timer; 0 means none. The `dead_man` message is sent before its ON. */
export const customPlug: PlugFamilyRow = {
  topic: message("mistake.custom_place", { place: "{topic}" }),
  channel: { about: message("mistake.custom_place", { place: "{channel}" }), fits: /^[^+#]+$/, ordinary: "" },
  deadManNote: { on: "if `on` or `dead_man` contains `{seconds}`", off: "if `off` contains `{seconds}`" },
  deadMan: (address) => {
    const { on, off, dead_man: deadMan } = topicsOf(address);
    return { on: saysSeconds(on, deadMan) ? LIMITS : null, off: saysSeconds(off) ? LIMITS : null };
  },
  answers: (address) => (topicsOf(address).state ? "changes" : "never"),
  turn: (address, isOn, deadManSec) => {
    const { on, off, dead_man: deadMan } = topicsOf(address);
    const messages = isOn ? [deadMan ?? [], on].flat() : [off];
    return messages.map((message) => filled(message, address, deadManSec));
  },
  ask: (address) => {
    const { ask } = topicsOf(address);
    return ask ? [filled(ask, address, null)] : [];
  },
  listens: (address) => {
    const { state, availability } = topicsOf(address);
    const at = (topic: string) => fill(topic, address, null);
    const readers: [string, Reader][] = [];
    if (state) readers.push([at(state.topic), customState(state)]);
    if (availability) readers.push([at(availability.topic), customAvailability(availability)]);
    return Object.fromEntries(readers.map(([topic]) => [topic, firstOf(readers, topic)]));
  },
};

function topicsOf({ custom }: PlugAddress): CustomTopics {
  return custom ?? NOTHING;
}

function saysSeconds(...messages: readonly (PlugMessage | undefined)[]): boolean {
  return messages.some((message) => `${message?.topic} ${message?.payload}`.includes("{seconds}"));
}

function filled({ topic, payload }: PlugMessage, address: PlugAddress, seconds: number | null): PlugMessage {
  return { topic: fill(topic, address, seconds), payload: fill(payload, address, seconds) };
}

function fill(template: string, { topic, channel }: PlugAddress, seconds: number | null): string {
  const words: Readonly<Record<string, string>> = { topic, channel, seconds: String(seconds ?? 0) };
  return template.replace(/\{(topic|channel|seconds)\}/g, (_, word: string) => words[word] ?? "");
}

/** Returns a reader for a topic that state and availability may share. */
function firstOf(readers: readonly [string, Reader][], topic: string): Reader {
  const here = readers.filter(([each]) => each === topic).map(([, read]) => read);
  return (payload) => {
    const all = here.map((read) => read(payload));
    return all.find((heard) => heard && heard.kind !== "unclear") ?? all.find((heard) => heard) ?? null;
  };
}

/** Reads the state by the owner's payloads. Ordinary words for ON and OFF match all others: `true` for `on`. */
function customState({ key, on, off }: NonNullable<CustomTopics["state"]>): Reader {
  const isOrdinary =
    [on].flat().some((each) => onOff(each) === true) && [off].flat().some((each) => onOff(each) === false);
  return (payload) => {
    const value = valueIn(payload, key);
    if (value === null || value === "") return null;
    const is = matches(on, value) || (matches(off, value) ? false : isOrdinary ? textState(value) : null);
    return is === null ? unclear("state", value) : { kind: "reported", on: is };
  };
}

function customAvailability({ key, online, offline }: NonNullable<CustomTopics["availability"]>): Reader {
  return (payload) => {
    const value = valueIn(payload, key) ?? "";
    const available = matches(online, value) || (matches(offline, value) ? false : null);
    return available === null ? null : { kind: "availability", available };
  };
}

/** Returns a payload, or the value at a key of its JSON as text; null if the JSON has none. */
function valueIn(payload: string, key: string | undefined): string | null {
  if (key === undefined) return payload;
  const value = payloadValue(payload, key);
  return typeof value === "object" || value === undefined ? null : String(value);
}
