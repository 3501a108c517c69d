import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Mosquitto } from "../../support/broker/mosquitto.ts";
import { retainedIn } from "../../support/broker/retained.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { lacks } from "../../support/runner/needs.ts";

const NOON = Date.UTC(2026, 2, 10, 11);
const MAIN = path.resolve(import.meta.dirname, "../../../src/main.ts");

test("a refresh over MQTT gets a response; a command for an unknown plan is rejected with a reason", async () => {
  await using daemon = await TestDaemon.start({ start: NOON });
  await daemon.watcher.publish("elbro/command/refresh", "");
  await daemon.watcher.until(() => daemon.watcher.payload("elbro/response") !== null, "the answer");
  expect(daemon.watcher.json("elbro/response")).toEqual({ topic: "elbro/command/refresh", ok: true, reason: null });
  await daemon.watcher.publish("elbro/home/plan/washer/hours/set", "3");
  await daemon.watcher.until(() => daemon.watcher.json("elbro/response").ok === false, "the refusal");
  expect(daemon.watcher.json("elbro/response").reason).toContain("washer");
  expect(daemon.log.some(({ level, text }) => level === "warn" && text === "command refused")).toBe(true);
  await daemon.watcher.until(() => !!daemon.watcher.json("elbro/state").refused_command, "the entity");
  const { reason } = daemon.watcher.json("elbro/response");
  const at = daemon.watcher.json("elbro/state").refused_command;
  expect(daemon.watcher.json("elbro/refused_command")).toEqual({
    command: "elbro/home/plan/washer/hours/set",
    reason,
    at,
  });
  expect(Date.parse(String(at))).toBeGreaterThanOrEqual(NOON);
});

test("without users the embedded broker logs that no client can log in, and listens on loopback only", async () => {
  await using daemon = await TestDaemon.start({
    start: NOON,
    config: { broker: { host: "0.0.0.0", port: 0 } },
    brokerAccess: "users",
  });
  const lines = daemon.log.map(({ text }) => text);
  expect(lines.join("\n")).toContain(
    "the embedded broker has no users, so nothing can connect: set broker.users, or mqtt.url",
  );
});

test("elbro hash-password prints a hash for the configuration", () => {
  const { stdout, status } = spawnSync(process.execPath, [MAIN, "hash-password"], {
    input: "hidden\n",
    encoding: "utf8",
  });
  expect([stdout, status]).toEqual([expect.stringMatching(/^\$scrypt\$ln=14,r=8,p=5\$[^$]+\$[^$]+\n$/), 0]);
  expect(stdout).not.toContain("hidden");
});

describe.skipIf(lacks("Mosquitto"))("the daemon with Mosquitto (skipped if it is not installed)", () => {
  test("the daemon with Mosquitto clears all topics of renamed or removed homes; offline stays retained after a stop", async () => {
    const login = { username: "elbro", password: "open sesame" };
    await using broker = await Mosquitto.start({ users: { [login.username]: login.password } });
    const retained = () => retainedIn(broker.port, login);
    const url = `mqtt://127.0.0.1:${broker.port}`;
    const mqtt = { url, ...login, base_topic: "elbro", discovery_prefix: "homeassistant" };
    await using daemon = await TestDaemon.start({ start: NOON, config: { mqtt } });
    const pricesOf = async () => Object.keys(await retained()).filter((topic) => topic.endsWith("/prices"));
    await daemon.clock.settle();
    await expect.poll(pricesOf).not.toEqual([]);
    const [address_id = ""] = Object.values(daemon.simulator.addressIds);
    await daemon.stop();
    expect(await retained()).toHaveProperty(["elbro/status"], "offline");
    await daemon.restart({ mqtt, homes: [{ address_id, id: "renamed", resolution: "hour" }] });
    await expect.poll(pricesOf).toEqual(["elbro/renamed/prices"]);
    const devices = Object.keys(await retained()).filter((topic) => topic.startsWith("homeassistant/"));
    expect(devices.sort()).toEqual(["homeassistant/device/elbro/config", "homeassistant/device/elbro_renamed/config"]);
    const homes = new Set(Object.keys(await retained()).flatMap((topic) => /^elbro\/([^/]+)\//.exec(topic)?.[1] ?? []));
    expect([...homes]).toEqual(["renamed"]);
  });
});
