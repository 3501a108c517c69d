/**
 * Topics that were published and may still be retained by the broker, with the components of discovery documents.
 * The list survives restarts, so that topics of renamed or removed homes are found and cleared.
 */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";

const NAME = "mqtt_retained";

/** Components of a discovery document: platform by key. Empty for every other topic. */
export type Components = Readonly<Record<string, string>>;

const NONE: Components = {};
const DEVICE_DOCUMENT = /\/device\/[^/]+\/config$/;

const componentsByTopic = z.record(z.string(), z.record(z.string(), z.string()));
/** Earlier versions stored cleared topics apart, and those of each part below a name of its own. */
const stored = z.object({
  topics: componentsByTopic,
  cleared: z.catch(componentsByTopic, {}),
  parts: z._default(z.array(z.string()), []),
});

export class PublishedTopics {
  readonly #memory: KeyValue;
  /** Bounded by the topics of all homes. */
  readonly #topics: Map<string, Components>;
  #isChanged: boolean;

  constructor(memory: KeyValue) {
    this.#memory = memory;
    const { topics, cleared, parts } = readJson(memory, NAME, stored) ?? { topics: {}, cleared: {}, parts: [] };
    const ofParts = parts.map((part) => readJson(memory, `${NAME}/${part}`, componentsByTopic) ?? {});
    this.#topics = new Map([cleared, topics, ...ofParts].flatMap((each) => Object.entries(each)));
    for (const part of parts) memory.write(`${NAME}/${part}`, "");
    this.#isChanged = parts.length > 0;
    this.save();
  }

  /** Returns the topics that may hold a retained message. */
  topics(): string[] {
    return [...this.#topics.keys()];
  }

  /** Returns the components that a broker or Home Assistant may still know: of every document since the last settled one. */
  components(topic: string): Components {
    return this.#topics.get(topic) ?? NONE;
  }

  /** Records that a topic is about to be published. Adds its components to the known ones. */
  note(topic: string, components: Components): void {
    const before = this.#topics.get(topic);
    if (before && Object.keys(components).every((key) => before[key] !== undefined)) return;
    this.#set(topic, { ...components, ...before });
  }

  /** Records that the broker holds a document with exactly these components. */
  settle(topic: string, components: Components): void {
    if (!isDeepStrictEqual(this.#topics.get(topic), components)) this.#set(topic, components);
  }

  /** Drops a topic: the broker holds nothing under it, even after a power cut, or it belongs to another daemon. */
  forget(topic: string): void {
    if (this.#topics.delete(topic)) this.#isChanged = true;
  }

  /** Writes changes to storage. They are rare: a new, renamed or removed home or entity. */
  save(): void {
    if (this.#isChanged) this.#memory.write(NAME, JSON.stringify({ topics: Object.fromEntries(this.#topics) }));
    this.#isChanged = false;
  }

  #set(topic: string, components: Components): void {
    this.#topics.set(topic, components);
    this.#isChanged = true;
  }
}

/** Returns whether a topic is a device discovery document of Home Assistant. */
export function isDeviceDocument(topic: string): boolean {
  return DEVICE_DOCUMENT.test(topic);
}

/** Returns the components of a message; empty if it is not a discovery document. */
export function componentsOf(topic: string, payload: string): Components {
  if (payload === "" || !isDeviceDocument(topic)) return NONE;
  const { components } = JSON.parse(payload) as { components?: Record<string, { platform?: string }> };
  return Object.fromEntries(Object.entries(components ?? {}).map(([key, { platform }]) => [key, platform ?? ""]));
}

/**
 * Returns the state topics of a document's entities that expire. After a change of their document, Home Assistant shows
 * them as unavailable until their next state.
 */
export function expiringTopicsOf(document: string): string[] {
  const { components = {} } = JSON.parse(document) as { components?: Record<string, Record<string, unknown>> };
  const expiring = Object.values(components).filter((each) => each.expire_after !== undefined);
  return [...new Set(expiring.map((each) => String(each.state_topic)))];
}

/**
 * Returns the document that makes Home Assistant remove the `gone` components: each is reduced to its platform.
 * The complete document is published after it. Without this step, components that it omits would stay.
 */
export function withComponentsReduced(document: string, gone: Components): string {
  const parsed = JSON.parse(document) as { components?: object };
  const reduced = Object.fromEntries(Object.entries(gone).map(([key, platform]) => [key, { platform }]));
  return JSON.stringify({ ...parsed, components: { ...parsed.components, ...reduced } });
}

/**
 * Returns the document that makes Home Assistant remove a device: all its components are reduced.
 * Unlike an empty document, it causes no warning if the device is unknown. Null if no component is known.
 */
export function documentWithout(topic: string, gone: Components): string | null {
  if (Object.keys(gone).length === 0) return null;
  const identifiers = topic.split("/").slice(-2, -1);
  return withComponentsReduced(JSON.stringify({ device: { identifiers }, origin: { name: "elbro" } }), gone);
}

/** Returns the components of `before` that `after` lacks or has on another platform. */
export function componentsGone(before: Components, after: Components): Components {
  return Object.fromEntries(Object.entries(before).filter(([key, platform]) => after[key] !== platform));
}
