import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PACKET_TIMEOUT_MS, UnfinishedPackets } from "../../../../src/mqtt/broker/unfinished-packets.ts";

const MB = 1024 * 1024;
/** PUBLISH of 4 MB: type, and the length 4,194,304 in four digits of seven bits. */
const HEADER = Buffer.from([0x30, 0x80, 0x80, 0x80, 0x02]);
const PING = Buffer.from([0xc0, 0x00]);

let packets: UnfinishedPackets;
let refused: string[];
beforeEach(() => {
  vi.useFakeTimers();
  [packets, refused] = [new UnfinishedPackets(), []];
});
afterEach(() => vi.useRealTimers());

/** Returns a function that sends bytes of a client, which the broker reads. */
function client(name: string, address: string) {
  const stream = new PassThrough({ highWaterMark: 8 * MB });
  packets.watch(stream, address, (reason) => refused.push(`${name}: ${reason}`));
  return (...pieces: readonly Buffer[]) => {
    for (const piece of pieces) {
      if (stream.destroyed) return;
      stream.write(piece);
      stream.read();
    }
  };
}

test("an address has 8 MB of unfinished packets, all have 16 MB, and the longest packet is closed", () => {
  for (let i = 0; i < 9; i++) client(`${i}`, "attacker")(HEADER, Buffer.alloc(3.9 * MB - i));
  expect(refused).toEqual(Array.from({ length: 7 }, (_, i) => `${i}: too many bytes of unfinished packets`));
  client("other", "other")(HEADER, Buffer.alloc(3.5 * MB));
  client("third", "third")(HEADER, Buffer.alloc(3.5 * MB));
  expect(refused).toHaveLength(7);
  client("fourth", "fourth")(HEADER, Buffer.alloc(3 * MB));
  expect(refused.slice(7)).toEqual(["7: too many bytes of unfinished packets"]);
});

test("complete packets, also in single bytes, are counted no more", () => {
  const send = client("sensor", "house");
  for (let i = 0; i < 5; i++) send(HEADER, Buffer.alloc(4 * MB), PING);
  for (const byte of [...PING, ...PING, 0x30, 0x03, 1, 2, 3]) send(Buffer.from([byte]));
  vi.advanceTimersByTime(2 * PACKET_TIMEOUT_MS);
  expect(refused).toEqual([]);
});

test("a packet has a time limit, and single bytes count as more than their content", () => {
  const send = client("slow", "house");
  send(PING, HEADER);
  vi.advanceTimersByTime(PACKET_TIMEOUT_MS - 1);
  send(Buffer.alloc(10));
  expect(refused).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(refused).toEqual(["slow: a packet was not complete within 20 s"]);
  client("drip", "house")(HEADER, ...Array.from({ length: 40_000 }, () => Buffer.from([1])));
  expect(refused[1]).toBe("drip: too many bytes of unfinished packets");
});
