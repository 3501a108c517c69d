/**
 * One built daemon with 1, 10 and 100 accounts (`BENCH_SIZES=10,100` for others), each with one home, one plan
 * and a month of history (`BENCH_MONTHS`), with one simulator and one Mosquitto in separate processes. The run of each
 * plan begins at the measured boundary. For each size the daemon runs four times on the same data:
 *
 * 1. Empty: requests all data of the first account. The other accounts get a copy under their names
 *    (`copy-accounts.ts`) and are published once.
 * 2. Warm: time from spawn to the first price and to the price of every home at a subscriber. Then 30 s of rest, for
 *    the memory and the cost of an idle second; then SIGTERM.
 * 3. Warm with the event-loop probe (`loop-process.ts`), over the boundary of a quarter hour, in real time: from the
 *    boundary, by the daemon's own clock, to the last price, level, signal and plan at the subscriber (`boundary`) and
 *    to the last of its other topics (`rest`); also LAN responses before it.
 * 4. Fast forward: processor time and bytes written in a day with its 96 quarter hours, new prices and new consumption.
 *    The cost of the clock's own timers does not grow with its speed, so the cost of idle seconds is added for the
 *    seconds that were skipped.
 *
 * Linux only, because it reads /proc.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import mqtt, { type MqttClient } from "mqtt";
import { demoHomes, homeOfAccount } from "../../src/simulator/homes.ts";
import { copyAccounts } from "../support/bench/copy-accounts.ts";
import { buildProgram, cpuSeconds, memoryMb, PROGRAM, ROOT } from "../support/bench/program.ts";
import { freePort } from "../support/broker/mosquitto.ts";
import { MALLOC_SETTINGS, nodeFlags } from "../support/processes/node-flags.ts";
import { ended, startSimulatorChild } from "../support/processes/spawned.ts";
import { TempDir } from "../support/runner/temp-dir.ts";

const PROBE = path.join(ROOT, "test/support/bench/loop-process.ts");
const SIZES = (process.env.BENCH_SIZES ?? "1,10,100").split(",").map(Number);
const MONTHS = Number(process.env.BENCH_MONTHS ?? 1);
const LAN_KEY = "bench-key-of-the-lan";
/** Day of the service on which tomorrow's prices are published in the afternoon. */
const FILL_AT = "2025-10-21T12:30:00Z";
const WARM_AT = "2025-10-21T13:31:00Z";
const EDGE = Date.parse("2025-10-21T13:45:00Z");
const DAY_AT = Date.parse("2025-10-21T14:01:00Z");
/** Real time from the start of the third run to the boundary: twice the time until the second run was idle. */
const EDGE_LEAD = { baseMs: 35_000, starts: 2 };
const PEACE_MS = 30_000;
/** Real duration of a day. A shorter one would hide work that does not fit into it. */
const DAY_MS = { least: 40_000, perHome: 200 };
const AFTER_EDGE_MS = 15_000;
const FILL_TIMEOUT_MS = 1_800_000;
const LAN_ANSWERS = 200;
/** Folder for a processor profile of each run, in order. */
const PROFILES = process.env.BENCH_PROFILES;
const VERBOSE = process.env.BENCH_DEBUG !== undefined;

/** Topics of a home that are urgent if they change at a boundary. Repeated values, for `expire_after`, are not. */
const URGENT = /^[^/]+\/[^/]+\/(price|price\/level|cheap|plan\/[^/]+)$/;
/** Plan of a home. Its two hours begin at the measured boundary, 15:45 local time, because no others are allowed. */
const PLAN = { name: "Boiler", kind: "window", hours: 2, from: "15:45", ready_by: "17:45", kwh: 3 };

type Figures = Record<string, number | null>;

export async function* run(): AsyncGenerator<Figures> {
  buildProgram();
  let smallest: Figures | undefined;
  for (const homes of SIZES) {
    const line = await linesOf(homes, smallest);
    smallest ??= line;
    yield line;
  }
}

async function linesOf(homes: number, smallest: Figures | undefined): Promise<Figures> {
  using dir = new TempDir();
  await using world = await World.open(homes, dir);
  await world.fill();
  const warm = await world.warm();
  const edge = await world.edge(warm.idleMs);
  const day = await world.day(warm.peaceCpuShare);
  const own = smallest && homes > Number(smallest.homes);
  return {
    homes,
    start_first_price_ms: warm.firstMs,
    start_all_prices_s: warm.allMs / 1_000,
    boundary_p99_ms: edge.urgentMs,
    loop_max_ms: edge.loopMs,
    cpu_s_per_home_day: day.cpuS / homes,
    rss_mb: warm.rssMb,
    rss_kb_per_home: own ? ((warm.rssMb - Number(smallest.rss_mb)) * 1_024) / (homes - Number(smallest.homes)) : null,
    written_kb_per_home_day: day.writtenKb / homes,
    rest_p99_ms: edge.restMs,
    lan_p50_ms: edge.lanMs,
    lan_p99_ms: edge.lanWorstMs,
    stop_ms: warm.stopMs,
    denied: world.denied,
  };
}

class World implements AsyncDisposable {
  readonly #homes: number;
  readonly #dir: TempDir;
  readonly #children: ChildProcess[] = [];
  #service = { url: "", key: "" };
  #brokerPort = 0;
  #listener: MqttClient | null = null;
  #apiPort = 0;
  /** Number of requests that the simulator answered with 429. */
  denied = 0;

  private constructor(homes: number, dir: TempDir) {
    this.#homes = homes;
    this.#dir = dir;
  }

  static async open(homes: number, dir: TempDir): Promise<World> {
    const world = new World(homes, dir);
    world.#brokerPort = await freePort();
    world.#apiPort = await freePort();
    const settings = dir.file("mosquitto.conf");
    writeFileSync(settings, `listener ${world.#brokerPort} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n`);
    world.#add(spawn("mosquitto", ["-c", settings], { stdio: "ignore" }));
    const { child, url, key } = await startSimulatorChild({ ACCOUNTS: String(homes), CLOCK: FILL_AT });
    world.#add(child);
    world.#service = { url, key };
    world.#listener = await mqtt.connectAsync(`mqtt://127.0.0.1:${world.#brokerPort}`, {
      protocolVersion: 4,
      reconnectPeriod: 50,
    });
    await world.#listener.subscribeAsync("elbro/#", { qos: 0 });
    return world;
  }

  async fill(): Promise<void> {
    const began = performance.now();
    await this.#setClock(FILL_AT, 1);
    this.#configure(1);
    const { child } = this.#daemon(FILL_AT, 1);
    await this.#firstPrices(child, 1).all;
    for (;;) {
      const { backfill, series, health } = await this.#system();
      const missing = series.filter(({ last_success_at: at }) => at === null).length;
      if (VERBOSE) console.error({ backfill, missing, series: series.length, health: health?.status });
      if (backfill && backfill.days_known >= backfill.days_wanted && missing === 0) break;
      if (performance.now() - began > FILL_TIMEOUT_MS) throw new Error("the history did not come in time");
      await pause(2_000);
    }
    await ended(child);
    this.#configure(this.#homes);
    const { id, label } = demoHomes.danish.address;
    const others = Array.from({ length: this.#homes - 1 }, (_, i) => {
      const own = homeOfAccount(demoHomes.danish, i + 2).address;
      return { name: `account-${i + 2}`, addressId: own.id, label: own.label };
    });
    copyAccounts(this.#dir.file("data/elbro.db"), { name: "account-1", addressId: id, label }, others);
    const first = this.#daemon(FILL_AT, 1).child;
    await this.#firstPrices(first).all;
    await this.#settled(first);
    await ended(first);
  }

  async warm() {
    await this.#setClock(WARM_AT, 1);
    const began = performance.now();
    const { child } = this.#daemon(WARM_AT, 1);
    const prices = this.#firstPrices(child);
    const firstMs = (await prices.first) - began;
    const allMs = (await prices.all) - began;
    await this.#settled(child);
    const idleMs = performance.now() - began;
    const before = cpuSeconds(child);
    await pause(PEACE_MS);
    const peaceCpuShare = ((cpuSeconds(child) - before) * 1_000) / PEACE_MS;
    const rssMb = memoryMb(child);
    const stopping = performance.now();
    await ended(child);
    return { firstMs, allMs, idleMs, rssMb, peaceCpuShare, stopMs: performance.now() - stopping };
  }

  async edge(startMs: number) {
    const leadMs = EDGE_LEAD.baseMs + EDGE_LEAD.starts * startMs;
    const start = new Date(EDGE - leadMs).toISOString();
    await this.#setClock(start, 1);
    const urgent = new Map<string, number>();
    const rest = new Map<string, number>();
    const planned = new Set<string>();
    const known = new Map<string, string>();
    let edgeAt = Number.POSITIVE_INFINITY;
    const take = (topic: string, payload: Buffer) => {
      const at = Date.now() - edgeAt;
      const home = topic.split("/")[1] ?? "";
      const value = payload.toString();
      const isRepeated = known.get(topic) === value;
      known.set(topic, value);
      if (at < 0 || !home.startsWith("home")) return;
      (URGENT.test(topic) && !isRepeated ? urgent : rest).set(home, at);
      if (/\/plan\/[^/]+$/.test(topic) && value === "ON") planned.add(home);
    };
    this.#listener?.on("message", take);
    const { child } = this.#daemon(start, 1, ["--require", PROBE], "ipc");
    await this.#firstPrices(child).all;
    await this.#settled(child);
    edgeAt = EDGE - (await this.#clockAheadMs());
    if (edgeAt < Date.now()) throw new Error("the daemon was not idle before the boundary");
    await loopOf(child);
    const lan = await this.#lanTimes();
    await pause(edgeAt + AFTER_EDGE_MS - Date.now());
    this.#listener?.off("message", take);
    if (Math.min(urgent.size, planned.size) !== this.#homes)
      throw new Error(
        `at the boundary, ${urgent.size} homes and ${planned.size} plans of ${this.#homes} were published`,
      );
    const loopMs = await loopOf(child);
    await ended(child);
    const lanMs = quantile(lan, 0.5);
    return {
      ...{ loopMs, lanMs, lanWorstMs: quantile(lan, 0.99) },
      urgentMs: quantile([...urgent.values()], 0.99),
      restMs: quantile([...rest.values()], 0.99),
    };
  }

  async day(peaceCpuShare: number) {
    const dayMs = Math.max(DAY_MS.least, DAY_MS.perHome * this.#homes);
    const speed = Math.floor(86_400_000 / dayMs);
    const start = new Date(DAY_AT).toISOString();
    await this.#setClock(start, speed);
    const { child } = this.#daemon(start, speed);
    await this.#firstPrices(child).all;
    await pause(2_000);
    const before = { cpuS: cpuSeconds(child), writtenKb: writtenKb(child) };
    await pause(dayMs);
    const cpuS = cpuSeconds(child) - before.cpuS + peaceCpuShare * (86_400 - dayMs / 1_000);
    const day = { cpuS, writtenKb: writtenKb(child) - before.writtenKb };
    const { accounts } = (await (await fetch(`${this.#service.url}/simulator`)).json()) as {
      accounts: { denied: number };
    };
    this.denied = accounts.denied;
    await ended(child);
    return day;
  }

  /** Waits until the work of the start has ended: a period in which the daemon is idle. */
  async #settled(child: ChildProcess): Promise<void> {
    for (let calm = 0; calm < 3; ) {
      const before = cpuSeconds(child);
      await pause(500);
      calm = cpuSeconds(child) - before < 0.05 ? calm + 1 : 0;
    }
  }

  async #lanTimes(): Promise<number[]> {
    const times: number[] = [];
    for (let i = 0; i < LAN_ANSWERS; i++) {
      const home = i % this.#homes;
      const began = performance.now();
      await this.#get(`/local/v1/now?home=${homeId(home + 1)}`);
      times.push(performance.now() - began);
    }
    return times;
  }

  /**
   * Returns the offset of the daemon's clock to this machine's. A request reads it between its sending and its
   * response.
   */
  async #clockAheadMs(): Promise<number> {
    const ahead: number[] = [];
    for (let i = 0; i < 5; i++) {
      const began = Date.now();
      const { now } = await this.#system();
      ahead.push(Date.parse(now) - began);
    }
    return Math.min(...ahead);
  }

  async #system() {
    return (await this.#get("/local/v1/system")) as {
      readonly now: string;
      readonly backfill: { readonly days_known: number; readonly days_wanted: number } | null;
      readonly series: readonly { readonly last_success_at: string | null }[];
      readonly health?: { readonly status?: string };
    };
  }

  async #get(route: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${LAN_KEY}` };
    const answer = await fetch(`http://127.0.0.1:${this.#apiPort}${route}`, { headers });
    if (!answer.ok) throw new Error(`${route}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  /**
   * Returns the times of the first price, and of the last home's first price. Retained ones arrive at the subscription.
   */
  #firstPrices(child: ChildProcess, homes: number = this.#homes) {
    const first = Promise.withResolvers<number>();
    const all = Promise.withResolvers<number>();
    const seen = new Set<string>();
    const take = (topic: string, payload: Buffer) => {
      const home = /^elbro\/([^/]+)\/price$/.exec(topic)?.[1];
      if (home === undefined || payload.length === 0) return;
      seen.add(home);
      first.resolve(performance.now());
      if (seen.size === homes) all.resolve(performance.now());
    };
    this.#listener?.on("message", take);
    void all.promise.then(() => this.#listener?.off("message", take)).catch(() => undefined);
    child.once("exit", (code) => {
      const error = new Error(`the daemon ended with ${code} with ${seen.size} prices`);
      first.reject(error);
      all.reject(error);
    });
    void first.promise.catch(() => undefined);
    return { first: first.promise, all: all.promise };
  }

  #daemon(clock: string, speed: number, nodeArgs: readonly string[] = [], channel: "ipc" | "ignore" = "ignore") {
    const prof = PROFILES === undefined ? [] : ["--cpu-prof", "--cpu-prof-dir", path.resolve(ROOT, PROFILES)];
    const args = [...nodeFlags(this.#homes), ...prof, ...nodeArgs, PROGRAM, "--clock", clock, "--speed", String(speed)];
    const child = spawn(process.execPath, args, {
      cwd: this.#dir.path,
      env: {
        ...MALLOC_SETTINGS,
        NODE_COMPILE_CACHE: path.join(ROOT, "node_modules/.cache/elbro"),
        ELBRO_CONFIG: this.#dir.file("elbro.yaml"),
      },
      stdio: ["ignore", VERBOSE ? "inherit" : "ignore", "inherit", channel],
    });
    return { child: this.#add(child) };
  }

  #configure(homes: number): void {
    const accounts = Array.from({ length: homes }, (_, i) => ({
      name: `account-${i + 1}`,
      api_key: i === 0 ? this.#service.key : `${this.#service.key}-${i + 1}`,
    }));
    const configuration = JSON.stringify({
      service: { base_url: this.#service.url },
      consumer: accounts,
      plans: accounts.map((_, i) => ({ ...PLAN, id: `boiler-${i + 1}`, home: homeId(i + 1) })),
      mqtt: { url: `mqtt://127.0.0.1:${this.#brokerPort}` },
      api: {
        host: "127.0.0.1",
        port: this.#apiPort,
        keys: [{ name: "bench", key: LAN_KEY }],
        requests_per_minute: 6_000,
      },
      history: { months: MONTHS },
      log: { level: VERBOSE ? "info" : "warn" },
      data_dir: this.#dir.file("data"),
    });
    writeFileSync(this.#dir.file("elbro.yaml"), configuration, { mode: 0o600 });
  }

  async #setClock(at: string, speed: number): Promise<void> {
    const answer = await fetch(`${this.#service.url}/simulator/clock`, {
      method: "POST",
      body: JSON.stringify({ at, speed }),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }

  #add(child: ChildProcess): ChildProcess {
    this.#children.push(child);
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener?.endAsync(true);
    for (const child of this.#children) await ended(child, "SIGKILL");
  }
}

/** Returns the longest event-loop tick since the last call. */
function loopOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once("message", (sample: { held: number }) => resolve(sample.held));
    child.send("look");
  });
}

function writtenKb({ pid }: ChildProcess): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]) / 1_000;
}

/** Returns the id that a home gets from its label. */
function homeId(number: number): string {
  return number === 1 ? "home" : `home_${number}`;
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
