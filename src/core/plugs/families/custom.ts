/** Plug family whose topics and payloads the owner configures. */

import { message } from "../../language/text.ts";
import { type Heard, onOff, type Reader, textState, unclear } from "./payload-readers.ts";
import type { CustomTopics, PlugAddress, PlugFamilyRow, PlugMessage } from "./plug-family.ts";

const LIMITS = { leastSec: 1, mostSec: 86_400 };
/** Longer payloads are not matched, because the owner's pattern may be slow on them. */
const MAX_TRIED_LENGTH = 1_024;
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
    if (availability) {
      const { online, offline } = availability;
      readers.push([
        at(availability.topic),
        reader(online, offline, (available) => ({ kind: "availability", available })),
      ]);
    }
    return Object.fromEntries(readers.map(([topic]) => [topic, firstOf(readers, topic)]));
  },
};

/** Returns true if a payload matches: the same text, or a regular expression between slashes. */
export function fits(pattern: string, payload: string): boolean {
  const expression = expressionIn(pattern);
  if (expression === null) return payload.trim() === pattern;
  return payload.length <= MAX_TRIED_LENGTH && new RegExp(expression, "u").test(payload);
}

/** Returns the regular expression in a pattern; null if it is plain text. */
export function expressionIn(pattern: string): string | null {
  return /^\/(.+)\/$/s.exec(pattern)?.[1] ?? null;
}

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

/** Reads the state by the owner's patterns. Ordinary words for ON and OFF match all others: `true` for `on`. */
function customState({ on, off }: NonNullable<CustomTopics["state"]>): Reader {
  const readOwn = reader(on, off, (is) => ({ kind: "reported", on: is }));
  const isOrdinary = onOff(on) === true && onOff(off) === false;
  return (payload) => {
    const own = readOwn(payload);
    if (own || payload === "") return own;
    const is = isOrdinary ? textState(payload) : null;
    return is === null ? unclear("state", payload) : { kind: "reported", on: is };
  };
}

function reader(yes: string, no: string, as: (is: boolean) => Heard): Reader {
  return (payload) => (fits(yes, payload) ? as(true) : fits(no, payload) ? as(false) : null);
}
