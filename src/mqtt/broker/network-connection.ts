/**
 * A connection from the network to the embedded broker. aedes bounds every packet by `maximumPacketSize`, but one bound
 * for all of 256 kB is too much for connections without a login: here the broker sees nothing before one whole, short
 * CONNECT is there.
 */
import type { Duplex } from "node:stream";

/** Longest CONNECT: name, password, will and client id of a real client are a few hundred bytes. */
export const MAX_CONNECT_BYTES = 4 * 1024;

const CONNECT_HEADER = 0x10;
const MAX_LENGTH_BYTES = 4;

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
  readonly #options: NetworkConnectionOptions;
  #isDecided = false;
  /** Bounded by the longest CONNECT and one read of a socket. */
  #early: Buffer = Buffer.alloc(0);

  constructor(options: NetworkConnectionOptions) {
    this.#options = options;
    this.stream = options.stream;
    this.isLocal = options.isLocal;
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
