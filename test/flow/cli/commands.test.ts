import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { databasePathIn } from "../../../src/storage/open-storage.ts";
import { Mosquitto } from "../../support/broker/mosquitto.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { EmulatedHomeAssistant } from "../../support/home/emulated-home-assistant.ts";
import { Child } from "../../support/processes/child.ts";
import { DaemonProcess } from "../../support/processes/daemon-process.ts";
import { lacks } from "../../support/runner/needs.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

describe("check", () => {
  test("warns of a file with a secret that others can read", async () => {
    await using installed = await TestDaemon.install();
    expect((await installed.run("check")).output).toBe(`the configuration ${installed.configFile} can be used`);
    chmodSync(installed.configFile, 0o644);
    const { code, output } = await installed.run("check");
    expect(output).toContain(
      `warning: ${installed.configFile} holds a secret and other users can read it; run: chmod 600 ${installed.configFile}`,
    );
    expect(code).toBe(0);
    await using daemon = await installed.launch();
    expect(daemon.output).toContain("holds a secret and other users can read it");
  });

  test("check finds damage in the data directory", async () => {
    await using installed = await TestDaemon.install();
    expect((await installed.run("keys", "create", "Phone")).code).toBe(0);
    const dataDir = installed.dir.file("data");
    expect((await installed.run("prices")).code).toBe(0);
    expect((await installed.run("check")).code).toBe(0);

    const keys = path.join(dataDir, "keys.json");
    writeFileSync(keys, readFileSync(keys, "utf8").replace("Phone", "Phond"));
    const database = new DatabaseSync(databasePathIn(dataDir));
    database.exec("update setting set value = value || 'x'");
    database.close();
    const { code, output } = await installed.run("check");
    expect(output).toContain(`${keys}: it was not written by elbro keys; `);
    expect(output).toContain(`${databasePathIn(dataDir)}: `);
    expect(code).toBe(1);
  });

  test("warns of a key's own file too, but not of a file without a secret", async () => {
    await using installed = await TestDaemon.install();
    const { consumerKey } = installed.simulator.keys;
    writeFileSync(installed.dir.file("key"), `${consumerKey}\n`, { mode: 0o640 });
    installed.configure({ consumer: { api_key_file: installed.dir.file("key") } });
    expect((await installed.run("check")).output).toContain(`warning: ${installed.dir.file("key")} holds a secret`);
  });

  test("check uses credentials of systemd, and reports all mistakes together with exit code 78", async () => {
    using dir = new TempDir();
    writeFileSync(dir.file("elbro_consumer_api_key"), "abc\n");
    const environment = { CREDENTIALS_DIRECTORY: dir.path, ELBRO_DATA_DIR: dir.file("data") };
    await using locked = new DaemonProcess(["check"], environment);
    expect(await locked.exit).toBe(78);
    expect(locked.output).toContain("keys create NAME");
    await using good = new DaemonProcess(["check"], { ...environment, ELBRO_API_HOST: "127.0.0.1" });
    expect(await good.exit).toBe(0);
    expect(good.output).toBe(
      "warning: the embedded broker has no users, so nothing can connect: set broker.users, or mqtt.url to use another broker\nthe configuration can be used",
    );
    writeFileSync(dir.file("elbro.yaml"), "consumer: { api_key: abc }\napi: { port: eighty, hots: x }\n");
    await using bad = new DaemonProcess(["check", "--config", dir.file("elbro.yaml")], {});
    expect(await bad.exit).toBe(78);
    expect(bad.output).toContain('  api.port: expected a number, found "eighty" (line 2)\n  api.hots: is not a key');
  });
});

describe("without a running daemon a command uses the data directory itself:", () => {
  test("check --online tests service, broker and database, with one request to each interface", async () => {
    await using installed = await TestDaemon.install();
    const { code, output } = await installed.run("check", "--online");
    expect(output).toContain("tested by this command, because no daemon is running:");
    // 60 if a minute of the service begins after the request.
    expect(output).toMatch(
      /ok {3}service \(consumer\): it answers; 2 addresses; requests left: (59|60) this minute, 1999 today/,
    );
    expect(output).toMatch(/ok {3}service \(third_party\): it answers/);
    expect(output).toMatch(/ok {3}broker: built in, port 0 free/);
    expect(output).toMatch(/ok {3}database: writable/);
    expect(code).toBe(0);
    expect(installed.requests).toBe(2);
  });

  test("requests of a command are in the request log, and the next command counts them", async () => {
    const now = Date.now();
    await using installed = await TestDaemon.install({ simulator: { now: () => now } });
    // Both commands run at the same moment, however long they take.
    const frozen = { NODE_OPTIONS: `--import data:text/javascript,Date.now=()=>${now}` };
    await using first = installed.spawn(["check", "--online"], frozen);
    await first.exit;
    await using second = installed.spawn(["check", "--online"], frozen);
    const code = await second.exit;
    const { output } = second;
    expect(output).toContain("58 this minute");
    // The third-party interface accepts one request in 10 s, and the first command's request is in the log.
    expect(output).toMatch(
      /\? {4}service \(third_party\): the request quota for this purpose is used up for now; next attempt 20/,
    );
    // Checks that could not run count as failures.
    expect(code).toBe(1);
    expect(installed.requests).toBe(3);
  });

  test("addresses and prices send requests once, then use the store", async () => {
    await using installed = await TestDaemon.install();
    const { code, output } = await installed.run("addresses");
    expect(output).toContain("Home: home home");
    expect(output).toContain(
      "has      consumption, solarExport, consumptionCosts, solarExportRevenue, prices, forecastPrices",
    );
    expect(code).toBe(0);
    const { output: lines } = await installed.run("prices", "stugan");
    expect(lines).toContain("Stugan (stugan)");
    expect(lines).toMatch(/^[> ] 00:00 +\d\.\d\d [a-z ]+$/m);
    expect(lines).toMatch(/^now \d\.\d\d, lowest \d\.\d\d at \d\d:\d\d.*, highest .*, mean \d\.\d\d$/m);
    const asked = installed.requests;
    expect(asked).toBe(2);
    await installed.run("addresses");
    await installed.run("prices", "stugan");
    expect(installed.requests).toBe(asked);
    const { output: first } = await installed.run("prices");
    expect(first).toMatch(/^Home \(home\)\n/);
    expect(first).not.toContain("Stugan (stugan)");
    expect(first).toMatch(/\nother homes: stugan$/);
  });

  test("a name of the service cannot control the terminal", async () => {
    await using installed = await TestDaemon.install();
    const service = createServer(async (request, response) => {
      const { authorization = "" } = request.headers;
      const answer = await fetch(`${installed.simulator.url}${request.url}`, { headers: { authorization } });
      const text = (await answer.text()).replace('"Home"', String.raw`"\u001b]0;owned\u0007Home\nrun: rm\u202e"`);
      response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
    }).listen(0, "127.0.0.1");
    await once(service, "listening");
    const { port } = service.address() as AddressInfo;
    installed.configure({ service: { base_url: `http://127.0.0.1:${port}` } });
    const outputs = [(await installed.run("addresses")).output, (await installed.run("prices")).output];
    service.close();
    for (const output of outputs) {
      expect(output).toContain("\ufffd]0;owned\ufffdHome\ufffdrun: rm\ufffd");
      expect(output.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
    }
  });

  test("suggest searches and stores the result", async () => {
    await using installed = await TestDaemon.install();
    const { output } = await installed.run("suggest", "Vesterbrogade 1");
    expect(output).toContain("Vesterbrogade 1, 1620 København V");
    expect((await installed.run("suggest", "Vesterbrogade 1")).output).toBe(output);
    expect(installed.requests).toBe(1);
  });

  test("a wrong key is reported with the service's error, and the exit code is not zero", async () => {
    await using installed = await TestDaemon.install();
    installed.configure({ consumer: { api_key: "wrong" } });
    const { code, output } = await installed.run("check", "--online");
    expect(output).toMatch(/FAIL service \(consumer\): 401 invalid_token/);
    expect(output).toMatch(/ok {3}service \(third_party\)/);
    expect(output).not.toContain("wrong");
    expect(code).toBe(1);
    const again = await installed.run("check", "--online");
    expect(again.output).toMatch(/FAIL service \(consumer\): 401 invalid_token.*; next attempt 20/);
    expect(again.code).toBe(1);
    installed.configure({ consumer: { api_key: installed.simulator.keys.consumerKey ?? "" } });
    expect((await installed.run("check", "--online")).output).toMatch(/ok {3}service \(consumer\): it answers/);
  });

  test("a corrected address of the service is tested immediately", async () => {
    await using installed = await TestDaemon.install();
    const base_url = installed.simulator.url;
    installed.configure({ service: { base_url: "http://127.0.0.1:1" } });
    const { code, output } = await installed.run("check", "--online");
    expect(output).toMatch(/FAIL service \(consumer\): it refuses the connection/);
    expect(code).toBe(1);
    installed.configure({ service: { base_url } });
    expect((await installed.run("check", "--online")).output).toMatch(/ok {3}service \(consumer\): it answers/);
  });

  test("check --online tests Home Assistant if it is configured", async () => {
    await using homeAssistant = await EmulatedHomeAssistant.start();
    const { url, token } = homeAssistant;
    await using installed = await TestDaemon.install({ config: { home_assistant: { url, token } } });
    const good = await installed.run("check", "--online");
    expect([good.code, good.output]).toEqual([0, expect.stringMatching(/ok {3}Home Assistant: it accepts the token/)]);
    installed.configure({ home_assistant: { url, token: "another" } });
    const { code, output } = await installed.run("check", "--online");
    expect(output).toContain("FAIL Home Assistant: Invalid access token or password");
    expect(code).toBe(1);
  });

  test("without a response of the service no home is known", async () => {
    await using installed = await TestDaemon.install();
    await installed.simulator.close();
    const { code, output } = await installed.run("prices");
    expect(output).toMatch(/no home is known yet: unreachable: it refuses the connection/);
    expect(code).toBe(1);
  });
});

describe.skipIf(lacks("Mosquitto"))("an external broker (needs Mosquitto)", () => {
  test.each([
    ["right", /ok {3}broker: mqtt:\/\/127.0.0.1/, 0],
    ["wrong", /FAIL broker: the broker (rejects the user name or password|refuses the login)/, 1],
  ])("with the %s password", async (password, message, expected) => {
    await using mosquitto = await Mosquitto.start({ users: { elbro: "right" } });
    await using installed = await TestDaemon.install({
      config: { mqtt: { url: `mqtt://127.0.0.1:${mosquitto.port}`, username: "elbro", password } },
    });
    const { code, output } = await installed.run("check", "--online");
    expect(output).toMatch(message);
    expect(code).toBe(expected);
  });
});

describe("a running daemon executes commands:", () => {
  test("all of them, without additional requests except for check", async () => {
    await using installed = await TestDaemon.install();
    await using daemon = await installed.launch();
    await daemon.line(/history filled/);
    const socket = path.join(installed.dataDir, "elbro.sock");
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect((await installed.run("addresses")).output).toContain("Home: home home");
    expect((await installed.run("prices", "home")).output).toContain("Home (home)");
    const { code, output } = await installed.run("check", "--online");
    expect(output).toContain("tested by the running daemon:");
    expect(output).toContain("ok   broker: connected: built in");
    // The daemon may just have used the third-party interface, which accepts one request in 10 s.
    expect(code).toBe(output.includes("?    service (third_party)") ? 1 : 0);
    expect((await daemon.end("SIGTERM")).code).toBe(0);
    expect(existsSync(socket)).toBe(false);
  });

  test("a start with a configuration prints the dashboard's URL, the price and the next run", async () => {
    await using installed = await TestDaemon.install();
    installed.configure({
      log: { format: "text" },
      // ON at each time of the day, because this program has the real time.
      plans: [{ name: "Dishwasher", home: "home", kind: "below", cheap_below: 25 }],
    });
    await using daemon = await installed.launch();
    await daemon.line(/^elbro \d+\.\d+\.\d+$/m);
    await daemon.line(/^ {2}dashboard {4}http:\/\/localhost:\d+\/$/m);
    await daemon.line(/^ {2}Home {9}\d\.\d\d DKK\/kWh until \d\d:\d\d/m);
    await daemon.line(/^ {2}Dishwasher {3}runs /m);
    expect((await daemon.end("SIGTERM")).code).toBe(0);
  });

  test("a socket left by a killed daemon has no effect", async () => {
    await using installed = await TestDaemon.install();
    {
      await using daemon = await installed.launch();
      await daemon.end("SIGKILL");
    }
    expect(existsSync(path.join(installed.dataDir, "elbro.sock"))).toBe(true);
    expect((await installed.run("check", "--online")).output).toContain("no daemon is running");
    await using daemon = await installed.launch();
    expect((await installed.run("check", "--online")).output).toContain("the running daemon");
    expect(daemon.output).not.toContain("no socket for commands");
  });

  test("a data directory whose path is too long for a socket is named by check, the daemon and the commands", async () => {
    await using installed = await TestDaemon.install();
    const dataDir = installed.dir.file(`${"long".repeat(25)}/data`);
    installed.configure({ data_dir: dataDir });
    const sentence = /cannot reach the running daemon, because the path of data_dir is longer than 89 bytes/;
    expect((await installed.run("check")).output).toMatch(sentence);
    await using daemon = installed.spawn();
    expect(await daemon.line(sentence)).toContain(dataDir);
    const { code, output } = await installed.run("prices");
    expect(code).toBe(78);
    expect(output).toMatch(sentence);
    expect((await daemon.end("SIGTERM")).code).toBe(0);
    expect((await installed.run("prices")).code).toBe(0);
  });

  test("a second daemon ends immediately", async () => {
    await using installed = await TestDaemon.install();
    await using daemon = await installed.launch();
    const { code, output } = await installed.run("run");
    expect(code).toBe(78);
    expect(output).toContain("is in use by another elbro process; use one data directory per process");
    await daemon.end("SIGTERM");
  });

  test("a daemon waits for a command that uses the data directory", async () => {
    await using installed = await TestDaemon.install();
    await installed.run("addresses");
    const child = new Child("hold.ts", path.join(installed.dataDir, "elbro.db"));
    await child.said(1);
    await using daemon = installed.spawn();
    await daemon.line(/data directory is locked by another elbro process/);
    await child.kill();
    await daemon.line(/broker connected/);
    expect((await daemon.end("SIGTERM")).code).toBe(0);
  });

  test("requests that are too long or invalid are rejected", async () => {
    await using installed = await TestDaemon.install();
    await using daemon = await installed.launch();
    const socket = path.join(installed.dataDir, "elbro.sock");
    expect(await said(socket, "x".repeat(100_000))).toMatch(/^(HTTP\/1.1 4\d\d |$)/);
    expect(await said(socket, "nonsense\r\n\r\n")).toMatch(/^HTTP\/1.1 400 /);
    expect(await said(socket, "GET /everything HTTP/1.0\r\n\r\n")).toContain('"errorCode":"resource_not_found"');
    expect((await installed.run("addresses")).code).toBe(0);
    expect((await daemon.end("SIGTERM")).code).toBe(0);
  });
});

describe("backup and restore", () => {
  test("a file copy of the database, restored, has the home's prices without a request", async () => {
    await using installed = await TestDaemon.install();
    await installed.run("prices");
    const database = path.join(installed.dataDir, "elbro.db");
    const backup = installed.dir.file("backup.db");
    cpSync(database, backup);
    rmSync(installed.dataDir, { recursive: true });
    mkdirSync(installed.dataDir);
    const { code, output } = await installed.run("restore", backup);
    expect(output).toMatch(/elbro\.db is now the copy of 20\d\d-/);
    expect(code).toBe(0);
    const asked = installed.requests;
    expect((await installed.run("prices", "home")).output).toMatch(/^[> ] 00:00 /m);
    expect(installed.requests).toBe(asked);
  });

  test.each([true, false])(
    "elbro backup FILE, restored elsewhere, keeps prices and keys (daemon runs: %s)",
    async (runs) => {
      await using installed = await TestDaemon.install();
      await installed.run("prices");
      expect((await installed.run("keys", "create", "kitchen")).code).toBe(0);
      const keys = readFileSync(path.join(installed.dataDir, "keys.json"), "utf8");
      const daemon = runs ? await installed.launch() : null;
      const file = installed.dir.file("backup.db");
      const made = await installed.run("backup", file);
      expect(made.output).toBe(`${file} contains the database and the keys; restore it with: elbro restore ${file}`);
      expect([made.code, statSync(file).mode & 0o777]).toEqual([0, 0o600]);
      const again = await installed.run("backup", file);
      expect([again.code, again.output]).toEqual([
        78,
        expect.stringContaining("exists already; give another file name"),
      ]);
      const held = await installed.run("restore", file);
      if (runs) {
        expect(held.output).toContain("elbro is running and uses");
        expect(held.code).toBe(78);
      }
      await daemon?.end("SIGTERM");
      rmSync(installed.dataDir, { recursive: true });
      mkdirSync(installed.dataDir);
      const { code, output } = await installed.run("restore", file);
      expect([code, output]).toEqual([0, expect.stringContaining("keys that are valid again: kitchen")]);
      expect(readFileSync(path.join(installed.dataDir, "keys.json"), "utf8")).toBe(keys);
      const asked = installed.requests;
      expect((await installed.run("prices", "home")).output).toMatch(/^[> ] 00:00 /m);
      expect(installed.requests).toBe(asked);
    },
  );

  test("a backup to a path that cannot be written is reported and leaves no files", async () => {
    await using installed = await TestDaemon.install();
    const { code, output } = await installed.run("backup", installed.dir.file("no/such/folder/backup.db"));
    expect([code, output]).toEqual([78, expect.stringMatching(/cannot write .*backup\.db: ENOENT/)]);
  });

  test.skipIf(process.getuid?.() !== 0)("a restore by root keeps the owner of the data (needs root)", async () => {
    const owner = 65_534;
    await using installed = await TestDaemon.install();
    await installed.run("prices");
    const data = installed.dataDir;
    cpSync(`${data}/elbro.db`, installed.dir.file("backup.db"));
    for (const file of ["", ...readdirSync(data)]) chownSync(`${data}/${file}`, owner, owner);
    expect((await installed.run("restore", installed.dir.file("backup.db"))).code).toBe(0);
    expect(readdirSync(data)).toContain("elbro.db");
    for (const file of readdirSync(data)) expect(statSync(`${data}/${file}`).uid, file).toBe(owner);
  });
});

describe("without a configuration", () => {
  test("without a configuration commands show a demo home and report that it is one", async () => {
    await using command = new DaemonProcess(["prices"], { ELBRO_CLOCK: "2025-10-26T10:00:00Z" });
    expect(await command.exit).toBe(0);
    expect(command.output).toContain("no account is configured, so this is a demo");
    expect(command.output).toMatch(/^ {2}02:00 .*\n {2}02:00 /m);
  });
});

/** Resolves with the response of a socket to a text. */
function said(path: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    let heard = "";
    const socket = connect(path, () => socket.write(text));
    socket.on("data", (part) => {
      heard += String(part);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(heard));
  });
}
