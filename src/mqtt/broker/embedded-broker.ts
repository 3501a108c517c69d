/** The embedded broker, for homes that have no broker. Loaded only when it is used. */
import { once } from "node:events";
import net from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import tls from "node:tls";
import { Aedes, type Client } from "aedes";
import type { TlsIdentity } from "../../config/schema/tls-schema.ts";
import { type BrokerRules, MAX_KEEPALIVE_SEC, NOT_AUTHORIZED, rulesOf } from "./authorization.ts";
import { BrokerMemory, MAX_UNFINISHED } from "./broker-memory.ts";
import { LOGIN_TIMEOUT_MS, NetworkConnections, type RefusedConnection, readingAll } from "./network-connection.ts";
import { type BrokerUser, BrokerUsers } from "./users.ts";

export interface EmbeddedBrokerOptions extends Omit<BrokerRules, "users"> {
  readonly host: string;
  readonly port: number;
  readonly users: readonly BrokerUser[];
  /** Serves MQTTS instead of MQTT. */
  readonly tls?: TlsIdentity | undefined;
  /** Called once for each connection that was not accepted. */
  readonly onConnectionRefused: (refused: RefusedConnection) => void;
}

export interface EmbeddedBroker {
  readonly host: string;
  readonly port: number;
  /** Opens a byte stream for the daemon's own client, which needs no password. */
  readonly open: () => Duplex;
  /** Replaces the certificate. Without TLS nothing happens. */
  readonly useTls: (tls: TlsIdentity) => void;
  readonly close: () => Promise<void>;
}

/** Time after which a client is closed that does not read its messages. */
const DRAIN_TIMEOUT_MS = 10_000;
const MAX_TOPIC_LEVELS = 16;
/**
 * Longest accepted packet in bytes. Zigbee2MQTT's list of all devices has 5 to 10 kB per device. The daemon accepts 4 MiB
 * including the properties that a broker may add.
 */
const MAX_PACKET_BYTES = 4 * 1024 * 1024 - 1024;
/** Maximum Session Expiry Interval of MQTT 5 clients. Nothing is kept of a session, but aedes takes 0 as no limit. */
const MAX_SESSION_SEC = 1;
/** Maximum number of sessions and wills of clients that left within that second. */
const MAX_PENDING_SESSIONS = 64;
/** Maximum number of messages that are being delivered at the same time. */
const CONCURRENCY = 100;
/** Maximum TCP connections, authenticated or not. More than `authorization.ts` accepts. */
const MAX_SOCKETS = 512;
/** Errors of aedes that end no connection, or only one whose client has vanished. */
const NO_REFUSALS: readonly string[] = [NOT_AUTHORIZED, "keep alive timeout"];
const LOOPBACK = "127.0.0.1";
/** Wait for the daemon's own `offline`, which is acknowledged but still on its way to the subscribers. */
const LAST_WORDS_MS = 100;
/** Time limit for MQTT 5 clients to read their DISCONNECT. */
const CLOSE_MS = 300;

/**
 * Starts the broker. Without users, nobody could log in from the network, so it listens on loopback only.
 * Rejects if a port cannot be opened.
 */
export async function startEmbeddedBroker(options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
  const host = options.users.length > 0 ? options.host : LOOPBACK;
  const connections = new NetworkConnections(options.onConnectionRefused);
  const aedes = new Broker({
    persistence: new BrokerMemory(),
    drainTimeout: DRAIN_TIMEOUT_MS,
    maxTopicLevels: MAX_TOPIC_LEVELS,
    maximumPacketSize: MAX_PACKET_BYTES,
    keepaliveLimit: MAX_KEEPALIVE_SEC,
    sessionExpiryIntervalLimit: MAX_SESSION_SEC,
    pendingSessionsLimit: MAX_PENDING_SESSIONS,
    receiveMaximum: MAX_UNFINISHED,
    concurrency: CONCURRENCY,
    ...rulesOf({ ...options, users: new BrokerUsers(options.users) }, (client) => connections.of(client)),
  });
  await aedes.listen();
  const noteError = (client: Client, error: Error) => {
    // An error with a code is a network failure, and neither is a vanished client a refusal.
    if (!("code" in error) && !NO_REFUSALS.includes(error.message)) connections.of(client)?.refuse(error.message);
  };
  aedes.on("connectionError", noteError);
  aedes.on("clientError", noteError);
  connections.onConnect = (stream) => aedes.handle(stream);
  const tcp = tcpListener(connections, options);
  const close = async () => {
    tcp.close();
    connections.closePending();
    await pause(LAST_WORDS_MS);
    const closed = new Promise<void>((resolve) => aedes.close(resolve));
    await Promise.race([closed, pause(CLOSE_MS)]);
    connections.closeAll();
    await closed;
  };
  try {
    const port = await listen(tcp, options.port, host);
    const useTls = (identity: TlsIdentity) => {
      if (tcp instanceof tls.Server) tcp.setSecureContext({ ...identity });
    };
    return { host, port, open: () => ownStream(aedes), useTls, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * An aedes that survives UNSUBSCRIBE of `constructor` and similar names.
 * 2.0.0-beta.1 finds an inherited property instead of a subscription (GHSA-52qw-whmv-87c5, fixed in 1.1.3). It throws,
 * which ended the process.
 */
class Broker extends Aedes {
  override unsubscribe(...[topic, deliver, done]: Parameters<Aedes["unsubscribe"]>): void {
    if (typeof deliver === "function") super.unsubscribe(topic, deliver, done);
    else done();
  }
}

function tcpListener(connections: NetworkConnections, options: EmbeddedBrokerOptions): net.Server {
  const serve = (socket: net.Socket) => connections.open(socket, isLoopback(socket));
  if (!options.tls) return net.createServer({ noDelay: true }, serve);
  const server = tls.createServer({ ...options.tls, noDelay: true, handshakeTimeout: LOGIN_TIMEOUT_MS }, serve);
  // A handshake fails, for instance, with a client that does not use TLS.
  return server.on("tlsClientError", (error, socket) => {
    const reason = `the TLS handshake failed: ${"code" in error ? error.code : error.message}`;
    options.onConnectionRefused({ address: socket.remoteAddress ?? "", reason, user: null });
  });
}

async function listen(server: net.Server, port: number, host: string): Promise<number> {
  server.maxConnections = MAX_SOCKETS;
  server.listen(port, host);
  await once(server, "listening");
  return (server.address() as net.AddressInfo).port;
}

function ownStream(aedes: Aedes): Duplex {
  const [near, far] = duplexPair();
  // Unlike network sockets, one side of such a pair is not notified when the other is destroyed.
  far.once("close", () => near.destroy());
  near.once("close", () => far.destroy());
  aedes.handle(readingAll(far));
  return near;
}

function isLoopback(socket: net.Socket): boolean {
  return /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? "");
}
