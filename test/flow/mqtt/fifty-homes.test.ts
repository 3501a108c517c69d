import mqtt from "mqtt";
import { expect, test } from "vitest";
import { startEmbeddedBroker } from "../../../src/mqtt/broker/embedded-broker.ts";
import type { RetainedMessage } from "../../../src/mqtt/client/message.ts";
import { MqttClient } from "../../../src/mqtt/client/mqtt-client.ts";
import { announce } from "../../../src/mqtt/homeassistant/discovery.ts";
import { stateMessages } from "../../../src/mqtt/homeassistant/entity.ts";
import { homeDevice } from "../../../src/mqtt/homeassistant/home-entities.ts";
import { exportMessage } from "../../../src/mqtt/topics/format-topics.ts";
import { homeMessages } from "../../../src/mqtt/topics/home-topics.ts";
import { peakMessages, usageMessages } from "../../../src/mqtt/topics/usage-topics.ts";
import { shownState } from "../../support/home/discovery-states.ts";
import { fullHome, homeState, OPTIONS } from "../../support/home/home-cases.ts";
import { calendar, HOME } from "../../support/home/price-days.ts";
import { TestMemory } from "../../support/storage/test-memory.ts";

const HOMES = 50;
/** Entities with a state of a home that knows everything. */
const ENTITIES = homeDevice(homeState()).rows.filter(({ value }) => value).length;
/** Home Assistant subscribes to its topics in several packets. */
const TOPICS_PER_SUBSCRIBE = 60;
const LOGIN = { username: "homeassistant", password: "a-long-password" };
const silent = { info: () => undefined, warn: () => undefined };

/** Returns all retained messages of fifty homes that know everything. */
function messagesOfHomes(): RetainedMessage[] {
  return Array.from({ length: HOMES }, (_, i) => {
    const prices = fullHome(undefined, { ...HOME, id: `home_${i}`, name: `Home ${i}` });
    const state = homeState(prices);
    const device = homeDevice(state);
    const sold = { snapshot: state.sold ?? prices, calendar, region: "DK1", sold: () => null };
    return [
      ...[...homeMessages("elbro", prices), exportMessage("elbro", sold), ...stateMessages("elbro", device)],
      ...usageMessages("elbro", prices.home.id, state.usage),
      ...peakMessages("elbro", prices.home.id, state.month),
      announce(OPTIONS, device, []).message,
    ];
  }).flat();
}

interface Component {
  readonly state_topic: string;
  readonly json_attributes_topic?: string;
  readonly availability?: readonly { readonly topic: string }[];
}

interface Document {
  readonly availability: readonly { readonly topic: string }[];
  readonly components: Readonly<Record<string, Component>>;
}

/** A played Home Assistant: reads documents, subscribes to their topics, and does so again after each reconnect. */
class PlayedHomeAssistant implements AsyncDisposable {
  readonly #tree = new Map<string, string>();
  readonly #subscribed = new Set<string>();
  readonly #client: mqtt.MqttClient;

  constructor(port: number) {
    this.#client = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
      ...LOGIN,
      protocolVersion: 5,
      reconnectPeriod: 50,
      resubscribe: false,
    });
    this.#client.on("connect", () => {
      this.#tree.clear();
      const known = [...this.#subscribed];
      this.#subscribed.clear();
      this.#subscribe(["homeassistant/device/+/config", ...known]);
      this.#client.publish("homeassistant/status", "online", { qos: 1 });
    });
    this.#client.on("message", (topic, bytes) => {
      this.#tree.set(topic, bytes.toString());
      if (topic.endsWith("/config")) this.#subscribe(topicsOf(JSON.parse(bytes.toString()) as Document));
    });
    this.#client.on("error", () => undefined);
  }

  /** States of all entities of all documents. */
  states(): string[] {
    const documents = [...this.#tree].filter(([topic]) => topic.endsWith("/config"));
    return documents.flatMap(([, text]) => {
      const { availability, components } = JSON.parse(text) as Document;
      const entities = Object.values(components).filter((each) => !("event_types" in each));
      return entities.map((each) => shownState({ ...each }, availability, this.#tree));
    });
  }

  #subscribe(topics: readonly string[]): void {
    const fresh = [...new Set(topics)].filter((topic) => !this.#subscribed.has(topic));
    for (const topic of fresh) this.#subscribed.add(topic);
    for (let i = 0; i < fresh.length; i += TOPICS_PER_SUBSCRIBE)
      this.#client.subscribe(fresh.slice(i, i + TOPICS_PER_SUBSCRIBE), { qos: 0 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.endAsync(true);
  }
}

function topicsOf({ availability, components }: Document): string[] {
  const all = Object.values(components).flatMap((each) => [
    each.state_topic,
    each.json_attributes_topic ?? [],
    (each.availability ?? []).map(({ topic }) => topic),
  ]);
  return [...availability.map(({ topic }) => topic), ...all.flat()].filter(Boolean);
}

/** The broker and the client of a daemon, as a process that can be restarted. */
async function startDaemon(messages: readonly RetainedMessage[], port = 0) {
  const users = [{ name: LOGIN.username, password: LOGIN.password, commands: true }];
  const broker = await startEmbeddedBroker({
    ...{ host: "127.0.0.1", port, users, anonymous: false, baseTopic: "elbro", discoveryPrefix: "homeassistant" },
    ...{ mayConnect: () => false, onRefused: () => undefined, onLockedOut: () => undefined },
    onConnectionRefused: () => undefined,
  });
  const stop = new AbortController();
  const client = new MqttClient(
    {
      ...{ open: async () => broker.open(), clientId: "elbro_test", baseTopic: "elbro" },
      ...{ discoveryPrefix: "homeassistant", commands: {}, log: silent, random: () => 0 },
      memory: new TestMemory(),
    },
    stop.signal,
  );
  client.retained.show(messages);
  return {
    port: broker.port,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await client.closed;
      await broker.close();
    },
  };
}

test("fifty homes on the embedded broker: Home Assistant has every entity, also after a restart of elbro", async () => {
  const messages = messagesOfHomes();
  const daemon = await startDaemon(messages);
  await using played = new PlayedHomeAssistant(daemon.port);
  const shown = () => ({ all: played.states().length, unavailable: played.states().filter(isUnavailable).length });
  const isUnavailable = (state: string) => state === "unavailable";
  const all = HOMES * ENTITIES;
  await expect.poll(shown).toEqual({ all, unavailable: 0 });
  await daemon[Symbol.asyncDispose]();
  expect(played.states().filter(isUnavailable).length).toBeGreaterThan(0);
  await using _restarted = await startDaemon(messages, daemon.port);
  await expect.poll(shown).toEqual({ all, unavailable: 0 });
});
