/** MQTT client of the daemon: combines publisher, connection, incoming commands and Home Assistant's birth message. */

import { setTimeout as pause } from "node:timers/promises";
import { type Text, textIn, message as translated } from "../../core/language/text.ts";
import type { KeyValue } from "../../core/runtime/key-value.ts";
import type { BrokerAccess, BrokerSession, IncomingMessage } from "./broker-session.ts";
import { Commands, type CommandTable } from "./commands.ts";
import type { Message } from "./message.ts";
import { keepConnected } from "./reconnect.ts";
import { RefusedTopics } from "./refused-topics.ts";
import { RetainedPublisher } from "./retained-publisher.ts";

export interface MqttClientLog {
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
}

export interface MqttClientOptions extends BrokerAccess {
  readonly clientId: string;
  readonly baseTopic: string;
  /** Retained topic with `online`, or `offline` as the will. Default: `status` below the base topic. */
  readonly statusTopic?: string;
  /** Returns whether another daemon publishes a topic now. */
  readonly isOthers?: (topic: string) => boolean;
  /** Home Assistant's discovery prefix. */
  readonly discoveryPrefix: string;
  readonly commands: CommandTable;
  /** Called for each refused command. */
  readonly onRefusedCommand?: (topic: string, reason: Text) => void;
  /** Stores the topics that were ever published. */
  readonly memory: KeyValue;
  readonly log: MqttClientLog;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

export interface MqttListener {
  /** Topic filters to subscribe to. */
  readonly subscriptions: readonly string[];
  /** Called for every message, also for topics of other listeners. */
  onMessage(message: IncomingMessage): void;
  onUp(): void;
  onDown(): void;
  /** Called when the broker refuses another topic, and when it accepts one that it refused. */
  onRefused?(): void;
}

export interface MqttClient {
  /** Sets the wanted state of a part; see `RetainedPublisher.show`. */
  show(messages: readonly Message[], part?: string): void;
  /** Publishes urgent state early; see `RetainedPublisher.showFirst`. */
  showFirst(messages: readonly Message[], part: string): void;
  /** Sets which parts exist; see `RetainedPublisher.keepParts`. */
  keepParts(parts: ReadonlySet<string>): void;
  /** Sends a command to a device with QoS 1, not retained. Returns false if it will not be sent, now or later. */
  sendCommand(topic: string, payload: string): boolean;
  /** Adds a listener. If connected, subscribes to its filters and calls its `onUp` at once. */
  addListener(listener: MqttListener): void;
  /** Subscribes to additional topic filters if connected. Later connections read them from the listeners. */
  subscribe(topics: readonly string[]): void;
  /** Ends subscriptions, except those that a listener still needs. */
  unsubscribe(topics: readonly string[]): void;
  /** Returns the state of the connection and its counters since the start. */
  status(): MqttClientStatus;
  /** Resolves at the first connection, or after 150 ms. Never rejects. */
  readonly upSoon: Promise<void>;
  /** Resolves once `offline` is published and the connection is closed. */
  readonly closed: Promise<void>;
}

export interface MqttClientStatus {
  readonly connected: boolean;
  /** Why the client is not connected; null if it is. */
  readonly trouble: Text | null;
  /** Why the last connection ended; null before. */
  readonly lastTrouble: Text | null;
  /** What the broker refuses, by topic or topic filter, with the reason. */
  readonly refused: ReadonlyMap<string, Text>;
  /** Number of established connections. */
  readonly connections: number;
  /** Number of messages that a broker accepted. */
  readonly published: number;
}

/** Random delay in ms after a birth message: Home Assistant's MQTT documentation recommends one to limit load peaks. */
const BIRTH_DELAY_MS = { least: 250, most: 1_500 };

/** A broker on the same network accepts a connection within this time. The start does not wait longer. */
const QUICK_UP_MS = 150;

/** Twice the default interval at which Mosquitto saves to disk (`autosave_interval`, 30 min). */
const BROKER_SAVES_MS = 3_600_000;

/** Connects to the broker and stays connected until the signal fires. */
export function openMqttClient(options: MqttClientOptions, signal: AbortSignal): MqttClient {
  const { baseTopic, statusTopic = `${baseTopic}/status`, discoveryPrefix, log, random } = options;
  const birthTopic = `${discoveryPrefix}/status`;
  /** Bounded by the modules that listen. */
  const listeners: MqttListener[] = [];
  let line: BrokerSession | null = null;
  let trouble: Text | null = translated("mqtt.connecting");
  let lastTrouble: Text | null = null;
  let connections = 0;
  const publisher = new RetainedPublisher(options.memory, [statusTopic], options.isOthers);
  const refused = new RefusedTopics(publisher, log, () => {
    for (const listener of listeners) listener.onRefused?.();
  });
  const commands = new Commands({
    baseTopic,
    table: options.commands,
    answer: (topic, payload) => line?.publishTransient(topic, payload),
    onRefused: (topic, reason) => {
      log.warn({ topic, reason: textIn("en", reason) }, "command refused");
      options.onRefusedCommand?.(topic, reason);
    },
  });
  let isGreeting = false;
  const greetHomeAssistant = async () => {
    // Several births within one delay cause one repetition.
    if (isGreeting) return;
    isGreeting = true;
    const delayMs = BIRTH_DELAY_MS.least + random() * (BIRTH_DELAY_MS.most - BIRTH_DELAY_MS.least);
    await pause(delayMs, undefined, { signal }).catch(() => undefined);
    isGreeting = false;
    if (!signal.aborted) publisher.repeat();
  };
  const onMessage = (message: IncomingMessage) => {
    // Ignore retained birth messages: Home Assistant was online before we connected.
    if (message.topic === birthTopic && message.payload === "online" && !message.retained) void greetHomeAssistant();
    else void commands.take(message);
    for (const listener of listeners) listener.onMessage(message);
  };
  const subscriptions = () => [
    birthTopic,
    ...commands.subscriptions(),
    ...listeners.flatMap((each) => each.subscriptions),
  ];
  const firstUp = Promise.withResolvers<void>();
  const closed = keepConnected(
    {
      ...options,
      statusTopic,
      subscriptions: () => subscriptions().filter((filter) => !refused.isLeftOut(filter)),
      onUp: (up) => {
        log.info({}, "broker connected");
        line = up;
        trouble = null;
        connections++;
        refused.onUp(up);
        for (const listener of listeners) listener.onUp();
        firstUp.resolve();
      },
      onDown: (reason, inFlight) => {
        log.warn({ reason: textIn("en", reason) }, "broker not connected");
        line = null;
        trouble = reason;
        lastTrouble = reason;
        refused.onDown(reason, inFlight);
        for (const listener of listeners) listener.onDown();
      },
      onRefused: (topic, why) => refused.onRefused(topic, why),
      onAccepted: (topic) => refused.onAccepted(topic),
      onMessage,
    },
    signal,
  );
  const aging = setInterval(() => {
    publisher.age();
    refused.age();
  }, BROKER_SAVES_MS);
  signal.addEventListener("abort", () => {
    clearInterval(aging);
    refused.stop();
  });
  return {
    show: (messages, part) => publisher.show(messages, part),
    showFirst: (messages, part) => publisher.showFirst(messages, part),
    keepParts: (parts) => publisher.keepParts(parts),
    addListener(listener) {
      listeners.push(listener);
      if (!line) return;
      line.subscribe(listener.subscriptions);
      listener.onUp();
    },
    subscribe: (topics) => line?.subscribe(topics),
    unsubscribe(topics) {
      const needed = new Set(subscriptions());
      line?.unsubscribe(topics.filter((topic) => !needed.has(topic)));
    },
    sendCommand: (topic, payload) => !refused.isLeftOut(topic) && (line?.sendCommand(topic, payload) ?? false),
    status: () => ({
      ...{ connected: line !== null, trouble, lastTrouble, refused: refused.reasons, connections },
      published: publisher.accepted,
    }),
    upSoon: Promise.race([firstUp.promise, pause(QUICK_UP_MS, undefined, { ref: false })]),
    closed,
  };
}
