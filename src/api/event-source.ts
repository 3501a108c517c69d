/** Events on `/events`: what changed in the state published over MQTT, from the first listener on. */
import { randomUUID } from "node:crypto";
import type { SeriesKey } from "../core/series/series.ts";
import { VERSION } from "../core/status/version.ts";
import { type EpochMs, formatInstant } from "../core/time/interval.ts";
import { type LiveEvent, SseHub } from "../http/sse-hub.ts";
import type { RetainedMessage } from "../mqtt/client/message.ts";

export interface EventFeedOptions {
  readonly baseTopic: string;
  readonly homes: { at(addressId: string): { readonly id: string } | null };
  readonly startedAt: EpochMs;
}

/** Length of the random id that distinguishes the runs of a daemon. */
const RUN_ID_LENGTH = 8;

export class EventFeed {
  readonly hub: SseHub;
  readonly #options: EventFeedOptions;
  /** Last event by part of the state and topic. Bounded by the topics of the homes. */
  readonly #published = new Map<string, ReadonlyMap<string, LiveEvent>>();
  #hasListened = false;

  constructor(options: EventFeedOptions) {
    const startedAt = formatInstant(options.startedAt);
    this.#options = options;
    this.hub = new SseHub({
      runId: randomUUID().slice(0, RUN_ID_LENGTH),
      present: () => this.#present(),
      greeting: (resumed) => JSON.stringify({ version: VERSION, started_at: startedAt, resumed }),
    });
  }

  subscribe(...listener: Parameters<SseHub["subscribe"]>): void {
    this.#hasListened = true;
    this.hub.subscribe(...listener);
  }

  /** Broadcasts the changes in a published part of the state. */
  show(messages: readonly RetainedMessage[], part = ""): void {
    const before = this.#published.get(part);
    const base = `${this.#options.baseTopic}/`;
    const events = new Map<string, LiveEvent>();
    const payloads = new Map(messages.map(({ topic, payload }) => [topic, payload]));
    for (const { topic, payload } of messages) {
      const other = (below: string) => payloads.get(base + below) ?? null;
      const event = topic.startsWith(base) ? eventOf(topic.slice(base.length), payload, other) : null;
      if (event) events.set(topic, event);
    }
    this.#published.set(part, events);
    for (const [topic, event] of events) if (before?.get(topic)?.data !== event.data) this.#broadcast(event);
  }

  /** Drops the events of all parts except these. */
  keepParts(parts: ReadonlySet<string>): void {
    for (const part of this.#published.keys()) if (!parts.has(part)) this.#published.delete(part);
  }

  /** Broadcasts that a series has other rows than before, so that clients read it again. */
  changed({ operation, place, unit }: SeriesKey): void {
    const home = this.#options.homes.at(place)?.id ?? null;
    this.#broadcast({ type: "data", home, data: JSON.stringify({ home, series: operation, unit }) });
  }

  /** Returns the current state: events of homes first, then those without a home. */
  #present(): LiveEvent[] {
    const isHome = (part: string) => !part.startsWith("/");
    const parts = [...this.#published].toSorted(([a], [b]) => Number(isHome(b)) - Number(isHome(a)));
    return parts.flatMap(([, events]) => [...events.values()]);
  }

  #broadcast(event: LiveEvent): void {
    if (this.#hasListened) this.hub.broadcast(event);
  }
}

/** Returns the payload of another topic that is published with it; null if it is missing. */
type Other = (topic: string) => string | null;

/** Returns the event of a topic below the base topic; null if it has none. */
function eventOf(topic: string, payload: string, other: Other): LiveEvent | null {
  for (const row of eventRows) {
    const found = row.topic.exec(topic);
    if (!found) continue;
    const names: Names = found.groups ?? {};
    return { type: row.type, home: names.home ?? null, data: row.data(payload, names, other) };
  }
  return null;
}

/** Names in the levels of a topic: the home, and the id of a plan or plug. */
type Names = { readonly home?: string; readonly id?: string };

/** Rule for making an event from a topic. */
interface LiveRow {
  readonly type: string;
  /** Pattern of the topic below the base topic. */
  readonly topic: RegExp;
  readonly data: (payload: string, names: Names, other: Other) => string;
  /** Content of `data`, for the documentation. */
  readonly about: string;
}

/** Adds names in front of the fields of a payload, which is a JSON object. */
function withNames(names: object, payload: string): string {
  const own = JSON.stringify(names).slice(0, -1);
  return payload === "{}" ? `${own}}` : `${own},${payload.slice(1)}`;
}

function fieldsOf(payload: string, keys: readonly string[]): string {
  const all = JSON.parse(payload) as Readonly<Record<string, unknown>>;
  return JSON.stringify(Object.fromEntries(keys.map((key) => [key, all[key]])));
}

/** All events that are made from topics. The first matching row is used. */
export const eventRows: readonly LiveRow[] = [
  {
    type: "price",
    topic: /^(?<home>[^/]+)\/price\/state$/,
    data: (payload, { home }) => withNames({ home }, payload),
    about: "`home`, and what the topic `…/price/state` holds",
  },
  {
    type: "spot",
    topic: /^(?<home>[^/]+)\/spot$/,
    data: (payload, { home }) => JSON.stringify({ home, spot: payload === "" ? null : Number(payload) }),
    about: "`home`: the id of a place, `spot`: its spot price now (null without one)",
  },
  {
    type: "level",
    topic: /^(?<home>[^/]+)\/price\/level$/,
    data: (payload, { home }) => JSON.stringify({ home, level: payload === "" ? null : payload }),
    about: "`home`, `level` (null without a price)",
  },
  {
    type: "signal",
    topic: /^(?<home>[^/]+)\/cheap$/,
    data(payload, { home }, other) {
      // The prices of a place are all confirmed.
      const { estimate = false } = JSON.parse(other(`${home}/price/state`) ?? "{}") as { readonly estimate?: boolean };
      return JSON.stringify({ home, signal: "cheap", plan: null, on: payload === "ON", estimate });
    },
    about:
      "`home`, `signal`: `cheap`, `plan`: null, `on`, `estimate`: whether the price now is an estimate (null without one)",
  },
  {
    type: "signal",
    topic: /^(?<home>[^/]+)\/plan\/(?<id>[^/]+)$/,
    data: (payload, { home, id }) => JSON.stringify({ home, signal: "plan", plan: id, on: payload === "ON" }),
    about: "`home`, `signal`: `plan`, `plan`: its id, `on`",
  },
  {
    type: "plan",
    topic: /^(?<home>[^/]+)\/plan\/(?<id>[^/]+)\/state$/,
    data: (payload, { home, id }) => withNames({ home, plan: id }, payload),
    about: "`home`, `plan`, and what the topic `…/plan/<plan>/state` holds",
  },
  {
    type: "plug",
    topic: /^plug\/(?<id>[^/]+)\/state$/,
    data: (payload, { id }) => withNames({ plug: id }, payload),
    about: "`plug`, and what the topic `…/plug/<plug>/state` holds",
  },
  {
    type: "problem",
    topic: /^problems$/,
    data: (payload) => payload,
    about: "`count`, `reason`, `problems`: all current problems; `count` is 0 when the last one has ended",
  },
  {
    type: "quota",
    topic: /^info$/,
    data: (payload) => fieldsOf(payload, ["quota", "interfaces", "backfill"]),
    about: "`quota`, `interfaces`, `backfill` of the topic `elbro/info`",
  },
];
