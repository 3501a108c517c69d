/** Tests both MQTT versions with the embedded broker, with MQTT.js and, if installed, Mosquitto's clients. */
import { execFile } from "node:child_process";
import net from "node:net";
import { promisify } from "node:util";
import mqtt, { type IClientOptions, type IConnackPacket, type IPublishPacket } from "mqtt";
import mqttPacket from "mqtt-packet";
import { describe, expect, test } from "vitest";
import { startEmbeddedBroker } from "../../../src/mqtt/broker/embedded-broker.ts";
import type { RefusedConnection } from "../../../src/mqtt/broker/network-connection.ts";
import { MqttClient } from "../../../src/mqtt/client/mqtt-client.ts";
import { loopMs } from "../../support/runner/loop-time.ts";
import { lacks } from "../../support/runner/needs.ts";
import { TestMemory } from "../../support/storage/test-memory.ts";

const HA = { name: "ha", password: "open sesame", commands: false };
const login = { username: HA.name, password: HA.password };
const VERSIONS = [5, 4] as const;
/** Lets a delayed will wait. */
const SHORT_SESSION = { sessionExpiryInterval: 1 };
const MOSQUITTO_SUB = "mosquitto_sub";
const run = promisify(execFile);

async function startBroker() {
  const refusals: RefusedConnection[] = [];
  const dropped: string[] = [];
  const broker = await startEmbeddedBroker({
    ...{ host: "127.0.0.1", port: 0, users: [HA], anonymous: false },
    ...{ baseTopic: "elbro", discoveryPrefix: "homeassistant" },
    onRefused: (_user, topic) => dropped.push(topic),
    onConnectionRefused: (refusal) => refusals.push(refusal),
  });
  return { ...broker, refusals, dropped, [Symbol.asyncDispose]: () => broker.close() };
}

async function connect(port: number, options: IClientOptions) {
  const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0, ...login, ...options });
  const connack = await new Promise<IConnackPacket>((resolve, reject) => {
    client.once("connect", resolve);
    client.once("error", reject);
  });
  return Object.assign(client, { connack, [Symbol.asyncDispose]: () => client.endAsync(true) });
}

function next(client: mqtt.MqttClient, wanted: string): Promise<IPublishPacket> {
  return new Promise((resolve) => {
    client.on("message", (topic, _payload, packet) => topic === wanted && resolve(packet));
  });
}

/** Sends raw packets. Resolves when the broker has closed the connection. */
function rawUntilClosed(port: number, bytes: Buffer): Promise<void> {
  const socket = net.connect(port, "127.0.0.1", () => socket.write(bytes));
  socket.on("error", () => undefined);
  socket.resume();
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

function connectPacket(clientId: string): Buffer {
  const password = Buffer.from(HA.password);
  const protocol = { protocolId: "MQTT", protocolVersion: 4 } as const;
  return mqttPacket.generate({ cmd: "connect", clientId, clean: true, keepalive: 0, ...protocol, ...login, password });
}

describe.each(VERSIONS)("MQTT version %i", (protocolVersion) => {
  const other = protocolVersion === 5 ? 4 : 5;

  test.each([0, 1, 2] as const)("QoS %i is delivered between the versions", async (qos) => {
    await using broker = await startBroker();
    await using listener = await connect(broker.port, { protocolVersion });
    await using speaker = await connect(broker.port, { protocolVersion: other });
    const message = next(listener, "house/door");
    await listener.subscribeAsync("house/#", { qos });
    await speaker.publishAsync("house/door", "open", { qos });
    expect(await message).toMatchObject({ qos, retain: false });
  });

  test("retained messages are delivered at the subscription, and the will after a lost connection", async () => {
    await using broker = await startBroker();
    const will = { topic: "plug/online", payload: Buffer.from("false"), qos: 1, retain: true } as const;
    const plug = await connect(broker.port, { protocolVersion, will });
    await plug.publishAsync("plug/online", "true", { qos: 1, retain: true });
    await using listener = await connect(broker.port, { protocolVersion: other });
    const states: string[] = [];
    listener.on("message", (_topic, payload) => states.push(payload.toString()));
    await listener.subscribeAsync("plug/online", { qos: 1 });
    await expect.poll(() => states).toEqual(["true"]);
    plug.stream.destroy();
    await expect.poll(() => states).toEqual(["true", "false"]);
  });

  test("no messages are stored for a disconnected client", async () => {
    await using broker = await startBroker();
    const session = { protocolVersion, clientId: "phone", clean: false };
    const properties = protocolVersion === 5 ? { properties: { sessionExpiryInterval: 3_600 } } : {};
    const phone = await connect(broker.port, { ...session, ...properties });
    expect(phone.connack.properties?.sessionExpiryInterval).toBe(protocolVersion === 5 ? 1 : undefined);
    await phone.subscribeAsync("news", { qos: 1 });
    await phone.endAsync();
    await using ha = await connect(broker.port, { protocolVersion });
    await ha.publishAsync("news", "missed", { qos: 1, ...expiryOf(protocolVersion, 60) });
    await using back = await connect(broker.port, { ...session, ...properties });
    expect(back.connack.sessionPresent).toBe(false);
    const heard: string[] = [];
    back.on("message", (topic) => heard.push(topic));
    await back.subscribeAsync(["news", "end"], { qos: 1 });
    await ha.publishAsync("end", "", { qos: 1 });
    await expect.poll(() => heard).toEqual(["end"]);
  });

  test("a rejected login is reported once with reason and address; the client only gets a code", async () => {
    await using broker = await startBroker();
    const guess = connect(broker.port, { protocolVersion, password: "x" });
    await expect(guess).rejects.toMatchObject({ code: protocolVersion === 5 ? 134 : 4 });
    expect(broker.refusals).toEqual([{ address: "127.0.0.1", reason: "wrong user name or password", user: "ha" }]);
  });

  test.each(["constructor", "__proto__", "toString"])(
    "%s as a client id or topic has no side effects",
    async (name) => {
      await using broker = await startBroker();
      await using listener = await connect(broker.port, { protocolVersion });
      await listener.subscribeAsync("#", { qos: 1 });
      await expect(connect(broker.port, { protocolVersion, clientId: name })).rejects.toThrow();
      await using client = await connect(broker.port, { protocolVersion });
      await client.publishAsync(name, "x", { qos: 1 }).catch(() => undefined);
      await client.subscribeAsync(name, { qos: 1 }).catch(() => undefined);
      await client.unsubscribeAsync(name).catch(() => undefined);
      const message = next(listener, "after");
      await client.publishAsync("after", "x", { qos: 1 });
      expect((await message).payload.toString()).toBe("x");
    },
  );

  test.skipIf(lacks("Mosquitto's clients"))(
    "Mosquitto's clients can publish and subscribe, and are rejected with wrong passwords",
    async () => {
      await using broker = await startBroker();
      const version = protocolVersion === 5 ? "mqttv5" : "mqttv311";
      const common = ["-h", "127.0.0.1", "-p", String(broker.port), "-V", version, "-u", HA.name];
      const withPassword = [...common, "-P", HA.password];
      await run("mosquitto_pub", [...withPassword, "-t", "lamp/state", "-m", "ON", "-q", "1", "-r"]);
      const { stdout } = await run(MOSQUITTO_SUB, [
        ...withPassword,
        "-t",
        "lamp/#",
        "-v",
        "-C",
        "1",
        "-W",
        "5",
        "-q",
        "1",
      ]);
      expect(stdout).toBe("lamp/state ON\n");
      await expect(run("mosquitto_pub", [...common, "-P", "x", "-t", "a", "-m", "b"])).rejects.toThrow(
        /Command failed/,
      );
      expect(broker.refusals).toHaveLength(1);
    },
  );
});

function expiryOf(protocolVersion: 4 | 5, seconds: number) {
  return protocolVersion === 5 ? { properties: { messageExpiryInterval: seconds } } : {};
}

test("an MQTT 5 client gets the broker's limits", async () => {
  await using broker = await startBroker();
  await using client = await connect(broker.port, { protocolVersion: 5, keepalive: 20_000 });
  expect(client.connack.properties).toMatchObject({
    maximumPacketSize: 4 * 1024 * 1024 - 1024,
    receiveMaximum: 20,
    serverKeepAlive: 3_600,
    sharedSubscriptionAvailable: false,
  });
});

test("an MQTT 5 client gets a reason for a rejected publication, without details about the home", async () => {
  await using broker = await startBroker();
  await using client = await connect(broker.port, { protocolVersion: 5 });
  const acknowledged = new Promise((resolve) => {
    client.on("packetreceive", (packet) => packet.cmd === "puback" && resolve(packet));
  });
  const refused = client.publishAsync("elbro/home/price", "0", { qos: 1, retain: true });
  await expect(refused).rejects.toMatchObject({ code: 0x87 });
  expect(await acknowledged).toMatchObject({ properties: { reasonString: "not authorized" } });
  expect(client.connected).toBe(true);
  expect(broker.dropped).toEqual(["elbro/home/price"]);
});

test("a retained message with an expiry is delivered with its remaining time, and not after it", async () => {
  await using broker = await startBroker();
  await using client = await connect(broker.port, { protocolVersion: 5 });
  const send = (topic: string, seconds: number) =>
    client.publishAsync(topic, "x", { qos: 1, retain: true, ...expiryOf(5, seconds) });
  await send("long", 3_600);
  await send("short", 1);
  const retained = async () => {
    await using reader = await connect(broker.port, { protocolVersion: 5 });
    const found: string[] = [];
    reader.on("message", (topic) => found.push(topic));
    await reader.subscribeAsync(["short", "long"], { qos: 1 });
    await expect.poll(() => found).toContain("long");
    return found;
  };
  await expect.poll(retained).toEqual(["long"]);
});

test("an MQTT 5 client gets no message above its Maximum Packet Size, and the log says so once", async () => {
  await using broker = await startBroker();
  await using client = await connect(broker.port, { protocolVersion: 5, properties: { maximumPacketSize: 200 } });
  await using sender = await connect(broker.port, { protocolVersion: 5 });
  await client.subscribeAsync("tv/#", { qos: 1 });
  const last = next(client, "tv/short");
  for (const payload of ["x".repeat(190), "y".repeat(190)]) await sender.publishAsync("tv/long", payload, { qos: 1 });
  await sender.publishAsync("tv/short", "z", { qos: 1 });
  expect((await last).topic).toBe("tv/short");
  expect(broker.dropped).toEqual(["tv/long"]);
});

test("a delayed will has the rights of its client", async () => {
  await using broker = await startBroker();
  await using reader = await connect(broker.port, { protocolVersion: 5 });
  await reader.subscribeAsync("#", { qos: 1 });
  const will = (topic: string) =>
    ({ topic, payload: Buffer.from("1"), qos: 1, retain: false, properties: { willDelayInterval: 1 } }) as const;
  const allowed = next(reader, "plug/gone");
  for (const topic of ["elbro/home/price", "plug/gone"]) {
    const plug = await connect(broker.port, { protocolVersion: 5, will: will(topic), properties: SHORT_SESSION });
    plug.stream.destroy();
  }
  expect(JSON.stringify((await allowed).properties ?? {})).not.toContain("willDelayInterval");
  expect(broker.dropped).toEqual(["elbro/home/price"]);
});

test("a will with every MQTT 5 property is delivered to both versions", async () => {
  await using broker = await startBroker();
  await using five = await connect(broker.port, { protocolVersion: 5 });
  await using four = await connect(broker.port, { protocolVersion: 4 });
  const messages = Promise.all([next(five, "plug/gone"), next(four, "plug/gone")]);
  for (const client of [five, four]) await client.subscribeAsync("plug/#", { qos: 1 });
  const properties = {
    willDelayInterval: 5,
    contentType: "text",
    userProperties: { room: "cellar" },
    messageExpiryInterval: 9,
  };
  const will = { topic: "plug/gone", payload: Buffer.from("1"), qos: 1, retain: false, properties } as const;
  const plug = await connect(broker.port, { protocolVersion: 5, will });
  plug.stream.destroy();
  const [toFive] = await messages;
  expect(toFive.properties).toMatchObject({ contentType: "text", messageExpiryInterval: 9 });
  expect([five.connected, four.connected]).toEqual([true, true]);
});

test("an unknown version and other protocols are reported with the reason", async () => {
  await using broker = await startBroker();
  const future = connectPacket("x");
  future[8] = 9;
  await rawUntilClosed(broker.port, future);
  await rawUntilClosed(broker.port, Buffer.from("GET / HTTP/1.1\r\n\r\n"));
  expect(broker.refusals.map(({ address, reason }) => [address, reason])).toEqual([
    ["127.0.0.1", "Invalid protocol version"],
    ["127.0.0.1", "the first packet is not an MQTT CONNECT of at most 4096 bytes"],
  ]);
});

test("a connection that its client closes without data is not reported", async () => {
  await using broker = await startBroker();
  const probe = net.connect(broker.port, "127.0.0.1", () => probe.end());
  await new Promise((resolve) => probe.once("close", resolve));
  await using client = await connect(broker.port, { protocolVersion: 4 });
  expect([client.connected, broker.refusals]).toEqual([true, []]);
});

test("too many pending QoS 2 messages close the connection; a second PUBREL does not", async () => {
  await using broker = await startBroker();
  const publish = (messageId: number) =>
    mqttPacket.generate({ cmd: "publish", topic: "t", payload: "x", qos: 2, messageId, dup: false, retain: false });
  const pubrel = mqttPacket.generate({ cmd: "pubrel", messageId: 1 });
  await using bystander = await connect(broker.port, { protocolVersion: 5 });
  const flood = Array.from({ length: 21 }, (_, i) => publish(i + 1));
  await rawUntilClosed(broker.port, Buffer.concat([connectPacket("twice"), publish(1), pubrel, pubrel, ...flood]));
  await bystander.publishAsync("still/there", "x", { qos: 2 });
  expect(bystander.connected).toBe(true);
});

test("an MQTT 5 client that does not read does not delay a stop", async () => {
  const broker = await startBroker();
  await using speaker = await connect(broker.port, { protocolVersion: 5 });
  const stuck = await connect(broker.port, { protocolVersion: 5 });
  await stuck.subscribeAsync("blob", { qos: 0 });
  stuck.stream.pause();
  for (let i = 0; i < 60; i++) speaker.publish("blob", Buffer.alloc(250 * 1024), { qos: 0 });
  await speaker.publishAsync("elsewhere", "x", { qos: 1 });
  expect(await loopMs(broker.close())).toBeLessThan(1_000);
  await stuck.endAsync(true);
});

test("elbro's own client uses MQTT 5 with the embedded broker", async () => {
  await using broker = await startBroker();
  const stop = new AbortController();
  const stream = broker.open();
  const written: Buffer[] = [];
  const write = stream.write.bind(stream);
  stream.write = (chunk: Buffer) => {
    written.push(chunk);
    return write(chunk);
  };
  const link = new MqttClient(
    {
      open: async () => stream,
      ...{ clientId: "elbro_own", baseTopic: "elbro", discoveryPrefix: "homeassistant", commands: {} },
      memory: new TestMemory(),
      log: { info: () => undefined, warn: () => undefined },
      random: () => 0,
    },
    stop.signal,
  );
  await link.upSoon;
  expect(link.status()).toMatchObject({ connected: true, connections: 1 });
  const name = Buffer.from("MQTT");
  const sent = Buffer.concat(written.map((chunk) => Buffer.from(chunk)));
  expect(sent[sent.indexOf(name) + name.length]).toBe(5);
  stop.abort();
  await link.closed;
});
