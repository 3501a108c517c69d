import mqtt, { type MqttClient } from "mqtt";
import type { Broker } from "./mqtt-integration.ts";

/** Records the last payload of every topic of a broker. Reconnects automatically and keeps earlier payloads. */
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
      // An empty message deletes the retained one.
      if (payload.length === 0) this.#payloads.delete(topic);
      else this.#payloads.set(topic, payload.toString());
    });
  }

  /** Returns the topics that begin with `prefix`. */
  startingWith(prefix: string): string[] {
    return [...this.#payloads.keys()].filter((topic) => topic.startsWith(prefix));
  }

  payload(topic: string): string | undefined {
    return this.#payloads.get(topic);
  }

  /** Returns the JSON object of a topic; empty if the topic has no message. */
  json(topic: string): Readonly<Record<string, unknown>> {
    return JSON.parse(this.#payloads.get(topic) ?? "{}");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.endAsync(true);
  }
}
