/**
 * `npm run fleet`: four shards of the built program with 1,000 accounts (`FLEET_ACCOUNTS=100` for others), one Mosquitto, one
 * PostgreSQL and one simulator, all on this machine and by its clock. It starts all, kills a shard and starts it again with
 * its data and without, and changes the number of shards from four to five. After each step: every home is served by one
 * shard and announced by it, nothing was denied; at the end: each row is in PostgreSQL once.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import mqtt from "mqtt";
import { shardOf } from "../../src/core/sharding/shard.ts";
import { heapFlagsFor } from "../../src/core/status/heap-size.ts";
import { demoHomes, homeOfAccount } from "../../src/service/simulator/homes.ts";
import { havePostgres, PostgresServer } from "../support/archive/postgres.ts";
import { freePort, haveMosquitto, Mosquitto } from "../support/broker/mosquitto.ts";
import { MALLOC_SETTINGS } from "../support/daemon/node-flags.ts";
import { TempDir } from "../support/daemon/temp-dir.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const ACCOUNTS = Number(process.env.FLEET_ACCOUNTS ?? 1_000);
const STEP_TIMEOUT_MS = 1_200_000;
const KEY = "key-of-the-fleet";
const CANNOT_RUN = 75;
const numbers = Array.from({ length: ACCOUNTS }, (_, i) => i + 1);

interface Shard {
  readonly child: ChildProcess;
  readonly port: number;
}

if (!haveMosquitto || !havePostgres) {
  console.log("skipped: needs Mosquitto and PostgreSQL (apt-get install mosquitto postgresql)");
  process.exit(CANNOT_RUN);
}
execFileSync("npm", ["run", "--silent", "build"], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
using dir = new TempDir();
await using broker = await Mosquitto.start({ persistence: true });
await using database = await PostgresServer.start();
const simulator = spawn(process.execPath, [path.join(ROOT, "test/support/service/simulator-process.ts")], {
  env: { ACCOUNTS: String(ACCOUNTS) },
  stdio: ["ignore", "pipe", "inherit"],
});
const [service = "", consumerKey = ""] = (await firstLine(simulator)).split(" ");
writeAccounts();
/** What the broker retains, as a client sees it that was there all the time. */
const retained = new Map<string, string>();
let cleared = 0;
const listener = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, { protocolVersion: 4 });
listener.on("message", (topic, payload) => {
  if (payload.length === 0 && /(\/state|\/config)$/.test(topic)) cleared++;
  retained.set(topic, payload.toString());
});
await listener.subscribeAsync(["elbro/+/price", "elbro/+/state", "elbro/+/status", "homeassistant/device/+/config"]);
let shards: Shard[] = [];
let failures = 0;

try {
  await step("start", 4, () => startAll(4));
  await step("kill_with_volume", 4, () => again(1, 4, () => undefined));
  await step("kill_without_volume", 4, () => again(2, 4, () => rmSync(dataDir(2), { recursive: true })));
  const before = cleared;
  await step("four_to_five", 5, async () => {
    await stopAll();
    await startAll(5);
  });
  report("cleared_topics", cleared - before, 0);
  await archived();
  await stopAll();
} finally {
  for (const { child } of shards) child.kill("SIGKILL");
  simulator.kill();
  await listener.endAsync(true);
}
console.log(failures === 0 ? "fleet: all as it should be" : `fleet: ${failures} figures are wrong`);
process.exitCode = failures === 0 ? 0 : 1;

function writeAccounts(): void {
  mkdirSync(dir.file("accounts"));
  for (const number of numbers) {
    const home = number === 1 ? demoHomes.danish : homeOfAccount(demoHomes.danish, number);
    const account = {
      api_key: number === 1 ? consumerKey : `${consumerKey}-${number}`,
      homes: [{ address_id: home.address.id, id: `house-${number}` }],
    };
    writeFileSync(path.join(dir.file("accounts"), `a${number}.yaml`), JSON.stringify(account), { mode: 0o600 });
  }
  const config = {
    service: { base_url: service },
    accounts_dir: dir.file("accounts"),
    mqtt: { url: `mqtt://127.0.0.1:${broker.port}` },
    archive: { url: database.url() },
    history: { months: 0 },
  };
  writeFileSync(dir.file("elbro.yaml"), JSON.stringify(config), { mode: 0o600 });
}

function dataDir(index: number): string {
  return dir.file(`data-${index}`);
}

async function startShard(index: number, count: number): Promise<Shard> {
  const port = await freePort();
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, [path.join(ROOT, "dist/elbro.cjs")], {
    env: {
      ...{ PATH, HOME, ...MALLOC_SETTINGS },
      NODE_OPTIONS: heapFlagsFor(Math.ceil((ACCOUNTS / count) * 1.2)),
      ELBRO_CONFIG: dir.file("elbro.yaml"),
      ELBRO_SHARD: `${index}/${count}`,
      ELBRO_DATA_DIR: dataDir(index),
      ELBRO_API: JSON.stringify({
        host: "127.0.0.1",
        port,
        keys: [{ name: "fleet", key: KEY }],
        requests_per_minute: 600,
        requests_per_day: 100_000,
      }),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (/"level":(40|50|60)/.test(line)) console.error(`shard ${index}: ${line}`);
  });
  return { child, port };
}

async function startAll(count: number): Promise<void> {
  shards = await Promise.all(Array.from({ length: count }, (_, index) => startShard(index, count)));
}

async function stopAll(): Promise<void> {
  await Promise.all(shards.map(({ child }) => end(child, "SIGTERM")));
  shards = [];
}

async function again(index: number, count: number, between: () => void): Promise<void> {
  const shard = shards[index];
  if (shard) await end(shard.child, "SIGKILL");
  between();
  shards[index] = await startShard(index, count);
}

/** Does a step, waits until all homes are served, and prints what is to be seen then. */
async function step(name: string, count: number, work: () => Promise<void>): Promise<void> {
  const began = performance.now();
  await work();
  let served = await servedBy();
  let wrong = wrongIn(served, count);
  while (wrong > 0 && performance.now() - began < STEP_TIMEOUT_MS) {
    await pause(2_000);
    served = await servedBy();
    wrong = wrongIn(served, count);
  }
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  const rss = shards.map(({ child }) => residentMb(child)).join(",");
  console.log(`fleet: step=${name} shards=${count} homes=${ACCOUNTS} all_served_s=${seconds} rss_mb=${rss}`);
  report(`${name} homes_not_served_by_exactly_their_shard`, wrong, 0);
  report(`${name} denied`, await denied(), 0);
}

/** By home, which shards have a price for it. */
async function servedBy(): Promise<Map<string, number[]>> {
  const served = new Map<string, number[]>();
  await Promise.all(
    shards.map(async ({ port }, index) => {
      const homes = await homesAt(port);
      for (const { id, price } of homes) if (price !== null) served.set(id, [...(served.get(id) ?? []), index]);
    }),
  );
  return served;
}

async function homesAt(port: number): Promise<readonly { readonly id: string; readonly price: number | null }[]> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/local/v1/now`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    return ((await answer.json()) as { homes?: { id: string; price: number | null }[] }).homes ?? [];
  } catch {
    return []; // not up yet
  }
}

function wrongIn(served: ReadonlyMap<string, readonly number[]>, count: number): number {
  return numbers.filter((number) => {
    const owner = shardOf(`a${number}`, count);
    const document = retained.get(`homeassistant/device/elbro_house-${number}/config`) ?? "";
    const isServed = served.get(`house-${number}`)?.join() === String(owner);
    const isAnnounced = document.includes(`elbro/shard-${owner}/status`);
    return !isServed || !isAnnounced || !retained.get(`elbro/house-${number}/price`);
  }).length;
}

async function denied(): Promise<number> {
  const { accounts } = (await (await fetch(`${service}/simulator`)).json()) as { accounts: { denied: number } };
  return accounts.denied;
}

/** Waits until what is stored is in PostgreSQL, and counts it there. */
async function archived(): Promise<void> {
  const count = async (text: string) => Number((await database.query(text, "elbro"))[0]?.count);
  let rows = -1;
  for (let now = 0; now !== rows; ) {
    rows = now;
    await pause(15_000);
    now = await count("select count(*) from elbro.stored_rows");
  }
  console.log(`fleet: archived_rows=${rows}`);
  const twice = `select count(*) from (select 1 from elbro.stored_rows
    group by account, address, series, resolution, start_at having count(*) > 1) as twice`;
  report("archive rows_there_twice", await count(twice), 0);
  report("archive homes", await count("select count(distinct address) from elbro.prices"), ACCOUNTS);
}

function report(what: string, found: number, expected: number): void {
  if (found !== expected) failures++;
  console.log(`fleet: ${what}=${found}${found === expected ? "" : ` (expected ${expected})`}`);
}

function residentMb(child: ChildProcess): string {
  const status = execFileSync("ps", ["-o", "rss=", "-p", String(child.pid)], { encoding: "utf8" });
  return (Number(status) / 1_024).toFixed(0);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error("the process has no output");
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return String(line);
}
