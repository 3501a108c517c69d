import { test } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { startEmbeddedBroker } from "../../../src/mqtt/broker/embedded-broker.ts";
import { TopicWatcher } from "../../support/broker/topic-watcher.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { MqttPlug } from "../../support/plugs/mqtt-plug.ts";

const START = Date.parse("2026-03-10T17:00:00Z");
const SPEED = 200;
/** A quarter hour plus the margin of the dead-man timer. */
const DEAD_MAN_MS = 17.5 * MINUTE_MS;
/** Maximum delay of the device's clock in this test, which is read a few times per second. */
const SLACK_MS = 2 * MINUTE_MS;
const STATE = "elbro/home/plan/washer/state";

test.concurrent("a plug of a killed daemon switches off by its timer; after a restart the run continues", async ({
  expect,
}) => {
  const began = performance.now();
  const now = () => START + (performance.now() - began) * SPEED;
  const broker = await startEmbeddedBroker({
    host: "127.0.0.1",
    port: 0,
    users: [],
    anonymous: true,
    baseTopic: "nobody",
    discoveryPrefix: "nobody",
    onRefused: () => undefined,
    onConnectionRefused: () => undefined,
  });
  await using installed = await TestDaemon.install({
    simulator: { now, homes: ["danish"], publicationDelayMinutes: () => 0 },
    config: {
      mqtt: { url: `mqtt://127.0.0.1:${broker.port}` },
      plans: [{ name: "Washer", home: "home", kind: "window", hours: 3, from: "12:00", ready_by: "12:00" }],
      plugs: [{ name: "Washer", family: "tasmota", topic: "heater", plan: "washer" }],
    },
  });
  const startDaemon = () =>
    installed.spawn(["--clock", new Date(now()).toISOString().slice(0, 19).concat("Z"), "--speed", String(SPEED)]);
  await using watcher = await TopicWatcher.on(broker.port);
  await using plug = new MqttPlug("tasmota", { now, on: true });
  await plug.connect(broker.port);
  const ticking = setInterval(() => plug.tick(), 50);
  const until = (holds: () => boolean) => expect.poll(holds).toBe(true);
  try {
    await using first = startDaemon();
    await watcher.until(() => watcher.json(STATE).state === "scheduled", "the plan");
    await until(() => !plug.device.on);
    await watcher.publish("elbro/home/plan/washer/run_now/set", "PRESS");
    await until(() => plug.device.on);
    await watcher.until(() => watcher.json(STATE).state === "running", "the manual run");
    const end = Date.parse(String(watcher.json(STATE).next_end));
    const firstTimer = plug.device.timerAt ?? 0;
    await until(() => (plug.device.timerAt ?? 0) > firstTimer + SLACK_MS);
    await first.end("SIGKILL");
    const killedAt = now();
    expect(plug.device.on).toBe(true);
    expect(plug.device.timerAt).toBeLessThanOrEqual(killedAt + DEAD_MAN_MS + SLACK_MS);
    await until(() => !plug.device.on);
    expect(plug.device.cause).toBe("timer");

    await using second = startDaemon();
    await until(() => plug.device.on);
    // The retained state of the first process is also "running" with one run.
    const runsOf = () => watcher.json(STATE).runs as { start: string; end: string }[];
    await watcher.until(() => watcher.json(STATE).state === "running" && runsOf().length === 2, "the run again");
    const runs = runsOf();
    expect(Date.parse(runs[0]?.end ?? "")).toBeLessThanOrEqual(killedAt + DEAD_MAN_MS + SLACK_MS);
    expect(Date.parse(runs[1]?.end ?? "")).toBe(end);
    expect(end - START).toBeLessThan(4 * HOUR_MS);
    await second.end("SIGTERM");
  } finally {
    clearInterval(ticking);
    await broker.close();
  }
});
