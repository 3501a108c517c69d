/**
 * Connections from the network to the embedded broker.
 * aedes limits every packet to `maximumPacketSize`. 4 MB are too much for connections that are not authenticated. So the
 * broker receives a connection only when one complete, short CONNECT has arrived.
 */
import type net from "node:net";
import type { Duplex } from "node:stream";
import type { Client } from "aedes";
import { addressGroup } from "../../http/guards/address-group.ts";
import { UnfinishedPackets } from "./unfinished-packets.ts";

/** Longest accepted CONNECT in bytes. Name, password, will and client id of a real client have a few hundred bytes. */
export const MAX_CONNECT_BYTES = 4 * 1024;

const CONNECT_HEADER = 0x10;
const MAX_LENGTH_BYTES = 4;
/** Maximum number of unauthenticated clients, in total and per address. */
const MAX_WAITING = 64;
const MAX_WAITING_OF_ADDRESS = 32;
/** Time limit from the TCP connection to an accepted login. */
export const LOGIN_TIMEOUT_MS = 5_000;
/** Delay of TCP keep-alive, which detects a vanished client. */
const TCP_KEEPALIVE_MS = 60_000;

/** A refused connection and the reason. */
export interface RefusedConnection {
  readonly address: string;
  readonly reason: string;
  /** User name that the client sent; null if it sent none. */
  readonly user: string | null;
}

export interface NetworkConnectionOptions {
  readonly stream: Duplex;
  readonly address: string;
  /** Whether the client is a program of this machine. */
  readonly isLocal: boolean;
  /** Called when a complete CONNECT can be read from the stream. */
  readonly onConnect: () => void;
  readonly onAdmitted: () => void;
  /** Called at most once: for a refused login, or later if the broker ends the connection. */
  readonly onRefused: (refused: RefusedConnection) => void;
}

export class NetworkConnection {
  readonly stream: Duplex;
  readonly isLocal: boolean;
  readonly address: string;
  readonly #options: NetworkConnectionOptions;
  #isRefused = false;
  #user: string | null = null;
  /** Bytes received before the CONNECT is complete. Bounded by the longest CONNECT and one read of a socket. */
  #early: Buffer = Buffer.alloc(0);

  constructor(options: NetworkConnectionOptions) {
    this.#options = options;
    this.stream = readingAll(options.stream);
    this.isLocal = options.isLocal;
    this.address = options.address;
    this.stream.on("error", () => this.stream.destroy());
    this.stream.on("readable", this.#read);
  }

  /** Accepts the login. */
  admit(user: string): void {
    this.#user = user;
    this.#options.onAdmitted();
  }

  /** Reports why the connection is refused. Does not close it. */
  refuse(reason: string, user: string | null = null): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    this.#options.onRefused({ address: this.#options.address, reason, user: user ?? this.#user });
  }

  readonly #read = (): void => {
    for (let chunk = this.stream.read(); chunk !== null; chunk = this.stream.read())
      this.#early = Buffer.concat([this.#early, chunk]);
    const length = connectBytes(this.#early);
    if (length === "no CONNECT") {
      this.refuse(`the first packet is not an MQTT CONNECT of at most ${MAX_CONNECT_BYTES} bytes`);
      this.stream.destroy();
    }
    if (typeof length !== "number" || this.#early.length < length) return;
    this.stream.removeListener("readable", this.#read);
    this.stream.unshift(this.#early);
    this.#early = Buffer.alloc(0);
    this.#options.onConnect();
  };
}

/**
 * Makes `read()` of a stream return all buffered bytes. aedes reads once per `readable` event, and from Node.js 26 a read
 * returns only the first of several pieces (https://github.com/nodejs/node/pull/60441). The rest would never be read.
 */
export function readingAll(stream: Duplex): Duplex {
  const read = stream.read.bind(stream);
  stream.read = (size?: number | null): Buffer | null => {
    if (typeof size === "number") return read(size);
    const pieces: Buffer[] = [];
    for (let piece = read(); piece !== null; piece = read()) pieces.push(piece);
    return pieces.length === 0 ? null : Buffer.concat(pieces);
  };
  return stream;
}

/**
 * Network connections. Limits the number and the time of those that are not authenticated.
 * A new connection is always accepted. If there are too many, the one that has waited longest is closed.
 * A real client logs in within one round trip, so only clients that never log in wait long.
 */
export class NetworkConnections {
  onConnect: (stream: Duplex) => void = () => undefined;
  readonly #onRefused: (refused: RefusedConnection) => void;
  /** Unauthenticated sockets and their login timers, oldest first. Bounded by MAX_WAITING. */
  readonly #waiting = new Map<net.Socket, NodeJS.Timeout>();
  readonly #refused = new WeakSet<net.Socket>();
  readonly #unfinished = new UnfinishedPackets();
  /** Open streams. Bounded by MAX_SOCKETS of each listener. */
  readonly #streams = new Set<Duplex>();
  /** Connections by stream. A will is published after its connection has closed, with the rights of its client. */
  readonly #connections = new WeakMap<Duplex, NetworkConnection>();

  constructor(onRefused: (refused: RefusedConnection) => void) {
    this.#onRefused = onRefused;
  }

  /** Reads MQTT from a socket, which is a pending login until its client is authenticated. */
  open(socket: net.Socket, isLocal: boolean): void {
    this.#await(socket);
    const address = addressGroup(socket.remoteAddress ?? "");
    const connection: NetworkConnection = new NetworkConnection({
      stream: socket,
      isLocal,
      address: socket.remoteAddress ?? "",
      onConnect: () => {
        this.#unfinished.watch(socket, address, (reason) => connection.refuse(reason));
        this.onConnect(socket);
      },
      onAdmitted: () => this.#endWaiting(socket),
      onRefused: (refused) => {
        this.#endWaiting(socket);
        this.#refuse(socket, refused);
      },
    });
    this.#connections.set(socket, connection);
    this.#streams.add(socket);
    socket.on("close", () => this.#streams.delete(socket));
  }

  #await(socket: net.Socket): void {
    socket.setKeepAlive(true, TCP_KEEPALIVE_MS);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#endWaiting(socket));
    const timeOut = () => this.#reject(socket, `no login within ${LOGIN_TIMEOUT_MS / 1_000} s`);
    this.#waiting.set(socket, setTimeout(timeOut, LOGIN_TIMEOUT_MS));
    const waiting = [...this.#waiting.keys()];
    const ofAddress = waiting.filter(({ remoteAddress }) => remoteAddress === socket.remoteAddress);
    const crowded = ofAddress.length > MAX_WAITING_OF_ADDRESS ? ofAddress : waiting;
    const [longest] = crowded;
    if (longest && (crowded === ofAddress || crowded.length > MAX_WAITING))
      this.#reject(longest, "too many connections without a login");
  }

  /** Returns the connection of a client; undefined for the daemon's own client. */
  of(client: Client): NetworkConnection | undefined {
    return this.#connections.get(client.conn);
  }

  /** Closes all unauthenticated connections. */
  closePending(): void {
    for (const socket of this.#waiting.keys()) {
      this.#endWaiting(socket);
      socket.destroy();
    }
  }

  closeAll(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  #endWaiting(socket: net.Socket): void {
    clearTimeout(this.#waiting.get(socket));
    this.#waiting.delete(socket);
  }

  #reject(socket: net.Socket, reason: string): void {
    this.#endWaiting(socket);
    this.#refuse(socket, { address: socket.remoteAddress ?? "", reason, user: null });
    socket.destroy();
  }

  #refuse(socket: net.Socket, refused: RefusedConnection): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    this.#onRefused(refused);
  }
}

/** Returns the length of the CONNECT at the start of `bytes`, including its header; null if more bytes are needed. */
function connectBytes(bytes: Buffer): number | null | "no CONNECT" {
  if (bytes[0] !== undefined && bytes[0] !== CONNECT_HEADER) return "no CONNECT";
  let length = 0;
  for (let i = 1; i <= MAX_LENGTH_BYTES; i++) {
    const digit = bytes[i];
    if (digit === undefined) return null;
    length += (digit & 0x7f) * 128 ** (i - 1);
    if (length > MAX_CONNECT_BYTES) return "no CONNECT";
    if (digit < 0x80) return 1 + i + length;
  }
  return "no CONNECT";
}
