/**
 * The gate before the embedded broker. The broker's own parser takes any length a client announces, and keeps what
 * came of it: 20 sockets that never log in cost 580 MB (moscajs/aedes/issues/1086). So nothing reaches the broker
 * before one whole, short CONNECT is there, nothing after it before the login is accepted, and no long packet ever.
 */
import { Duplex } from "node:stream";

/** Longest CONNECT: name, password, will and client id of a real client are a few hundred bytes. */
const MAX_CONNECT_BYTES = 4 * 1024;
/** Longest packet after the login. */
const MAX_PACKET_BYTES = 256 * 1024;

const CONNECT_HEADER = 0x10;
const MAX_LENGTH_BYTES = 4;

export interface PacketLimitsOptions {
  /** The client's bytes. */
  readonly stream: Duplex;
  /** Whether the client is a program of this machine. */
  readonly isLocal: boolean;
  /** Called when a whole CONNECT can be read from the gate. */
  readonly onConnect: (gate: PacketLimits) => void;
  readonly onAdmit: () => void;
}

export class PacketLimits extends Duplex {
  readonly isLocal: boolean;
  readonly #socket: Duplex;
  readonly #options: PacketLimitsOptions;
  readonly #packets = new PacketLengths(MAX_PACKET_BYTES);
  #stage: "knocking" | "asking" | "open" = "knocking";
  /** What came before the login was accepted. Bounded by the longest CONNECT and one read of a socket. */
  #early: Buffer = Buffer.alloc(0);

  constructor(options: PacketLimitsOptions) {
    super({ allowHalfOpen: false });
    const { stream } = options;
    this.isLocal = options.isLocal;
    this.#socket = stream;
    this.#options = options;
    this.on("error", () => undefined);
    stream.on("data", (bytes: Buffer) => this.#take(bytes));
    stream.on("end", () => this.push(null));
    stream.on("error", (error) => this.destroy(error));
    stream.on("close", () => this.destroy());
  }

  /** The login was accepted: what follows may pass. */
  admit(): void {
    if (this.#stage !== "asking") return;
    this.#stage = "open";
    const early = this.#early;
    this.#early = Buffer.alloc(0);
    this.#options.onAdmit();
    if (early.length > 0) this.#pass(early);
    this.#socket.resume();
  }

  #take(bytes: Buffer): void {
    if (this.destroyed) return;
    if (this.#stage === "open") this.#pass(bytes);
    else this.#early = Buffer.concat([this.#early, bytes]);
    if (this.#stage === "knocking") this.#knock();
  }

  #knock(): void {
    const length = connectBytes(this.#early);
    if (length === "no CONNECT") this.destroy(new Error("the first packet is no short CONNECT"));
    if (typeof length !== "number" || this.#early.length < length) return;
    this.#stage = "asking";
    this.#socket.pause();
    const connect = this.#early.subarray(0, length);
    this.#early = Buffer.from(this.#early.subarray(length));
    this.push(connect);
    this.#options.onConnect(this);
  }

  #pass(bytes: Buffer): void {
    if (!this.#packets.take(bytes)) this.destroy(new Error(`a packet is longer than ${MAX_PACKET_BYTES} bytes`));
    else if (!this.push(bytes)) this.#socket.pause();
  }

  override _read(): void {
    if (this.#stage === "open") this.#socket.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#early = Buffer.alloc(0);
    this.#socket.destroy();
    done(error);
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

/** Follows the packets in a stream of bytes by their fixed headers (MQTT 3.1.1, 2.2.3), keeping none of it. */
class PacketLengths {
  readonly #longest: number;
  /** Bytes left of the packet's body; null inside its header. */
  #left: number | null = null;
  /** Bytes of the header so far, and the length they say. */
  #headerBytes = 0;
  #length = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Whether every packet that begins in `bytes` is short enough. */
  take(bytes: Buffer): boolean {
    for (let at = 0; at < bytes.length; ) {
      if (this.#left !== null) {
        const skipped = Math.min(this.#left, bytes.length - at);
        at += skipped;
        this.#left -= skipped;
      } else if (!this.#takeHeader(bytes[at++] ?? 0)) return false;
      if (this.#left === 0) this.#left = null;
    }
    return true;
  }

  #takeHeader(byte: number): boolean {
    const digits = this.#headerBytes++;
    if (digits === 0) {
      this.#length = 0;
      return true;
    }
    this.#length += (byte & 0x7f) * 128 ** (digits - 1);
    if (this.#length > this.#longest || digits > MAX_LENGTH_BYTES) return false;
    if (byte >= 0x80) return true;
    this.#headerBytes = 0;
    this.#left = this.#length;
    return true;
  }
}
