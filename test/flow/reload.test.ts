import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { demoHomes, homeOfAccount } from "../../src/service/simulator/homes.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { TestDaemon } from "../support/daemon/test-daemon.ts";

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

  test("continues a running plan in its state", async () => {
    const below = { name: "Car", home: "home", kind: "below", percent: 100 } as const;
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
  test("is reloaded on SIGHUP and after a change; an invalid file is reported with its line", async () => {
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

describe("SIGHUP", () => {
  test("applies keys and log level, names changes that need a restart, and rejects an invalid file", async () => {
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

    installed.configure({
      api: { ...api(1, "second-key"), cors: ["https://panel.example"] },
      log: { level: "debug" },
    });
    daemon.signal("SIGHUP");
    await daemon.line(/api\.port has changed; restart elbro to use it/);
    expect(daemon.output).toContain('"changed":["api.keys","api.cors","log.level"]');
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

  test("before the daemon is ready is executed when it is", async () => {
    await using installed = await TestDaemon.install();
    mkdirSync(installed.dataDir);
    const held = openDatabase(path.join(installed.dataDir, "elbro.db"));
    await using daemon = installed.spawn();
    await daemon.line(/data directory is locked by another elbro process/);
    daemon.signal("SIGHUP");
    held.close();
    await daemon.line(/configuration reloaded: nothing has changed/);
    expect((await daemon.end("SIGTERM")).code).toBe(0);
  });

  test("is followed by SIGTERM, which ends a waiting daemon with exit code 0 within two seconds", async () => {
    await using installed = await TestDaemon.install();
    mkdirSync(installed.dataDir);
    using _held = openDatabase(path.join(installed.dataDir, "elbro.db"));
    await using daemon = installed.spawn();
    await daemon.line(/data directory is locked by another elbro process/);
    daemon.signal("SIGHUP");
    const { code, tookMs } = await daemon.end("SIGTERM");
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(2_500);
  });
});
