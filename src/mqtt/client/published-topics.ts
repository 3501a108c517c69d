/**
 * Topics that were ever published and not yet cleared, with the components of discovery documents.
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

/** The stored form. Each part's topics have a storage key of their own, so that a change rewrites only that part. */
interface Stored {
  /** Topics without a part. */
  readonly topics: Readonly<Record<string, Components>>;
  readonly cleared: Readonly<Record<string, Components>>;
  readonly parts: readonly string[];
}

const components = z.record(z.string(), z.string());
const storedTopics = z.object({
  topics: z.record(z.string(), components),
  cleared: z.union([z.array(z.string()), z.record(z.string(), components)]),
  parts: z._default(z.array(z.string()), []),
});
const storedPart = z.record(z.string(), components);

/** Name of the part for topics without a part. */
export const NO_PART = "";

export class PublishedTopics {
  readonly #memory: KeyValue;
  /** Components by part and topic. Bounded by the topics of all homes. */
  readonly #parts = new Map<string, Map<string, Components>>();
  readonly #partOf = new Map<string, string>();
  readonly #cleared: Map<string, Components>;
  /** Parts whose topics are not read yet, because reading 1,000 homes would delay a start. `note` reads them. */
  readonly #unread: Set<string>;
  /** Parts that differ from their stored form. */
  readonly #changed = new Set<string>();

  constructor(memory: KeyValue) {
    this.#memory = memory;
    const { topics, cleared, parts } = storedIn(memory);
    this.#cleared = new Map(Object.entries(cleared));
    this.#take(NO_PART, topics);
    this.#unread = new Set(parts);
    // Topics of plans may be in another part than before; those of a home are always in its own.
    for (const part of parts) if (part.startsWith("/")) this.#read(part);
  }

  /** Returns the topics that hold a retained message. */
  topics(): string[] {
    for (const part of this.#unread) this.#read(part);
    return [...this.#partOf.keys()];
  }

  /** Returns the cleared topics that are not forgotten yet. */
  cleared(): string[] {
    return [...this.#cleared.keys()];
  }

  /**
   * Returns the components that a broker or Home Assistant may still know.
   * These are the components of every document since the last settled one, or those of the cleared document.
   */
  components(topic: string): Components {
    return this.#known(topic) ?? this.#cleared.get(topic) ?? NONE;
  }

  /** Records that a topic is about to be published. Adds its components to the known ones. */
  note(topic: string, components: Components, part: string = NO_PART): void {
    this.#read(part);
    this.#uncleared(topic);
    const before = this.#known(topic);
    const fresh = Object.keys(components).some((key) => before?.[key] === undefined);
    if (before && !fresh && this.#partOf.get(topic) === part) return;
    this.#set(topic, before ? { ...components, ...before } : components, part);
  }

  /** Records that the broker holds a document with exactly these components. */
  settle(topic: string, components: Components): void {
    if (!isDeepStrictEqual(this.#known(topic), components))
      this.#set(topic, components, this.#partOf.get(topic) ?? NO_PART);
  }

  /** Records that the broker holds nothing under this topic any more. */
  clear(topic: string): void {
    const components = this.#known(topic);
    if (!components) return;
    this.#delete(topic);
    this.#cleared.set(topic, components);
    this.#changed.add(NO_PART);
  }

  /** Drops a topic that another daemon publishes from now on. */
  release(topic: string): void {
    this.#delete(topic);
    this.#uncleared(topic);
  }

  /** Drops a cleared topic: the broker holds nothing under it, even after a power cut. */
  forget(topic: string): void {
    this.#uncleared(topic);
  }

  /** Writes changes to storage. They are rare: a new, renamed or removed home or entity. */
  save(): void {
    if (this.#changed.size === 0) return;
    for (const part of this.#changed) {
      if (part === NO_PART) continue;
      const topics = this.#parts.get(part);
      this.#memory.write(nameOf(part), topics ? JSON.stringify(Object.fromEntries(topics)) : "");
    }
    if (this.#changed.has(NO_PART)) {
      const stored: Stored = {
        topics: Object.fromEntries(this.#parts.get(NO_PART) ?? []),
        cleared: Object.fromEntries(this.#cleared),
        parts: [...this.#parts.keys(), ...this.#unread].filter((part) => part !== NO_PART),
      };
      this.#memory.write(NAME, JSON.stringify(stored));
    }
    this.#changed.clear();
  }

  #read(part: string): void {
    if (this.#unread.delete(part)) this.#take(part, readJson(this.#memory, nameOf(part), storedPart) ?? {});
  }

  #take(part: string, topics: Readonly<Record<string, Components>>): void {
    this.#parts.set(part, new Map(Object.entries(topics)));
    for (const topic of Object.keys(topics)) this.#partOf.set(topic, part);
  }

  #known(topic: string): Components | undefined {
    return this.#parts.get(this.#partOf.get(topic) ?? NO_PART)?.get(topic);
  }

  #set(topic: string, components: Components, part: string): void {
    if (this.#partOf.get(topic) !== part) this.#delete(topic);
    const topics = this.#parts.get(part);
    // The list of parts is stored with the topics without a part.
    if (!topics) this.#changed.add(NO_PART);
    this.#parts.set(part, (topics ?? new Map<string, Components>()).set(topic, components));
    this.#partOf.set(topic, part);
    this.#changed.add(part);
  }

  #delete(topic: string): void {
    const part = this.#partOf.get(topic);
    if (part === undefined) return;
    const topics = this.#parts.get(part);
    topics?.delete(topic);
    this.#partOf.delete(topic);
    this.#changed.add(part);
    if (topics?.size !== 0 || part === NO_PART) return;
    this.#parts.delete(part);
    this.#changed.add(NO_PART);
  }

  #uncleared(topic: string): void {
    if (this.#cleared.delete(topic)) this.#changed.add(NO_PART);
  }
}

/** Returns the storage key of a part's topics. */
function nameOf(part: string): string {
  return `${NAME}/${part}`;
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

function storedIn(memory: KeyValue): Stored {
  const { topics, cleared, parts } = readJson(memory, NAME, storedTopics) ?? { topics: {}, cleared: {}, parts: [] };
  // Earlier versions wrote the cleared topics as a list.
  const components = Array.isArray(cleared) ? Object.fromEntries(cleared.map((topic) => [topic, NONE])) : cleared;
  return { topics, cleared: components, parts };
}
