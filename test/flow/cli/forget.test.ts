import { existsSync, readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import mqtt from "mqtt";
import { describe, expect, test } from "vitest";
import { clearPublished } from "../../../src/mqtt/clear-published.ts";
import { RetainedPublisher } from "../../../src/mqtt/client/retained-publisher.ts";
import { openBrokerStream } from "../../../src/mqtt/client/transport.ts";
import { databasePathIn } from "../../../src/storage/open-storage.ts";
import { freePort, Mosquitto } from "../../support/broker/mosquitto.ts";
import { retainedIn } from "../../support/broker/retained.ts";
import { RetainingPort } from "../../support/broker/retaining-port.ts";
import { TopicWatcher } from "../../support/broker/topic-watcher.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import type { InstalledDaemon } from "../../support/processes/installed-daemon.ts";
import { lacks } from "../../support/runner/needs.ts";
import { TestMemory } from "../../support/storage/test-memory.ts";

/** Retained messages that elbro did not publish. */
const OTHERS = {
  "elbro/other-house/price": "1.5",
  "homeassistant/device/elbro_other/config": "{}",
  "homeassistant/device/heater/config": "{}",
  "tele/tasmota_4F21/LWT": "Online",
};
const HOUSE = {
  plans: [{ name: "Sauna", home: "home", kind: "window", hours: 2 }],
  plugs: [{ name: "Heater plug", family: "tasmota", topic: "tasmota_4F21", plan: "sauna" }],
};
const USERS = [{ name: "homeassistant", password: "a-long-password", commands: true }];

/** Runs the daemon until its home, plan and plug are published, and stops it. */
async function runOnce(installed: InstalledDaemon, watcher: TopicWatcher): Promise<void> {
  await using daemon = await installed.launch();
  const devices = ["elbro", "elbro_home", "elbro_home_plan_sauna", "elbro_plug_heater_plug"];
  const documents = devices.map((device) => `homeassistant/device/${device}/config`);
  const topics = ["elbro/home/price", "elbro/home/plan/sauna/state", "elbro/plug/heater_plug/state", ...documents];
  const isWhole = () => topics.every((topic) => watcher.payload(topic) !== null);
  await watcher.until(isWhole, "home, plan, plug and daemon, each with its document");
  await daemon.end("SIGTERM");
}

describe.skipIf(lacks("Mosquitto"))("elbro forget with Mosquitto (skipped if it is not installed)", () => {
  test("elbro forget with Mosquitto clears every topic and device of elbro and no other topic; a start publishes them again", async () => {
    await using broker = await Mosquitto.start({ persistence: true });
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`);
    for (const [topic, payload] of Object.entries(OTHERS))
      await client.publishAsync(topic, payload, { retain: true, qos: 1 });
    await client.endAsync();
    const config = { mqtt: { url: `mqtt://127.0.0.1:${broker.port}` }, ...HOUSE };
    await using installed = await TestDaemon.install({ config, simulator: { homes: ["danish"] } });
    await using watcher = await TopicWatcher.on(broker.port);
    await runOnce(installed, watcher);
    const before = Object.keys(await retainedIn(broker.port));
    expect(before.length).toBeGreaterThan(20);

    const start = watcher.seen.length;
    const { code, output } = await installed.run("forget");
    expect([code, await retainedIn(broker.port)]).toEqual([0, OTHERS]);
    // The daemon publishes until its end, so there may be more than were seen before.
    const [, count] = /cleared (\d+) topics at mqtt:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
    expect(Number(count)).toBeGreaterThanOrEqual(before.length - 4);
    expect(output).toContain(installed.dataDir);
    expect(output).toContain(installed.configFile);
    expect(output).toContain("plug Heater plug PulseTime and PowerOnState");
    // Documents are cleared first, so that Home Assistant has no template for a cleared state.
    const clearedTopics = () =>
      watcher.seen.slice(start).flatMap(({ topic, payload }) => (payload === "" ? [topic] : []));
    await watcher.until(() => clearedTopics().length >= before.length - 4, "the cleared topics");
    const cleared = clearedTopics();
    const documents = cleared.filter((topic) => topic.endsWith("/config"));
    expect(documents.length).toBeGreaterThanOrEqual(4);
    expect(cleared.slice(0, documents.length)).toEqual(documents);
    expect(existsSync(databasePathIn(installed.dataDir))).toBe(true);
    expect((await installed.run("forget")).output).toContain("nothing of elbro is left");

    await runOnce(installed, watcher);
    expect(Object.keys(await retainedIn(broker.port))).toEqual(expect.arrayContaining(before));
  });

  test("elbro forget with Mosquitto is rejected while elbro runs", async () => {
    await using broker = await Mosquitto.start();
    const config = { mqtt: { url: `mqtt://127.0.0.1:${broker.port}` } };
    await using installed = await TestDaemon.install({ config, simulator: { homes: ["danish"] } });
    await using _daemon = await installed.launch();
    const { code, output } = await installed.run("forget");
    expect([code, output]).toEqual([78, expect.stringContaining("stop elbro first")]);
    expect(await retainedIn(broker.port)).toMatchObject({ "elbro/status": "online" });
  });

  test("elbro forget with Mosquitto reports an unreachable broker with exit code 1, and clears the topics at the next call", async () => {
    await using broker = await Mosquitto.start({ persistence: true });
    const config = { mqtt: { url: `mqtt://127.0.0.1:${broker.port}` }, ...HOUSE };
    await using installed = await TestDaemon.install({ config, simulator: { homes: ["danish"] } });
    await using watcher = await TopicWatcher.on(broker.port);
    await runOnce(installed, watcher);
    await broker.down();
    const { code, output } = await installed.run("forget");
    expect([code, output]).toEqual([1, expect.stringMatching(/cleared 0 topics .* \d+ are left: .*Try again/)]);
    await broker.up();
    expect((await installed.run("forget")).code).toBe(0);
    expect(await retainedIn(broker.port)).toEqual({});
  });

  test("elbro forget with Mosquitto does not clear topics that another shard publishes", async () => {
    await using broker = await Mosquitto.start();
    const memory = new TestMemory();
    const published = new RetainedPublisher(memory, []);
    const port = new RetainingPort();
    published.attach(port);
    published.show(["elbro/home/price", "elbro/moved/price"].map((topic) => ({ topic, payload: "1" })));
    port.answer();
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`);
    for (const { topic, payload } of port.sent) await client.publishAsync(topic, payload, { retain: true, qos: 1 });
    await client.endAsync();
    const result = await clearPublished({
      ...{ memory, clientId: "elbro_forget", birthTopic: null, withinMs: 10_000 },
      open: (signal) => openBrokerStream({ url: `mqtt://127.0.0.1:${broker.port}` }, signal),
      isOthers: (topic) => topic.startsWith("elbro/moved/"),
    });
    expect(result).toEqual({ cleared: 1, left: 0, reason: null });
    expect(await retainedIn(broker.port)).toEqual({ "elbro/moved/price": "1" });
  });
});

test("with the embedded broker, forget waits for Home Assistant and publishes the removal of its devices", async () => {
  const port = await freePort();
  const config = { broker: { host: "127.0.0.1", port, users: USERS }, ...HOUSE };
  await using installed = await TestDaemon.install({ config, simulator: { homes: ["danish"] } });
  const login = { username: "homeassistant", password: "a-long-password" };
  await using daemon = await installed.launch();
  await using watcher = await TopicWatcher.on(port, login);
  const documentsIn = () => watcher.topics().filter((topic) => /^homeassistant\/device\/.*\/config$/.test(topic));
  await watcher.until(() => documentsIn().length >= 4, "the devices of home, plan, plug and daemon");
  const documents = documentsIn();
  await daemon.end("SIGTERM");

  await using command = installed.spawn(["forget"]);
  await command.line(/waiting for Home Assistant/);
  // Longer than the command waits for the broker's retained documents. Without Home Assistant it sends nothing.
  expect(await Promise.race([command.exit, pause(3_000, "still waiting")])).toBe("still waiting");
  // Like Home Assistant: subscribes again after the loss of the connection, then announces itself.
  await using homeAssistant = await TopicWatcher.on(port, login);
  await homeAssistant.publish("homeassistant/status", "online");
  expect(await command.exit).toBe(0);
  const sent = homeAssistant.seen.filter(({ topic }) => documents.includes(topic));
  expect(sent.map(({ topic }) => topic).sort()).toEqual(documents);
  for (const { payload } of sent) {
    const { components } = JSON.parse(payload) as { components: Record<string, object> };
    expect(Object.values(components).every((component) => Object.keys(component).join() === "platform")).toBe(true);
  }
});

test("without a database, forget creates no file and still prints the list", async () => {
  await using installed = await TestDaemon.install();
  const { code, output } = await installed.run("forget");
  expect([code, output]).toEqual([1, expect.stringContaining("no database in")]);
  expect(output).toContain("Remove the rest yourself:");
  expect(existsSync(installed.dataDir) ? readdirSync(installed.dataDir) : []).toEqual([]);
});
