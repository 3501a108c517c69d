/**
 * Connections from the network to the embedded broker. aedes bounds every packet by `maximumPacketSize`, but one bound
 * for all of 1 MB is too much for connections without a login: here the broker sees nothing before one whole, short
 * CONNECT is there.
 */
import type net from "node:net";
import type { Duplex } from "node:stream";
import type { Client } from "aedes";

/** Longest CONNECT: name, password, will and client id of a real client are a few hundred bytes. */
export const MAX_CONNECT_BYTES = 4 * 1024;

const CONNECT_HEADER = 0x10;
const MAX_LENGTH_BYTES = 4;
/** Places for clients that have not logged in, in all and from one address. */
const MAX_WAITING = 64;
const MAX_WAITING_OF_ADDRESS = 32;
/** Time from the first byte of TCP to an accepted login. */
const LOGIN_TIMEOUT_MS = 5_000;
/** A client that vanished without a word is noticed by the machine. */
const TCP_KEEPALIVE_MS = 60_000;

/** Why a connection was refused. */
export interface RefusedConnection {
  readonly address: string;
  readonly reason: string;
  /** Name that the client gave; null before it gave one. */
  readonly user: string | null;
}

export interface NetworkConnectionOptions {
  readonly stream: Duplex;
  readonly address: string;
  /** Whether the client is a program of this machine. */
  readonly isLocal: boolean;
  /** Called when a whole CONNECT can be read from the stream. */
  readonly onConnect: () => void;
  readonly onAdmitted: () => void;
  /** Called at most once, and never after `onAdmitted`. */
  readonly onRefused: (refused: RefusedConnection) => void;
}

export class NetworkConnection {
  readonly stream: Duplex;
  readonly isLocal: boolean;
  readonly address: string;
  readonly #options: NetworkConnectionOptions;
  #isDecided = false;
  /** Bounded by the longest CONNECT and one read of a socket. */
  #early: Buffer = Buffer.alloc(0);

  constructor(options: NetworkConnectionOptions) {
    this.#options = options;
    this.stream = options.stream;
    this.isLocal = options.isLocal;
    this.address = options.address;
    this.stream.on("error", () => this.stream.destroy());
    this.stream.on("readable", this.#read);
  }

  /** The login was accepted. */
  admit(): void {
    this.#isDecided = true;
    this.#options.onAdmitted();
  }

  /** Reports why the connection is not accepted. Closes nothing. */
  refuse(reason: string, user: string | null = null): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    this.#options.onRefused({ address: this.#options.address, reason, user });
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
 * The connections from the network, counted and timed from TCP's first packet to an accepted login. There is always room
 * for one more without a login: the one that waited longest is closed. A real client logs in within one round trip; only
 * those that never meant to log in stay long.
 */
export class NetworkConnections {
  onConnect: (stream: Duplex) => void = () => undefined;
  readonly #onRefused: (refused: RefusedConnection) => void;
  /** Sockets without a login and the timers of their time limits. Shape: who waits longest first. Bounded by MAX_WAITING. */
  readonly #waiting = new Map<net.Socket, NodeJS.Timeout>();
  readonly #refused = new WeakSet<net.Socket>();
  /** By stream. Bounded by MAX_SOCKETS of each listener. */
  readonly #connections = new Map<Duplex, NetworkConnection>();

  constructor(onRefused: (refused: RefusedConnection) => void) {
    this.#onRefused = onRefused;
  }

  /** A socket takes a place among the pending logins until its client has logged in. */
  guard(socket: net.Socket): void {
    socket.setKeepAlive(true, TCP_KEEPALIVE_MS);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#leave(socket));
    const timeOut = () => this.#sendAway(socket, `no login within ${LOGIN_TIMEOUT_MS / 1_000} s`);
    this.#waiting.set(socket, setTimeout(timeOut, LOGIN_TIMEOUT_MS));
    const waiting = [...this.#waiting.keys()];
    const ofAddress = waiting.filter(({ remoteAddress }) => remoteAddress === socket.remoteAddress);
    const crowded = ofAddress.length > MAX_WAITING_OF_ADDRESS ? ofAddress : waiting;
    const [longest] = crowded;
    if (longest && (crowded === ofAddress || crowded.length > MAX_WAITING))
      this.#sendAway(longest, "too many connections without a login");
  }

  /** Takes MQTT from a stream over a guarded socket. */
  open(stream: Duplex, socket: net.Socket, isLocal: boolean): void {
    const connection = new NetworkConnection({
      ...{ stream, isLocal, address: socket.remoteAddress ?? "" },
      onConnect: () => this.onConnect(stream),
      onAdmitted: () => this.#leave(socket),
      onRefused: (refused) => {
        this.#leave(socket);
        this.#refuse(socket, refused);
      },
    });
    this.#connections.set(stream, connection);
    stream.on("close", () => this.#connections.delete(stream));
  }

  /** The connection of a client; undefined for the daemon's own. */
  of(client: Client): NetworkConnection | undefined {
    return this.#connections.get(client.conn);
  }

  /** Closes what has not logged in yet. */
  closePending(): void {
    for (const socket of this.#waiting.keys()) {
      this.#leave(socket);
      socket.destroy();
    }
  }

  closeAll(): void {
    for (const stream of this.#connections.keys()) stream.destroy();
  }

  #leave(socket: net.Socket): void {
    clearTimeout(this.#waiting.get(socket));
    this.#waiting.delete(socket);
  }

  #sendAway(socket: net.Socket, reason: string): void {
    this.#leave(socket);
    this.#refuse(socket, { address: socket.remoteAddress ?? "", reason, user: null });
    socket.destroy();
  }

  #refuse(socket: net.Socket, refused: RefusedConnection): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    this.#onRefused(refused);
  }
}

/** Length of the CONNECT at the beginning of `bytes`, header included; null while that cannot be told. */
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
