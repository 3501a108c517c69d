/**
 * `npm run lab -- neighbours`: measures start time, memory and size of elbro and of other home daemons in one run.
 *
 * Each is installed from npm into a temporary folder and runs without hardware. The start time ends with the log line
 * that matches `up`. Memory is read some seconds later. elbro uses the simulator and its embedded broker.
 *
 * With `--pi` each has a quarter of a core and 64 MB for its heap, as on a Raspberry Pi 3: a group of processes with a
 * quota (cgroup v1, as root). Then elbro's boundary and first view are measured, too.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import mqtt from "mqtt";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { memoryMb, ROOT } from "../support/bench/program.ts";
import { freePort } from "../support/broker/mosquitto.ts";
import { LAN_KEY } from "../support/daemon/test-config.ts";
import { MALLOC_SETTINGS, NODE_FLAGS } from "../support/processes/node-flags.ts";
import { ended } from "../support/processes/spawned.ts";
import { TempDir } from "../support/runner/temp-dir.ts";

const ROUNDS = 5;
const QUARTER_MS = 900_000;
const HISTORY_MS = 90_000;
const SETTLE_MS = 3_000;
const UP_WITHIN_MS = 120_000;
const IS_PI = process.argv.includes("--pi");
const PI_GROUP = "/sys/fs/cgroup/cpu/elbro-pi";
const HEAP = IS_PI ? ["--max-old-space-size=64"] : [];

interface Neighbour {
  readonly name: string;
  /** npm package to install; null for elbro itself. */
  readonly npm: string | null;
  readonly folder: (installed: string) => string;
  readonly command: (installed: string, dir: string) => readonly string[];
  readonly environment?: (dir: string) => Readonly<Record<string, string>>;
  readonly prepare?: (dir: string) => void;
  /** Log line of a completed start. */
  readonly up: RegExp;
  /** Time from that line to the reading of its memory. */
  readonly settleMs?: number;
  readonly note: string;
}

/** Offset of the simulator's clock, so that a quarter hour begins when it is measured. */
let aheadMs = 0;
const simulator = await startSimulator({ now: () => Date.now() + aheadMs });
const modules = (installed: string) => path.join(installed, "node_modules");

const neighbours: readonly Neighbour[] = [
  {
    name: "elbro",
    npm: null,
    folder: () => path.join(ROOT, "dist"),
    command: () => [...NODE_FLAGS, path.join(ROOT, "dist/elbro.cjs")],
    environment: (dir) => ({
      ...{ ELBRO_DATA_DIR: dir, ELBRO_API_HOST: "127.0.0.1", ELBRO_API_PORT: "0", ELBRO_BROKER_PORT: "0" },
      ...{ ELBRO_SERVICE_BASE_URL: simulator.url, ELBRO_CONSUMER_API_KEY: simulator.keys.consumerKey ?? "" },
      ...MALLOC_SETTINGS,
      NODE_COMPILE_CACHE: path.join(ROOT, "node_modules/.cache/elbro"),
    }),
    up: /"broker connected"/,
    note: "built-in broker, a year of history to fetch; start until it publishes",
  },
  {
    name: "zigbee2mqtt",
    npm: "zigbee2mqtt",
    folder: modules,
    command: (installed) => [path.join(modules(installed), "zigbee2mqtt/index.js")],
    environment: (dir) => ({ ZIGBEE2MQTT_DATA: dir }),
    prepare: (dir) =>
      writeFileSync(
        path.join(dir, "configuration.yaml"),
        "mqtt: { server: 'mqtt://127.0.0.1:1' }\nserial: { port: /dev/null, adapter: ember }\nversion: 5\n",
      ),
    up: /Starting zigbee-herdsman/,
    settleMs: 0,
    note: "no adapter: start until it looks for one, and memory at that time",
  },
  {
    name: "node-red",
    npm: "node-red",
    folder: modules,
    command: (installed, dir) => [path.join(modules(installed), "node-red/red.js"), "-u", dir, "-p", "0"],
    up: /Started flows|Server now running/,
    note: "no flows",
  },
  {
    name: "homebridge",
    npm: "homebridge@1",
    folder: modules,
    command: (installed, dir) => [path.join(modules(installed), "homebridge/bin/homebridge"), "-U", dir],
    up: /is running on port/,
    note: "no plugins",
  },
];

if (IS_PI) {
  mkdirSync(PI_GROUP, { recursive: true });
  writeFileSync(path.join(PI_GROUP, "cpu.cfs_period_us"), "100000");
  writeFileSync(path.join(PI_GROUP, "cpu.cfs_quota_us"), "25000");
}
console.log("| program | start, ms | memory, MB | installed, kB | files | |\n|---|---:|---:|---:|---:|---|");
execFileSync("npm", ["run", "--silent", "build"], { cwd: ROOT, stdio: "ignore" });
for (const neighbour of neighbours) console.log(await rowOf(neighbour));
if (IS_PI) console.log(await elbroOnPi());
await simulator.close();

/** Measures the boundary of a quarter hour at a subscriber, and the files and answers of the first view. */
async function elbroOnPi(): Promise<string> {
  using dir = new TempDir();
  const ports = { ELBRO_API_PORT: String(await freePort()), ELBRO_BROKER_PORT: String(await freePort()) };
  const login = { username: "pi", password: LAN_KEY };
  const keys = {
    ELBRO_API_KEYS: `[{ name: pi, key: ${LAN_KEY} }]`,
    ELBRO_BROKER_USERS: `[{ name: ${login.username}, password: ${login.password} }]`,
    ELBRO_HISTORY_MONTHS: "1",
  };
  const [elbro] = neighbours;
  if (!elbro) throw new Error("there is no elbro");
  // The history of a month takes a minute of this quota.
  const edge = Date.now() + HISTORY_MS;
  aheadMs = Math.ceil(edge / QUARTER_MS) * QUARTER_MS - edge;
  const clock = ["--clock", new Date(Date.now() + aheadMs).toISOString()];
  const own = { ...elbro, command: () => [...elbro.command("", dir.path), ...clock] };
  const child = started(own, dir.path, { ...elbro.environment?.(dir.path), ...ports, ...keys });
  try {
    await printed(child, elbro.up);
    await pause(edge - 5_000 - Date.now());
    const listener = await mqtt.connectAsync(`mqtt://127.0.0.1:${ports.ELBRO_BROKER_PORT}`, login);
    // Published at each boundary, also when it stays the same.
    await listener.subscribeAsync("elbro/home/cheap");
    let boundaryMs = Number.NaN;
    listener.on("message", () => {
      boundaryMs = Date.now() - edge;
    });
    await pause(edge + 5_000 - Date.now());
    await listener.endAsync(true);
    const began = performance.now();
    const get = async (target: string) => {
      const headers = { authorization: `Bearer ${LAN_KEY}`, "accept-encoding": "br" };
      return (await fetch(`http://127.0.0.1:${ports.ELBRO_API_PORT}/${target}`, { headers })).text();
    };
    const files = [...(await get("")).matchAll(/"(assets\/[^"]+)"/g)].map(([, file = ""]) => file);
    await Promise.all([...new Set(files), "local/v1/now", "local/v1/prices?home=home"].map(get));
    const viewMs = performance.now() - began;
    return `elbro: boundary ${boundaryMs} ms, files and answers of the first view ${viewMs.toFixed(0)} ms, ${memoryMb(child).toFixed(0)} MB`;
  } finally {
    await ended(child, "SIGKILL");
  }
}

async function rowOf(neighbour: Neighbour): Promise<string> {
  using installed = new TempDir();
  const { name, npm, note } = neighbour;
  try {
    if (npm !== null) install(npm, installed.path);
    const starts: Start[] = [];
    for (let i = 0; i < ROUNDS; i++) starts.push(await oneStart(neighbour, installed.path));
    const { kb, files } = sizeOf(neighbour.folder(installed.path));
    const ms = median(starts.map((start) => start.ms));
    const mb = median(starts.map((start) => start.mb));
    return `| ${name} ${npm === null ? "" : versionOf(installed.path, name)} | ${ms.toFixed(0)} | ${mb.toFixed(0)} | ${kb.toFixed(0)} | ${files} | ${note} |`;
  } catch (error) {
    return `| ${name} | – | – | – | – | ${error instanceof Error ? error.message.split("\n")[0] : "does not start"} |`;
  }
}

function install(what: string, folder: string): void {
  writeFileSync(path.join(folder, "package.json"), "{}");
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["install", ...flags, what], { cwd: folder, stdio: ["ignore", "ignore", "ignore"] });
}

type Start = { readonly ms: number; readonly mb: number };

async function oneStart(neighbour: Neighbour, installed: string): Promise<Start> {
  const { environment, prepare, up, settleMs = SETTLE_MS } = neighbour;
  using dir = new TempDir();
  const home = path.join(dir.path, "home");
  if (!existsSync(home)) mkdirSync(home);
  prepare?.(home);
  const began = performance.now();
  const child = started(neighbour, home, environment?.(home), installed);
  try {
    await printed(child, up);
    const ms = performance.now() - began;
    await pause(settleMs);
    return { ms, mb: memoryMb(child) };
  } finally {
    await ended(child, "SIGKILL");
  }
}

function started(
  { command }: Neighbour,
  home: string,
  environment: Readonly<Record<string, string>> = {},
  installed = "",
): ChildProcess {
  const child = spawn(process.execPath, [...HEAP, ...command(installed, home)], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (IS_PI) writeFileSync(path.join(PI_GROUP, "cgroup.procs"), String(child.pid));
  return child;
}

function printed(child: ChildProcess, line: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error("did not say that it is up")), UP_WITHIN_MS);
    const look = (part: Buffer) => {
      text += part.toString();
      if (!line.test(text)) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
    child.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`ended with ${code}`));
    });
  });
}

function sizeOf(folder: string): { readonly kb: number; readonly files: number } {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
  return { kb: bytes / 1_000, files: files.length };
}

function versionOf(installed: string, name: string): string {
  const text = readFileSync(path.join(modules(installed), name, "package.json"), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
