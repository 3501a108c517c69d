/** Plugs that announce themselves on the broker. Subscribes at the first request only. */
import { setTimeout as pause } from "node:timers/promises";
import { type PlugFamily, plugFamilies } from "../core/plugs/families/families.ts";
import type { AnnouncedPlug, PlugFamilyRow } from "../core/plugs/families/plug-family.ts";
import type { IncomingMessage } from "../mqtt/client/broker-session.ts";
import type { MqttClient } from "../mqtt/client/mqtt-client.ts";

type Client = Pick<MqttClient, "addListener" | "sendCommand">;

/** Time in ms within which a broker sends retained messages and a device answers. */
const ANSWERS_WITHIN_MS = 1_500;
/** Maximum number of plugs of all topics. A large home has 100; more are ignored. */
const MAX_PLUGS = 2_000;

const announcements = Object.entries(plugFamilies).flatMap(([family, row]: [string, PlugFamilyRow]) =>
  row.announces ? [{ family: family as PlugFamily, row, announces: row.announces }] : [],
);

/** Discovered plug and the capabilities of its timer. */
export type Announced = Readonly<ReturnType<typeof shownOf>>;

export class AnnouncedPlugs {
  readonly #client: Client;
  /** Announced plugs by topic. Bounded by MAX_PLUGS. */
  readonly #byTopic = new Map<string, readonly Announced[]>();
  #listening = false;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Returns the known plugs, sorted by name. The first call waits until all had time to announce themselves. */
  async list(): Promise<readonly Announced[]> {
    const isFirst = !this.#listening;
    if (isFirst) this.#listen();
    const requests = announcements.flatMap(({ announces: { ask } }) => ask ?? []);
    for (const { topic, payload } of requests) this.#client.sendCommand(topic, payload);
    if (isFirst) await pause(ANSWERS_WITHIN_MS);
    return [...this.#byTopic.values()].flat().toSorted((a, b) => a.name.localeCompare(b.name));
  }

  #listen(): void {
    this.#listening = true;
    this.#client.addListener({
      subscriptions: [...new Set(announcements.map(({ announces }) => announces.filter))],
      onMessage: (message) => this.#take(message),
      onUp: () => undefined,
      onDown: () => undefined,
    });
  }

  #take({ topic, payload }: IncomingMessage): void {
    for (const { family, row, announces } of announcements) {
      const parts = announces.topic.exec(topic)?.slice(1);
      if (!parts) continue;
      const plugs = announces.read(payload, parts);
      // All devices of a family without a bridge announce themselves on the same topic.
      const key = announces.ask ? `${topic} ${plugs[0]?.topic}` : topic;
      this.#byTopic.delete(key);
      const room = MAX_PLUGS - [...this.#byTopic.values()].reduce((sum, { length }) => sum + length, 0);
      const taken = plugs.slice(0, room).map((plug) => shownOf(family, row, plug));
      if (taken.length > 0) this.#byTopic.set(key, taken);
    }
  }
}

function shownOf(family: PlugFamily, row: PlugFamilyRow, { channel, learned, ...plug }: AnnouncedPlug) {
  return {
    ...plug,
    family,
    ...(channel ? { channel } : {}),
    timers: row.deadMan({ topic: plug.topic, channel, caller: "", learned }),
    /** True if the timer is known to work; otherwise elbro observes it at the first run. */
    isTimerSure: !row.isTimerUnsure,
  };
}
