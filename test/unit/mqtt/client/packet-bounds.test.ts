import fc from "fast-check";
import { generate, type Packet } from "mqtt-packet";
import { describe, expect, test } from "vitest";
import { PacketBounds } from "../../../../src/mqtt/client/packet-bounds.ts";

const TOO_LONG = "the broker sent a packet of more than 4 MiB";
const TOO_SHORT = "the broker sent a packet that is too short for its message id";
const QOS_2 = "the broker sent a message with QoS 2, which elbro did not request";

function publish(bytes: number, qos: 0 | 1 | 2): Packet {
  const payload = Buffer.alloc(bytes, 0xff);
  return { cmd: "publish", topic: "t", payload, qos, retain: false, dup: false, messageId: 7 };
}

/** Returns the error for packets that arrive in pieces, or null. */
function flaw(stream: Uint8Array, pieceBytes: number): string | null {
  const bounds = new PacketBounds();
  for (let at = 0; at < stream.length; at += pieceBytes) {
    const found = bounds.flawOf(stream.subarray(at, at + pieceBytes));
    if (found !== null) return found;
  }
  return null;
}

describe("packets from the broker", () => {
  test("of every allowed length pass in pieces of any size", () => {
    const lengths = fc.array(fc.oneof(fc.nat(300), fc.constantFrom(16_379, 16_380, 100_000, 262_000)), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(lengths, fc.constantFrom(1, 2, 3, 1_000, 65_536), (all, pieceBytes) => {
        const packets = all.map((bytes, i) => generate(publish(bytes, i % 2 === 0 ? 0 : 1)));
        expect(flaw(Buffer.concat([...packets, Buffer.from([0xd0, 0])]), pieceBytes)).toBeNull();
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ["a packet of 256 MB", Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]), TOO_LONG],
    ["a length without an end", Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 0x80]), TOO_LONG],
    [
      "a long packet after a short one",
      Buffer.concat([generate(publish(9, 1)), generate(publish(4_200_000, 0))]),
      TOO_LONG,
    ],
    ["a message with QoS 2", generate(publish(9, 2)), QOS_2],
    ["a message with QoS 1 without its id", Buffer.from([0x32, 0x03, 0x00, 0x01, 0x74]), TOO_SHORT],
    ["a message with QoS 1 that ends in its topic", Buffer.from([0x3a, 0x05, 0x00, 0x04, 0x74, 0x74, 0x74]), TOO_SHORT],
    ["a message with QoS 1 of one byte", Buffer.from([0x32, 0x01, 0x00]), TOO_SHORT],
    ["a release without an id", Buffer.concat([generate(publish(9, 1)), Buffer.from([0x62, 0x00])]), TOO_SHORT],
  ])("packets from the broker are rejected: %s", (_, stream, expected) => {
    for (const pieceBytes of [3, 1_000]) expect(flaw(stream, pieceBytes)).toBe(expected);
  });
});
