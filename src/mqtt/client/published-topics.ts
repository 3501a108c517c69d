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

/** The memory as it is written. */
interface Kept {
  readonly topics: Readonly<Record<string, Components>>;
  readonly cleared: Readonly<Record<string, Components>>;
}

const components = z.record(z.string(), z.string());
const keptTopics = z.object({
  topics: z.record(z.string(), components),
  cleared: z.union([z.array(z.string()), z.record(z.string(), components)]),
});

export class PublishedTopics {
  readonly #memory: KeyValue;
  readonly #topics: Map<string, Components>;
  readonly #cleared: Map<string, Components>;
  #isChanged = false;

  constructor(memory: KeyValue) {
    this.#memory = memory;
    const kept = keptIn(memory);
    this.#topics = new Map(Object.entries(kept.topics));
    this.#cleared = new Map(Object.entries(kept.cleared));
  }

  /** Topics that hold something. */
  topics(): string[] {
    return [...this.#topics.keys()];
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
    return this.#topics.get(topic) ?? this.#cleared.get(topic) ?? NONE;
  }

  /** A topic is about to be published; components join those it had. */
  note(topic: string, components: Components): void {
    if (this.#cleared.delete(topic)) this.#isChanged = true;
    const before = this.#topics.get(topic);
    const fresh = Object.keys(components).filter((key) => before?.[key] === undefined);
    if (before && fresh.length === 0) return;
    this.#topics.set(topic, { ...components, ...before });
    this.#isChanged = true;
  }

  /** The broker has a document with exactly these components. */
  settle(topic: string, components: Components): void {
    if (isDeepStrictEqual(this.#topics.get(topic), components)) return;
    this.#topics.set(topic, components);
    this.#isChanged = true;
  }

  /** The broker says that it has nothing under this topic any more. */
  clear(topic: string): void {
    const components = this.#topics.get(topic);
    if (!components) return;
    this.#topics.delete(topic);
    this.#cleared.set(topic, components);
    this.#isChanged = true;
  }

  /** The broker has nothing under this topic, also after a power cut. */
  forget(topic: string): void {
    if (this.#cleared.delete(topic)) this.#isChanged = true;
  }

  /** Puts on disk what changed. A change is rare: a new, renamed or removed home or entity. */
  save(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    const kept: Kept = { topics: Object.fromEntries(this.#topics), cleared: Object.fromEntries(this.#cleared) };
    this.#memory.write(NAME, JSON.stringify(kept));
  }
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
  const { topics, cleared } = readJson(memory, NAME, keptTopics) ?? { topics: {}, cleared: {} };
  // Earlier versions wrote a list of the cleared topics.
  const components = Array.isArray(cleared) ? Object.fromEntries(cleared.map((topic) => [topic, NONE])) : cleared;
  return { topics, cleared: components };
}
