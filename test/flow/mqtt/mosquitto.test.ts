import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { RetainedMessage } from "../../../src/mqtt/client/message.ts";
import { Mosquitto } from "../../support/broker/mosquitto.ts";
import { retainedIn } from "../../support/broker/retained.ts";
import { TestMqttClient } from "../../support/broker/test-mqtt-client.ts";
import { TopicWatcher } from "../../support/broker/topic-watcher.ts";
import { loopMs } from "../../support/runner/loop-time.ts";
import { lacks } from "../../support/runner/needs.ts";
import { TestMemory } from "../../support/storage/test-memory.ts";

const ONLINE = { "elbro/status": "online" };

/** Returns the states of all homes at a step. */
function statesAt(step: number, homes: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    homes.flatMap((home) =>
      Array.from({ length: 12 }, (_, i) => [`elbro/${home}/t${i}`, `${i === 0 ? "x".repeat(4_000) : ""}${step}`]),
    ),
  );
}

/** Topics in which two states differ. */
function wrongTopics(found: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): string[] {
  const topics = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  return [...topics].filter((topic) => found[topic] !== wanted[topic]);
}

function documentOf(device: string, components: Readonly<Record<string, string>>): RetainedMessage {
  const entries = Object.entries(components).map(([key, platform]) => [key, { platform }]);
  const payload = JSON.stringify({ components: Object.fromEntries(entries) });
  return { topic: `homeassistant/device/${device}/config`, payload };
}

describe.skipIf(lacks("Mosquitto"))("with Mosquitto (skipped if it is not installed)", () => {
  test.each([true, undefined] as const)(
    "a restarted broker (persistence: %s) has the current state",
    async (persistence) => {
      await using broker = await Mosquitto.start(persistence ? { persistence } : {});
      await using link = new TestMqttClient({ to: broker.port });
      link.showStates({ "elbro/home/price": "1", "elbro/old/price": "1" });
      await expect.poll(() => retainedIn(broker.port)).toHaveProperty(["elbro/old/price"]);
      await broker.down();
      link.showStates({ "elbro/home/price": "2" });
      await broker.up();
      await link.up(2);
      await expect.poll(() => retainedIn(broker.port)).toEqual({ "elbro/home/price": "2", ...ONLINE });
    },
  );

  test("a broker that is killed repeatedly during publishing has exactly the current state", async () => {
    await using broker = await Mosquitto.start({ persistence: true });
    await using link = new TestMqttClient({ to: broker.port });
    await link.up();
    const all = ["a", "b", "c", "d", "e", "f"];
    for (let step = 0; step < 6; step++) {
      // Each step removes a home, and the broker dies while the state of this step is in flight.
      const homes = all.slice(step);
      const half = new Promise<void>((resolve) => setImmediate(resolve));
      link.showStates(statesAt(step, homes));
      await half;
      await broker.down(step % 2 === 0 ? "SIGKILL" : "SIGTERM");
      await expect.poll(() => link.reasons().at(-1)).toMatch(/nothing listens there/);
      await broker.up();
      await link.up(step + 2);
      const wanted = { ...statesAt(step, homes), ...ONLINE };
      await expect.poll(async () => wrongTopics(await retainedIn(broker.port), wanted)).toEqual([]);
    }
  });

  test("the whole state is published within a second after the broker's return", async () => {
    await using broker = await Mosquitto.start();
    await using link = new TestMqttClient({ to: broker.port });
    await link.up();
    const homes = Array.from({ length: 10 }, (_, i) => `home${i}`);
    link.showStates(statesAt(0, homes));
    await broker.down();
    await link.logged("broker not connected");
    for (let step = 1; step <= 96; step++) link.showStates(statesAt(step, homes));
    await expect.poll(() => link.reasons().length).toBeGreaterThan(1);
    await broker.up();
    await using watcher = await TopicWatcher.on(broker.port);
    const wanted = statesAt(96, homes);
    const isWhole = () => Object.entries(wanted).every(([topic, payload]) => watcher.payload(topic) === payload);
    expect(await loopMs(watcher.until(isWhole, "the whole state"))).toBeLessThan(1_000);
    expect(watcher.seen.filter(({ topic }) => topic === "elbro/home0/t1")).toHaveLength(1);
  });

  test("two daemons with different base topics do not affect each other", async () => {
    await using broker = await Mosquitto.start();
    await using first = new TestMqttClient({ to: broker.port, baseTopic: "elbro", clientId: "one" });
    const second = new TestMqttClient({ to: broker.port, baseTopic: "summer/house", clientId: "two" });
    first.show([documentOf("elbro_home", { price: "sensor" }), { topic: "elbro/home/price", payload: "1" }]);
    second.show([
      documentOf("summer_house_home", { price: "sensor" }),
      { topic: "summer/house/home/price", payload: "2" },
    ]);
    await expect.poll(async () => Object.keys(await retainedIn(broker.port))).toHaveLength(6);
    second.show([]);
    await expect
      .poll(async () => Object.keys(await retainedIn(broker.port)).sort())
      .toEqual(["elbro/home/price", "elbro/status", "homeassistant/device/elbro_home/config", "summer/house/status"]);
    await second.stop();
    expect(await retainedIn(broker.port)).toMatchObject({ ...ONLINE, "summer/house/status": "offline" });
  });

  test.each(["homeassistant", "ha"])(
    "states and then documents are sent again after a birth message, once for several messages (prefix %s)",
    async (discoveryPrefix) => {
      await using broker = await Mosquitto.start();
      await using link = new TestMqttClient({ to: broker.port, discoveryPrefix });
      link.show([{ topic: "elbro/home/price", payload: "1" }, documentOf("d", { price: "sensor" })]);
      await using watcher = await TopicWatcher.on(broker.port);
      await watcher.until(() => watcher.topics().length === 3, "the first state");
      watcher.seen.length = 0;
      for (let i = 0; i < 3; i++) await watcher.publish("homeassistant/status", "online");
      await watcher.until(
        () => watcher.seen.some(({ topic }) => topic === "homeassistant/device/d/config"),
        "the document again",
      );
      const again = watcher.seen.map(({ topic }) => topic).filter((topic) => topic !== "homeassistant/status");
      expect(again).toEqual(["elbro/home/price", "homeassistant/device/d/config"]);
    },
  );

  test("offline is published immediately at a stop, although thousands of states are pending", async () => {
    await using broker = await Mosquitto.start();
    await using watcher = await TopicWatcher.on(broker.port);
    const client = new TestMqttClient({ to: broker.port });
    client.showStates(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`elbro/t${i}`, "1"])));
    await watcher.asSoonAs(() => watcher.payload("elbro/t0") === "1", "the first state");
    await client[Symbol.asyncDispose]();
    await watcher.asSoonAs(() => watcher.payload("elbro/status") === "offline", "the goodbye");
    expect(watcher.payload("elbro/t19999")).not.toBe("1");
  });

  test("after SIGKILL the broker publishes offline; a new process publishes online and clears old topics", async () => {
    await using broker = await Mosquitto.start();
    await using watcher = await TopicWatcher.on(broker.port);
    const script = path.resolve(import.meta.dirname, "../../support/broker/mqtt-client-process.ts");
    const child: ChildProcess = spawn(process.execPath, [script, String(broker.port)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const memory = new TestMemory();
    child.stdout?.on("data", (text) => {
      memory.write("mqtt_retained", String(text).trim());
    });
    await watcher.until(() => watcher.payload("elbro/ghost") === "1", "the state of the process");
    child.kill("SIGKILL");
    await watcher.until(() => watcher.payload("elbro/status") === "offline", "the will");
    await using next = new TestMqttClient({ to: broker.port, memory });
    next.showStates({ "elbro/home": "1" });
    await expect.poll(() => retainedIn(broker.port)).toEqual({ "elbro/home": "1", ...ONLINE });
  });
});
