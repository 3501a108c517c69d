import { type Duplex, duplexPair } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PacketLimits } from "../../../../src/mqtt/broker/packet-limits.ts";

/** A CONNECT packet with a body of a length, which the gate does not look into. */
function connect(bodyBytes: number): Buffer {
  return Buffer.concat([Buffer.from([0x10, ...lengthOf(bodyBytes)]), Buffer.alloc(bodyBytes, 1)]);
}

function publish(bodyBytes: number): Buffer {
  return Buffer.concat([Buffer.from([0x30, ...lengthOf(bodyBytes)]), Buffer.alloc(bodyBytes, 2)]);
}

/** The remaining length, as MQTT 3.1.1 writes it (2.2.3). */
function lengthOf(bytes: number): number[] {
  const digits: number[] = [];
  for (let left = bytes; ; ) {
    const digit = left % 128;
    left = Math.floor(left / 128);
    digits.push(left > 0 ? digit | 0x80 : digit);
    if (left === 0) return digits;
  }
}

function gateWith() {
  const [client, stream] = duplexPair();
  client.on("error", () => undefined);
  const seen = { connects: 0, admitted: 0, bytes: Buffer.alloc(0) };
  const gate: PacketLimits = new PacketLimits({
    stream,
    isLocal: true,
    onConnect: (knocking) => {
      seen.connects++;
      knocking.on("data", (bytes: Buffer) => {
        seen.bytes = Buffer.concat([seen.bytes, bytes]);
      });
    },
    onAdmit: () => seen.admitted++,
  });
  return { client, stream, gate, seen };
}

async function send(client: Duplex, bytes: Buffer, chunkBytes: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    client.write(bytes.subarray(at, at + chunkBytes));
    await turn();
  }
  for (let i = 0; i < 5; i++) await turn();
}

test("nothing passes before one whole CONNECT is there", async () => {
  const { client, gate, seen } = gateWith();
  await send(client, connect(300).subarray(0, 302), 7);
  expect(seen.connects).toBe(0);
  await send(client, Buffer.from([1]), 1);
  expect(seen).toMatchObject({ connects: 1, bytes: connect(300) });
  expect(gate.destroyed).toBe(false);
});

test("while the login is decided nothing more is read", async () => {
  const { client, stream, gate } = gateWith();
  await send(client, connect(20), 100);
  expect(stream.isPaused()).toBe(true);
  gate.admit();
  expect(stream.isPaused()).toBe(false);
});

test("what follows the CONNECT passes once the login is accepted, and not before", async () => {
  const { client, gate, seen } = gateWith();
  await send(client, Buffer.concat([connect(20), publish(50)]), 1_000);
  await send(client, publish(60), 1_000);
  expect(seen.bytes).toEqual(connect(20));
  gate.admit();
  await send(client, publish(70), 1_000);
  expect(seen.bytes).toEqual(Buffer.concat([connect(20), publish(50), publish(60), publish(70)]));
  expect(seen.admitted).toBe(1);
});

test.each([
  ["a CONNECT that says it is 256 MB long", Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f])],
  ["a CONNECT of more than 4 kB", connect(4_097).subarray(0, 3)],
  ["a length that never ends", Buffer.from([0x10, 0x80, 0x80, 0x80, 0x80])],
  ["another packet than CONNECT", publish(10)],
  ["CONNECT with flags that must be zero", Buffer.from([0x11, 10])],
  ["a request of HTTP", Buffer.from("GET / HTTP/1.1\r\n")],
])("%s is shut out at its first bytes", async (_what, bytes) => {
  const { client, gate, seen } = gateWith();
  await send(client, bytes, 1);
  expect(gate.destroyed).toBe(true);
  expect(seen.connects).toBe(0);
});

test("after the login a packet of 256 kB passes, and one byte more is shut out at its header", async () => {
  const { client, gate, seen } = gateWith();
  await send(client, connect(20), 100);
  gate.admit();
  await send(client, publish(256 * 1024), 50_000);
  expect(gate.destroyed).toBe(false);
  const before = seen.bytes.length;
  await send(client, publish(256 * 1024 + 1).subarray(0, 4), 1);
  expect(gate.destroyed).toBe(true);
  expect(seen.bytes.length - before).toBeLessThan(4);
});

test("however packets are cut into chunks, they pass unchanged", async () => {
  const bodies = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(bodies, fc.integer({ min: 1, max: 100 }), async (sizes, chunkBytes) => {
      const { client, gate, seen } = gateWith();
      const bytes = Buffer.concat([connect(130), ...sizes.map(publish)]);
      await send(client, bytes, chunkBytes);
      gate.admit();
      for (let i = 0; i < 5; i++) await turn();
      expect(seen.bytes.equals(bytes)).toBe(true);
    }),
    { numRuns: 50 },
  );
});
