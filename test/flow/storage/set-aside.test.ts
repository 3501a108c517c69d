import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { MINUTE_MS } from "../../../src/core/time/interval.ts";
import { startEmbeddedBroker } from "../../../src/mqtt/broker/embedded-broker.ts";
import { freePort } from "../../support/broker/mosquitto.ts";
import { TopicWatcher } from "../../support/broker/topic-watcher.ts";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { MqttPlug } from "../../support/plugs/mqtt-plug.ts";

const START = Date.parse("2026-03-10T17:00:00Z");
const STATE = "elbro/home/plan/washer/state";
const DEVICES = JSON.stringify([
  {
    type: "Router",
    friendly_name: "lamp",
    definition: {
      description: "A plug. ".repeat(50),
      exposes: [{ type: "switch", features: [{ property: "state" }] }],
    },
  },
]);

test("a daemon that is killed twice after its start sets aside what came last, switches plugs, and puts it back; a regular end is none of the two", async () => {
  let offset = 0;
  const began = performance.now();
  const now = () => START + offset + (performance.now() - began);
  const broker = await startEmbeddedBroker({
    ...{ host: "127.0.0.1", port: 0, users: [], anonymous: true, baseTopic: "nobody", discoveryPrefix: "nobody" },
    onRefused: () => undefined,
    onConnectionRefused: () => undefined,
  });
  const port = await freePort();
  await using installed = await TestDaemon.install({
    simulator: { now, homes: ["danish"], publicationDelayMinutes: () => 0 },
    config: {
      api: { host: "127.0.0.1", port, keys: [{ name: "test", key: LAN_KEY, scopes: ["control", "admin"] }] },
      mqtt: { url: `mqtt://127.0.0.1:${broker.port}` },
      plans: [{ name: "Washer", home: "home", kind: "window", hours: 3, from: "12:00", ready_by: "12:00" }],
      plugs: [{ name: "Washer", family: "tasmota", topic: "heater", plan: "washer" }],
    },
  });
  const ask = (method: string, path: string, body: Uint8Array | object = {}) =>
    fetch(`http://127.0.0.1:${port}/local/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${LAN_KEY}`,
        "content-type": body instanceof Uint8Array ? "application/octet-stream" : "application/json",
      },
      ...(method === "GET" ? {} : { body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
    });
  const start = async () => {
    offset += MINUTE_MS;
    const daemon = installed.spawn(["--clock", new Date(now()).toISOString().slice(0, 19).concat("Z"), "--speed", "1"]);
    await daemon.line(/broker connected/);
    await daemon.line(/API listens/);
    return daemon;
  };
  const announced = async () => JSON.stringify(await (await ask("POST", "announced-plugs")).json());
  const codes = () => {
    const { problems = [] } = watcher.json("elbro/info") as { problems?: { code: string }[] };
    return problems.map(({ code }) => code);
  };
  const uploaded = () => readdirSync(installed.dataDir).filter((name) => /^elbro\.db\.uploaded-[^.]*Z$/.test(name));
  await using watcher = await TopicWatcher.on(broker.port);
  await using plug = new MqttPlug("tasmota", { now, on: false });
  await plug.connect(broker.port);
  const ticking = setInterval(() => plug.tick(), 50);
  try {
    await using first = await start();
    await watcher.until(() => watcher.json(STATE).state !== undefined, "the plan");
    await watcher.publish("zigbee2mqtt/bridge/devices", DEVICES, { retain: true });
    expect(await announced()).toContain("lamp");
    const copy = new Uint8Array(await (await ask("GET", "backup")).arrayBuffer());
    expect((await ask("POST", "backup", copy)).status).toBe(202);
    await first.end("SIGKILL");

    await using second = await start();
    expect(second.output).toContain("database replaced by the uploaded copy");
    const dryer = { name: "Dryer", home: "home", kind: "window", hours: 1, from: "12:00", ready_by: "12:00" };
    expect((await ask("POST", "plans", dryer)).status).toBe(201);
    await second.end("SIGKILL");
    expect(uploaded()).toEqual([]);

    await using third = await start();
    await watcher.until(() => codes().includes("set_aside"), "the problem");
    expect(uploaded()).toHaveLength(1);
    expect((await ask("GET", "plans/dryer")).status).toBe(404);
    expect(await announced()).not.toContain("lamp");
    await watcher.publish("elbro/home/plan/washer/run_now/set", "PRESS");
    await expect.poll(() => plug.device.on).toBe(true);

    expect(await (await ask("POST", "set-aside/release")).json()).toEqual({ restart: true });
    await third.line(/database replaced by the uploaded copy/);
    await watcher.until(() => !codes().includes("set_aside"), "the end of the problem");
    await expect.poll(async () => (await ask("GET", "plans/dryer").catch(() => null))?.status).toBe(200);
    expect(await announced()).toContain("lamp");
    expect(uploaded()).toEqual([]);
    await third.end("SIGTERM");

    await using fourth = await start();
    await fourth.end("SIGKILL");
    await using fifth = await start();
    expect((await ask("GET", "plans/dryer")).status).toBe(200);
    await fifth.end("SIGTERM");
  } finally {
    clearInterval(ticking);
    await broker.close();
  }
});
