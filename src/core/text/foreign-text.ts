/**
 * Reads JSON that others wrote: the only place where it is parsed. Each source has a budget, which is checked with the
 * text before it is parsed, because parsed JSON takes up to 30 times its length in memory.
 *
 * Values are used or reduced before the next text is read, so the largest row is the total at a time. With it the
 * program stays within the 64 MB of heap that `npm start` gives it.
 */
import type { Message } from "../language/text.ts";
import { jsonSize } from "./json-size.ts";

export interface ForeignBudget {
  /** Longest text in bytes, or in characters for one that arrives as characters. */
  readonly length: number;
  /** Most values and keys together. */
  readonly values: number;
  /** Most bytes of the heap by the estimate of json-size.ts. */
  readonly heapBytes: number;
}

const KB = 1024;
const MB = 1024 * KB;

/** Sources of foreign text and what each may send at most. */
export const foreignSources = {
  /** Response of the service. A year of quarter-hours with nine fields: 700,000 values and keys, 19 MB. */
  service: { length: 8 * MB, values: 800_000, heapBytes: 24 * MB },
  /** Message of Home Assistant's WebSocket. The states of 8,000 entities: 3 MB, 275,000 values and keys, 9 MB. */
  home_assistant: { length: 4 * MB, values: 400_000, heapBytes: 14 * MB },
  /** List of a bridge's devices. Zigbee2MQTT has 5 to 10 kB per device: 400 devices are 4 MB. */
  devices: { length: 4 * MB, values: 400_000, heapBytes: 14 * MB },
  /** Message of a plug or meter over MQTT, answer of a plug over HTTP, or command: a few hundred bytes to some kB. */
  plug: { length: 64 * KB, values: 10_000, heapBytes: MB },
  /** Body of a request. The settings of a plan take a few hundred bytes. */
  request: { length: 16 * KB, values: 4_000, heapBytes: MB },
  /** Newest release. With its notes and files it has some 20 kB. */
  update_feed: { length: 512 * KB, values: 20_000, heapBytes: 2 * MB },
  /** Answer of a server of notifications, or of Home Assistant's supervisor: one small object. */
  small_answer: { length: 64 * KB, values: 1_000, heapBytes: MB },
  /** Faults of the simulator: a file, or a body of its control. */
  faults: { length: MB, values: 40_000, heapBytes: 8 * MB },
} as const satisfies Readonly<Record<string, ForeignBudget>>;

export type ForeignSource = keyof typeof foreignSources;

/** Deepest nesting. The definitions of Zigbee2MQTT, the deepest known texts, have ten levels. */
const MAX_DEPTH = 32;

/** A value, or why the text is not read: what is wrong, where, and what is expected. */
export type ForeignReading =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "mistake"; readonly why: Message };

/** Parses a text if it is within the budget of its source. Never throws. */
export function readForeign(source: ForeignSource, text: string): ForeignReading {
  const { length: most, values, heapBytes } = foreignSources[source];
  if (text.length > most) return mistake("foreign.long", { length: text.length, most });
  const size = jsonSize(text, { values, heapBytes, depth: MAX_DEPTH });
  if (size.at !== null) {
    const { at } = size;
    if (size.depth > MAX_DEPTH) return mistake("foreign.deep", { at, most: MAX_DEPTH });
    if (size.values > values) return mistake("foreign.values", { at, most: values });
    return mistake("foreign.heap", { at, most: heapBytes / MB });
  }
  try {
    return { kind: "value", value: JSON.parse(text) };
  } catch {
    return mistake("foreign.no_json");
  }
}

/** Returns the value of a text; undefined if it is not read. */
export function foreignValue(source: ForeignSource, text: string): unknown {
  const reading = readForeign(source, text);
  return reading.kind === "value" ? reading.value : undefined;
}

/** Returns the JSON object in the message of a plug; null for anything else. */
export function objectIn(payload: string): Readonly<Record<string, unknown>> | null {
  return objectOf(foreignValue("plug", payload));
}

/** Returns the value at a key of a JSON object, such as `ENERGY.Power` or `relays.0`; undefined without one. */
export function payloadValue(payload: string, key: string): unknown {
  let value: unknown = objectIn(payload);
  for (const part of key.split(".")) value = Array.isArray(value) ? value[Number(part)] : objectOf(value)?.[part];
  return value;
}

/** Returns a value if it is an object and no list; otherwise null. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}

type MistakeKey = `foreign.${"long" | "deep" | "values" | "heap" | "no_json"}`;

function mistake(key: MistakeKey, facts: Message["facts"] = {}): ForeignReading {
  return { kind: "mistake", why: { key, facts } };
}
