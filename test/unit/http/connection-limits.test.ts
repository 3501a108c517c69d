import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { ConnectionLimits } from "../../../src/http/guards/connection-limits.ts";

const SILENT_MS = 120_000;
const GRACE_MS = 200;
const MOST = 200;

/** Opens connections to a server of its own, and registers each. */
async function opened() {
  const time = { now: 5_000 };
  const connections = new ConnectionLimits(() => time.now);
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const clients: Socket[] = [];
  const open = async (localAddress = "127.0.0.1") => {
    const accepted = once(server, "connection");
    const client = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", localAddress });
    clients.push(client);
    const [socket] = (await accepted) as [Socket];
    connections.enter(socket);
    return { client, socket };
  };
  const end = () => {
    for (const client of clients) client.destroy();
    server.close();
  };
  return { time, connections, open, end };
}

test("a connection without traffic for two minutes is closed, another is not", async () => {
  const { time, connections, open, end } = await opened();
  const [silent, busy] = [await open(), await open()];
  const look = (at: number) => {
    time.now = at;
    connections.closeSilent();
  };
  look(time.now + SILENT_MS - 1);
  expect([silent.socket.destroyed, busy.socket.destroyed]).toEqual([false, false]);
  busy.socket.write("moved");
  await once(busy.client, "data");
  look(5_000 + SILENT_MS);
  expect([silent.socket.destroyed, busy.socket.destroyed]).toEqual([true, false]);
  look(5_000 + 2 * SILENT_MS - 1);
  expect(busy.socket.destroyed).toBe(false);
  look(5_000 + 2 * SILENT_MS);
  expect(busy.socket.destroyed).toBe(true);
  end();
});

test("new connections of one address do not close the only one of another, however long it waits", async () => {
  const { time, open, end } = await opened();
  const { socket } = await open();
  time.now += GRACE_MS;
  const crowd = [];
  for (let i = 0; i < MOST; i++) crowd.push(await open("127.0.0.2"));
  expect(socket.destroyed).toBe(false);
  time.now += GRACE_MS;
  await open("127.0.0.2");
  expect(crowd.filter((each) => each.socket.destroyed)).toHaveLength(2);
  expect(socket.destroyed).toBe(false);
  end();
});
