/** Readers of plug payloads. A payload without a state is ignored; a state that is neither ON nor OFF is reported. */

import { objectIn } from "../../text/foreign-text.ts";

/** Meaning of a plug's message. */
export type Heard =
  | { readonly kind: "reported"; readonly on: boolean }
  | { readonly kind: "availability"; readonly available: boolean }
  | { readonly kind: "bridge"; readonly up: boolean }
  | { readonly kind: "done"; readonly on: boolean }
  /** The plug reports a state that elbro cannot read, or an error. */
  | { readonly kind: "unclear"; readonly what: "state" | "error"; readonly value: string };

/** Reads a payload; returns null if it does not contain the state of the plug. */
export type Reader = (payload: string) => Heard | null;

/** Longest part of an unreadable state that is shown. */
const MAX_SHOWN_LENGTH = 60;

const ON_WORDS: readonly string[] = ["on", "true", "1"];
const OFF_WORDS: readonly string[] = ["off", "false", "0"];

/** Reads ON or OFF in any case, also `1` and `0` (Tasmota's StateText), from a boolean or a text; otherwise null. */
export function onOff(value: unknown): boolean | null {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return null;
  const text = value.trim().toLowerCase();
  if (ON_WORDS.includes(text)) return true;
  return OFF_WORDS.includes(text) ? false : null;
}

/** Reads ON or OFF from a text, or from `state` of a JSON object. */
export function textState(payload: string): boolean | null {
  return onOff(payload) ?? onOff(objectIn(payload)?.state);
}

/** Creates a reader of a payload that is the state. `tripped`: payloads of a plug that switched itself off. */
export function stateReader(...tripped: readonly string[]): Reader {
  return (payload) => (tripped.includes(payload.trim()) ? { kind: "reported", on: false } : stateOf(payload));
}

/** Reads the state from the first key that has one. */
export function stateWithin(object: Readonly<Record<string, unknown>> | null, keys: readonly string[]): Heard | null {
  return stateOf(keys.map((key) => object?.[key]).find((value) => value !== undefined));
}

function stateOf(value: unknown): Heard | null {
  const on = onOff(value);
  if (on !== null) return { kind: "reported", on };
  return value === undefined || value === null || value === "" ? null : unclear("state", value);
}

/** Makes a message that says nothing about the state. */
export function unclear(what: "state" | "error", value: unknown): Heard {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { kind: "unclear", what, value: text.slice(0, MAX_SHOWN_LENGTH) };
}

/** Creates a reader of availability from two payloads. */
export function availabilityReader(there: string, away: string): Reader {
  return (payload) => {
    const text = payload.trim().toLowerCase();
    if (text === there.toLowerCase()) return { kind: "availability", available: true };
    return text === away.toLowerCase() ? { kind: "availability", available: false } : null;
  };
}
