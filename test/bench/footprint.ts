/**
 * Built daemon as a user runs it, with the service (over HTTPS) and the broker in separate processes.
 *
 * The start is measured from spawn to the first price at a subscriber; resident memory is read at that moment. Bare
 * Node is the same binary with an empty program. The warm starts have more than a year of data and ten plans. The soak
 * simulates two days in 30 s: the first with back-fill, LAN clients and a dashboard, the second without. The CPU time
 * is that of the second day.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import mqtt from "mqtt";
import { buildProgram, cpuSeconds, memoryMb, PROGRAM, packageKb, ROOT, statusMb } from "../support/bench/program.ts";
import { freePort } from "../support/broker/mosquitto.ts";
import { MALLOC_SETTINGS, NODE_FLAGS } from "../support/processes/node-flags.ts";
import { ended, firstLine, startSimulatorChild } from "../support/processes/spawned.ts";
import { TempDir } from "../support/runner/temp-dir.ts";
import { createSelfSigned } from "../support/service/self-signed.ts";

const STARTS = 7;
const SOAK_SPEED = 7_200;
const DAY_MS = 86_400_000 / SOAK_SPEED;
const LAN_KEY = "bench-key";
/** Ten appliances with plans of every kind. */
const PLANS = Array.from({ length: 10 }, (_, i) => {
  const kind = ["window", "slots", "below", "avoid"][i % 4];
  return { name: `Plan ${i}`, home: "home", kind, ...(kind === "below" ? { level: "cheap" } : { hours: 2 + (i % 3) }) };
});
const LOG_DEBUG = process.env.BENCH_DEBUG !== undefined;

type World = { readonly serviceUrl: string; readonly key: string; readonly brokerPort: number; readonly ca: string };

export async function run(): Promise<Record<string, number>> {
  buildProgram();
  const tls = createSelfSigned();
  if (!tls) throw new Error("this bench needs openssl for the certificate of the service");
  await using children = new Children();
  const brokerPort = await startBroker(children);
  const bare = bareNode();
  const service = await startService(children, { TLS_KEY: tls.key, TLS_CERT: tls.cert });
  const world = { ...service, brokerPort, ca: tls.cert };
  const cold = await coldStarts(world);
  const warm = await warmStarts(world);
  const soak = await soakOf(children, world, tls);
  return {
    bare_start_ms: bare.startMs,
    bare_rss_mb: bare.rssMb,
    start_cold_ms: median(cold.map((start) => start.ms)),
    start_warm_ms: median(warm.map((start) => start.ms)),
    rss_mb: median(warm.map((start) => start.rssMb)),
    rss_ratio: median(warm.map((start) => start.rssMb)) / bare.rssMb,
    rss_soak_peak_mb: soak.peakMb,
    soak_ratio: soak.peakMb / bare.rssMb,
    cpu_s_per_day: soak.cpuSPerDay,
    package_kb: packageKb(),
  };
}

type Start = { readonly ms: number; readonly rssMb: number };

async function coldStarts(world: World): Promise<Start[]> {
  const starts: Start[] = [];
  for (let i = 0; i < STARTS; i++) {
    using dir = new TempDir();
    starts.push(await oneStart(world, dir));
  }
  return starts;
}

async function warmStarts(world: World): Promise<Start[]> {
  using dir = new TempDir();
  await oneStart(world, dir, 3_000);
  const starts: Start[] = [];
  for (let i = 0; i < STARTS; i++) starts.push(await oneStart(world, dir));
  return starts;
}

/** Starts the daemon, waits for its first price, and ends it after `lingerMs`, regularly: after two crashes a start does more. */
async function oneStart(world: World, dir: TempDir, lingerMs = 0): Promise<Start> {
  const base = `bench${Math.random().toString(36).slice(2)}`;
  await using children = new Children();
  const listener = await mqtt.connectAsync(`mqtt://127.0.0.1:${world.brokerPort}`, { protocolVersion: 4 });
  children.defer(() => listener.endAsync(true));
  await listener.subscribeAsync(`${base}/+/price`);
  const began = performance.now();
  const daemon = startDaemon(children, world, dir, { ELBRO_MQTT_BASE_TOPIC: base }, []);
  await new Promise<void>((resolve, reject) => {
    listener.once("message", () => resolve());
    daemon.once("exit", (code) => reject(new Error(`the daemon ended with ${code} before its first price`)));
  });
  const start = { ms: performance.now() - began, rssMb: memoryMb(daemon) };
  await pause(lingerMs);
  await ended(daemon);
  return start;
}

type Soak = { readonly peakMb: number; readonly cpuSPerDay: number };

async function soakOf(children: Children, world: World, tls: { key: string; cert: string }): Promise<Soak> {
  using dir = new TempDir();
  const clock = "2025-10-25T10:00:00Z";
  const service = await startService(children, {
    TLS_KEY: tls.key,
    TLS_CERT: tls.cert,
    CLOCK: clock,
    SPEED: String(SOAK_SPEED),
  });
  const apiPort = await freePort();
  const daemon = startDaemon(
    children,
    { ...world, ...service },
    dir,
    { ELBRO_API_PORT: String(apiPort), ELBRO_MQTT_BASE_TOPIC: "soak" },
    ["--clock", clock, "--speed", String(SOAK_SPEED)],
  );
  const end = performance.now() + DAY_MS;
  while (performance.now() < end) {
    await pause(250);
    await readSomething(apiPort);
  }
  const before = cpuSeconds(daemon);
  await pause(DAY_MS);
  return { peakMb: memoryMb(daemon, "VmHWM"), cpuSPerDay: cpuSeconds(daemon) - before };
}

async function readSomething(apiPort: number): Promise<void> {
  const headers = { authorization: `Bearer ${LAN_KEY}` };
  const base = `http://127.0.0.1:${apiPort}/consumer/v1/me/addresses`;
  try {
    const { data } = (await (await fetch(base, { headers })).json()) as { data: { id: string }[] };
    const range = "from=2024-11-01T00:00:00Z&to=2025-10-01T00:00:00Z";
    await (await fetch(`${base}/${data[0]?.id}/consumption?${range}&aggregation=hour`, { headers })).text();
    for (const local of ["", "local/v1/now", "local/v1/prices?home=home", "local/v1/plans", "local/v1/system"])
      await (await fetch(`http://127.0.0.1:${apiPort}/${local}`, { headers })).text();
  } catch (error) {
    if (LOG_DEBUG) console.error("the LAN was not answered:", error);
  }
}

function startDaemon(
  children: Children,
  world: World,
  dir: TempDir,
  environment: Record<string, string>,
  args: readonly string[],
): ChildProcess {
  const child = spawn(process.execPath, [...NODE_FLAGS, PROGRAM, ...args], {
    // The root of a clone may contain the owner's config/elbro.yaml.
    cwd: dir.path,
    env: {
      ...MALLOC_SETTINGS,
      NODE_COMPILE_CACHE: path.join(ROOT, "node_modules/.cache/elbro"),
      ELBRO_SERVICE_BASE_URL: world.serviceUrl,
      ELBRO_SERVICE_CA: world.ca,
      ELBRO_CONSUMER_API_KEY: world.key,
      ELBRO_MQTT_URL: `mqtt://127.0.0.1:${world.brokerPort}`,
      ELBRO_API_HOST: "127.0.0.1",
      ELBRO_API_PORT: "0",
      ELBRO_API_KEYS: `[{ name: bench, key: ${LAN_KEY} }]`,
      ELBRO_PLANS: JSON.stringify(PLANS),
      ELBRO_DATA_DIR: dir.path,
      ...environment,
    },
    stdio: LOG_DEBUG ? "inherit" : "ignore",
  });
  return children.add(child);
}

async function startService(children: Children, environment: Record<string, string>) {
  const { child, url: serviceUrl, key } = await startSimulatorChild(environment);
  children.add(child);
  return { serviceUrl, key };
}

async function startBroker(children: Children): Promise<number> {
  if (spawnSync("mosquitto", ["-h"]).error) {
    const script = path.join(ROOT, "test/support/broker/broker-process.ts");
    const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
    return Number(await firstLine(children.add(child)));
  }
  const port = await freePort();
  children.add(spawn("mosquitto", ["-p", String(port)], { stdio: "ignore" }));
  await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 50 }).then((client) => client.endAsync());
  return port;
}

/** Measures the same Node with an empty program: time until its end, and resident memory while idle. */
function bareNode(): { readonly startMs: number; readonly rssMb: number } {
  const times: number[] = [];
  const sizes: number[] = [];
  const report = "process.stdout.write(require('node:fs').readFileSync('/proc/self/status', 'utf8'))";
  for (let i = 0; i < STARTS; i++) {
    const began = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    times.push(performance.now() - began);
    sizes.push(statusMb(spawnSync(process.execPath, ["-e", report], { encoding: "utf8" }).stdout, "VmRSS"));
  }
  return { startMs: median(times), rssMb: median(sizes) };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Processes that end with their scope. */
class Children implements AsyncDisposable {
  readonly #all: ChildProcess[] = [];
  readonly #others: (() => Promise<unknown>)[] = [];

  /** Registers another resource to end with the same scope. */
  defer(end: () => Promise<unknown>): void {
    this.#others.push(end);
  }

  add(child: ChildProcess): ChildProcess {
    this.#all.push(child);
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#others.map((end) => end()));
    for (const child of this.#all) await ended(child, "SIGKILL");
  }
}
