import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { ConnectionLimits } from "../../../src/http/guards/connection-limits.ts";

const SILENT_MS = 120_000;

test("a connection without traffic for two minutes is closed, another is not", async () => {
  let now = 5_000;
  const connections = new ConnectionLimits(() => now);
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const open = async () => {
    const accepted = once(server, "connection");
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    const [socket] = (await accepted) as [Socket];
    connections.enter(socket);
    return { client, socket };
  };
  const [silent, busy] = [await open(), await open()];
  const look = (at: number) => {
    now = at;
    connections.closeSilent();
  };
  look(now + SILENT_MS - 1);
  expect([silent.socket.destroyed, busy.socket.destroyed]).toEqual([false, false]);
  busy.socket.write("moved");
  await once(busy.client, "data");
  look(5_000 + SILENT_MS);
  expect([silent.socket.destroyed, busy.socket.destroyed]).toEqual([true, false]);
  look(5_000 + 2 * SILENT_MS - 1);
  expect(busy.socket.destroyed).toBe(false);
  look(5_000 + 2 * SILENT_MS);
  expect(busy.socket.destroyed).toBe(true);
  for (const { client } of [silent, busy]) client.destroy();
  server.close();
});
