/**
 * Limits the packets that clients have begun and not finished. aedes keeps their bytes until they are complete, and its
 * only limit is the size of one packet.
 */
import type { Duplex } from "node:stream";

/** Maximum number of bytes of unfinished packets, in total and per address: of four and of two of the longest packets. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_BYTES_OF_ADDRESS = 8 * 1024 * 1024;
/** Time limit for a packet. The longest one takes 20 s at 1.7 Mbit/s. */
export const PACKET_TIMEOUT_MS = 20_000;

/** Bytes of a piece besides its content: a client may send single bytes. */
const PIECE_BYTES = 256;

/** Reads the bytes of a client, and counts those of its current packet. */
interface Receiver {
  readonly address: string;
  readonly refuse: (reason: string) => void;
  /** Bytes of the unfinished packet; 0 without one. */
  bytes: number;
  /** Bytes that it still needs. While its length is being read, null. */
  rest: number | null;
  /** Its length as far as it was read, and the weight of the next digit; 0 before its first byte. */
  length: { value: number; weight: number };
  timer: NodeJS.Timeout | undefined;
}

export class UnfinishedPackets {
  /** Connections with an unfinished packet. Bounded by the connections. */
  readonly #receivers = new Set<Receiver>();

  /** Counts what is read from a stream from now on. Calls `refuse` once and closes the stream if it exceeds a limit. */
  watch(stream: Duplex, address: string, refuse: (reason: string) => void): void {
    const close = (reason: string) => {
      refuse(reason);
      stream.destroy();
    };
    const length = { value: 0, weight: 0 };
    const receiver: Receiver = { address, refuse: close, bytes: 0, rest: 0, length, timer: undefined };
    const read = stream.read.bind(stream);
    stream.read = (size?: number): Buffer | null => {
      const piece: Buffer | null = read(size);
      if (piece) this.#take(receiver, piece);
      return piece;
    };
    stream.once("close", () => this.#finish(receiver));
  }

  #take(receiver: Receiver, piece: Buffer): void {
    const isOther = advance(receiver, piece);
    if (receiver.bytes === 0 || isOther) this.#finish(receiver);
    if (receiver.bytes === 0) return;
    this.#receivers.add(receiver);
    receiver.timer ??= setTimeout(
      () => receiver.refuse(`a packet was not complete within ${PACKET_TIMEOUT_MS / 1_000} s`),
      PACKET_TIMEOUT_MS,
    );
    this.#bound(receiver.address);
  }

  #finish(receiver: Receiver): void {
    clearTimeout(receiver.timer);
    receiver.timer = undefined;
    this.#receivers.delete(receiver);
  }

  /** Closes the connection with the longest unfinished packet if there are too many bytes, of an address or in total. */
  #bound(address: string): void {
    const all = [...this.#receivers];
    const ofAddress = all.filter((each) => each.address === address);
    const over = sum(ofAddress) > MAX_BYTES_OF_ADDRESS ? ofAddress : sum(all) > MAX_BYTES ? all : [];
    const [longest] = over.toSorted((a, b) => b.bytes - a.bytes);
    if (!longest) return;
    this.#finish(longest);
    longest.refuse("too many bytes of unfinished packets");
  }
}

function sum(receivers: readonly Receiver[]): number {
  return receivers.reduce((total, { bytes }) => total + bytes, 0);
}

/**
 * Advances by the next bytes of a stream. Returns whether a packet ended in them. MQTT 5, 2.1: the first byte holds the
 * type, the length follows with seven bits per byte.
 */
function advance(receiver: Receiver, piece: Buffer): boolean {
  let hasFinished = false;
  receiver.bytes += PIECE_BYTES;
  for (let at = 0; at < piece.length; ) {
    if (receiver.rest) {
      const taken = Math.min(receiver.rest, piece.length - at);
      receiver.rest -= taken;
      receiver.bytes += taken;
      at += taken;
    } else {
      const { value, weight } = receiver.rest === null ? receiver.length : { value: 0, weight: 0 };
      const byte = piece[at++] ?? 0;
      receiver.bytes++;
      const next = weight === 0 ? 0 : value + (byte & 0x7f) * weight;
      receiver.length = { value: next, weight: weight === 0 ? 1 : weight * 128 };
      receiver.rest = weight > 0 && byte < 0x80 ? next : null;
    }
    if (receiver.rest !== 0) continue;
    receiver.bytes = 0;
    hasFinished = true;
  }
  return hasFinished;
}
