import mqtt, { type MqttClient } from "mqtt";
import { HANG_MS } from "../runner/time-limits.ts";

const QUIET_ROUNDS = 5;

/** An MQTT client that subscribes to all topics, or to `topics`, and keeps every message. */
export class TopicWatcher implements AsyncDisposable {
  readonly seen: { readonly topic: string; readonly payload: string; readonly retain: boolean }[] = [];
  readonly #latest = new Map<string, string>();
  readonly #client: MqttClient;
  readonly #waiting = new Set<() => void>();

  private constructor(client: MqttClient) {
    this.#client = client;
    client.on("message", (topic, bytes, packet) => {
      const payload = bytes.toString();
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
    const watcher = new TopicWatcher(client);
    await client.subscribeAsync(topics, { qos: 1 });
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

  /** Waits until `holds` returns true. Rejects with `what` after `HANG_MS`. */
  until(holds: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
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
   * Resolves when the publishers in this process send no more: several messages of our own arrive without others. A test that
   * waited for one topic waits for this before it reads another one.
   */
  async quiet(): Promise<void> {
    for (let rounds = 0; rounds < QUIET_ROUNDS; rounds++) {
      const [topic, known] = [`quiet/${this.seen.length}`, this.seen.length];
      await this.publish(topic, "1");
      await this.until(() => this.seen.some((each) => each.topic === topic), topic);
      if (this.seen.length > known + 1) rounds = -1;
    }
  }

  async publish(topic: string, payload: string, { retain = false } = {}): Promise<void> {
    await this.#client.publishAsync(topic, payload, { qos: 1, retain });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.endAsync(true);
  }
}
