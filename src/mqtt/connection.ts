/**
 * The connection to a broker: one client after the other, each with its own life, so that nothing of an old
 * connection is ever sent on a new one.
 */
import net from "node:net";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import type { IClientOptions } from "mqtt";
import clientModule from "mqtt/lib/client";
import type { PublishPort } from "./publisher.ts";

const MqttClient = clientModule.default;
type Client = InstanceType<typeof MqttClient>;

/** Where the broker is and how to be let in. */
export interface BrokerAddress {
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface ConnectionOptions {
  /** Opens a byte stream to the broker. */
  readonly open: () => Duplex | Promise<Duplex>;
  readonly username?: string;
  readonly password?: string;
  readonly clientId: string;
  /** Retained topic that says `online` and, as the will, `offline`. */
  readonly statusTopic: string;
  /** Topics to listen to. */
  readonly subscriptions: readonly string[];
  readonly onUp: (port: PublishPort) => void;
  readonly onDown: (reason: string) => void;
  readonly onMessage: (topic: string, payload: string) => void;
  /** A number from 0 to 1, for the jitter of the back-off. */
  readonly random: () => number;
}

type ProtocolVersion = 5 | 4;

const KEEPALIVE_SEC = 30;
const CONNECT_TIMEOUT_MS = 10_000;
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;
/** Codes with which a broker says that it does not speak this version of the protocol. */
const UNSUPPORTED_VERSION_CODES = [1, 0x84];
/** The daemon ends within two seconds, with the broker there or not. */
const GOODBYE_MS = 1_000;

/** Keeps a connection until the signal fires, then says `offline` and closes it. */
export async function keepConnected(options: ConnectionOptions, signal: AbortSignal): Promise<void> {
  let version: ProtocolVersion = 5;
  let failures = 0;
  while (!signal.aborted) {
    const life = await liveOnce(options, version, signal);
    if (signal.aborted) return;
    if (life.unsupportedVersion && version === 5) {
      version = 4;
      continue;
    }
    options.onDown(life.reason);
    failures = life.wasUp ? 0 : failures + 1;
    const backoff = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures, 10));
    await pause(backoff * (0.5 + options.random() / 2), signal);
  }
}

interface Life {
  readonly wasUp: boolean;
  readonly unsupportedVersion: boolean;
  readonly reason: string;
}

async function liveOnce(options: ConnectionOptions, version: ProtocolVersion, signal: AbortSignal): Promise<Life> {
  let stream: Duplex;
  try {
    stream = await options.open();
  } catch (error) {
    return { wasUp: false, unsupportedVersion: false, reason: describe(error) };
  }
  return new Promise((resolve) => {
    const client = new MqttClient(() => stream, clientOptions(options, version));
    let wasUp = false;
    let unsupportedVersion = false;
    let reason = "the broker closed the connection";
    const stop = () => goodbye(client, options.statusTopic, wasUp);
    signal.addEventListener("abort", stop);
    client.on("connect", () => {
      wasUp = true;
      welcome(client, options);
    });
    client.on("message", (topic, payload) => options.onMessage(topic, payload.toString()));
    client.on("error", (error) => {
      reason = describe(error);
      const code = "code" in error ? Number(error.code) : Number.NaN;
      unsupportedVersion ||= !wasUp && UNSUPPORTED_VERSION_CODES.includes(code);
      if (!wasUp) client.end(true);
    });
    client.on("close", () => {
      signal.removeEventListener("abort", stop);
      client.end(true);
      resolve({ wasUp, unsupportedVersion, reason });
    });
  });
}

function clientOptions(options: ConnectionOptions, version: ProtocolVersion): IClientOptions {
  return {
    clientId: options.clientId,
    protocolVersion: version,
    clean: true,
    keepalive: KEEPALIVE_SEC,
    connectTimeout: CONNECT_TIMEOUT_MS,
    reconnectPeriod: 0,
    queueQoSZero: false,
    resubscribe: false,
    writeCache: false,
    will: { topic: options.statusTopic, payload: Buffer.from("offline"), qos: 1, retain: true },
    ...(options.username === undefined ? {} : { username: options.username }),
    ...(options.password === undefined ? {} : { password: options.password }),
  };
}

function welcome(client: Client, options: ConnectionOptions): void {
  client.publish(options.statusTopic, "online", { qos: 1, retain: true });
  options.onUp({
    publish: (topic, payload, acknowledged) => {
      if (client.connected)
        client.publish(topic, payload, { qos: 1, retain: true }, (error) => error || acknowledged());
    },
  });
  if (options.subscriptions.length > 0) client.subscribe([...options.subscriptions], { qos: 1 });
}

function goodbye(client: Client, statusTopic: string, wasUp: boolean): void {
  const timer = setTimeout(() => client.end(true), GOODBYE_MS);
  const end = () => {
    clearTimeout(timer);
    client.end(true);
  };
  if (wasUp && client.connected) client.publish(statusTopic, "offline", { qos: 1, retain: true }, end);
  else end();
}

/** Opens the stream that an `mqtt:` or `mqtts:` URL names. */
export function openBrokerStream(address: BrokerAddress): Duplex {
  const url = new URL(address.url);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const secure = url.protocol === "mqtts:";
  const port = Number(url.port || (secure ? 8883 : 1883));
  if (!secure) return net.connect({ host, port, noDelay: true });
  return tls.connect({
    host,
    port,
    ...(net.isIP(host) ? {} : { servername: host }),
    ...(address.ca === undefined ? {} : { ca: address.ca }),
    ...(address.cert === undefined ? {} : { cert: address.cert }),
    ...(address.key === undefined ? {} : { key: address.key }),
  });
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return "the connection failed";
  const code = "code" in error ? String(error.code) : "";
  const words: Readonly<Record<string, string>> = {
    ECONNREFUSED: "the broker refuses the connection; is it running, and is the port right?",
    ENOTFOUND: "the broker's name cannot be resolved",
    EAI_AGAIN: "name resolution does not answer",
    ETIMEDOUT: "the broker did not answer in time",
    CERT_HAS_EXPIRED: "the broker's certificate has expired",
    DEPTH_ZERO_SELF_SIGNED_CERT: "the broker's certificate is self-signed; give its authority as mqtt.ca_file",
    SELF_SIGNED_CERT_IN_CHAIN: "the broker's certificate is from an unknown authority; give it as mqtt.ca_file",
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the broker's certificate cannot be verified; give its authority as mqtt.ca_file",
    "4": "the broker refuses the user name or password",
    "5": "the broker does not let this user in",
    "134": "the broker refuses the user name or password",
    "135": "the broker does not let this user in",
  };
  return words[code] ?? (error.message || "the connection failed");
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
