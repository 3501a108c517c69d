/** Tests how topics of a removed device are cleared, with both brokers. */
import type { Duplex } from "node:stream";
import { describe, expect, test } from "vitest";
import { startEmbeddedBroker } from "../../../src/mqtt/broker/embedded-broker.ts";
import type { RetainedMessage } from "../../../src/mqtt/client/message.ts";
import { MqttClient } from "../../../src/mqtt/client/mqtt-client.ts";
import { openBrokerStream } from "../../../src/mqtt/client/transport.ts";
import { Mosquitto } from "../../support/broker/mosquitto.ts";
import { retainedIn } from "../../support/broker/retained.ts";
import { TopicWatcher } from "../../support/broker/topic-watcher.ts";
import { lacks } from "../../support/runner/needs.ts";
import { TestMemory } from "../../support/storage/test-memory.ts";

const DOCUMENT = "homeassistant/device/heater/config";
const HEATER: readonly RetainedMessage[] = [
  { topic: DOCUMENT, payload: JSON.stringify({ components: { on: { platform: "sensor" } } }) },
  { topic: "elbro/plug/heater/entities", payload: "{}" },
];
const HOME: RetainedMessage = { topic: "elbro/home/price", payload: "1" };

interface Broker extends AsyncDisposable {
  readonly port: number;
  readonly open: (signal: AbortSignal) => Promise<Duplex>;
}

const brokers: Readonly<Record<string, () => Promise<Broker>>> = {
  async embedded() {
    const broker = await startEmbeddedBroker({
      ...{ host: "127.0.0.1", port: 0, users: [], anonymous: true },
      ...{ baseTopic: "elbro", discoveryPrefix: "homeassistant" },
      ...{ onRefused: () => undefined, onConnectionRefused: () => undefined },
    });
    return { port: broker.port, open: async () => broker.open(), [Symbol.asyncDispose]: () => broker.close() };
  },
  async mosquitto() {
    const broker = await Mosquitto.start();
    const url = `mqtt://127.0.0.1:${broker.port}`;
    const open = (signal: AbortSignal) => openBrokerStream({ url }, signal);
    return { port: broker.port, open, [Symbol.asyncDispose]: () => broker[Symbol.asyncDispose]() };
  },
};

const names = Object.keys(brokers).filter((name) => name !== "mosquitto" || !lacks("Mosquitto"));

describe.each(names)("on the broker: %s", (name) => {
  test("a removed device clears its document before its states", async () => {
    await using broker = await startBroker(name);
    using client = openClient(broker);
    client.show([HOME, ...HEATER]);
    await using watcher = await TopicWatcher.on(broker.port);
    await watcher.until(() => watcher.topics().length === 4, "the first state");
    client.show([HOME]);
    await watcher.until(() => watcher.topics().length === 2, "the heater's end");
    const cleared = watcher.seen.flatMap(({ topic, payload }) => (payload === "" ? [topic] : []));
    expect(cleared).toEqual(HEATER.map(({ topic }) => topic));
  });

  test("a removed device does not send a second removal after a birth message, or if the document is already gone", async () => {
    await using broker = await startBroker(name);
    using client = openClient(broker);
    client.show([HOME, ...HEATER]);
    await using watcher = await TopicWatcher.on(broker.port);
    await watcher.until(() => watcher.topics().length === 4, "the first state");
    // The owner deletes it in Home Assistant; the embedded broker accepts that only from elbro.
    await watcher.publish(DOCUMENT, "", { retain: true });
    client.show([HOME]);
    await watcher.until(() => watcher.payload("elbro/plug/heater/entities") === null, "the heater's end");
    await watcher.publish("homeassistant/status", "online");
    const times = () => watcher.seen.filter(({ topic }) => topic === HOME.topic).length;
    await watcher.until(() => times() === 2, "the state again");
    expect(watcher.seen.filter(({ topic, payload }) => topic === DOCUMENT && payload === "")).toHaveLength(1);
    expect(Object.keys(await retainedIn(broker.port)).sort()).toEqual([HOME.topic, "elbro/status"]);
  });
});

function startBroker(name: string): Promise<Broker> {
  const start = brokers[name];
  if (!start) throw new Error(`no broker ${name}`);
  return start();
}

function openClient({ open }: Broker) {
  const stop = new AbortController();
  const { retained } = new MqttClient(
    {
      ...{ open, clientId: "elbro_test", baseTopic: "elbro", discoveryPrefix: "homeassistant", commands: {} },
      ...{ memory: new TestMemory(), log: { info: () => undefined, warn: () => undefined }, random: () => 0 },
    },
    stop.signal,
  );
  return {
    show: (messages: readonly RetainedMessage[]) => retained.show(messages),
    [Symbol.dispose]: () => stop.abort(),
  };
}
