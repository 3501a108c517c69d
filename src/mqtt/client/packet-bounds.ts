/**
 * What a broker may send, looked at in the headers of its packets: MQTT.js collects a packet of any length in memory, and
 * keeps every message with QoS 2 until its broker releases it.
 */

/** Longest packet: the list of all devices of Zigbee2MQTT, 5 to 10 kB each. Unit: bytes. */
export const MAX_PACKET_BYTES = 4 * 1024 * 1024;

/** Source: MQTT 5, 2.1: type and flags in the first byte, then the length of the rest in seven bits a byte. */
const QOS_2_PUBLISH = { mask: 0xf4, is: 0x34 };
const MORE = 0x80;
const MAX_LENGTH_BYTES = 4;

export class PacketBounds {
  /** Bytes of the present packet that are still to come. */
  #rest = 0;
  /** Bytes of a length that is not whole; null between packets. */
  #length: { value: number; bytes: number } | null = null;

  /** What is wrong with what comes; null where nothing is. Pieces are given in their order, and none after a wrong one. */
  flawOf(piece: Uint8Array): string | null {
    for (let at = 0; at < piece.length; ) {
      if (this.#rest > 0) {
        const skipped = Math.min(this.#rest, piece.length - at);
        this.#rest -= skipped;
        at += skipped;
        continue;
      }
      const flaw = this.#take(piece[at++] ?? 0);
      if (flaw !== null) return flaw;
    }
    return null;
  }

  #take(byte: number): string | null {
    if (this.#length === null) {
      this.#length = { value: 0, bytes: 0 };
      const isQos2 = (byte & QOS_2_PUBLISH.mask) === QOS_2_PUBLISH.is;
      return isQos2 ? "the broker sends a message with QoS 2, which was not asked for" : null;
    }
    const { value, bytes } = this.#length;
    this.#length = { value: value + (byte & ~MORE) * MORE ** bytes, bytes: bytes + 1 };
    if (this.#length.value > MAX_PACKET_BYTES || this.#length.bytes > MAX_LENGTH_BYTES)
      return `the broker sends a packet of more than ${MAX_PACKET_BYTES / 1024 / 1024} MiB`;
    if ((byte & MORE) === 0) {
      this.#rest = this.#length.value;
      this.#length = null;
    }
    return null;
  }
}
