/**
 * Every topic that was ever published and not yet taken away, with the components of discovery documents. It outlives
 * restarts, so that what a renamed or removed home leaves behind in a broker is found and cleared.
 */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";

const NAME = "mqtt_retained";

/** Components of a discovery document: their keys, with their platforms. Empty for every other topic. */
export type Components = Readonly<Record<string, string>>;

const NONE: Components = {};
const DEVICE_DOCUMENT = /\/device\/[^/]+\/config$/;

/** The memory as it is written. Topics of a part of the state stand under a name of their own: a change rewrites no other's. */
interface Kept {
  /** Those of no part. */
  readonly topics: Readonly<Record<string, Components>>;
  readonly cleared: Readonly<Record<string, Components>>;
  readonly parts: readonly string[];
}

const components = z.record(z.string(), z.string());
const keptTopics = z.object({
  topics: z.record(z.string(), components),
  cleared: z.union([z.array(z.string()), z.record(z.string(), components)]),
  parts: z._default(z.array(z.string()), []),
});
const keptPart = z.record(z.string(), components);

/** The part of what belongs to none. */
export const NO_PART = "";

export class PublishedTopics {
  readonly #memory: KeyValue;
  /** By part, in it by topic. Bounded by the topics of all homes. */
  readonly #parts = new Map<string, Map<string, Components>>();
  readonly #partOf = new Map<string, string>();
  readonly #cleared: Map<string, Components>;
  /** Homes whose topics were not read yet: with a thousand, a start would wait for all of them. Read with the first note of each. */
  readonly #unread: Set<string>;
  /** Parts that are not on disk as they are here. */
  readonly #changed = new Set<string>();

  constructor(memory: KeyValue) {
    this.#memory = memory;
    const { topics, cleared, parts } = keptIn(memory);
    this.#cleared = new Map(Object.entries(cleared));
    this.#take(NO_PART, topics);
    this.#unread = new Set(parts);
    // Topics of plans may be in another part than before; those of a home are always in its own.
    for (const part of parts) if (part.startsWith("/")) this.#read(part);
  }

  /** Topics that hold something. */
  topics(): string[] {
    for (const part of this.#unread) this.#read(part);
    return [...this.#partOf.keys()];
  }

  /** Topics that were cleared, and not long enough ago to be forgotten. */
  cleared(): string[] {
    return [...this.#cleared.keys()];
  }

  /**
   * What a broker, or Home Assistant, may still know of a topic: the components of every document since the last settled
   * one, or of the document that was cleared.
   */
  components(topic: string): Components {
    return this.#known(topic) ?? this.#cleared.get(topic) ?? NONE;
  }

  /** A topic of a part is about to be published; components join those it had. */
  note(topic: string, components: Components, part: string = NO_PART): void {
    this.#read(part);
    this.#uncleared(topic);
    const before = this.#known(topic);
    const fresh = Object.keys(components).some((key) => before?.[key] === undefined);
    if (before && !fresh && this.#partOf.get(topic) === part) return;
    this.#set(topic, before ? { ...components, ...before } : components, part);
  }

  /** The broker has a document with exactly these components. */
  settle(topic: string, components: Components): void {
    if (!isDeepStrictEqual(this.#known(topic), components))
      this.#set(topic, components, this.#partOf.get(topic) ?? NO_PART);
  }

  /** The broker says that it has nothing under this topic any more. */
  clear(topic: string): void {
    const components = this.#known(topic);
    if (!components) return;
    this.#delete(topic);
    this.#cleared.set(topic, components);
    this.#changed.add(NO_PART);
  }

  /** Another daemon publishes this topic from now on. */
  leave(topic: string): void {
    this.#delete(topic);
    this.#uncleared(topic);
  }

  /** The broker has nothing under this topic, also after a power cut. */
  forget(topic: string): void {
    this.#uncleared(topic);
  }

  /** Puts on disk what changed. A change is rare: a new, renamed or removed home or entity. */
  save(): void {
    if (this.#changed.size === 0) return;
    for (const part of this.#changed) {
      if (part === NO_PART) continue;
      const topics = this.#parts.get(part);
      this.#memory.write(nameOf(part), topics ? JSON.stringify(Object.fromEntries(topics)) : "");
    }
    if (this.#changed.has(NO_PART)) {
      const kept: Kept = {
        topics: Object.fromEntries(this.#parts.get(NO_PART) ?? []),
        cleared: Object.fromEntries(this.#cleared),
        parts: [...this.#parts.keys(), ...this.#unread].filter((part) => part !== NO_PART),
      };
      this.#memory.write(NAME, JSON.stringify(kept));
    }
    this.#changed.clear();
  }

  #read(part: string): void {
    if (this.#unread.delete(part)) this.#take(part, readJson(this.#memory, nameOf(part), keptPart) ?? {});
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
    // The list of the parts stands with those of none.
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

/** Under which the topics of a part are written. */
function nameOf(part: string): string {
  return `${NAME}/${part}`;
}

/** Whether a topic is Home Assistant's for the document of a device. */
export function isDeviceDocument(topic: string): boolean {
  return DEVICE_DOCUMENT.test(topic);
}

/** The components of a message; none where it is no discovery document. */
export function componentsOf(topic: string, payload: string): Components {
  if (payload === "" || !isDeviceDocument(topic)) return NONE;
  const { components } = JSON.parse(payload) as { components?: Record<string, { platform?: string }> };
  return Object.fromEntries(Object.entries(components ?? {}).map(([key, { platform }]) => [key, platform ?? ""]));
}

/**
 * The document by which Home Assistant drops `gone` components: each is reduced to its platform. The document itself
 * follows; without this one in between, what it no longer names would stay.
 */
export function withComponentsReduced(document: string, gone: Components): string {
  const parsed = JSON.parse(document) as { components?: object };
  const reduced = Object.fromEntries(Object.entries(gone).map(([key, platform]) => [key, { platform }]));
  return JSON.stringify({ ...parsed, components: { ...parsed.components, ...reduced } });
}

/**
 * The document by which Home Assistant drops a device that it may still know: all its components reduced. Unlike an
 * empty one it says nothing of a device that it does not know. Null where no component is known.
 */
export function documentWithout(topic: string, gone: Components): string | null {
  if (Object.keys(gone).length === 0) return null;
  const identifiers = topic.split("/").slice(-2, -1);
  return withComponentsReduced(JSON.stringify({ device: { identifiers }, origin: { name: "elbro" } }), gone);
}

/** Those of `before` that `after` lacks or shows on another platform. */
export function componentsGone(before: Components, after: Components): Components {
  return Object.fromEntries(Object.entries(before).filter(([key, platform]) => after[key] !== platform));
}

function keptIn(memory: KeyValue): Kept {
  const { topics, cleared, parts } = readJson(memory, NAME, keptTopics) ?? { topics: {}, cleared: {}, parts: [] };
  // Earlier versions wrote a list of the cleared topics.
  const components = Array.isArray(cleared) ? Object.fromEntries(cleared.map((topic) => [topic, NONE])) : cleared;
  return { topics, cleared: components, parts };
}
