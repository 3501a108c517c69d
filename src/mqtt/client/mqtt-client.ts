/**
 * The house's link to MQTT: the publisher, the connection it publishes on, the commands that come in, and the birth of
 * Home Assistant, put together.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { KeyValue } from "../../core/runtime/key-value.ts";
import type { BrokerAccess, BrokerSession, IncomingMessage } from "./broker-session.ts";
import { Commands, type CommandTable } from "./commands.ts";
import type { Message } from "./message.ts";
import { keepConnected } from "./reconnect.ts";
import { RetainedPublisher } from "./retained-publisher.ts";

export interface MqttClientLog {
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
}

export interface MqttClientOptions extends BrokerAccess {
  readonly clientId: string;
  readonly baseTopic: string;
  /** Retained topic that says `online` and, as the will, `offline`; `status` below the base topic by default. */
  readonly statusTopic?: string;
  /** Whether another daemon publishes a topic now. */
  readonly isOthers?: (topic: string) => boolean;
  /** Home Assistant's discovery prefix. */
  readonly discoveryPrefix: string;
  readonly commands: CommandTable;
  /** Called for each command that was not carried out. */
  readonly onRefusedCommand?: (topic: string, reason: string) => void;
  /** Keeps the topics that were ever published. */
  readonly memory: KeyValue;
  readonly log: MqttClientLog;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
}

export interface MqttListener {
  /** Topic filters. */
  readonly subscriptions: readonly string[];
  /** Called for every message, also for those on the topics of other listeners. */
  onMessage(message: IncomingMessage): void;
  onUp(): void;
  onDown(): void;
}

export interface MqttClient {
  /** Sets the wanted state of a part; see `RetainedPublisher.show`. */
  show(messages: readonly Message[], part?: string): void;
  /** Shows what cannot wait; see `RetainedPublisher.showFirst`. */
  showFirst(messages: readonly Message[], part: string): void;
  /** Says which parts there are; see `RetainedPublisher.keepParts`. */
  keepParts(parts: ReadonlySet<string>): void;
  /** Sends a command to a device, with QoS 1, not retained; false where there is no connection: nothing is sent later. */
  sendCommand(topic: string, payload: string): boolean;
  /** Adds a listener; one that is added while the connection is up is subscribed at once. */
  addListener(listener: MqttListener): void;
  /** Subscribes to what a listener has more than before, where the connection is up; a later one has it anyway. */
  subscribe(topics: readonly string[]): void;
  /** How the link is, and what went over it since the start. */
  status(): MqttClientStatus;
  /** Resolves when the first connection is up, or when it takes longer than a quick one does. Never rejects. */
  readonly upSoon: Promise<void>;
  /** Resolves once `offline` was said and the connection is closed. */
  readonly closed: Promise<void>;
}

export interface MqttClientStatus {
  readonly connected: boolean;
  /** Why it is not; null where it is. */
  readonly trouble: string | null;
  /** Connections that came about. */
  readonly connections: number;
  /** States that a broker has taken. */
  readonly published: number;
}

/** Home Assistant asks for a short random time after its birth, so that not everybody talks to it at once. */
const BIRTH_DELAY_MS = { least: 250, most: 1_500 };

/** A broker on the same network answers within this; a start does not wait for another. */
const QUICK_UP_MS = 150;

/** Mosquitto writes to disk every half hour, unless told otherwise. */
const BROKER_SAVES_MS = 3_600_000;

/** Opens the link and keeps it until the signal fires. */
export function openMqttClient(options: MqttClientOptions, signal: AbortSignal): MqttClient {
  const { baseTopic, statusTopic = `${baseTopic}/status`, discoveryPrefix, log, random } = options;
  const birthTopic = `${discoveryPrefix}/status`;
  /** Bounded by the modules that listen: one today. */
  const listeners: MqttListener[] = [];
  let line: BrokerSession | null = null;
  let trouble: string | null = "it is being connected";
  let connections = 0;
  const publisher = new RetainedPublisher(options.memory, [statusTopic], options.isOthers);
  const commands = new Commands({
    baseTopic,
    table: options.commands,
    answer: (topic, payload) => line?.publishTransient(topic, payload),
    onRefused: (topic, reason) => {
      log.warn({ topic, reason }, "command refused");
      options.onRefusedCommand?.(topic, reason);
    },
  });
  let isGreeting = false;
  const greetHomeAssistant = async () => {
    // Several births within one delay are one.
    if (isGreeting) return;
    isGreeting = true;
    const delayMs = BIRTH_DELAY_MS.least + random() * (BIRTH_DELAY_MS.most - BIRTH_DELAY_MS.least);
    await pause(delayMs, undefined, { signal }).catch(() => undefined);
    isGreeting = false;
    if (!signal.aborted) publisher.repeat();
  };
  const onMessage = (message: IncomingMessage) => {
    // A retained birth is an old one: whoever was born before this connection reads what is retained.
    if (message.topic === birthTopic && message.payload === "online" && !message.retained) void greetHomeAssistant();
    else void commands.take(message);
    for (const listener of listeners) listener.onMessage(message);
  };
  const firstUp = Promise.withResolvers<void>();
  const closed = keepConnected(
    {
      ...options,
      statusTopic,
      subscriptions: () => [
        birthTopic,
        ...commands.subscriptions(),
        ...listeners.flatMap((each) => each.subscriptions),
      ],
      onUp: (up) => {
        log.info({}, "broker connected");
        line = up;
        trouble = null;
        connections++;
        publisher.attach(up);
        for (const listener of listeners) listener.onUp();
        firstUp.resolve();
      },
      onDown: (reason) => {
        log.warn({ reason }, "broker not connected");
        line = null;
        trouble = reason;
        publisher.detach();
        for (const listener of listeners) listener.onDown();
      },
      onRefused: (topic, reason) => log.warn({ topic, reason }, "the broker refuses a topic"),
      onMessage,
    },
    signal,
  );
  const aging = setInterval(() => publisher.age(), BROKER_SAVES_MS);
  signal.addEventListener("abort", () => clearInterval(aging));
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
    sendCommand: (topic, payload) => line?.sendCommand(topic, payload) ?? false,
    status: () => ({ connected: line !== null, trouble, connections, published: publisher.taken }),
    upSoon: Promise.race([firstUp.promise, pause(QUICK_UP_MS, undefined, { ref: false })]),
    closed,
  };
}
