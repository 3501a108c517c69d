import mqtt from "mqtt";
import { describe, expect, test } from "vitest";
import { type Config, configSchema } from "../../../src/config/schema/schema.ts";
import { Mosquitto } from "../../support/broker/mosquitto.ts";
import { retainedIn } from "../../support/broker/retained.ts";
import { TestMqttClient } from "../../support/broker/test-mqtt-client.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { FAMILIES } from "../../support/plugs/firmware-emulators.ts";
import { MqttPlug } from "../../support/plugs/mqtt-plug.ts";
import { lacks } from "../../support/runner/needs.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOON = Date.UTC(2026, 2, 10, 11);

/** Returns configured plugs for emulated ones, all with the same signal. */
function plugsOf(families: readonly (typeof FAMILIES)[number][], follows: object): Config["plugs"] {
  const plugs = families.map((family) => {
    const { setup } = new MqttPlug(family, { now: () => 0 }).firmware;
    return { name: family, ...setup, ...follows };
  });
  return configSchema.parse({ plugs }).plugs;
}

async function daemonWith(plugs: Config["plugs"]): Promise<TestDaemon> {
  return TestDaemon.start({ start: NOON, config: { plugs } });
}

/** Waits until all messages so far are delivered: a broker keeps their order. */
async function quiet(daemon: TestDaemon): Promise<void> {
  for (let i = 0; i < 3; i++) await retainedIn(portOf(daemon));
}

function portOf(daemon: TestDaemon): number {
  return daemon.brokerPort;
}

test("a plug of every family follows the cheap signal of a home for a day and a night", async () => {
  await using daemon = await daemonWith(plugsOf(FAMILIES, { home: "home", signal: "cheap" }));
  const played = FAMILIES.map((family) => new MqttPlug(family, { now: () => daemon.clock.now(), on: true }));
  for (const plug of played) await plug.connect(portOf(daemon));
  const cheap = () => daemon.watcher.topics().find((topic) => topic.endsWith("/cheap")) ?? "";
  await daemon.watcher.until(() => cheap() !== "", "the signal");
  const seen: string[] = [];
  for (let hour = 0; hour < 24; hour++) {
    await daemon.clock.runUntil(NOON + hour * HOUR_MS + MINUTE_MS);
    const wanted = daemon.watcher.payload(cheap()) === "ON";
    seen.push(wanted ? "#" : ".");
    await expect.poll(() => played.map(({ device }) => device.on)).toEqual(played.map(() => wanted));
    for (const plug of played) plug.tick();
  }
  expect(seen.join("")).toMatch(/#/);
  expect(seen.join("")).toMatch(/\./);
  const state = daemon.watcher.json("elbro/plug/tasmota/state");
  expect(state).toMatchObject({ on: seen.at(-1) === "#", wanted: seen.at(-1) === "#", available: true });
  const commands = played.flatMap(({ firmware }) => firmware.listens);
  const kept = Object.keys(await retainedIn(portOf(daemon)));
  expect(kept.filter((topic) => commands.includes(topic))).toEqual([]);
  for (const plug of played) {
    expect(plug.got.some(({ retained }) => retained)).toBe(false);
    await plug[Symbol.asyncDispose]();
  }
});

describe("a signal topic of the owner", () => {
  const SIGNAL = "house/boost";

  test("a signal topic of the owner switches a plug; every payload except ON is OFF", async () => {
    await using daemon = await daemonWith(plugsOf(["tasmota"], { signal_topic: SIGNAL }));
    await using plug = new MqttPlug("tasmota", { now: () => daemon.clock.now(), on: true });
    await plug.connect(portOf(daemon));
    await daemon.clock.runUntil(NOON + 3_000);
    await expect.poll(() => plug.device.on).toBe(false);
    await daemon.watcher.publish(SIGNAL, "ON");
    await expect.poll(() => plug.device.on).toBe(true);
    await daemon.watcher.until(() => daemon.watcher.json("elbro/plug/tasmota/state").on === true, "the state");
    expect(daemon.watcher.json("elbro/plug/tasmota/state")).toMatchObject({
      wanted: true,
      reason: "house/boost is ON",
      reason_code: "wanted_on",
    });
    await daemon.watcher.publish(SIGNAL, "maybe");
    await expect.poll(() => plug.device.on).toBe(false);
  });

  test("a signal topic of the owner is overridden manually until its next message", async () => {
    await using daemon = await daemonWith(plugsOf(["shelly_gen2"], { signal_topic: SIGNAL }));
    await using plug = new MqttPlug("shelly_gen2", { now: () => daemon.clock.now() });
    await plug.connect(portOf(daemon));
    await daemon.watcher.publish(SIGNAL, "OFF");
    const reason = () => daemon.watcher.json("elbro/plug/shelly_gen2/state").reason_code;
    await daemon.watcher.until(() => reason() === "wanted_off", "at rest");
    await daemon.clock.runUntil(NOON + MINUTE_MS);
    await quiet(daemon);
    plug.press();
    await daemon.watcher.until(() => reason() === "switched_on_by_hand", "the hand");
    await daemon.clock.runUntil(NOON + 40 * MINUTE_MS);
    expect(plug.device.on).toBe(true);
    await daemon.watcher.publish(SIGNAL, "ON");
    await expect.poll(() => plug.device.timerAt).toBeGreaterThan(0);
    await daemon.watcher.publish(SIGNAL, "OFF");
    await expect.poll(() => plug.device.on).toBe(false);
  });
});

test("a plug that does not respond is a problem until it does", async () => {
  await using daemon = await daemonWith(plugsOf(["zigbee2mqtt"], { signal_topic: "house/boost" }));
  await daemon.clock.runUntil(NOON + MINUTE_MS);
  const problems = () => JSON.stringify(daemon.watcher.json("elbro/problems").problems ?? []);
  await daemon.watcher.until(() => problems().includes("plug_silent"), "the problem");
  expect(problems()).toContain("the plug zigbee2mqtt does not answer; check that it has power and network");
  await using plug = new MqttPlug("zigbee2mqtt", { now: () => daemon.clock.now(), on: true });
  await plug.connect(portOf(daemon));
  await daemon.watcher.until(() => !problems().includes("plug_silent"), "the end of the problem");
  expect(plug.device.on).toBe(false);
});

test("a plug for an unknown home is a problem, and OFF", async () => {
  await using daemon = await daemonWith(plugsOf(["tasmota"], { home: "hoem", signal: "cheap" }));
  await using plug = new MqttPlug("tasmota", { now: () => daemon.clock.now(), on: true });
  await plug.connect(portOf(daemon));
  await daemon.clock.runUntil(NOON + MINUTE_MS);
  const problems = () => JSON.stringify(daemon.watcher.json("elbro/problems").problems ?? []);
  await daemon.watcher.until(() => problems().includes("unknown_home"), "the problem");
  expect(problems()).toMatch(/set home of the plug tasmota to one of [\w, -]+; its signal is OFF until then/);
  await expect.poll(() => plug.device.on).toBe(false);
});

test("a plug that boots ON gets OFF, also with a retained ON of another client", async () => {
  await using daemon = await daemonWith(plugsOf(["tasmota"], { signal_topic: "house/boost" }));
  await using plug = new MqttPlug("tasmota", { now: () => daemon.clock.now(), powerOn: "on" });
  await plug.connect(portOf(daemon));
  await daemon.clock.runUntil(NOON + 3_000);
  await plug.leaveForeignCommand(portOf(daemon));
  // A report ten seconds later would count as a manual change.
  await quiet(daemon);
  await daemon.clock.runUntil(NOON + 6_000);
  await expect.poll(() => plug.device.on).toBe(false);
  await daemon.clock.runUntil(NOON + MINUTE_MS);
  plug.losePower();
  await daemon.watcher.until(() => daemon.watcher.json("elbro/plug/tasmota/state").available === false, "it is away");
  await plug.getPower(portOf(daemon));
  expect(plug.device.on).toBe(true);
  await daemon.clock.runUntil(NOON + MINUTE_MS + 5_000);
  await expect.poll(() => plug.device.on).toBe(false);
});

test("at shutdown plugs without a timer get OFF; others are left to their timer", async () => {
  await using daemon = await daemonWith(plugsOf(["tasmota", "esphome"], { signal_topic: "house/boost" }));
  await using timed = new MqttPlug("tasmota", { now: () => daemon.clock.now() });
  await using untimed = new MqttPlug("esphome", { now: () => daemon.clock.now() });
  for (const plug of [timed, untimed]) await plug.connect(portOf(daemon));
  await daemon.watcher.publish("house/boost", "ON");
  await expect.poll(() => [timed.device.on, untimed.device.on]).toEqual([true, true]);
  await daemon.stop();
  expect([timed.device.on, untimed.device.on]).toEqual([true, false]);
  expect(timed.device.timerAt).toBeLessThanOrEqual(NOON + 18 * MINUTE_MS);
});

test("the energy of a plug today begins at local midnight, that of the month on its first day", async () => {
  const MIDNIGHT = Date.parse("2026-03-10T23:00:00Z");
  await using daemon = await daemonWith(plugsOf(["tasmota"], { signal_topic: "house/boost" }));
  await using plug = new MqttPlug("tasmota", { now: () => daemon.clock.now(), on: true });
  await plug.connect(portOf(daemon));
  const topic = plug.firmware.listens[0]?.replace(/^cmnd/, "tele").replace(/[^/]+$/, "SENSOR") ?? "";
  const readings = [
    { at: MIDNIGHT - HOUR_MS, Total: 10, Power: 1_000 },
    { at: MIDNIGHT, Total: 11, Power: 800 },
    { at: MIDNIGHT + HOUR_MS, Total: 11.8, Power: 500 },
  ];
  for (const { at, ...ENERGY } of readings) {
    await daemon.clock.runUntil(at);
    await daemon.watcher.publish(topic, JSON.stringify({ ENERGY }));
    await quiet(daemon);
    await daemon.clock.runUntil(at + MINUTE_MS);
    const watts = () => daemon.watcher.json("elbro/plug/tasmota/state").watts;
    await daemon.watcher.until(() => watts() === ENERGY.Power, `${ENERGY.Power} W`);
  }
  await daemon.clock.runUntil(MIDNIGHT + 2 * HOUR_MS);
  const { plugs } = (await (await daemon.request("/local/v1/plugs")).json()) as { readonly plugs: unknown };
  expect(plugs).toMatchObject([{ today_kwh: expect.closeTo(0.8, 2), month: { kwh: expect.closeTo(1.8, 2) } }]);
});

describe.skipIf(lacks("Mosquitto"))("with Mosquitto (skipped if it is not installed)", () => {
  test("a command has QoS 1, is not retained, and expires after 10 s; it is not sent without a broker", async () => {
    await using broker = await Mosquitto.start();
    await using link = new TestMqttClient({ to: broker.port });
    expect(link.publishOnce("plug/set", "ON")).toBe(false);
    await link.up();
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, { protocolVersion: 5 });
    await client.subscribeAsync("plug/#", { qos: 1 });
    const packet = new Promise<{ qos: number; retain: boolean; properties?: { messageExpiryInterval?: number } }>(
      (resolve) => client.on("message", (_topic, _payload, packet) => resolve(packet)),
    );
    expect(link.publishOnce("plug/set", "ON")).toBe(true);
    expect(await packet).toMatchObject({ qos: 1, retain: false, properties: { messageExpiryInterval: 10 } });
    expect(await retainedIn(broker.port)).not.toHaveProperty("plug/set");
    await client.endAsync();
  });

  test("a hundred simultaneous commands arrive in order while the state is being published", async () => {
    await using broker = await Mosquitto.start();
    await using link = new TestMqttClient({ to: broker.port });
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, { protocolVersion: 4 });
    const got: string[] = [];
    client.on("message", (_topic, payload) => got.push(payload.toString()));
    await client.subscribeAsync("plug/#", { qos: 1 });
    await link.up();
    link.showStates(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`elbro/state/${i}`, String(i)])));
    const sent = Array.from({ length: 100 }, (_, i) => String(i));
    for (const payload of sent) link.publishOnce("plug/set", payload);
    await expect.poll(() => got).toEqual(sent);
    expect(link.reasons()).toEqual([]);
    await client.endAsync();
  });
});
