/** The broker inside the daemon, for houses that have none. Loaded only when it is used. */
import http from "node:http";
import net from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { Aedes } from "aedes";
import { type BrokerRules, rulesOf } from "./authorization.ts";
import { PacketLimits } from "./packet-limits.ts";
import { type PendingLogin, PendingLogins } from "./pending-logins.ts";
import { forwardWhatIsThere, replayNewest } from "./retained-replay.ts";
import { type BrokerUser, BrokerUsers } from "./users.ts";

export interface EmbeddedBrokerOptions extends Omit<BrokerRules, "users"> {
  readonly host: string;
  readonly port: number;
  /** Port of a WebSocket listener; none without it. */
  readonly wsPort?: number | undefined;
  readonly users: readonly BrokerUser[];
}

export interface EmbeddedBroker {
  readonly host: string;
  readonly port: number;
  /** Null without a WebSocket listener. */
  readonly wsPort: number | null;
  /** A byte stream for the daemon's own client, which needs no password. */
  readonly open: () => Duplex;
  readonly close: () => Promise<void>;
}

/** A client that does not read what it subscribed to is closed after this. */
const DRAIN_TIMEOUT_MS = 10_000;
const MAX_TOPIC_LEVELS = 16;
/** Messages of a client of quality 2 that it has begun and not finished; each is kept here until then. */
const MAX_UNFINISHED = 16;
/** Messages to subscribers on their way at the same time. */
const CONCURRENCY = 100;
/** Longest frame of WebSocket; it is buffered before anything of MQTT is known of it. */
const MAX_FRAME_BYTES = 64 * 1024;
/** Clients that a listener of the system keeps for us, logged in or not; more than the rules let in. */
const MAX_SOCKETS = 512;
/** A client that vanished without a word is noticed by the machine. */
const TCP_KEEPALIVE_MS = 60_000;
const LOOPBACK = "127.0.0.1";
/** What was acknowledged last, the daemon's own `offline`, is still on its way to the subscribers. */
const LAST_WORDS_MS = 100;

/**
 * Starts the broker. Without users nobody from the network could log in, so it then listens on this machine alone.
 * Errors: rejects where a port cannot be had.
 */
export async function startEmbeddedBroker(options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
  const host = options.users.length > 0 ? options.host : LOOPBACK;
  const aedes = await Aedes.createBroker({
    drainTimeout: DRAIN_TIMEOUT_MS,
    maxTopicLevels: MAX_TOPIC_LEVELS,
    maxInflightInbound: MAX_UNFINISHED,
    concurrency: CONCURRENCY,
    authorizeForward: forwardWhatIsThere,
    ...rulesOf({ ...options, users: new BrokerUsers(options.users) }),
  });
  replayNewest(aedes);
  const lobby = new PendingLogins();
  const servers = [tcpListener(aedes, lobby)];
  if (options.wsPort !== undefined) servers.push(await webSocketListener(aedes, lobby));
  const close = async () => {
    for (const server of servers) server.close();
    lobby.close();
    await pause(LAST_WORDS_MS);
    await new Promise<void>((resolve) => aedes.close(resolve));
  };
  try {
    const [port = 0, wsPort = null] = await Promise.all(
      [options.port, options.wsPort ?? 0].slice(0, servers.length).map((at, i) => listen(servers[i], at, host)),
    );
    return { host, port, wsPort, open: () => ownStream(aedes), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function tcpListener(aedes: Aedes, lobby: PendingLogins): net.Server {
  return net.createServer({ noDelay: true }, (socket) => {
    const waiting = guarded(socket, lobby);
    new PacketLimits({
      stream: socket,
      isLocal: isLoopback(socket),
      onConnect: (gate) => aedes.handle(gate),
      onAdmit: () => waiting.leave(),
    });
  });
}

/** WebSocket is loaded only here: most houses do without it. */
async function webSocketListener(aedes: Aedes, lobby: PendingLogins): Promise<http.Server> {
  const { createWebSocketStream, WebSocketServer } = await import("ws");
  const waiting = new WeakMap<Duplex, PendingLogin>();
  const server = http.createServer((_request, response) => response.writeHead(426, { upgrade: "websocket" }).end());
  server.on("connection", (socket: net.Socket) => waiting.set(socket, guarded(socket, lobby)));
  const sockets = new WebSocketServer({ server, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
  sockets.on("connection", (socket, request) => {
    socket.on("error", () => undefined);
    new PacketLimits({
      stream: createWebSocketStream(socket),
      // A page of the web that a browser of this machine shows is not a program of this machine.
      isLocal: request.headers.origin === undefined && isLoopback(request.socket),
      onConnect: (gate) => aedes.handle(gate),
      onAdmit: () => waiting.get(request.socket)?.leave(),
    });
  });
  return server;
}

/** A socket takes a place in the lobby until its client has logged in. */
function guarded(socket: net.Socket, lobby: PendingLogins): PendingLogin {
  socket.setKeepAlive(true, TCP_KEEPALIVE_MS);
  socket.on("error", () => socket.destroy());
  const waiting = lobby.enter(socket.remoteAddress ?? "", () => socket.destroy());
  socket.on("close", () => waiting.leave());
  return waiting;
}

function listen(server: net.Server | undefined, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    if (!server) throw new RangeError("no server");
    server.maxConnections = MAX_SOCKETS;
    server.once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });
}

function ownStream(aedes: Aedes): Duplex {
  const [near, far] = duplexPair();
  // One side of such a pair is not told that the other was destroyed, as the sockets of a network are.
  far.once("close", () => near.destroy());
  near.once("close", () => far.destroy());
  aedes.handle(far);
  return near;
}

function isLoopback(socket: net.Socket): boolean {
  return /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? "");
}
