import mqtt, { type MqttClient } from "mqtt";
import type { Broker } from "./mqtt-integration.ts";

/** The last payload of every topic of a broker. Connects again by itself; what it knew before stays. */
export class RetainedTopics implements AsyncDisposable {
  readonly #client: MqttClient;
  readonly #payloads = new Map<string, string>();

  constructor({ port, username, password }: Broker) {
    this.#client = mqtt.connect({
      host: "127.0.0.1",
      port,
      username,
      password,
      clientId: "watcher",
      protocolVersion: 4,
      reconnectPeriod: 500,
    });
    this.#client.on("error", () => undefined);
    this.#client.on("connect", () => this.#client.subscribe("#", { qos: 1 }, () => undefined));
    this.#client.on("message", (topic, payload) => {
      // An empty message takes the retained one away.
      if (payload.length === 0) this.#payloads.delete(topic);
      else this.#payloads.set(topic, payload.toString());
    });
  }

  /** Topics that begin with `prefix`. */
  startingWith(prefix: string): string[] {
    return [...this.#payloads.keys()].filter((topic) => topic.startsWith(prefix));
  }

  payload(topic: string): string | undefined {
    return this.#payloads.get(topic);
  }

  /** The object that a topic holds; empty where there is none. */
  json(topic: string): Readonly<Record<string, unknown>> {
    return JSON.parse(this.#payloads.get(topic) ?? "{}");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.endAsync(true);
  }
}
