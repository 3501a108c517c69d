/** Reading what plugs tell. Whatever does not fit is nothing: junk on a topic switches nothing. */

/** What a plug told. */
export type Heard =
  | { readonly kind: "reported"; readonly on: boolean }
  | { readonly kind: "availability"; readonly available: boolean }
  | { readonly kind: "bridge"; readonly up: boolean }
  | { readonly kind: "done"; readonly on: boolean };

/** Reads a payload; null where it tells nothing of the plug. */
export type Reader = (payload: string) => Heard | null;

/** Longer payloads are not looked at: a plug's state is a few hundred characters. */
const MAX_PAYLOAD_LENGTH = 16_384;

/** ON or OFF in any case, as text or boolean; null for anything else. */
export function onOff(value: unknown): boolean | null {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return null;
  const text = value.trim().toLowerCase();
  if (text === "on" || text === "true") return true;
  return text === "off" || text === "false" ? false : null;
}

/** Reads a payload that is the state; the further words are said by a plug that switched itself off. */
export function stateReader(...tripped: readonly string[]): Reader {
  return (payload) => {
    const on = tripped.includes(payload.trim()) ? false : onOff(payload);
    return on === null ? null : { kind: "reported", on };
  };
}

/** The state under the first of some keys that is there. */
export function stateWithin(object: Readonly<Record<string, unknown>> | null, keys: readonly string[]): Heard | null {
  for (const key of keys) {
    const on = onOff(object?.[key]);
    if (on !== null) return { kind: "reported", on };
  }
  return null;
}

/** Reads whether a plug is there from two words. */
export function availabilityReader(there: string, away: string): Reader {
  return (payload) => {
    const text = payload.trim().toLowerCase();
    if (text === there.toLowerCase()) return { kind: "availability", available: true };
    return text === away.toLowerCase() ? { kind: "availability", available: false } : null;
  };
}

/** The JSON object in a text, or the value itself if it is one; null for anything else. */
export function objectIn(value: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof value === "string") return value.length > MAX_PAYLOAD_LENGTH ? null : objectIn(parsed(value));
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}

/** Not a text: an object written as text within an object is none. */
function parsed(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
