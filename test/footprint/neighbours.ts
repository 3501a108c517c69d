/**
 * `npm run lab -- neighbours`: measures start time, memory and size of elbro and of other home daemons in one run.
 *
 * Each is installed from npm into a temporary folder and runs without hardware. The start time ends with the log line
 * that matches `up`. Memory is read some seconds later. elbro uses the simulator and its embedded broker.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { MALLOC_SETTINGS, NODE_FLAGS } from "../support/processes/node-flags.ts";
import { TempDir } from "../support/runner/temp-dir.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const ROUNDS = 5;
const SETTLE_MS = 3_000;
const UP_WITHIN_MS = 30_000;

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

const simulator = await startSimulator({ now: Date.now });
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

console.log("| program | start, ms | memory, MB | installed, kB | files | |\n|---|---:|---:|---:|---:|---|");
execFileSync("npm", ["run", "--silent", "build"], { cwd: ROOT, stdio: "ignore" });
for (const neighbour of neighbours) console.log(await rowOf(neighbour));
await simulator.close();

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

interface Start {
  readonly ms: number;
  readonly mb: number;
}

async function oneStart(
  { command, environment, prepare, up, settleMs = SETTLE_MS }: Neighbour,
  installed: string,
): Promise<Start> {
  using dir = new TempDir();
  const home = path.join(dir.path, "home");
  if (!existsSync(home)) mkdirSync(home);
  prepare?.(home);
  const began = performance.now();
  const child = spawn(process.execPath, command(installed, home), {
    cwd: dir.path,
    env: { PATH: process.env.PATH, HOME: home, ...environment?.(home) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    await printed(child, up);
    const ms = performance.now() - began;
    await pause(settleMs);
    return { ms, mb: residentMb(child) };
  } finally {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.exitCode === null && child.kill("SIGKILL")) await ended;
  }
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

function residentMb(child: ChildProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
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
