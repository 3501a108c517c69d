/** One connection to a broker, from opening the stream to its close. Uses one client of MQTT.js. */
import type { Duplex } from "node:stream";
import type { IClientOptions, IClientPublishOptions, IConnackPacket } from "mqtt";
import clientModule from "mqtt/lib/client";
import { en } from "../../core/language/en.ts";
import type { Text } from "../../core/language/text.ts";
import type { BrokerSession, ConnectionOptions } from "./broker-session.ts";
import { explainFailure, explainSilentClose, type Phase } from "./connect-errors.ts";
import { MAX_PACKET_BYTES, PacketBounds } from "./packet-bounds.ts";

const MqttClient = clientModule.default;
type Client = InstanceType<typeof MqttClient>;

export type ProtocolVersion = 5 | 4;

/** Result of one connection attempt. */
export interface SessionResult {
  readonly wasUp: boolean;
  /** The session lasted at least 30 s, so this is not a failed handshake. */
  readonly wasStable: boolean;
  /** The broker does not support this version of MQTT, or closed the connection without an answer. */
  readonly tryOlderVersion: boolean;
  /** Another attempt costs little and may follow at once. */
  readonly retrySoon: boolean;
  /** Topics of unacknowledged messages when the connection ended, oldest first. At most 4. */
  readonly brokeAt: readonly string[];
  /** Another client connected with the same client id. */
  readonly takenOver: boolean;
  readonly reason: Text;
}

const KEEPALIVE_SEC = 30;
const CONNACK_TIMEOUT_MS = 5_000;
/** CONNACK codes for an unsupported protocol version. */
const UNSUPPORTED_VERSION_CODES: readonly unknown[] = [1, 0x84];
const TAKEN_OVER_CODE = 0x8e;
/** Time limit for publishing `offline`. The daemon ends within 2 s, with or without a broker. */
const MAX_END_MS = 1_000;
const OLD_AGE_MS = 30_000;
/** A connection without an acknowledgement for this long is closed, even if the broker answers pings. */
const STUCK_MS = 60_000;
/**
 * Maximum number of unacknowledged messages. Mosquitto allows a client of MQTT 5 20.
 * A window of 1 would cost 41 ms per message, because Mosquitto answers a waiting publisher late.
 */
const WINDOW = 16;
/** Maximum number of unacknowledged commands, in addition to WINDOW. */
const COMMAND_WINDOW = 4;
/** Maximum number of commands queued on a connection: a few for each plug of a large home. */
const MAX_WAITING_COMMANDS = 512;
/**
 * Seconds after which a broker drops an undelivered command (MQTT 5, 3.3.2.3.3).
 * A plug that reconnects hours later must not execute an old command.
 */
const COMMAND_EXPIRY_SEC = 10;
/** Maximum number of topics in `brokeAt`. */
const MAX_NAMED = 4;
/** A broker sends retained messages right after it accepts a subscription. After this time, none is expected. */
const RETAINED_WITHIN_MS = 2_000;

/** Runs one connection until it ends. When the signal fires, publishes `offline` and closes the connection. */
export async function runSession(
  options: ConnectionOptions,
  version: ProtocolVersion,
  signal: AbortSignal,
): Promise<SessionResult> {
  const never = { wasUp: false, wasStable: false, tryOlderVersion: false, brokeAt: [], takenOver: false };
  try {
    const stream = await options.open(signal);
    return await new Session(options, version, stream).over(signal);
  } catch (error) {
    const retrySoon = error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
    return { ...never, retrySoon, reason: explainFailure(error, "opening") };
  }
}

class Session {
  readonly #options: ConnectionOptions;
  readonly #version: ProtocolVersion;
  readonly #stream: Duplex;
  readonly #client: Client;
  readonly #refused = new Set<string>();
  readonly #startedMs = performance.now();
  #phase: Phase = "greeting";
  #error: unknown = null;
  /** Topics of the unacknowledged messages, oldest first. Bounded by the window. */
  readonly #unacknowledged: string[] = [];
  #progressTimer: NodeJS.Timeout | undefined;
  /** Bounded by MAX_WAITING_COMMANDS. Discarded when the connection ends. */
  readonly #waitingCommands: { readonly topic: string; readonly payload: string }[] = [];
  #unacknowledgedCommands = 0;
  #isLeaving = false;
  /** Callbacks of `askRetained` by topic. Bounded by the window. */
  readonly #awaited = new Map<string, () => void>();

  constructor(options: ConnectionOptions, version: ProtocolVersion, stream: Duplex) {
    this.#options = options;
    this.#version = version;
    this.#stream = stream;
    this.#client = new MqttClient(() => stream, clientOptions(options, version));
    const bounds = new PacketBounds();
    stream.on("data", (piece: Buffer) => {
      const flaw = stream.destroyed ? null : bounds.flawOf(piece);
      if (flaw !== null) this.#disconnect(flaw);
    });
  }

  over(signal: AbortSignal): Promise<SessionResult> {
    const client = this.#client;
    const stop = () => this.#end();
    signal.addEventListener("abort", stop);
    client.on("connect", (connack) => this.#onConnect(connack, signal));
    client.on("message", (topic, payload, packet) => {
      if (packet.retain) this.#awaited.get(topic)?.();
      const message = { topic, payload: payload.toString(), retained: packet.retain };
      if (topic !== this.#options.statusTopic) this.#options.onMessage(message);
      else if (message.payload === "offline" && !signal.aborted) this.#publishOnline(topic);
    });
    client.on("disconnect", ({ reasonCode }) => {
      this.#error = Object.assign(new Error(`reason ${reasonCode}`), { code: reasonCode ?? 0 });
    });
    client.on("error", (error) => {
      this.#error ??= error;
      if (this.#phase !== "up") this.#stream.destroy();
    });
    return new Promise((resolve) => {
      client.on("close", () => {
        signal.removeEventListener("abort", stop);
        clearTimeout(this.#progressTimer);
        const result = this.#summary();
        client.end(true);
        resolve(result);
      });
      if (signal.aborted) stop();
    });
  }

  #summary(): SessionResult {
    const code = this.#error instanceof Error && "code" in this.#error ? this.#error.code : undefined;
    const wasUp = this.#phase === "up";
    const closedByBroker = this.#error === null || code === "ECONNRESET" || code === "EPIPE";
    return {
      wasUp,
      wasStable: wasUp && performance.now() - this.#startedMs >= OLD_AGE_MS,
      tryOlderVersion: this.#version === 5 && !wasUp && (closedByBroker || UNSUPPORTED_VERSION_CODES.includes(code)),
      retrySoon: wasUp && code !== TAKEN_OVER_CODE,
      brokeAt: this.#unacknowledged.slice(0, MAX_NAMED),
      takenOver: code === TAKEN_OVER_CODE,
      reason: this.#error === null ? explainSilentClose(this.#phase) : explainFailure(this.#error, this.#phase),
    };
  }

  #onConnect(connack: IConnackPacket, signal: AbortSignal): void {
    this.#phase = "up";
    if (signal.aborted) {
      this.#end();
      return;
    }
    const { statusTopic } = this.#options;
    if (statusTopic !== null) this.#publishOnline(statusTopic);
    const most = (connack.properties?.receiveMaximum ?? WINDOW + COMMAND_WINDOW) - COMMAND_WINDOW;
    this.#options.onUp(this.#line(Math.max(1, Math.min(WINDOW, most))));
    this.#subscribe([...(statusTopic === null ? [] : [statusTopic]), ...this.#options.subscriptions()]);
  }

  #subscribe(topics: readonly string[]): void {
    for (const topic of topics)
      this.#client.subscribe(topic, { qos: 1 }, (error) => error && this.#noteRefusal(topic, error));
  }

  /** Publishes `online`. Also corrects the will of an earlier connection whose loss the broker detects late. */
  #publishOnline(statusTopic: string): void {
    this.#client.publish(statusTopic, "online", { qos: 1, retain: true }, (error) => {
      if (error) this.#noteRefusal(statusTopic, error);
    });
  }

  #line(window: number): BrokerSession {
    const client = this.#client;
    return {
      window,
      publish: (topic, payload, settled) => {
        // While the client closes, MQTT.js rejects every message at once. Each rejection would make the queue send its
        // next message.
        if (!client.connected || this.#isLeaving) return;
        this.#unacknowledged.push(topic);
        this.#watchProgress();
        client.publish(topic, payload, { qos: 1, retain: true }, (error) => {
          this.#unacknowledged.splice(this.#unacknowledged.indexOf(topic), 1);
          this.#watchProgress();
          if (error) this.#noteRefusal(topic, error);
          settled(!error);
        });
      },
      askRetained: (topic, answer) => this.#askRetained(topic, answer),
      publishTransient: (topic, payload) => {
        if (client.connected) client.publish(topic, payload, { qos: 0, retain: false });
      },
      sendCommand: (topic, payload) => {
        if (!client.connected || this.#waitingCommands.length >= MAX_WAITING_COMMANDS) return false;
        this.#waitingCommands.push({ topic, payload });
        this.#sendCommands();
        return true;
      },
      subscribe: (topics) => this.#subscribe(topics),
      unsubscribe: (topics) => {
        if (client.connected && topics.length > 0) client.unsubscribe([...topics]);
      },
    };
  }

  #askRetained(topic: string, answer: (retained: boolean) => void): void {
    let timer: NodeJS.Timeout | null = null;
    const settle = (retained: boolean) => {
      clearTimeout(timer ?? undefined);
      if (!this.#awaited.delete(topic) || !this.#client.connected) return;
      this.#client.unsubscribe(topic);
      answer(retained);
    };
    this.#awaited.set(topic, () => settle(true));
    this.#client.subscribe(topic, { qos: 0 }, (error) => {
      if (error) settle(true);
      else if (this.#awaited.has(topic)) timer = setTimeout(() => settle(false), RETAINED_WITHIN_MS).unref();
    });
  }

  #sendCommands(): void {
    const options: IClientPublishOptions = { qos: 1, retain: false };
    if (this.#version === 5) options.properties = { messageExpiryInterval: COMMAND_EXPIRY_SEC };
    while (this.#unacknowledgedCommands < COMMAND_WINDOW && this.#client.connected) {
      const command = this.#waitingCommands.shift();
      if (!command) return;
      this.#unacknowledgedCommands++;
      this.#client.publish(command.topic, command.payload, options, (error) => {
        this.#unacknowledgedCommands--;
        if (error) this.#noteRefusal(command.topic, error);
        this.#sendCommands();
      });
    }
  }

  #watchProgress(): void {
    clearTimeout(this.#progressTimer);
    if (this.#unacknowledged.length === 0) return;
    this.#progressTimer = setTimeout(() => this.#disconnect(en.mqtt_stuck), STUCK_MS);
  }

  /** Closes the connection and records the reason, unless there is an earlier one. */
  #disconnect(reason: string): void {
    this.#error ??= new Error(reason);
    this.#stream.destroy();
  }

  #noteRefusal(topic: string, error: Error): void {
    if (!("code" in error) || this.#refused.has(topic)) return;
    this.#refused.add(topic);
    this.#options.onRefused(topic, explainFailure(error, "up"));
  }

  #end(): void {
    const { statusTopic } = this.#options;
    this.#isLeaving = true;
    const timer = setTimeout(() => this.#stream.destroy(), MAX_END_MS);
    this.#client.once("close", () => clearTimeout(timer));
    if (!this.#client.connected) this.#stream.destroy();
    else if (statusTopic === null) this.#client.end(false);
    else this.#client.publish(statusTopic, "offline", { qos: 1, retain: true }, () => this.#client.end(false));
  }
}

function clientOptions(options: ConnectionOptions, version: ProtocolVersion): IClientOptions {
  return {
    clientId: options.clientId,
    protocolVersion: version,
    clean: true,
    keepalive: KEEPALIVE_SEC,
    connectTimeout: CONNACK_TIMEOUT_MS,
    reconnectPeriod: 0,
    queueQoSZero: false,
    resubscribe: false,
    writeCache: false,
    ...(options.statusTopic === null
      ? {}
      : { will: { topic: options.statusTopic, payload: Buffer.from("offline"), qos: 1, retain: true } }),
    ...(version === 5 ? { properties: { maximumPacketSize: MAX_PACKET_BYTES } } : {}),
    ...(options.username === undefined ? {} : { username: options.username }),
    ...(options.password === undefined ? {} : { password: options.password }),
  };
}
