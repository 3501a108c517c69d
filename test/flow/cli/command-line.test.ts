import { execFile, execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { TopicWatcher } from "../../support/broker/topic-watcher.ts";
import { listening } from "../../support/http/listening.ts";
import { DaemonProcess } from "../../support/processes/daemon-process.ts";
import { START_ENVIRONMENT } from "../../support/processes/node-flags.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";
import { SmallDisk } from "../../support/storage/small-disk.ts";

/** Free ports, and less history than by default, which takes most of the processor. */
const FREE_PORTS = { ELBRO_API_PORT: "0", ELBRO_BROKER_PORT: "0", ELBRO_HISTORY_MONTHS: "1" };
const BAD_CONFIGURATION = 78;
const TRY_AGAIN = 75;
const SETUP_CODE =
  /^To set up your home from another machine, enter the code [A-Z0-9]{4}-[A-Z0-9]{4} on the dashboard\.$/;
const BUILT = path.resolve(import.meta.dirname, "../../../dist/elbro.cjs");

describe("the demo", () => {
  test("the demo prints its addresses and the code of the set-up, has a home with prices, and publishes offline on Ctrl-C", async () => {
    await using daemon = new DaemonProcess([], FREE_PORTS);
    const apiLine = await daemon.line(/curl/);
    const topicsLine = await daemon.line(/mosquitto_sub/);
    expect(await daemon.line(/enter the code/)).toMatch(SETUP_CODE);
    expect(JSON.parse(await daemon.line(/API listens/))).toMatchObject({ msg: "API listens" });
    const key = /Bearer (\S+)'/.exec(apiLine)?.[1];
    const url = /http:\S+/.exec(apiLine)?.[0] ?? "";
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    expect(await response.json()).toMatchObject({ data: [{ label: "Home" }, { label: "Stugan" }] });

    const port = Number(/-p (\d+)/.exec(topicsLine)?.[1]);
    await using watcher = await TopicWatcher.on(port);
    const homeTopics = ["elbro/home/price", "elbro/home/price/state", "homeassistant/device/elbro_home/config"];
    const published = ["elbro/status", ...homeTopics];
    await watcher.until(() => published.every((topic) => watcher.payload(topic) !== null), "a price");
    expect(Number(watcher.payload("elbro/home/price"))).toBe(watcher.json("elbro/home/price/state").price);
    expect(watcher.payload("elbro/status")).toBe("online");
    expect(watcher.json("homeassistant/device/elbro_home/config")).toMatchObject({ device: { name: "Home" } });

    const { code, tookMs } = await daemon.end("SIGINT");
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(2_000);
    expect(watcher.payload("elbro/status")).toBe("offline");
  });

  test("the demo is lived in: 60 days of runs and measured energy, plugs that obey, a solved and an open problem", async () => {
    const start = ["--clock", "2026-06-10T10:00:00Z", "--speed", "60"];
    await using daemon = new DaemonProcess(["run", ...start], { ...FREE_PORTS, ELBRO_LANGUAGE: "da" });
    const url = /http:\S+\d/.exec(await daemon.line(/healthz/))?.[0].replace("/healthz", "") ?? "";
    const get = async (path: string) =>
      (await (await fetch(`${url}/local/v1/${path}`, { headers: { authorization: "Bearer demo" } })).json()) as never;
    const runsOf = async (plan: string) =>
      ((await get(`runs?plan=${plan}`)) as { runs: { start: string; measured: object | null }[] }).runs;
    for (const plan of ["car", "freezer"]) {
      await expect.poll(async () => (await runsOf(plan)).length).toBeGreaterThan(30);
      const measured = (await runsOf(plan)).flatMap((run) => run.measured ?? []);
      expect(measured.length).toBeGreaterThan(30);
      expect(measured[0]).toMatchObject({ kwh: expect.any(Number), cost: expect.any(Number) });
    }
    // The dishwasher runs from 19:00 to 06:30 in Denmark.
    const hours = (await runsOf("dishwasher")).map(({ start }) => new Date(start).getUTCHours());
    expect(hours.length).toBeGreaterThan(20);
    expect(hours.filter((hour) => hour > 4 && hour < 17)).toEqual([]);
    const plugs = async () =>
      ((await get("plugs")) as { plugs: { id: string; name: string; on: boolean | null }[] }).plugs;
    expect((await plugs()).map(({ name }) => name)).toContain("Opvaskemaskinens stik");
    const isFreezerOn = async () => (await plugs()).find(({ id }) => id === "freezer_plug")?.on;
    await expect.poll(isFreezerOn).toBe(true);
    const problems = async () => {
      const system = (await get("system")) as {
        problems: { code: string; subject: string; ended_at: string | null }[];
      };
      return system.problems.map(({ code, subject, ended_at }) => `${code} ${subject} ${ended_at ? "solved" : "open"}`);
    };
    await expect
      .poll(problems)
      .toEqual(
        expect.arrayContaining([
          "plug_refuses access to plug freezer_plug solved",
          "plug_refuses access to plug garden_lights open",
        ]),
      );
    expect((await daemon.end("SIGINT")).code).toBe(0);
  });

  test("the demo fills its history with the heap limit of npm start, at a high speed", async () => {
    const whole = { ...FREE_PORTS, ELBRO_HISTORY_MONTHS: "13", ...START_ENVIRONMENT };
    await using daemon = new DaemonProcess(["--speed", "600"], whole);
    await daemon.line(/consumptionCosts.*history filled/);
    expect((await daemon.end("SIGINT")).code).toBe(0);
  });

  test("outside loopback requires a key and a password, which it prints", async () => {
    await using daemon = new DaemonProcess([], {
      ...FREE_PORTS,
      ELBRO_DEMO_HOST: "0.0.0.0",
      // A fixed time, because at night the window of the demo's dishwasher would be too short.
      ELBRO_CLOCK: "2026-03-10T12:00:00Z",
    });
    const [, brokerPort, password = ""] = /-p (\d+) -u demo -P (\S+) /.exec(await daemon.line(/mosquitto_sub/)) ?? [];
    const apiLine = await daemon.line(/curl/);
    const [url = ""] = /http:\S+/.exec(apiLine) ?? [];
    const statusWith = async (key: string) =>
      (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await statusWith("demo")).toBe(401);
    expect(await statusWith(/Bearer (\S+)'/.exec(apiLine)?.[1] ?? "")).toBe(200);

    await expect(TopicWatcher.on(Number(brokerPort))).rejects.toThrow(/Connection refused/);
    await using watcher = await TopicWatcher.on(Number(brokerPort), { username: "demo", password });
    const state = () => String(watcher.json("elbro/home/plan/dishwasher/state").state);
    await watcher.until(() => ["scheduled", "running", "done"].includes(state()), "a plan with its hours");
  });

  test("the demo runs at another time and speed", async () => {
    await using daemon = new DaemonProcess(["--clock", "2025-10-26T00:20:00Z", "--speed", "3600"], FREE_PORTS);
    const port = Number(/-p (\d+)/.exec(await daemon.line(/mosquitto_sub/))?.[1]);
    await using watcher = await TopicWatcher.on(port);
    const state = () => String(watcher.json("elbro/home/price/state").start ?? "");
    await watcher.asSoonAs(() => state() >= "2025-10-26T02:00:00Z", "a price of the long night");
    expect(state() < "2025-10-27").toBe(true);
  });

  test("the demo gets time, speed and text log from the environment, and writes the compile cache while it runs, so that a start after a power cut is fast", async () => {
    using cache = new TempDir();
    const kept = () => readdirSync(cache.path, { recursive: true, encoding: "utf8" }).map((name) => cache.file(name));
    await using daemon = new DaemonProcess([], {
      ...FREE_PORTS,
      NODE_COMPILE_CACHE: cache.path,
      ELBRO_LOG_DEFAULT: "text",
      ELBRO_CLOCK: "2025-06-01T10:00:00Z",
      ELBRO_SPEED: "60",
    });
    expect(await daemon.line(/API listens/)).toMatch(/^\d{4}-\d\d-\d\d [\d:]{8} info {2}API listens/);
    const port = Number(/-p (\d+)/.exec(await daemon.line(/mosquitto_sub/))?.[1]);
    await using watcher = await TopicWatcher.on(port);
    await watcher.until(
      () => String(watcher.json("elbro/home/price/state").start).startsWith("2025-06-01T1"),
      "a price of that day",
    );
    // The cached code of the program itself is larger than that of its chunks.
    await expect.poll(() => Math.max(...kept().map((file) => statSync(file).size))).toBeGreaterThan(200_000);
  });
});

describe("a mistake of the owner is reported in one sentence with exit code 78:", () => {
  async function refusal(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> {
    await using daemon = new DaemonProcess(args, environment);
    expect(await daemon.exit).toBe(BAD_CONFIGURATION);
    return daemon.output;
  }

  test.each(["api", "broker"] as const)("a busy port of the %s", async (part) => {
    await using busy = await listening(createServer());
    const variable = `ELBRO_${part.toUpperCase()}_PORT`;
    const output = await refusal([], { ...FREE_PORTS, [variable]: String(busy.port) });
    expect(output).toContain(
      `elbro: port ${busy.port} of the ${part} is in use by another program; set ${part}.port or ${variable} to another`,
    );
  });

  test("a data directory that is a file", async () => {
    using dir = new TempDir();
    writeFileSync(dir.file("taken"), "");
    const output = await refusal([], { ...FREE_PORTS, ELBRO_DATA_DIR: dir.file("taken") });
    expect(output).toMatch(/^elbro: cannot write to the data directory .*taken .*set data_dir or ELBRO_DATA_DIR/);
  });

  test("an invalid configuration, with every mistake in it", async () => {
    using dir = new TempDir();
    writeFileSync(dir.file("elbro.yaml"), "consumer: { api_key: abc }\napi: { port: eighty, hots: x }\nspeed: 3\n");
    const output = await refusal(["--config", dir.file("elbro.yaml")], {});
    expect(output).toContain("elbro.yaml cannot be used:");
    expect(output).toContain('  api.port: expected a number, found "eighty" (line 2)');
    expect(output).toContain("  api.hots: is not a key of the configuration");
    expect(output).toContain("  speed: is not a key of the configuration");
  });

  test("keys of an earlier version are replaced by `check --fix`, mistakes stay", async () => {
    using dir = new TempDir();
    writeFileSync(dir.file("old.yaml"), "plans:\n  - name: Car # mine\n    kind: below\n    percent: 35\n    x: 1\n");
    await using daemon = new DaemonProcess(["check", "--fix", "--config", dir.file("old.yaml")], {});
    expect(await daemon.exit).toBe(0);
    expect(daemon.output).toBe("plans:\n  - name: Car # mine\n    kind: below\n    cheap_below: 35%\n    x: 1");
  });

  test("a missing configuration, or one without an account", async () => {
    using dir = new TempDir();
    expect(await refusal(["--config", dir.file("none.yaml")], {})).toContain("cannot read the configuration");
    writeFileSync(dir.file("empty.yaml"), "log: { level: warn }\n");
    expect(await refusal(["--config", dir.file("empty.yaml")], {})).toContain(
      "neither consumer.api_key nor third_party",
    );
  });

  /** Creates a file of 1 GB of zeros that takes no space on disk. */
  function hugeFile(dir: TempDir): string {
    writeFileSync(dir.file("huge"), "");
    truncateSync(dir.file("huge"), 1024 ** 3);
    return dir.file("huge");
  }

  test("a configuration of 1 GB, or without an end", async () => {
    using dir = new TempDir();
    const huge = hugeFile(dir);
    const refused = (file: string, why: string) => `elbro: cannot read the configuration ${file}: ${why}`;
    expect(await refusal(["check", "--config", huge], {})).toBe(refused(huge, "it is longer than 256 KiB"));
    const pipe = dir.file("pipe");
    execFileSync("mkfifo", [pipe]);
    for (const file of ["/dev/zero", pipe])
      expect(await refusal(["check", "--config", file], {})).toBe(refused(file, "it is not a regular file"));
  });

  test("secrets and inputs of commands without an end", async () => {
    using dir = new TempDir();
    const huge = hugeFile(dir);
    expect(await refusal(["check"], { ELBRO_CONSUMER_API_KEY_FILE: "/dev/zero" })).toContain(
      "cannot read /dev/zero: it is not a regular file",
    );
    expect(await refusal(["simulate", "--prices", huge], {})).toContain("it is longer than 32768 KiB");
    expect(await refusal(["simulate", "--faults", "/dev/zero"], {})).toContain("it is not a regular file");
    writeFileSync(dir.file("deep.json"), "[".repeat(1_000_000));
    expect(await refusal(["simulate", "--faults", dir.file("deep.json")], {})).toContain(
      "more than the expected 32 levels of lists and objects at character 32",
    );
  });

  test("a configuration that is a folder", async () => {
    using dir = new TempDir();
    mkdirSync(dir.file("elbro.yaml"));
    expect(await refusal(["check", "--config", dir.file("elbro.yaml")], {})).toContain(
      "elbro.yaml: it is a folder; Docker creates one if the file does not exist: remove the folder",
    );
  });

  test.each([
    // Other mistakes in arguments: test/unit/cli/arguments.test.ts
    [["version", "--loud"], "Unknown option '--loud'; see elbro version --help"],
    [["keys", "creat", "kitchen"], "did you mean keys create? usage: elbro keys"],
    [["--clock", "yesterday"], '--clock: "yesterday" is not an RFC 3339 date-time'],
    [["--loud"], "--loud"],
    [["dance"], 'unknown command "dance"; expected one of run, check'],
    [["chekc"], 'unknown command "chekc"; did you mean check?'],
    [["diagnostic"], "did you mean diagnostics?"],
    [["diagnostics", "--out", "/nowhere/at/all"], "cannot write /nowhere/at/all: ENOENT"],
  ])("%s", async (args, sentence) => {
    expect(await refusal(args, FREE_PORTS)).toContain(sentence);
  });

  test("an invalid time in a variable", async () => {
    expect(await refusal([], { ...FREE_PORTS, ELBRO_CLOCK: "yesterday" })).toContain(
      'elbro: ELBRO_CLOCK: "yesterday" is',
    );
  });

  test("an address of another machine", async () => {
    const demo = { ...FREE_PORTS, ELBRO_DEMO_HOST: "192.0.2.1" };
    expect(await refusal([], demo)).toContain("cannot listen on its host, which is not an address of this machine");
  });

  test.each(["22.9.0", "24.4.1"])("an older Node: %s", async (version) => {
    using dir = new TempDir();
    const versions = `{ value: { ...process.versions, node: "${version}" } }`;
    writeFileSync(dir.file("older.cjs"), `Object.defineProperty(process, "versions", ${versions});`);
    expect(await refusal([], { NODE_OPTIONS: `--require ${dir.file("older.cjs")}` })).toBe(
      `elbro: this is Node ${version}; elbro needs Node 24.5 or later`,
    );
  });

  test("a variable with an unknown name", async () => {
    expect(await refusal([], { ...FREE_PORTS, ELBRO_APY_PORT: "1" })).toContain(
      "ELBRO_APY_PORT: is not a key of the configuration",
    );
  });
});

test.skipIf(process.getuid?.() !== 0)(
  "a data directory of another user is reported with the command that helps",
  async () => {
    using dir = new TempDir();
    const user = 1000;
    chmodSync(dir.path, 0o755);
    const env = { ...FREE_PORTS, ELBRO_DATA_DIR: dir.path, NODE_COMPILE_CACHE: "" };
    const { status, stderr } = spawnSync(process.execPath, [BUILT], { uid: user, env });
    expect(status).toBe(TRY_AGAIN);
    expect(String(stderr)).toContain(
      `it belongs to user 0, and elbro runs as user ${user}: run "sudo chown -R ${user} ${dir.path}", in a container`,
    );
  },
);

test("a read-only data directory leads to an exit code after which systemd restarts elbro", async (context) => {
  using disk = SmallDisk.mount(8);
  if (!disk) return context.skip("this user may not mount a file system");
  for (const before of ["empty", "with a database"]) {
    disk.lock();
    await using refused = new DaemonProcess([], { ...FREE_PORTS, ELBRO_DATA_DIR: disk.dir.path });
    expect([before, await refused.exit]).toEqual([before, 75]);
    expect(refused.output).toMatch(/^elbro: cannot write to the data directory /);
    disk.unlock();
    await using started = new DaemonProcess([], { ...FREE_PORTS, ELBRO_DATA_DIR: disk.dir.path });
    await started.line(/curl/);
    await started.end("SIGTERM");
  }
  const unit = readFileSync(new URL("../../../config/elbro.service", import.meta.url), "utf8");
  expect(unit).toMatch(/^Restart=on-failure$/m);
  expect(unit).toMatch(/^RestartPreventExitStatus=78$/m);
});

test("a full disk at the start is named as one", async (context) => {
  using disk = SmallDisk.mount(1);
  if (!disk) return context.skip("this user may not mount a file system");
  disk.fill();
  await using full = new DaemonProcess([], { ...FREE_PORTS, ELBRO_DATA_DIR: disk.dir.path });
  expect(await full.exit).toBe(TRY_AGAIN);
  expect(full.output).toMatch(/^elbro: cannot write to the data directory .*; free space on its disk$/m);
});

test("an exception is logged with its message and place, not with the program's code", async () => {
  using dir = new TempDir();
  writeFileSync(
    dir.file("fault.cjs"),
    'process.once("SIGUSR2", () => { setTimeout(() => { throw new TypeError("the sky is green"); }); });',
  );
  await using daemon = new DaemonProcess([], { ...FREE_PORTS, NODE_OPTIONS: `--require ${dir.file("fault.cjs")}` });
  await daemon.line(/curl/);
  daemon.signal("SIGUSR2");
  expect(await daemon.exit).toBe(1);
  expect(daemon.output).toContain(
    "elbro stops because of an internal error; please report this: TypeError: the sky is green",
  );
  expect(daemon.output).toMatch(/ at .*fault\.cjs:1:/);
  expect(Math.max(...daemon.lines.map(({ length }) => length))).toBeLessThan(2_000);
  expect(daemon.output).not.toContain("throw new TypeError");
});

test("a reader that ends before the output is no error", async () => {
  const program = path.resolve(import.meta.dirname, "../../../dist/elbro.cjs");
  const pipe = `set -o pipefail; "${process.execPath}" "${program}" help | true`;
  expect(await promisify(execFile)("bash", ["-c", pipe])).toEqual({ stdout: "", stderr: "" });
});

test("keys create next to a demo names the key of the demo, and makes no folder", async () => {
  using dir = new TempDir();
  await using command = new DaemonProcess(["keys", "create", "kitchen"], {}, { folder: dir.path });
  expect(await command.exit).toBe(BAD_CONFIGURATION);
  expect(command.output).toContain("so elbro runs a demo; the key of the demo is demo.");
  expect(readdirSync(dir.path)).toEqual([]);
  const configured = { ELBRO_DATA_DIR: dir.file("data") };
  await using early = new DaemonProcess(["keys", "create", "kitchen"], configured, { folder: dir.path });
  expect(await early.exit).toBe(0);
  expect(early.output).toContain("A demo does not accept it, only its own key; your home does once it is set up.");
});
