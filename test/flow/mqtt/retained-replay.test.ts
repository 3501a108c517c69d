import mqtt, { type MqttClient } from "mqtt";
import { expect, test } from "vitest";
import { type EmbeddedBroker, startEmbeddedBroker } from "../../../src/mqtt/broker/embedded-broker.ts";

const TOPICS = 60;
const ROUNDS = 20;

interface Subscriber {
  /** Last payload of each topic. */
  readonly last: ReadonlyMap<string, string>;
  readonly listen: () => Promise<unknown>;
  readonly hear: () => Promise<void>;
}

/** Broker with only its publisher, and subscribers that connect while it publishes. */
class BusyBroker implements AsyncDisposable {
  readonly #clients: MqttClient[] = [];
  readonly #publisher: MqttClient;
  readonly #broker: EmbeddedBroker;

  private constructor(broker: EmbeddedBroker, publisher: MqttClient) {
    this.#broker = broker;
    this.#publisher = publisher;
  }

  static async open(): Promise<BusyBroker> {
    const broker = await startEmbeddedBroker({
      ...{ host: "127.0.0.1", port: 0, users: [], anonymous: true },
      ...{
        baseTopic: "elbro",
        discoveryPrefix: "homeassistant",
        onRefused: () => undefined,
        onConnectionRefused: () => undefined,
      },
    });
    const publisher = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, { protocolVersion: 4 });
    await publisher.publishAsync("retained", "all", { qos: 1, retain: true });
    return new BusyBroker(broker, publisher);
  }

  /** Publishes the next value of every topic. Resolves when the broker has acknowledged the last. */
  async publishAll(value: number | null, qos: 0 | 1 = 1): Promise<void> {
    const options = { qos, retain: true };
    const sent = Array.from({ length: TOPICS }, (_, i) =>
      this.#publisher.publishAsync(`house/t${i}`, value === null ? "" : String(value), options),
    );
    await Promise.all(sent);
  }

  /** Connects a subscriber, which then receives all retained and published messages so far. */
  async subscriber(): Promise<Subscriber> {
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${this.#broker.port}`, { protocolVersion: 4 });
    this.#clients.push(client);
    const last = new Map<string, string>();
    // Retained messages arrive in the order of the filters.
    const marks = new Map(["live", "retained"].map((name) => [name, Promise.withResolvers<void>()]));
    client.on("message", (topic, payload) => {
      const mark = marks.get(topic);
      if (mark) mark.resolve();
      else last.set(topic, payload.toString());
    });
    const listen = () => client.subscribeAsync(["live", "house/#", "retained"], { qos: 1 });
    const hear = async () => {
      await this.#publisher.publishAsync("live", "now", { qos: 1 });
      await Promise.all([...marks.values()].map(({ promise }) => promise));
    };
    return { last, listen, hear };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of [...this.#clients, this.#publisher]) await client.endAsync(true);
    await this.#broker.close();
  }
}

for (const qos of [0, 1] as const)
  test(`a subscriber's last message of a topic is the newest, also during publications (QoS ${qos})`, async () => {
    await using broker = await BusyBroker.open();
    await broker.publishAll(0);
    const wrong: string[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const { last, listen, hear } = await broker.subscriber();
      await Promise.all([listen(), broker.publishAll(round, qos), broker.publishAll(round + 0.5, qos)]);
      await hear();
      for (const [topic, value] of last)
        if (value !== String(round + 0.5)) wrong.push(`${topic}=${value} in round ${round}`);
      expect(last.size).toBe(TOPICS);
    }
    expect(wrong).toEqual([]);
  });

test("a topic that is cleared during a subscription stays empty", async () => {
  await using broker = await BusyBroker.open();
  for (let round = 1; round <= ROUNDS / 2; round++) {
    await broker.publishAll(round);
    const { last, listen, hear } = await broker.subscriber();
    await Promise.all([listen(), broker.publishAll(null)]);
    await hear();
    expect([...last].filter(([, value]) => value !== "")).toEqual([]);
  }
});
