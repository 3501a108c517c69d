/**
 * Limits the packets of a broker by their headers. MQTT.js buffers a packet of any length. It also keeps every message
 * with QoS 2 until the broker releases it. It answers a packet that is too short for its message id with the id -1,
 * which throws.
 */

/** Longest accepted packet in bytes. Zigbee2MQTT's list of all devices has 5 to 10 kB per device. */
export const MAX_PACKET_BYTES = 4 * 1024 * 1024;

/** MQTT 5, 2.1: the first byte holds type and flags. The remaining length follows, with seven bits per byte. */
const QOS_2_PUBLISH = { mask: 0xf4, is: 0x34 };
const QOS_1_PUBLISH = { mask: 0xf6, is: 0x32 };
/** PUBACK, PUBREC, PUBREL, PUBCOMP, SUBACK and UNSUBACK: types that begin with a message id. */
const WITH_ID = [4, 5, 6, 7, 9, 11];
const ID_BYTES = 2;
const TOO_SHORT = "the broker sent a packet that is too short for its message id";
const MORE = 0x80;
const MAX_LENGTH_BYTES = 4;

export class PacketBounds {
  /** Where in the last piece its violation is. */
  position = 0;
  /** Bytes of the current packet that are still to come. */
  #rest = 0;
  /** First byte of the current packet. */
  #first = 0;
  /** Bytes of the topic's length that are still to come, and its value, for a message with QoS 1. */
  #topic = { bytes: 0, length: 0 };
  /** The remaining length as far as it was read; null outside of it. */
  #length: { value: number; bytes: number } | null = null;

  /**
   * Returns the violation in the next piece of the stream; null if the piece is valid.
   * Call it with the pieces in order, and not again after a violation.
   */
  flawOf(piece: Uint8Array): string | null {
    for (let at = 0; at < piece.length; ) {
      this.position = at;
      if (this.#topic.bytes > 0) {
        const { bytes, length } = this.#topic;
        this.#topic = { bytes: bytes - 1, length: length * 256 + (piece[at++] ?? 0) };
        this.#rest--;
        if (bytes === 1 && this.#rest < this.#topic.length + ID_BYTES) return TOO_SHORT;
      } else if (this.#rest > 0) {
        const skipped = Math.min(this.#rest, piece.length - at);
        this.#rest -= skipped;
        at += skipped;
      } else {
        const flaw = this.#take(piece[at++] ?? 0);
        if (flaw !== null) return flaw;
      }
    }
    return null;
  }

  #take(byte: number): string | null {
    if (this.#length === null) {
      this.#length = { value: 0, bytes: 0 };
      this.#first = byte;
      const isQos2 = (byte & QOS_2_PUBLISH.mask) === QOS_2_PUBLISH.is;
      return isQos2 ? "the broker sent a message with QoS 2, which elbro did not request" : null;
    }
    const { value, bytes } = this.#length;
    this.#length = { value: value + (byte & ~MORE) * MORE ** bytes, bytes: bytes + 1 };
    if (this.#length.value > MAX_PACKET_BYTES || this.#length.bytes > MAX_LENGTH_BYTES)
      return `the broker sent a packet of more than ${MAX_PACKET_BYTES / 1024 / 1024} MiB`;
    if ((byte & MORE) !== 0) return null;
    this.#rest = this.#length.value;
    this.#length = null;
    return this.#begin();
  }

  /** Begins the body of a packet. */
  #begin(): string | null {
    const isQos1 = (this.#first & QOS_1_PUBLISH.mask) === QOS_1_PUBLISH.is;
    if (isQos1) this.#topic = { bytes: ID_BYTES, length: 0 };
    return this.#rest < ID_BYTES && (isQos1 || WITH_ID.includes(this.#first >> 4)) ? TOO_SHORT : null;
  }
}
