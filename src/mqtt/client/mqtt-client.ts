/** MQTT client of the daemon: combines publisher, connection, incoming commands and Home Assistant's birth message. */

import { setTimeout as pause } from "node:timers/promises";
import { type Text, textIn, message as translated } from "../../core/language/text.ts";
import type { KeyValue } from "../../core/runtime/key-value.ts";
import type { BrokerAccess, BrokerSession, IncomingMessage, SessionEnd } from "./broker-session.ts";
import { Commands, type CommandTable } from "./commands.ts";
import { keepConnected } from "./reconnect.ts";
import { RejectedTopics } from "./rejected-topics.ts";
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
  /** Ignores long retained messages, which are documents and not states. */
  readonly ignoresDocuments?: boolean;
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
  onMessage?(message: IncomingMessage): void;
  onUp?(): void;
  onDown?(): void;
  /** Called when the broker refuses another topic, and when it accepts one that it refused. */
  onRefused?(): void;
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

/** Topic of Home Assistant's birth message unless it was changed there, whatever its discovery prefix is. */
const USUAL_BIRTH_TOPIC = "homeassistant/status";
/** Random delay in ms after a birth message: Home Assistant's MQTT documentation recommends one to limit load peaks. */
const BIRTH_DELAY_MS = { least: 250, most: 1_500 };

/** A broker on the same network accepts a connection within this time. The start does not wait longer. */
const QUICK_UP_MS = 150;

/** Longest retained message that is not a document: a state, an availability or a number. Unit: characters. */
const MAX_STATE_LENGTH = 256;

/** Twice the default interval at which Mosquitto saves to disk (`autosave_interval`, 30 min). */
const BROKER_SAVES_MS = 3_600_000;

/** Stays connected to the broker from now until the signal fires. */
export class MqttClient {
  /** Wanted state of the retained topics. */
  readonly retained: RetainedPublisher;
  /** Resolves at the first connection, or after 150 ms. Never rejects. */
  readonly upSoon: Promise<void>;
  /** Resolves once `offline` is published and the connection is closed. */
  readonly closed: Promise<void>;
  readonly #options: MqttClientOptions;
  readonly #signal: AbortSignal;
  readonly #birthTopics: ReadonlySet<string>;
  /** Bounded by the modules that listen. */
  readonly #listeners: MqttListener[] = [];
  readonly #rejected: RejectedTopics;
  readonly #commands: Commands;
  readonly #firstUp = Promise.withResolvers<void>();
  #line: BrokerSession | null = null;
  #trouble: Text | null = translated("mqtt.connecting");
  #lastTrouble: Text | null = null;
  #connections = 0;
  #isGreeting = false;

  constructor(options: MqttClientOptions, signal: AbortSignal) {
    const { baseTopic, statusTopic = `${baseTopic}/status`, log } = options;
    this.#options = options;
    this.#signal = signal;
    this.#birthTopics = new Set([`${options.discoveryPrefix}/status`, USUAL_BIRTH_TOPIC]);
    const isLeftOut = (topic: string) => this.#rejected.isLeftOut(topic);
    this.retained = new RetainedPublisher(options.memory, [statusTopic], options.isOthers, isLeftOut);
    this.#rejected = new RejectedTopics(this.retained, log, () => {
      for (const listener of this.#listeners) listener.onRefused?.();
    });
    this.#commands = new Commands({
      baseTopic,
      table: options.commands,
      answer: (topic, payload) => this.#line?.publishTransient(topic, payload),
      onRefused: (topic, reason) => {
        log.warn({ topic, reason: textIn("en", reason) }, "command refused");
        options.onRefusedCommand?.(topic, reason);
      },
    });
    this.upSoon = Promise.race([this.#firstUp.promise, pause(QUICK_UP_MS, undefined, { ref: false })]);
    this.closed = this.#connect(statusTopic);
    const aging = setInterval(() => this.retained.age(), BROKER_SAVES_MS);
    signal.addEventListener("abort", () => {
      clearInterval(aging);
      this.#rejected.stop();
    });
  }

  /** Adds a listener. If connected, subscribes to its filters and calls its `onUp` at once. */
  addListener(listener: MqttListener): void {
    this.#listeners.push(listener);
    if (!this.#line) return;
    this.#line.subscribe(listener.subscriptions);
    listener.onUp?.();
  }

  /** Subscribes to additional topic filters if connected. Later connections read them from the listeners. */
  subscribe(topics: readonly string[]): void {
    this.#line?.subscribe(topics);
  }

  /** Ends subscriptions, except those that a listener still needs. */
  unsubscribe(topics: readonly string[]): void {
    const needed = new Set(this.#subscriptions());
    this.#line?.unsubscribe(topics.filter((topic) => !needed.has(topic)));
  }

  /** Sends a command to a device with QoS 1, not retained. Returns false if it will not be sent, now or later. */
  sendCommand(topic: string, payload: string): boolean {
    return !this.#rejected.isLeftOut(topic) && (this.#line?.sendCommand(topic, payload) ?? false);
  }

  /** Returns the state of the connection and its counters since the start. */
  status(): MqttClientStatus {
    return {
      connected: this.#line !== null,
      trouble: this.#trouble,
      lastTrouble: this.#lastTrouble,
      refused: this.#rejected.reasons,
      connections: this.#connections,
      published: this.retained.accepted,
    };
  }

  #connect(statusTopic: string): Promise<void> {
    const options = {
      ...this.#options,
      statusTopic,
      subscriptions: () => this.#subscriptions().filter((filter) => !this.#rejected.isLeftOut(filter)),
      onUp: (line: BrokerSession) => this.#onUp(line),
      onDown: (end: SessionEnd) => this.#onDown(end),
      onRejected: (topic: string, reason: Text) => this.#rejected.onRejected(topic, reason),
      onAccepted: (topic: string) => this.#rejected.onAccepted(topic),
      onMessage: (message: IncomingMessage) => this.#onMessage(message),
    };
    return keepConnected(options, this.#signal);
  }

  #subscriptions(): string[] {
    const filters = this.#listeners.flatMap(({ subscriptions }) => subscriptions);
    return [...this.#birthTopics, ...this.#commands.subscriptions(), ...filters];
  }

  #onUp(line: BrokerSession): void {
    this.#options.log.info({}, "broker connected");
    this.#line = line;
    this.#trouble = null;
    this.#connections++;
    this.#rejected.onUp();
    this.retained.attach(line);
    for (const listener of this.#listeners) listener.onUp?.();
    this.#firstUp.resolve();
  }

  #onDown(end: SessionEnd): void {
    const { reason } = end;
    this.#options.log.warn({ reason: textIn("en", reason) }, "broker not connected");
    this.#line = null;
    this.#trouble = reason;
    this.#lastTrouble = reason;
    this.retained.detach();
    this.#rejected.onDown(end);
    for (const listener of this.#listeners) listener.onDown?.();
  }

  #onMessage(message: IncomingMessage): void {
    if (this.#options.ignoresDocuments && message.retained && message.payload.length > MAX_STATE_LENGTH) return;
    // Ignore retained birth messages: Home Assistant was online before we connected.
    const isBirth = this.#birthTopics.has(message.topic) && message.payload === "online" && !message.retained;
    if (isBirth) void this.#greetHomeAssistant();
    else void this.#commands.take(message);
    for (const listener of this.#listeners) listener.onMessage?.(message);
  }

  async #greetHomeAssistant(): Promise<void> {
    // Several births within one delay cause one repetition.
    if (this.#isGreeting) return;
    this.#isGreeting = true;
    const { least, most } = BIRTH_DELAY_MS;
    const delayMs = least + this.#options.random() * (most - least);
    await pause(delayMs, undefined, { signal: this.#signal }).catch(() => undefined);
    this.#isGreeting = false;
    if (!this.#signal.aborted) this.retained.repeat();
  }
}
