import type { AedesPublishPacket, Client } from "aedes";
import { expect, test } from "vitest";
import { BrokerMemory } from "../../../../src/mqtt/broker/broker-memory.ts";

function message(topic: string, payload: string): Parameters<BrokerMemory["storeRetained"]>[0] {
  return { topic, qos: 0, payload: Buffer.from(payload), properties: {} };
}

async function topicsOf(memory: BrokerMemory, filters: readonly string[]): Promise<string[]> {
  const found: { readonly topic: string }[] = await memory.createRetainedStreamCombi(filters).toArray();
  return found.map(({ topic }) => topic);
}

test("retained messages are found by filters with wildcards", async () => {
  const memory = new BrokerMemory();
  for (const topic of ["a", "a/b", "a/b/c", "a/x/c", "/a"]) await memory.storeRetained(message(topic, "1"));
  expect(await topicsOf(memory, ["#"])).toEqual(["a", "a/b", "a/b/c", "a/x/c", "/a"]);
  expect(await topicsOf(memory, ["a/#"])).toEqual(["a", "a/b", "a/b/c", "a/x/c"]);
  expect(await topicsOf(memory, ["a/+/c"])).toEqual(["a/b/c", "a/x/c"]);
  expect(await topicsOf(memory, ["+/+"])).toEqual(["a/b", "/a"]);
  expect(await topicsOf(memory, ["a/b", "a"])).toEqual(["a/b", "a"]);
  expect(await topicsOf(memory, ["a/b/"])).toEqual([]);
});

test("an empty payload deletes a retained message, and a message is returned as it was when read", async () => {
  const memory = new BrokerMemory();
  await memory.storeRetained(message("a", "1"));
  await memory.storeRetained(message("b", "1"));
  const [a]: { readonly payload: Buffer }[] = await memory.createRetainedStreamCombi(["a"]).toArray();
  await memory.storeRetained(message("a", "2"));
  await memory.storeRetained(message("b", ""));
  expect(a?.payload.toString()).toBe("2");
  expect(await topicsOf(memory, ["#"])).toEqual(["a"]);
});

test("a client has at most 20 pending messages of QoS 2; a second PUBREL is not an error", async () => {
  const memory = new BrokerMemory();
  const client = {} as Client;
  const numbered = (messageId: number) => ({ messageId }) as AedesPublishPacket;
  for (let id = 1; id <= 20; id++) await memory.incomingStorePacket(client, numbered(id));
  await expect(memory.incomingStorePacket(client, numbered(21))).rejects.toThrow(/too many/);
  await memory.incomingDelPacket(client, numbered(1));
  await memory.incomingDelPacket(client, numbered(1));
  await expect(memory.incomingGetPacket(client, numbered(1))).rejects.toThrow();
  await memory.incomingStorePacket(client, numbered(21));
  await memory.incomingStorePacket({} as Client, numbered(1));
});
