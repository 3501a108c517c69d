import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { configSchema } from "../../src/config/schema.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { openDatabase } from "../../src/store/database.ts";
import { ConfiguredHouse } from "../support/configured-house.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { TempDir } from "../support/temp-dir.ts";
import { LAN_KEY, TestDaemon } from "../support/test-daemon.ts";

const START = Date.parse("2025-11-21T10:00:00Z");
const car = { name: "Car", home: "home", kind: "slots", hours: 2 };

describe("a configuration read again in a running house", () => {
  test("plans come, change and go, and their topics with them", async () => {
    await using house = await TestDaemon.start({ start: START });
    const { watcher, daemon } = house;
    const basics = {
      service: { base_url: house.simulator.url },
      consumer: { api_key: house.simulator.keys.consumerKey },
      broker: { host: "127.0.0.1", port: 0 },
      api: { host: "127.0.0.1", port: 0, keys: [{ name: "test", key: LAN_KEY }] },
      data_dir: house.dir.path,
    };
    await watcher.until(() => watcher.payload("elbro/home/price") !== null, "a price");
    expect(watcher.payload("elbro/home/plan/car")).toBeNull();

    await daemon.reload(async () => configSchema.parse({ ...basics, plans: [car] }));
    await watcher.until(() => watcher.payload("elbro/home/plan/car") !== null, "the plan");
    const hours = () =>
      (watcher.json("elbro/home/plan/car/state").settings as { hours: { value: number } }).hours.value;
    expect(hours()).toBe(2);

    await daemon.reload(async () => configSchema.parse({ ...basics, plans: [{ ...car, hours: 3 }] }));
    await watcher.until(() => hours() === 3, "other hours");

    await daemon.reload(async () => configSchema.parse({ ...basics, plans: [] }));
    await watcher.until(() => watcher.payload("elbro/home/plan/car") === null, "the end of the plan");
    await watcher.until(() => watcher.payload("elbro/home/plan/car/state") === null, "the end of its state");
  });

  test("a running plan goes on where it stands", async () => {
    const plans = configSchema.parse({ plans: [{ ...car, kind: "below", hours: undefined, percent: 100 }] }).plans;
    await using house = await TestDaemon.start({ start: START, config: { plans } });
    const { watcher, daemon } = house;
    await watcher.until(() => watcher.payload("elbro/home/plan/car") === "ON", "ON");
    const since = watcher.json("elbro/home/plan/car/state");
    await daemon.reload(async () =>
      configSchema.parse({
        service: { base_url: house.simulator.url },
        consumer: { api_key: house.simulator.keys.consumerKey },
        broker: { host: "127.0.0.1", port: 0 },
        api: { host: "127.0.0.1", port: 0, keys: [{ name: "test", key: LAN_KEY }] },
        data_dir: house.dir.path,
        plans: [...plans, { ...car, name: "Heater" }],
      }),
    );
    await watcher.until(() => watcher.payload("elbro/home/plan/heater") !== null, "the other plan");
    expect(watcher.payload("elbro/home/plan/car")).toBe("ON");
    expect(watcher.json("elbro/home/plan/car/state").next_end).toBe(since.next_end);
  });
});

describe("SIGHUP", () => {
  test("takes other keys and another log level, names what has to wait, and refuses a bad file", async () => {
    const simulator = await startSimulator({ now: Date.now });
    using dir = new TempDir();
    const file = dir.file("elbro.yaml");
    const text = (more: string) => `service: { base_url: "${simulator.url}" }
consumer: { api_key: "${simulator.keys.consumerKey}" }
broker: { host: 127.0.0.1, port: 0, users: [{ name: a, password: b }] }
data_dir: "${dir.file("data")}"
${more}`;
    writeFileSync(file, text("api: { host: 127.0.0.1, port: 0, keys: [{ name: a, key: first-key }] }\n"));
    await using daemon = new DaemonProcess(["--config", file], {});
    const { port } = JSON.parse(await daemon.line(/API listens/));
    const statusWith = async (key: string) =>
      (
        await fetch(`http://127.0.0.1:${port}/consumer/v1/me/addresses`, {
          headers: { authorization: `Bearer ${key}` },
        })
      ).status;
    expect(await statusWith("first-key")).toBe(200);

    writeFileSync(
      file,
      text(
        "api: { host: 127.0.0.1, port: 1, keys: [{ name: a, key: second-key }], cors: [https://panel.example] }\nlog: { level: debug }\n",
      ),
    );
    daemon.signal("SIGHUP");
    await daemon.line(/api\.port changed: restart to use it/);
    expect(daemon.output).toContain('"changed":["api.keys","api.cors","log.level"]');
    expect(await statusWith("first-key")).toBe(401);
    expect(await statusWith("second-key")).toBe(200);
    const asked = await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { origin: "https://panel.example" } });
    expect(asked.headers.get("access-control-allow-origin")).toBe("https://panel.example");

    writeFileSync(file, "api: { port: eighty, hots: x }\n");
    daemon.signal("SIGHUP");
    await daemon.line(/problem: the configuration cannot be used/);
    expect(daemon.output).toContain("api.hots: is not a key of the configuration");
    expect(await statusWith("second-key")).toBe(200);
    expect(daemon.output).not.toContain("second-key");
    expect((await daemon.end("SIGTERM")).code).toBe(0);
    await simulator.close();
  });

  test("before the daemon is up is obeyed once it is", async () => {
    await using house = await ConfiguredHouse.start();
    mkdirSync(house.dir.file("data"));
    const held = openDatabase(house.dir.file("data/elbro.db"));
    await using daemon = new DaemonProcess(["--config", house.config], {});
    await daemon.line(/waits for the data directory/);
    daemon.signal("SIGHUP");
    held.close();
    await daemon.line(/configuration read again: nothing has changed/);
    expect((await daemon.end("SIGTERM")).code).toBe(0);
  });

  test("after which SIGTERM ends a daemon that never comes up, with 0 and in two seconds", async () => {
    await using house = await ConfiguredHouse.start();
    mkdirSync(house.dir.file("data"));
    using _held = openDatabase(house.dir.file("data/elbro.db"));
    await using daemon = new DaemonProcess(["--config", house.config], {});
    await daemon.line(/waits for the data directory/);
    daemon.signal("SIGHUP");
    const { code, tookMs } = await daemon.end("SIGTERM");
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(2_500);
  });
});
