/**
 * What happens in the house, for those who listen on `/events`. It makes nothing of its own: what is shown over MQTT
 * comes by here, and what differs from before is told. Until the first listener comes, nothing is compared.
 */
import { randomUUID } from "node:crypto";
import type { SeriesKey } from "../../core/series/series.ts";
import { VERSION } from "../../core/status/version.ts";
import { type EpochMs, formatInstant } from "../../core/time/interval.ts";
import type { Message } from "../../mqtt/client/message.ts";
import { type LiveEvent, SseHub } from "./sse-hub.ts";

export interface EventFeedOptions {
  readonly baseTopic: string;
  readonly homes: { list(): readonly { readonly id: string; readonly addressId: string }[] };
  readonly startedAt: EpochMs;
}

/** Enough to tell the lives of a daemon apart. */
const LIFE_LENGTH = 8;

export class EventFeed {
  readonly #options: EventFeedOptions;
  #messages: readonly Message[] = [];
  #hub: SseHub | null = null;
  /** By topic: what was told last. Bounded by the topics of the house. */
  #told: ReadonlyMap<string, SentEvent> = new Map();

  constructor(options: EventFeedOptions) {
    this.#options = options;
  }

  /** The hub; created when it is first called, by the first subscriber. */
  hub(): SseHub {
    this.#hub ??= this.#open();
    return this.#hub;
  }

  /** The hub as far as anybody has ever listened; null before. */
  get opened(): SseHub | null {
    return this.#hub;
  }

  /** Takes the whole state as it is published. */
  show(messages: readonly Message[]): void {
    this.#messages = messages;
    if (!this.#hub) return;
    const before = this.#told;
    this.#told = this.#eventsOf(messages);
    for (const [topic, { event }] of this.#told)
      if (before.get(topic)?.event.data !== event.data) this.#hub.broadcast(event);
  }

  /** A series has other rows than before: who shows it reads it again. */
  changed({ operation, place, unit }: SeriesKey): void {
    if (!this.#hub) return;
    const home = this.#options.homes.list().find(({ addressId }) => addressId === place)?.id ?? null;
    this.#hub.broadcast({ type: "data", home, data: JSON.stringify({ home, series: operation, unit }) });
  }

  close(): void {
    this.#hub?.close();
  }

  #open(): SseHub {
    const { startedAt } = this.#options;
    this.#told = this.#eventsOf(this.#messages);
    return new SseHub({
      life: randomUUID().slice(0, LIFE_LENGTH),
      present: () => [...this.#told.values()].map(({ event }) => event),
      greeting: (resumed) => JSON.stringify({ version: VERSION, started_at: formatInstant(startedAt), resumed }),
    });
  }

  /** What is published as before is the event it was before. */
  #eventsOf(messages: readonly Message[]): Map<string, SentEvent> {
    const base = `${this.#options.baseTopic}/`;
    const events = new Map<string, SentEvent>();
    for (const { topic, payload } of messages) {
      if (!topic.startsWith(base)) continue;
      const before = this.#told.get(topic);
      const event = before?.payload === payload ? before.event : eventOf(topic.slice(base.length), payload);
      if (event) events.set(topic, { payload, event });
    }
    return events;
  }
}

/** An event, and the payload it was made of. */
interface SentEvent {
  readonly payload: string;
  readonly event: LiveEvent;
}

/** The event of a topic below the base; null where there is none for it. */
function eventOf(topic: string, payload: string): LiveEvent | null {
  const levels = topic.split("/");
  for (const row of eventRows) {
    const names = namesIn(row.topic, levels);
    if (names) return { type: row.type, home: names.home ?? null, data: row.data(payload, names) };
  }
  return null;
}

interface Names {
  readonly home?: string;
  readonly id?: string;
}

/** How a topic becomes an event. */
interface LiveRow {
  readonly type: string;
  /** Below the base topic; `+home` and `+id` stand for any name. */
  readonly topic: readonly string[];
  readonly data: (payload: string, names: Names) => string;
  /** What stands in `data`, for the documentation. */
  readonly about: string;
}

/** Payloads are texts of JSON objects; names go in front of what they hold. */
function withNames(names: object, payload: string): string {
  const own = JSON.stringify(names).slice(0, -1);
  return payload === "{}" ? `${own}}` : `${own},${payload.slice(1)}`;
}

function fieldsOf(payload: string, keys: readonly string[]): string {
  const all = JSON.parse(payload) as Readonly<Record<string, unknown>>;
  return JSON.stringify(Object.fromEntries(keys.map((key) => [key, all[key]])));
}

/** Every event that is made of a topic. The first row that fits counts. */
export const eventRows: readonly LiveRow[] = [
  {
    type: "price",
    topic: ["+home", "price", "state"],
    data: (payload, { home }) => withNames({ home }, payload),
    about: "`home`, and what the topic `…/price/state` holds",
  },
  {
    type: "spot",
    topic: ["+home", "spot"],
    data: (payload, { home }) => JSON.stringify({ home, spot: payload === "" ? null : Number(payload) }),
    about: "`home`: the id of a place, `spot`: its spot price now (null without one)",
  },
  {
    type: "level",
    topic: ["+home", "price", "level"],
    data: (payload, { home }) => JSON.stringify({ home, level: payload === "" ? null : payload }),
    about: "`home`, `level` (null without a price)",
  },
  {
    type: "signal",
    topic: ["+home", "cheap"],
    data: (payload, { home }) => JSON.stringify({ home, signal: "cheap", plan: null, on: payload === "ON" }),
    about: "`home`, `signal`: `cheap`, `plan`: null, `on`",
  },
  {
    type: "signal",
    topic: ["+home", "plan", "+id"],
    data: (payload, { home, id }) => JSON.stringify({ home, signal: "plan", plan: id, on: payload === "ON" }),
    about: "`home`, `signal`: `plan`, `plan`: its id, `on`",
  },
  {
    type: "plan",
    topic: ["+home", "plan", "+id", "state"],
    data: (payload, { home, id }) => withNames({ home, plan: id }, payload),
    about: "`home`, `plan`, and what the topic `…/plan/<plan>/state` holds",
  },
  {
    type: "plug",
    topic: ["plug", "+id", "state"],
    data: (payload, { id }) => withNames({ plug: id }, payload),
    about: "`plug`, and what the topic `…/plug/<plug>/state` holds",
  },
  {
    type: "problem",
    topic: ["problems"],
    data: (payload) => payload,
    about: "`count`, `reason`, `problems`: all there are; the last one has ended where `count` is 0",
  },
  {
    type: "quota",
    topic: ["info"],
    data: (payload) => fieldsOf(payload, ["quota", "interfaces", "backfill"]),
    about: "`quota`, `interfaces`, `backfill` of the topic `elbro/info`",
  },
];

/** The names in a topic; null where it is another topic. */
function namesIn(pattern: readonly string[], levels: readonly string[]): Names | null {
  if (pattern.length !== levels.length) return null;
  const names: Record<string, string> = {};
  for (const [i, part] of pattern.entries()) {
    const level = levels[i] ?? "";
    if (part.startsWith("+")) names[part.slice(1)] = level;
    else if (part !== level) return null;
  }
  return names;
}
