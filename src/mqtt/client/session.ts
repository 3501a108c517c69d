/** One connection to a broker, from opening the stream to its close. Uses one client of MQTT.js. */
import type { Duplex } from "node:stream";
import type { IClientOptions, IClientPublishOptions, IConnackPacket } from "mqtt";
import clientModule from "mqtt/lib/client";
import { message, type Text, TextError } from "../../core/language/text.ts";
import type { BrokerSession, ConnectionOptions } from "./broker-session.ts";
import { explainFailure, explainSilentClose, type Phase } from "./connect-errors.ts";
import { MAX_PACKET_BYTES, PacketBounds } from "./packet-bounds.ts";
import type { PublishResult } from "./retained-publisher.ts";

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
  /** Oldest topic that the broker had not answered; null if there is not one, or if another client took the id. */
  readonly unanswered: string | null;
  /** The same object, or what to try next because the broker does not support the will. */
  readonly support: WillSupport;
  /** Another client connected with the same client id. */
  readonly takenOver: boolean;
  readonly reason: Text;
}

/** What the broker supports in the will. It refuses a connection whose will it does not support (MQTT 5, 3.2.2.3). */
export type WillSupport = { readonly qos: 0 | 1; readonly retain: boolean };

/** Limits that the broker announced for this connection. */
interface BrokerLimits {
  readonly packetBytes: number;
  readonly qos: 0 | 1;
  readonly retain: boolean;
  readonly wildcards: boolean;
}

const NO_LIMITS: BrokerLimits = { packetBytes: Number.POSITIVE_INFINITY, qos: 1, retain: true, wildcards: true };
/** Maximum bytes of a PUBLISH besides topic and payload: header, lengths, packet id and properties. */
const PUBLISH_OVERHEAD_BYTES = 20;
const KEEPALIVE_SEC = 30;
const CONNACK_TIMEOUT_MS = 5_000;
/** CONNACK codes for an unsupported protocol version. */
const UNSUPPORTED_VERSION_CODES: readonly unknown[] = [1, 0x84];
const TAKEN_OVER_CODE = 0x8e;
/** CONNACK codes for a will that the broker does not support. */
const WILL_CODES = { retain: 0x9a, qos: 0x9b };
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
/** A broker sends retained messages right after it accepts a subscription. After this time, none is expected. */
const RETAINED_WITHIN_MS = 2_000;

/** Runs one connection until it ends. When the signal fires, publishes `offline` and closes the connection. */
export async function runSession(
  options: ConnectionOptions,
  version: ProtocolVersion,
  support: WillSupport,
  signal: AbortSignal,
): Promise<SessionResult> {
  const never = { wasUp: false, wasStable: false, tryOlderVersion: false, unanswered: null, support, takenOver: false };
  try {
    const stream = await options.open(signal);
    return await new Session(options, version, support, stream).over(signal);
  } catch (error) {
    const retrySoon = error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
    return { ...never, retrySoon, reason: explainFailure(error, "opening") };
  }
}

/** Byte that begins no valid packet, length or topic. */
const NO_PACKET = 0xff;

class Session implements BrokerSession {
  /** Maximum number of unacknowledged messages. */
  window = 1;
  readonly #options: ConnectionOptions;
  readonly #version: ProtocolVersion;
  readonly #support: WillSupport;
  #limits: BrokerLimits = NO_LIMITS;
  readonly #stream: Duplex;
  readonly #client: Client;
  readonly #rejected = new Set<string>();
  readonly #startedMs = performance.now();
  #phase: Phase = "greeting";
  #error: unknown = null;
  /** Topics and topic filters that the broker has not answered, oldest first. Bounded by the windows and the filters. */
  readonly #unanswered: string[] = [];
  #progressTimer: NodeJS.Timeout | undefined;
  /** Bounded by MAX_WAITING_COMMANDS. Discarded when the connection ends. */
  readonly #waitingCommands: { readonly topic: string; readonly payload: string }[] = [];
  #unacknowledgedCommands = 0;
  #isLeaving = false;
  /** Callbacks of `askRetained` by topic. Bounded by the window. */
  readonly #awaited = new Map<string, () => void>();

  constructor(options: ConnectionOptions, version: ProtocolVersion, support: WillSupport, stream: Duplex) {
    this.#options = options;
    this.#version = version;
    this.#support = support;
    this.#stream = stream;
    this.#client = new MqttClient(() => stream, clientOptions(options, version, support));
    const bounds = new PacketBounds();
    let flaw: string | null = null;
    // Before MQTT.js, which would handle the packet although the connection is closed after this piece.
    stream.prependListener("data", (piece: Buffer) => {
      // Not after CONNACK: the first price does not wait for the rest of the start.
      // MQTT.js would write each answer to an acknowledgement alone.
      if (this.#phase === "up") {
        this.#stream.cork();
        setImmediate(() => this.#stream.uncork());
      }
      const isFirst = flaw === null;
      flaw ??= bounds.flawOf(piece);
      if (flaw === null) return;
      this.#error ??= new TextError(flaw);
      piece.fill(NO_PACKET, isFirst ? bounds.position : 0);
    });
    stream.on("data", () => {
      if (flaw !== null) stream.destroy();
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
      if (topic !== this.#options.statusTopic) this.#options.onMessage?.(message);
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
      unanswered: code === TAKEN_OVER_CODE ? null : (this.#unanswered[0] ?? null),
      support: this.#supportAfter(code),
      takenOver: code === TAKEN_OVER_CODE,
      reason: this.#error === null ? explainSilentClose(this.#phase) : explainFailure(this.#error, this.#phase),
    };
  }

  /** Returns what to support in the will next time. */
  #supportAfter(code: unknown): WillSupport {
    const support = this.#support;
    if (this.#phase === "up") return support;
    if (code === WILL_CODES.retain && support.retain) return { ...support, retain: false };
    return code === WILL_CODES.qos && support.qos > 0 ? { ...support, qos: 0 } : support;
  }

  #onConnect(connack: IConnackPacket, signal: AbortSignal): void {
    this.#phase = "up";
    const { maximumPacketSize, maximumQoS, retainAvailable, wildcardSubscriptionAvailable } = connack.properties ?? {};
    this.#limits = {
      packetBytes: maximumPacketSize ?? NO_LIMITS.packetBytes,
      qos: maximumQoS === 0 ? 0 : 1,
      retain: retainAvailable !== false,
      wildcards: wildcardSubscriptionAvailable !== false,
    };
    if (signal.aborted) {
      this.#end();
      return;
    }
    const { statusTopic } = this.#options;
    if (statusTopic !== null) this.#publishOnline(statusTopic);
    const most = (connack.properties?.receiveMaximum ?? WINDOW + COMMAND_WINDOW) - COMMAND_WINDOW;
    this.window = this.#options.isCautious ? 1 : Math.max(1, Math.min(WINDOW, most));
    this.#options.onUp(this);
    if (statusTopic !== null && !this.#limits.retain) this.#reject(statusTopic, message("mqtt.no_retained"));
    this.subscribe([...(statusTopic === null ? [] : [statusTopic]), ...(this.#options.subscriptions?.() ?? [])]);
  }

  subscribe(topics: readonly string[]): void {
    for (const topic of topics) {
      if (!this.#limits.wildcards && /[+#]/.test(topic)) {
        this.#reject(topic, message("mqtt.no_wildcards"));
        continue;
      }
      this.#awaitAnswer(topic);
      this.#client.subscribe(topic, { qos: this.#limits.qos }, (error) => {
        this.#answered(topic, error);
      });
    }
  }

  #awaitAnswer(topic: string): void {
    this.#unanswered.push(topic);
    this.#watchProgress();
  }

  /** Reports the broker's answer about a topic. MQTT.js also calls back at the end of a connection, without an answer. */
  #answered(topic: string, error: Error | null | undefined): void {
    if (!this.#client.connected) return;
    this.#unanswered.splice(this.#unanswered.indexOf(topic), 1);
    this.#watchProgress();
    if (error) this.#noteRejection(topic, error);
    else this.#options.onAccepted?.(topic);
  }

  /** Publishes `online`. Also corrects the will of an earlier connection whose loss the broker detects late. */
  #publishOnline(statusTopic: string): void {
    const { qos, retain } = this.#limits;
    this.#client.publish(statusTopic, "online", { qos, retain }, (error) => {
      if (error) this.#noteRejection(statusTopic, error);
    });
  }

  unsubscribe(topics: readonly string[]): void {
    if (this.#client.connected && topics.length > 0) this.#client.unsubscribe([...topics]);
  }

  publish(topic: string, payload: string, settled: (result: PublishResult) => void): void {
    // While the client closes, MQTT.js rejects every message at once. Each rejection would make the queue send its next
    // message.
    if (!this.#client.connected || this.#isLeaving) return;
    const { qos, retain, packetBytes } = this.#limits;
    if (Buffer.byteLength(topic) + Buffer.byteLength(payload) + PUBLISH_OVERHEAD_BYTES > packetBytes) {
      this.#reject(topic, message("mqtt.too_large"));
      queueMicrotask(() => settled("rejected"));
      return;
    }
    this.#awaitAnswer(topic);
    this.#client.publish(topic, payload, { qos, retain }, (error) => {
      if (!this.#client.connected) return;
      this.#answered(topic, error);
      settled(error ? "rejected" : "accepted");
    });
  }

  publishTransient(topic: string, payload: string): void {
    if (this.#client.connected) this.#client.publish(topic, payload, { qos: 0, retain: false });
  }

  sendCommand(topic: string, payload: string): boolean {
    if (!this.#client.connected || this.#waitingCommands.length >= MAX_WAITING_COMMANDS) return false;
    this.#waitingCommands.push({ topic, payload });
    this.#sendCommands();
    return true;
  }

  askRetained(topic: string, answer: (retained: boolean) => void): void {
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
    const options: IClientPublishOptions = { qos: this.#limits.qos, retain: false };
    if (this.#version === 5) options.properties = { messageExpiryInterval: COMMAND_EXPIRY_SEC };
    while (this.#unacknowledgedCommands < COMMAND_WINDOW && this.#client.connected) {
      const command = this.#waitingCommands.shift();
      if (!command) return;
      this.#unacknowledgedCommands++;
      this.#awaitAnswer(command.topic);
      this.#client.publish(command.topic, command.payload, options, (error) => {
        this.#unacknowledgedCommands--;
        this.#answered(command.topic, error);
        this.#sendCommands();
      });
    }
  }

  #watchProgress(): void {
    clearTimeout(this.#progressTimer);
    if (this.#unanswered.length === 0) return;
    this.#progressTimer = setTimeout(() => this.#disconnect(message("mqtt.stuck")), STUCK_MS);
  }

  /** Closes the connection and records the reason, unless there is an earlier one. */
  #disconnect(reason: Text): void {
    this.#error ??= new TextError(reason);
    this.#stream.destroy();
  }

  #noteRejection(topic: string, error: Error): void {
    if ("code" in error) this.#reject(topic, explainFailure(error, "up"));
  }

  #reject(topic: string, reason: Text): void {
    if (this.#rejected.has(topic)) return;
    this.#rejected.add(topic);
    this.#options.onRejected?.(topic, reason);
  }

  #end(): void {
    const { statusTopic } = this.#options;
    this.#isLeaving = true;
    const timer = setTimeout(() => this.#stream.destroy(), MAX_END_MS);
    this.#client.once("close", () => clearTimeout(timer));
    if (!this.#client.connected) this.#stream.destroy();
    else if (statusTopic === null) this.#client.end(false);
    else {
      const { qos, retain } = this.#limits;
      this.#client.publish(statusTopic, "offline", { qos, retain }, () => this.#client.end(false));
    }
  }
}

function clientOptions(options: ConnectionOptions, version: ProtocolVersion, will: WillSupport): IClientOptions {
  const { clientId, statusTopic, username, password } = options;
  return {
    clientId,
    protocolVersion: version,
    clean: true,
    keepalive: KEEPALIVE_SEC,
    connectTimeout: CONNACK_TIMEOUT_MS,
    reconnectPeriod: 0,
    queueQoSZero: false,
    resubscribe: false,
    // A ping each 30 s, instead of a new timer for each packet.
    reschedulePings: false,
    writeCache: false,
    ...(statusTopic !== null && { will: { topic: statusTopic, payload: Buffer.from("offline"), ...will } }),
    ...(version === 5 && { properties: { maximumPacketSize: MAX_PACKET_BYTES } }),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  };
}
