import { type Duplex, duplexPair } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { NetworkConnection, type RefusedConnection } from "../../../../src/mqtt/broker/network-connection.ts";

/** Returns a CONNECT packet with a body of this length and arbitrary content. */
function connect(bodyBytes: number): Buffer {
  return Buffer.concat([Buffer.from([0x10, ...lengthOf(bodyBytes)]), Buffer.alloc(bodyBytes, 1)]);
}

/** Returns the remaining length as MQTT 3.1.1 encodes it (section 2.2.3). */
function lengthOf(bytes: number): number[] {
  const digits: number[] = [];
  for (let left = bytes; ; ) {
    const digit = left % 128;
    left = Math.floor(left / 128);
    digits.push(left > 0 ? digit | 0x80 : digit);
    if (left === 0) return digits;
  }
}

function open({ reads = true } = {}) {
  const [client, stream] = duplexPair();
  client.on("error", () => undefined);
  const seen = { connects: 0, admitted: 0, refused: [] as RefusedConnection[], bytes: Buffer.alloc(0) };
  const connection = new NetworkConnection({
    ...{ stream, address: "192.0.2.7", isLocal: false },
    onConnect: () => {
      seen.connects++;
      if (!reads) return;
      stream.on("readable", () => {
        for (let chunk = stream.read(); chunk !== null; chunk = stream.read())
          seen.bytes = Buffer.concat([seen.bytes, chunk]);
      });
    },
    onAdmitted: () => seen.admitted++,
    onRefused: (refused) => seen.refused.push(refused),
  });
  return { client, stream, connection, seen };
}

async function send(client: Duplex, bytes: Buffer, chunkBytes: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    client.write(bytes.subarray(at, at + chunkBytes));
    await turn();
  }
  for (let i = 0; i < 5; i++) await turn();
}

test("a read returns everything that has arrived in several pieces, also where Node.js returns one piece at a time", async () => {
  const { client, stream } = open({ reads: false });
  await send(client, connect(20), 22);
  expect(stream.read()).toEqual(connect(20));
  const pieces = ["ab", "c", "d"].map((text) => Buffer.from(text));
  for (const piece of pieces) client.write(piece);
  for (let i = 0; i < 5; i++) await turn();
  // Node.js 26 returns the first piece only.
  expect(stream.read()).toEqual(Buffer.concat(pieces));
  expect(stream.read()).toBe(null);
});

test("the broker receives data only after a complete CONNECT", async () => {
  const { client, stream, seen } = open();
  await send(client, connect(300).subarray(0, 302), 7);
  expect(seen.connects).toBe(0);
  await send(client, Buffer.from([1]), 1);
  expect(seen).toMatchObject({ connects: 1, bytes: connect(300), refused: [] });
  expect(stream.destroyed).toBe(false);
});

test.each([
  ["a CONNECT that says it is 256 MB long", Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f])],
  ["a CONNECT of more than 4 kB", connect(4_097).subarray(0, 3)],
  ["a length that never ends", Buffer.from([0x10, 0x80, 0x80, 0x80, 0x80])],
  ["another packet than CONNECT", Buffer.from([0x30, 10])],
  ["CONNECT with flags that must be zero", Buffer.from([0x11, 10])],
  ["a request of HTTP", Buffer.from("GET / HTTP/1.1\r\n")],
])("%s is rejected at its first bytes and reported once", async (_what, bytes) => {
  const { client, stream, seen, connection } = open();
  await send(client, bytes, 1);
  connection.refuse("later");
  expect(stream.destroyed).toBe(true);
  expect(seen).toMatchObject({ connects: 0, refused: [{ address: "192.0.2.7", user: null }] });
  expect(seen.refused[0]?.reason).toMatch(/not an MQTT CONNECT/);
});

test("the end of an admitted connection is reported once, with its user", () => {
  const { connection, seen } = open();
  connection.admit("tv");
  for (const reason of ["topic has too many levels", "later"]) connection.refuse(reason);
  expect(seen).toMatchObject({ admitted: 1, refused: [{ reason: "topic has too many levels", user: "tv" }] });
});

test("bytes in chunks of any size arrive unchanged", async () => {
  const body = fc.uint8Array({ maxLength: 2_000 });
  await fc.assert(
    fc.asyncProperty(body, fc.integer({ min: 1, max: 100 }), async (rest, chunkBytes) => {
      const { client, seen } = open();
      const bytes = Buffer.concat([connect(130), rest]);
      await send(client, bytes, chunkBytes);
      expect(seen.bytes.equals(bytes)).toBe(true);
    }),
    { numRuns: 50 },
  );
});
