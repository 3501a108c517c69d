import net from "node:net";
import mqtt, { type IClientOptions } from "mqtt";
import { describe, expect, test } from "vitest";
import { type EmbeddedBrokerOptions, startEmbeddedBroker } from "../../../src/mqtt/broker/embedded-broker.ts";
import type { RefusedConnection } from "../../../src/mqtt/broker/network-connection.ts";
import { hashPassword } from "../../../src/mqtt/broker/users.ts";
import { MqttClient } from "../../../src/mqtt/client/mqtt-client.ts";
import { HostileClients, hostilePackets } from "../../support/broker/hostile-clients.ts";
import { retainedIn } from "../../support/broker/retained.ts";
import { loopMs } from "../../support/runner/loop-time.ts";
import { TestMemory } from "../../support/storage/test-memory.ts";

const HA = { name: "ha", password: "open sesame", commands: true };
const TV = { name: "tv", password: "look", commands: false };
const asHa = { username: HA.name, password: HA.password };
const asTv = { username: TV.name, password: TV.password };

async function startBroker(options: Partial<EmbeddedBrokerOptions> = {}) {
  const refused: string[] = [];
  const refusals: RefusedConnection[] = [];
  const lockedOut: string[] = [];
  const reasons: string[] = [];
  const running = await startEmbeddedBroker({
    host: "127.0.0.1",
    port: 0,
    users: [HA, TV],
    anonymous: false,
    baseTopic: "elbro",
    discoveryPrefix: "homeassistant",
    onRefused: (user, topic, reason) => {
      refused.push(`${user} ${topic}`);
      reasons.push(reason);
    },
    onLockedOut: (address) => lockedOut.push(address),
    onConnectionRefused: (refusal) => refusals.push(refusal),
    ...options,
  });
  return { ...running, refused, refusals, reasons, lockedOut, [Symbol.asyncDispose]: () => running.close() };
}

async function client(port: number, options: IClientOptions = {}) {
  // Without `allowRetries`, a connection that the broker closes before its answer rejects instead of waiting for ever.
  const settings = { protocolVersion: 4 as const, reconnectPeriod: 0, ...options };
  const opened = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, settings, false);
  return Object.assign(opened, { [Symbol.asyncDispose]: () => opened.endAsync(true) });
}

/** The daemon's own client of the broker, which publishes one price. */
function daemonOn(open: () => ReturnType<EmbeddedBrokerHandle["open"]>) {
  const stop = new AbortController();
  const link = new MqttClient(
    {
      open: async () => open(),
      clientId: "elbro_own",
      baseTopic: "elbro",
      discoveryPrefix: "homeassistant",
      commands: { "command/refresh": () => ({ kind: "done" }) },
      memory: new TestMemory(),
      log: { info: () => undefined, warn: () => undefined },
      random: () => 0,
    },
    stop.signal,
  );
  link.retained.show([{ topic: "elbro/home/price", payload: "1.25" }]);
  return {
    link,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await link.closed;
    },
  };
}

type EmbeddedBrokerHandle = Awaited<ReturnType<typeof startBroker>>;

/** Resolves with the first message of a topic. */
function heard(listener: mqtt.MqttClient, topic: string): Promise<string> {
  return new Promise((resolve) => {
    listener.on("message", (found, payload) => found === topic && resolve(payload.toString()));
  });
}

describe("a login", () => {
  test("a login is accepted with the right password, plain or hashed, and otherwise rejected", async () => {
    const hashed = { name: "safe", password: await hashPassword("hidden"), commands: false };
    await using broker = await startBroker({ users: [HA, hashed] });
    await using ha = await client(broker.port, asHa);
    await using safe = await client(broker.port, { username: "safe", password: "hidden" });
    expect([ha.connected, safe.connected]).toEqual([true, true]);
    for (const login of [
      {},
      { ...asHa, password: "x" },
      { username: "safe", password: hashed.password },
      { username: "ha" },
    ])
      await expect(client(broker.port, login)).rejects.toThrow(/Bad username or password/);
  });

  test("a login is not needed in the demo on this machine, but a wrong one is rejected", async () => {
    await using broker = await startBroker({ users: [], anonymous: true });
    await using guest = await client(broker.port);
    expect(guest.connected).toBe(true);
    await expect(client(broker.port, asHa)).rejects.toThrow(/Bad username or password/);
  });

  test("a login is always rejected without users, and the broker then listens on loopback only", async () => {
    await using broker = await startBroker({ host: "0.0.0.0", users: [] });
    expect(broker.host).toBe("127.0.0.1");
    await expect(client(broker.port)).rejects.toThrow(/Bad username or password/);
  });

  test("with the daemon's client id is rejected", async () => {
    await using broker = await startBroker();
    await using _own = daemonOn(broker.open);
    await expect.poll(() => retainedIn(broker.port, asTv)).toHaveProperty(["elbro/status"], "online");
    await expect(client(broker.port, { ...asHa, clientId: "elbro_own" })).rejects.toThrow(/Identifier rejected/);
    expect(await retainedIn(broker.port, asTv)).toHaveProperty(["elbro/status"], "online");
  });
});

describe("one client cannot take from others", () => {
  test("a client id in use by another user", async () => {
    await using broker = await startBroker();
    const first = await client(broker.port, { ...asHa, clientId: "shared" });
    await expect(client(broker.port, { ...asTv, clientId: "shared" })).rejects.toThrow(/Identifier rejected/);
    expect(first.connected).toBe(true);
    expect(broker.refusals.map(({ user, reason }) => `${user}: ${reason}`)).toEqual([
      "tv: another user has this client id",
    ]);
    await using back = await client(broker.port, { ...asHa, clientId: "shared" });
    expect(back.connected).toBe(true);
    await back.endAsync(true);
    await expect
      .poll(() =>
        client(broker.port, { ...asTv, clientId: "shared" }).then(
          (tv) => tv.endAsync(true),
          () => "taken",
        ),
      )
      .not.toBe("taken");
    await first.endAsync(true);
  });

  test("all connections: one address gets at most half of them", async () => {
    await using broker = await startBroker();
    const clients = await Promise.all(Array.from({ length: 128 }, () => client(broker.port, asTv)));
    await expect(client(broker.port, asTv)).rejects.toThrow(/Server unavailable/);
    expect(broker.refusals.at(-1)?.reason).toBe("more than 128 clients of this address");
    await Promise.all(clients.map((one) => one.endAsync(true)));
  });
});

describe("wrong passwords", () => {
  test("wrong passwords are reported and delay the user, but not other users of the same address", async () => {
    await using broker = await startBroker();
    const guess = () =>
      client(broker.port, { ...asTv, password: "guess" }).then(
        () => "in",
        (error: Error) => error.message,
      );
    const answers: string[] = [];
    for (let i = 0; i < 20; i++) answers.push(await guess());
    expect(answers.filter((text) => /Bad username or password/.test(text)).length).toBeLessThan(8);
    expect(broker.lockedOut).toEqual(["127.0.0.1"]);
    expect(broker.refusals).toHaveLength(20);
    await using ha = await client(broker.port, asHa);
    expect(ha.connected).toBe(true);
    await expect(client(broker.port, asTv)).rejects.toThrow(/Server unavailable/);
  });
});

describe("permissions of a client", () => {
  test("hide other clients from a reader, and show them to a user with commands", async () => {
    await using broker = await startBroker();
    await using tv = await client(broker.port, asTv);
    await using ha = await client(broker.port, asHa);
    const granted = async (one: mqtt.MqttClient, filter: string) =>
      (await one.subscribeAsync(filter).catch(() => [{ qos: 128 }]))[0]?.qos;
    for (const filter of ["$SYS/#", "$SYS/+/new/clients"]) expect(await granted(tv, filter)).toBe(128);
    expect(await granted(ha, "$SYS/#")).toBe(0);
  });

  test("exclude publishing to elbro's topics and discovery documents; a dropped message is reported once", async () => {
    await using broker = await startBroker();
    await using _own = daemonOn(broker.open);
    await using tv = await client(broker.port, asTv);
    const retain = { qos: 1, retain: true } as const;
    await tv.publishAsync("elbro/home/price", "0", retain);
    await tv.publishAsync("elbro/command/refresh", "", { qos: 1 });
    await tv.publishAsync("homeassistant/device/elbro_home/config", "", retain);
    await tv.publishAsync("homeassistant/switch/tv/config", "{}", retain);
    await tv.publishAsync("tv/volume", "7", retain);
    expect(tv.connected).toBe(true);
    expect(await retainedIn(broker.port, asTv)).toEqual({
      "elbro/home/price": "1.25",
      "elbro/status": "online",
      "homeassistant/switch/tv/config": "{}",
      "tv/volume": "7",
    });
    expect(broker.refused).toEqual(["tv elbro/home/price"]);
  });

  test("include commands for a user who may send them, with a response", async () => {
    await using broker = await startBroker();
    await using _own = daemonOn(broker.open);
    await using ha = await client(broker.port, asHa);
    const answer = heard(ha, "elbro/response");
    await ha.subscribeAsync("elbro/response", { qos: 1 });
    await expect.poll(() => retainedIn(broker.port, asTv)).toHaveProperty(["elbro/home/price"]);
    await ha.publishAsync("elbro/command/refresh", "", { qos: 1 });
    expect(JSON.parse(await answer)).toEqual({ topic: "elbro/command/refresh", ok: true, reason: null });
  });

  test("also apply to a will", async () => {
    await using broker = await startBroker();
    await using _own = daemonOn(broker.open);
    await expect.poll(() => retainedIn(broker.port, asTv)).toHaveProperty(["elbro/status"], "online");
    const will = { topic: "elbro/status", payload: Buffer.from("offline"), qos: 1, retain: true } as const;
    const tv = await client(broker.port, { ...asTv, will });
    await using ha = await client(broker.port, asHa);
    const closed = new Promise<void>((resolve) => tv.once("close", () => resolve()));
    tv.stream.destroy();
    await closed;
    await expect.poll(() => broker.refused).toEqual(["tv elbro/status"]);
    expect(await retainedIn(broker.port, asHa)).toHaveProperty(["elbro/status"], "online");
    expect(ha.connected).toBe(true);
  });

  test("include the removal of a device by Home Assistant, and exclude another document of it", async () => {
    await using broker = await startBroker();
    await using own = daemonOn(broker.open);
    const topic = "homeassistant/device/elbro_home/config";
    const document = JSON.stringify({
      device: { identifiers: ["elbro_home"] },
      origin: { name: "elbro" },
      components: {},
    });
    own.link.retained.show([{ topic, payload: document }]);
    await expect.poll(() => retainedIn(broker.port, asTv)).toHaveProperty([topic], document);
    await using ha = await client(broker.port, asHa);
    await ha.publishAsync(topic, "{}", { qos: 1, retain: true });
    expect(broker.refused).toEqual([`ha ${topic}`]);
    await ha.publishAsync(topic, "", { qos: 1, retain: true });
    expect(await retainedIn(broker.port, asTv)).not.toHaveProperty([topic]);
  });

  test("include 10,000 subscriptions of a client; one more is refused and reported", async () => {
    await using broker = await startBroker();
    await using ha = await client(broker.port, asHa);
    await ha.subscribeAsync(Array.from({ length: 10_000 }, (_, i) => `home/${i}/state`));
    const refused = ha.subscribeAsync("home/more").catch(() => [{ qos: 128 }]);
    expect((await refused)[0]?.qos).toBe(128);
    expect([broker.refused, broker.reasons]).toEqual([["ha home/more"], ["more than 10000 subscriptions"]]);
  });

  test("exclude packets of more than 4 MB, which close only their own connection, with a reason in the log", async () => {
    await using broker = await startBroker();
    await using ha = await client(broker.port, asHa);
    const tv = await client(broker.port, asTv);
    const closed = new Promise<void>((resolve) => tv.once("close", () => resolve()));
    tv.publish("tv/blob", Buffer.alloc(4_200_000), { qos: 0 });
    await closed;
    await ha.publishAsync("ha/blob", Buffer.alloc(4_000_000), { qos: 1 });
    expect(ha.connected).toBe(true);
    expect(broker.refusals).toMatchObject([{ user: "tv" }]);
  });

  test("include 32 MB of retained messages in total and 24 MB per user", async () => {
    await using broker = await startBroker();
    await using tv = await client(broker.port, asTv);
    const blob = Buffer.alloc(1_600_000, 0x41);
    for (let i = 0; i < 25; i++) await tv.publishAsync(`tv/blob/${i}`, blob, { qos: 1, retain: true });
    const kept = () => retainedIn(broker.port, asTv).then((found) => Object.keys(found).length);
    expect(await kept()).toBe(15);
    await using ha = await client(broker.port, asHa);
    for (let i = 0; i < 10; i++) await ha.publishAsync(`ha/blob/${i}`, blob, { qos: 1, retain: true });
    expect(await kept()).toBe(20);
    expect(broker.reasons).toEqual([
      "this user has reached the limit of retained messages",
      "the broker has reached its limit of retained messages from clients",
    ]);
    await tv.publishAsync("tv/blob/0", "", { qos: 1, retain: true });
    await tv.publishAsync("tv/blob/24", blob, { qos: 1, retain: true });
    expect(await kept()).toBe(20);
  });

  test("exclude topics with too many levels, which close the connection", async () => {
    await using broker = await startBroker();
    const tv = await client(broker.port, asTv);
    const closed = new Promise<void>((resolve) => tv.once("close", () => resolve()));
    tv.publish(Array.from({ length: 40 }, () => "a").join("/"), "x");
    await expect(closed).resolves.toBeUndefined();
  });
});

describe("hostile clients", () => {
  test("that never log in, 200 of them, do not prevent a real login", async () => {
    await using broker = await startBroker();
    await using _own = daemonOn(broker.open);
    using hostile = new HostileClients();
    for (const bytes of Object.values(hostilePackets)) await hostile.open(broker.port, 50, bytes, { again: true });
    const login = async () => {
      await using ha = await client(broker.port, asHa);
      const price = heard(ha, "elbro/home/price");
      await ha.subscribeAsync("elbro/#", { qos: 1 });
      expect(await price).toBe("1.25");
    };
    expect(await loopMs(login())).toBeLessThan(1_000);
  });

  test("hostile clients are disconnected by a new connection, the oldest and those of the same address first", async () => {
    await using broker = await startBroker();
    using near = new HostileClients();
    using far = new HostileClients();
    await far.open(broker.port, 10, hostilePackets.silence, { from: "127.0.0.2" });
    await near.open(broker.port, 40, hostilePackets.silence);
    await expect.poll(() => near.closed).toBe(8);
    expect(far.closed).toBe(0);
  });

  test("without a login are disconnected after 5 s, also if they send slowly", async () => {
    await using broker = await startBroker();
    using silent = new HostileClients();
    await silent.open(broker.port, 3, hostilePackets.silence);
    const slow = net.connect(broker.port, "127.0.0.1");
    slow.on("error", () => undefined);
    const drip = setInterval(() => slow.write(Buffer.from([0x10, 0xa0, 0x1f, 0x41]).subarray(0, 1)), 500);
    expect(await loopMs(new Promise((resolve) => slow.once("close", resolve)))).toBeLessThan(5_500);
    clearInterval(drip);
    await expect.poll(() => silent.closed).toBe(3);
  });
});
