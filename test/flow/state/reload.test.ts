import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { keys as configKeys, restartKeysOf } from "../../../src/config/config-change.ts";
import { demoHomes, homeOfAccount } from "../../../src/simulator/homes.ts";
import { startSimulator } from "../../../src/simulator/simulator.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import { compareRequests } from "../../support/daemon/request-oracle.ts";
import { type ConfigInput, LAN_KEY } from "../../support/daemon/test-config.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";

const START = Date.parse("2025-11-21T10:00:00Z");
const car = { name: "Car", home: "home", kind: "slots", hours: 2 } as const;

describe("a reload of the configuration", () => {
  test("adds, changes and removes plans with their topics", async () => {
    await using daemon = await TestDaemon.start({ start: START });
    const { watcher } = daemon;
    await watcher.until(() => watcher.payload("elbro/home/price") !== null, "a price");
    expect(watcher.payload("elbro/home/plan/car")).toBeNull();

    await daemon.reload({ plans: [car] });
    await watcher.until(() => watcher.payload("elbro/home/plan/car") !== null, "the plan");
    const hours = () =>
      (watcher.json("elbro/home/plan/car/state").settings as { hours: { value: number } }).hours.value;
    expect(hours()).toBe(2);

    await daemon.reload({ plans: [{ ...car, hours: 3 }] });
    await watcher.until(() => hours() === 3, "other hours");

    await daemon.reload({ plans: [] });
    await watcher.until(() => watcher.payload("elbro/home/plan/car") === null, "the end of the plan");
    await watcher.until(() => watcher.payload("elbro/home/plan/car/state") === null, "the end of its state");
  });

  test("a reload of the configuration continues a running plan in its state", async () => {
    const below = { name: "Car", home: "home", kind: "below", cheap_below: "100%" } as const;
    await using daemon = await TestDaemon.start({ start: START, config: { plans: [below] } });
    const { watcher } = daemon;
    await watcher.until(() => watcher.payload("elbro/home/plan/car") === "ON", "ON");
    const since = watcher.json("elbro/home/plan/car/state");
    await daemon.reload({ plans: [below, { ...below, name: "Heater" }] });
    await watcher.until(() => watcher.payload("elbro/home/plan/heater") !== null, "the other plan");
    expect(watcher.payload("elbro/home/plan/car")).toBe("ON");
    expect(watcher.json("elbro/home/plan/car/state").next_end).toBe(since.next_end);
  });
});

describe("the accounts folder", () => {
  test("the accounts folder is reloaded on SIGHUP and after a change; an invalid file is reported with its line", async () => {
    await using installed = await TestDaemon.install({ simulator: { accounts: 2 } });
    const folder = installed.dir.file("accounts");
    mkdirSync(folder);
    const { consumerKey } = installed.simulator.keys;
    const write = (name: string, key: string, addressId: string) => {
      const account = { api_key: key, homes: [{ address_id: addressId, id: name }] };
      writeFileSync(path.join(folder, `${name}.yaml`), JSON.stringify(account), { mode: 0o600 });
    };
    const danish = demoHomes.danish;
    write("anna", String(consumerKey), danish.address.id);
    installed.configure({ consumer: undefined, third_party: undefined, accounts_dir: folder });
    await using daemon = await installed.launch();

    write("bo", `${consumerKey}-2`, homeOfAccount(danish, 2).address.id);
    await daemon.line(/"consumer","homes".*configuration reloaded/);
    daemon.signal("SIGHUP");
    await daemon.line(/nothing has changed/);

    writeFileSync(path.join(folder, "anna.yaml"), "api_key: hidden-key\nhomes:\n  - { id: anna }\n", { mode: 0o600 });
    await daemon.line(/anna\.yaml: homes\[0\]\.address_id: expected .* \(line 3\)/);
    expect(daemon.output).not.toContain("hidden-key");
    const { output } = await installed.run("addresses");
    expect(output).toContain("anna");
    expect(output).toContain("bo");
    const checked = await installed.run("check");
    expect(checked.code).toBe(78);
    expect(checked.output).toContain("anna.yaml: homes[0].address_id");

    rmSync(path.join(folder, "anna.yaml"));
    await daemon.line(/"code":"account_refused".*problem ended/);
    await expect.poll(async () => (await installed.run("addresses")).output).not.toContain("anna");
    expect((await daemon.end("SIGTERM")).code).toBe(0);
  });
});

describe("SIGHUP with another key or service", () => {
  test("SIGHUP with another key or service uses the new key at once, and check says before that the daemon still uses the old one", async () => {
    await using installed = await TestDaemon.install({ config: { consumer: { api_key: "dead-key" } } });
    await using daemon = await installed.launch();
    await daemon.line(/the service does not know this API key/);
    installed.configure({});
    const before = await installed.run("check", "--online");
    expect(before.output).toContain("the running daemon uses other keys or another service than the configuration");
    expect(before.code).toBe(1);
    const requests = installed.requests;
    daemon.signal("SIGHUP");
    await daemon.line(/"changed":\["consumer.api_key"\].*configuration reloaded/);
    await daemon.line(/"code":"invalid_token".*problem ended/);
    await expect.poll(async () => (await installed.run("check", "--online")).output).not.toMatch(/FAIL|other keys/);
    const later = installed.simulator.answered().slice(requests);
    expect(later.filter(({ status }) => status === 401)).toEqual([]);
    expect((await daemon.end("SIGTERM")).code).toBe(0);
  });

  test("SIGHUP with another key or service starts again with another service, and ends the data of the first", async () => {
    await using installed = await TestDaemon.install();
    await using other = await startSimulator({ now: Date.now, homes: ["swedish"] });
    await using daemon = await installed.launch();
    const { url, keys } = other;
    installed.configure({
      service: { base_url: url },
      consumer: { api_key: keys.consumerKey },
      third_party: undefined,
    });
    daemon.signal("SIGHUP");
    await daemon.line(/service\.base_url has changed; elbro starts again with it/);
    await expect.poll(async () => (await installed.run("check", "--online")).output).toMatch(/1 address;/);
    expect(daemon.exitCode).toBeNull();
    daemon.signal("SIGHUP");
    await daemon.line(/configuration reloaded: nothing has changed/);
    expect((await daemon.end("SIGTERM")).code).toBe(0);
    compareRequests(other, [installed.dataDir]);
  });
});

describe("SIGHUP", () => {
  test("SIGHUP applies keys and log level, names changes that need a restart, and rejects an invalid file", async () => {
    const api = (port: number, key: string) => ({ host: "127.0.0.1", port, keys: [{ name: "a", key }] });
    await using installed = await TestDaemon.install({ config: { api: api(0, "first-key") } });
    await using daemon = installed.spawn();
    const port = await daemon.apiPort();
    const statusWith = async (key: string) =>
      (
        await fetch(`http://127.0.0.1:${port}/consumer/v1/me/addresses`, {
          headers: { authorization: `Bearer ${key}` },
        })
      ).status;
    expect(await statusWith("first-key")).toBe(200);

    installed.configure({ api: { ...api(1, "second-key"), cors: ["https://panel.example"] }, log: { level: "debug" } });
    daemon.signal("SIGHUP");
    await daemon.line(/"changed":\["api\.keys","api\.cors","log\.level"\].*configuration reloaded/);
    expect(daemon.output).toContain("api.port has changed; restart elbro to use it");
    expect(await statusWith("first-key")).toBe(401);
    expect(await statusWith("second-key")).toBe(200);
    const asked = await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { origin: "https://panel.example" } });
    expect(asked.headers.get("access-control-allow-origin")).toBe("https://panel.example");

    writeFileSync(installed.configFile, "api: { port: eighty, hots: x }\n");
    daemon.signal("SIGHUP");
    await daemon.line(/problem: the new configuration has mistakes/);
    expect(daemon.output).toContain("api.hots: is not a key of the configuration");
    expect(await statusWith("second-key")).toBe(200);
    expect(daemon.output).not.toContain("second-key");
    expect((await daemon.end("SIGTERM")).code).toBe(0);
  });

  test.each([
    ["SIGHUP is executed when it is ready", false],
    ["SIGHUP and then SIGTERM end it with exit code 0 within two seconds", true],
  ])("before the daemon is ready, %s", async (_name, isEnded) => {
    await using installed = await TestDaemon.install();
    mkdirSync(installed.dataDir);
    using held = openDatabase(path.join(installed.dataDir, "elbro.db"));
    await using daemon = installed.spawn();
    await daemon.line(/data directory is locked by another elbro process/);
    daemon.signal("SIGHUP");
    if (!isEnded) {
      held.close();
      await daemon.line(/configuration reloaded: nothing has changed/);
    }
    const { code, tookMs } = await daemon.end("SIGTERM");
    expect(code).toBe(0);
    if (isEnded) expect(tookMs).toBeLessThan(2_500);
  });
});

describe("a key that applies at once", () => {
  const keys = [{ name: "test", key: LAN_KEY }];
  const plug = { name: "Plug", family: "tasmota", topic: "first", home: "home", signal: "cheap" };
  /** Two values of every such key. */
  const values: Readonly<Record<string, readonly [unknown, unknown]>> = {
    "log.level": ["debug", "warn"],
    plans: [[car], [{ ...car, home: "nowhere" }]],
    "consumer.name": ["one", "two"],
    "consumer.api_key": ["wrong-key", "other-wrong-key"],
    "third_party.api_key": ["wrong-key", "other-wrong-key"],
    "third_party.api_secret": ["wrong-secret", "other-wrong-secret"],
    "third_party.hash_encoding": ["base64", "hex"],
    groups: [[{ name: "house", limit_kw: 11 }], [{ name: "house", limit_kw: 5 }]],
    plugs: [[plug], [{ ...plug, topic: "second", home: "nowhere" }]],
    homes: [[{ address_id: demoHomes.danish.address.id, id: "house" }], undefined],
    "levels.very_cheap": [0.5, 0.55],
    "levels.cheap": [0.8, 0.85],
    "levels.normal": [1.1, 1.2],
    "levels.expensive": [1.5, 1.6],
    "notify.topic_url": ["http://127.0.0.1:9/a", "http://127.0.0.1:9/b"],
    "notify.webhook_url": ["http://127.0.0.1:9/a", "http://127.0.0.1:9/b"],
    "notify.webhook_method": ["POST", "PUT"],
    "notify.webhook_headers": ["X-A: a", "X-A: b"],
    "notify.webhook_body": ["{title}", "{message}"],
    "notify.token": ["a", "b"],
    "notify.username": ["a", "b"],
    "notify.password": ["a", "b"],
    "notify.events": [["plan"], ["plug"]],
    "notify.quiet_hours": ["00:00-23:00", "00:00-22:00"],
    "notify.language": ["da", "sv"],
    "api.url": ["http://a", "http://b"],
    "api.keys": [[...keys, { name: "other", key: "other-key" }], keys],
    "api.third_party_keys": [[{ name: "pair", api_key: "a", api_secret: "b" }], []],
    "api.requests_per_minute": [1_000, 2_000],
    "api.requests_per_day": [10_000, 20_000],
    "api.hosts": [["a.example"], ["b.example"]],
    "api.cors": [["https://a.example"], ["https://b.example"]],
    "api.dashboard": ["open", "key"],
    "api.frame_ancestors": [["https://a.example"], ["https://b.example"]],
  };
  /** Values that other keys need to have an effect. */
  const usual = {
    notify: { topic_url: "http://127.0.0.1:9/a", username: "a", password: "b" },
    third_party: { api_key: "pair-key", api_secret: "pair-secret" },
    api: { host: "127.0.0.1", port: 0, keys },
  };

  function withValue(key: string, value: unknown): ConfigInput {
    const [section = "", name] = key.split(".");
    const own = usual[section as keyof typeof usual] ?? {};
    return { ...usual, [section]: name === undefined ? value : { ...own, [name]: value } } as ConfigInput;
  }

  test("a key that applies at once is one of the keys that are tried here, and every other key needs a restart", () => {
    const sections = new Set(configKeys.map(({ path }) => path[0] ?? ""));
    const restart = new Set([...sections].flatMap(restartKeysOf));
    // tls.test.ts tries the certificates.
    const applied = configKeys.filter(
      ({ kind, path }) => kind !== "section" && !restart.has(path.join(".")) && path[1] !== "tls",
    );
    expect(Object.keys(values).toSorted()).toEqual(applied.map(({ path }) => path.join(".")).toSorted());
  });

  test("a key that applies at once ends what it replaces: open event streams, and the link of the devices to the dashboard", async () => {
    const config = (dashboard: "open" | "key", url: string) => ({ ...usual, api: { ...usual.api, dashboard, url } });
    await using daemon = await TestDaemon.start({
      ...{ start: START, simulator: { homes: ["danish"] } },
      config: config("open", "http://first.lan"),
    });
    const { watcher } = daemon;
    const links = () => JSON.stringify(watcher.json("homeassistant/device/elbro_home/config"));
    await watcher.until(() => watcher.payload("homeassistant/device/elbro_home/config") !== null, "the device");
    expect(links()).toContain("http://first.lan");
    const stream = await fetch(`${daemon.url}/events`, { headers: { accept: "text/event-stream" } });
    expect(stream.status).toBe(200);

    await daemon.reload(config("key", "http://second.lan"));
    await watcher.until(() => links().includes("http://second.lan"), "the new link");
    // Resolves only when the server ends the stream.
    await stream.text();
    expect((await fetch(`${daemon.url}/events`)).status).toBe(401);
  });

  test("a key that applies at once leaves no loop and no problem behind when it changes twice", async () => {
    await using daemon = await TestDaemon.start({
      ...{ start: START, config: usual },
      simulator: { homes: ["danish"], keys: { thirdParty: { apiKey: "pair-key", apiSecret: "pair-secret" } } },
    });
    const { clock } = daemon;
    /** Returns problems and health after a loop that a reload left behind would be late. */
    const state = async () => {
      await clock.runUntil(clock.now() + 4 * 60_000);
      const system = (await (await daemon.request("/local/v1/system")).json()) as {
        problems: { ended_at: unknown; code: string }[];
      };
      // Nothing listens at the addresses of the notifications.
      const problems = system.problems.filter(
        ({ ended_at, code }) => ended_at === null && code !== "notifications_failed",
      );
      const { status } = await daemon.request("/livez");
      return { problems, status };
    };
    /** Largest number of loops that sleep at once. */
    let loops = 0;
    for (let i = 0; i < 5; i++) {
      expect(await state()).toEqual({ problems: [], status: 200 });
      loops = Math.max(loops, clock.sleepers);
    }
    for (const [key, [one, other]] of Object.entries(values)) {
      const from = daemon.log.length;
      for (const value of [one, other, one, other]) {
        await daemon.reload(withValue(key, value));
        await clock.runUntil(clock.now() + 60_000);
      }
      await daemon.reload(usual);
      const applied = daemon.log.slice(from).filter(({ text }) => text === "configuration reloaded");
      expect(applied.length, key).toBeGreaterThan(3);
      // The loop of the plugs remains, because the next plug needs it.
      if (key === "plugs") loops++;
      expect(await state(), key).toEqual({ problems: [], status: 200 });
      await expect.poll(() => clock.sleepers, { message: key }).toBeLessThanOrEqual(loops);
    }
  });
});
