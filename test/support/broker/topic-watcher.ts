import mqtt, { type MqttClient } from "mqtt";
import { HANG_MS } from "../runner/time-limits.ts";

const QUIET_ROUNDS = 5;
const MAX_ROUNDS = 1_000;
/** Topic of messages that the watcher sends to itself. */
const FENCE = "topic-watcher/fence";

/** An MQTT client that subscribes to all topics, or to `topics`, and keeps every message. */
export class TopicWatcher implements AsyncDisposable {
  readonly seen: { readonly topic: string; readonly payload: string; readonly retain: boolean }[] = [];
  readonly #latest = new Map<string, string>();
  readonly #client: MqttClient;
  readonly #waiting = new Set<() => void>();
  readonly #mayPublish: boolean;
  #arrived: () => void = () => undefined;

  private constructor(client: MqttClient, mayPublish: boolean) {
    this.#client = client;
    this.#mayPublish = mayPublish;
    client.on("message", (topic, bytes, packet) => {
      const payload = bytes.toString();
      if (topic === FENCE) return this.#arrived();
      this.seen.push({ topic, payload, retain: packet.retain });
      if (payload === "") this.#latest.delete(topic);
      else this.#latest.set(topic, payload);
      for (const look of [...this.#waiting]) look();
    });
  }

  static async on(
    port: number,
    options: { readonly username?: string; readonly password?: string; readonly topics?: string[] } = {},
  ): Promise<TopicWatcher> {
    const { topics = ["#"], ...login } = options;
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 4, ...login });
    const watcher = new TopicWatcher(client, login.username === undefined);
    await client.subscribeAsync([...topics, FENCE], { qos: 1 });
    return watcher;
  }

  /** Returns the last payload of a topic; null without a message. */
  payload(topic: string): string | null {
    return this.#latest.get(topic) ?? null;
  }

  /** Returns the last payload of a topic as JSON; `{}` without a message. */
  json(topic: string): Record<string, unknown> {
    return JSON.parse(this.payload(topic) ?? "{}") as Record<string, unknown>;
  }

  /** Returns the topics that have a payload, sorted. */
  topics(): string[] {
    return [...this.#latest.keys()].sort();
  }

  /**
   * Waits until `holds` returns true and the publishers in this process have sent what belongs to it, so that other topics may be
   * read at once. Rejects with `what` after `HANG_MS`.
   */
  async until(holds: () => boolean, what: string): Promise<void> {
    await this.asSoonAs(holds, what);
    await this.quiet();
  }

  /** Waits until `holds` returns true, and not for what follows. Rejects with `what` after `HANG_MS`. */
  asSoonAs(holds: () => boolean, what: string): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`not heard: ${what}; the last topics are ${this.seen.slice(-5).map(({ topic }) => topic)}`));
      }, HANG_MS);
      const look = () => {
        if (!holds()) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /**
   * Resolves when several messages of our own arrive without others in between; without the right to publish, several answers.
   * A publisher that never stops is waited for in `MAX_ROUNDS` of them.
   */
  async quiet(): Promise<void> {
    for (
      let [quiet, rounds] = [0, 0];
      quiet < QUIET_ROUNDS && rounds < MAX_ROUNDS && this.#client.connected;
      rounds++
    ) {
      const known = this.seen.length;
      await this.#roundTrip();
      quiet = this.seen.length > known ? 0 : quiet + 1;
    }
  }

  async #roundTrip(): Promise<void> {
    if (!this.#mayPublish) return void (await this.#client.subscribeAsync(FENCE).catch(() => null));
    const arrived = Promise.withResolvers<void>();
    this.#arrived = arrived.resolve;
    this.#client.once("close", arrived.resolve);
    await this.#client.publishAsync(FENCE, "").catch(arrived.resolve);
    await arrived.promise;
    this.#client.off("close", arrived.resolve);
  }

  async publish(topic: string, payload: string, { retain = false } = {}): Promise<void> {
    await this.#client.publishAsync(topic, payload, { qos: 1, retain });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.endAsync(true);
  }
}
