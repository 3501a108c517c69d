import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { shardOf } from "../../../src/core/sharding/shard.ts";
import { heapFlagsFor } from "../../../src/core/status/heap-size.ts";
import { demoHomes, homeOfAccount } from "../../../src/simulator/homes.ts";
import { PostgresServer } from "../archive/postgres.ts";
import { freePort, Mosquitto, type MosquittoOptions } from "../broker/mosquitto.ts";
import { TopicWatcher } from "../broker/topic-watcher.ts";
import { TempDir } from "../runner/temp-dir.ts";
import { MALLOC_SETTINGS } from "./node-flags.ts";
import { ended, startSimulatorChild } from "./spawned.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const KEY = "key-of-the-fleet";
const WATCHED = ["elbro/+/price", "elbro/+/state", "elbro/+/status", "homeassistant/device/+/config"];

export interface ProcessFleetOptions {
  readonly accounts: number;
  /** Simulated start time, and how much faster than real time it passes. */
  readonly clock: { readonly at: string; readonly speed: number };
  readonly broker?: MosquittoOptions;
}

type Shard = { readonly child: ChildProcess; readonly port: number };

/** Shards of the built program in processes of their own, with one Mosquitto, one PostgreSQL and one simulator. */
export class ProcessFleet implements AsyncDisposable {
  readonly broker: Mosquitto;
  readonly database: PostgresServer;
  /** Retained topics as seen by a client that is connected all the time. */
  readonly watcher: TopicWatcher;
  /** Numbers of the accounts, from 1. Account 3 is `a3` and has the home `house-3`. */
  readonly numbers: readonly number[];
  readonly #dir: TempDir;
  readonly #simulator: ChildProcess;
  readonly #service: { readonly url: string; readonly key: string };
  readonly #clock: { readonly at: number; readonly speed: number; readonly startedAt: number };
  #shards: Shard[] = [];

  private constructor(parts: {
    readonly options: ProcessFleetOptions;
    readonly broker: Mosquitto;
    readonly database: PostgresServer;
    readonly watcher: TopicWatcher;
    readonly simulator: ChildProcess;
    readonly service: { readonly url: string; readonly key: string };
  }) {
    const { options, broker, database, watcher, simulator, service } = parts;
    this.#dir = new TempDir();
    this.#simulator = simulator;
    this.#service = service;
    this.broker = broker;
    this.database = database;
    this.watcher = watcher;
    this.numbers = Array.from({ length: options.accounts }, (_, i) => i + 1);
    const { at, speed } = options.clock;
    this.#clock = { at: Date.parse(at), speed, startedAt: Date.now() };
    this.#writeAccounts();
  }

  /** Starts everything except the shards. */
  static async open(options: ProcessFleetOptions): Promise<ProcessFleet> {
    const broker = await Mosquitto.start({ persistence: true, ...options.broker });
    const database = await PostgresServer.start();
    const watcher = await TopicWatcher.on(broker.port, { topics: WATCHED });
    const { at, speed } = options.clock;
    const environment = { ACCOUNTS: String(options.accounts), CLOCK: at, SPEED: String(speed) };
    const { child: simulator, url, key } = await startSimulatorChild(environment);
    return new ProcessFleet({ options, broker, database, watcher, simulator, service: { url, key } });
  }

  /** Starts `count` shards. Each uses the data directory of the previous shard with the same number. */
  async start(count: number): Promise<void> {
    this.#shards = await Promise.all(Array.from({ length: count }, (_, index) => this.#startShard(index, count)));
  }

  /** Stops all shards as an orchestrator does. */
  async stop(): Promise<void> {
    await Promise.all(this.#shards.splice(0).map(({ child }) => ended(child, "SIGTERM")));
  }

  /** Kills a shard with SIGKILL and starts it again, with its data directory or an empty one. */
  async restart(index: number, volume: "kept" | "empty"): Promise<void> {
    const shard = this.#shards[index];
    if (shard) await ended(shard.child, "SIGKILL");
    if (volume === "empty") rmSync(this.dataDir(index), { recursive: true });
    this.#shards[index] = await this.#startShard(index, this.#shards.length);
  }

  dataDir(index: number): string {
    return this.#dir.file(`data-${index}`);
  }

  /** Returns the homes that are not served and announced by exactly their shard. */
  async misplaced(): Promise<number[]> {
    const served = await this.#servedBy();
    return this.numbers.filter((number) => {
      const owner = shardOf(`a${number}`, this.#shards.length);
      const document = this.watcher.payload(`homeassistant/device/elbro_house-${number}/config`) ?? "";
      const isServed = served.get(`house-${number}`)?.join() === String(owner);
      const isAnnounced = document.includes(`elbro/shard-${owner}/status`);
      return !isServed || !isAnnounced || this.watcher.payload(`elbro/house-${number}/price`) === null;
    });
  }

  /** Waits until no home is misplaced, at most `withinMs`. Returns the homes that still are. */
  async settled(withinMs: number): Promise<number[]> {
    const giveUpAt = performance.now() + withinMs;
    for (;;) {
      const misplaced = await this.misplaced();
      if (misplaced.length === 0 || performance.now() > giveUpAt) return misplaced;
      await pause(Math.min(2_000, 20 * this.numbers.length));
    }
  }

  /** Returns the number of requests that the service denied. */
  async denied(): Promise<number> {
    const { accounts } = (await (await fetch(`${this.#service.url}/simulator`)).json()) as {
      accounts: { denied: number };
    };
    return accounts.denied;
  }

  /** Returns the number of messages that cleared the state or the document of a home, since the message `from`. */
  cleared(from: number): number {
    const isCleared = ({ topic, payload }: { readonly topic: string; readonly payload: string }) =>
      payload === "" && /house-\d+\/(state|config)$/.test(topic);
    return this.watcher.seen.slice(from).filter(isCleared).length;
  }

  /** Waits until the archive no longer grows. Returns its number of rows. */
  async archived(quietMs: number): Promise<number> {
    for (let rows = -1; ; ) {
      const [found] = await this.database.query("select count(*) from elbro.rows", "elbro");
      if (Number(found?.count) === rows) return rows;
      rows = Number(found?.count);
      await pause(quietMs);
    }
  }

  #writeAccounts(): void {
    mkdirSync(this.#dir.file("accounts"));
    const { url, key } = this.#service;
    for (const number of this.numbers) {
      const home = number === 1 ? demoHomes.danish : homeOfAccount(demoHomes.danish, number);
      const account = {
        api_key: number === 1 ? key : `${key}-${number}`,
        homes: [{ address_id: home.address.id, id: `house-${number}` }],
      };
      const file = path.join(this.#dir.file("accounts"), `a${number}.yaml`);
      writeFileSync(file, JSON.stringify(account), { mode: 0o600 });
    }
    const config = {
      service: { base_url: url },
      accounts_dir: this.#dir.file("accounts"),
      mqtt: { url: `mqtt://127.0.0.1:${this.broker.port}` },
      archive: { url: this.database.url() },
      history: { months: 0 },
    };
    writeFileSync(this.#dir.file("elbro.yaml"), JSON.stringify(config), { mode: 0o600 });
  }

  async #startShard(index: number, count: number): Promise<Shard> {
    const port = await freePort();
    const { PATH = "", HOME = "" } = process.env;
    const child = spawn(process.execPath, [path.join(ROOT, "dist/elbro.cjs"), ...this.#clockArguments()], {
      env: {
        ...{ PATH, HOME, ...MALLOC_SETTINGS },
        NODE_OPTIONS: heapFlagsFor(Math.ceil((this.numbers.length / count) * 1.2)),
        ELBRO_CONFIG: this.#dir.file("elbro.yaml"),
        ELBRO_SHARD: `${index}/${count}`,
        ELBRO_DATA_DIR: this.dataDir(index),
        ELBRO_API: JSON.stringify({
          host: "127.0.0.1",
          port,
          keys: [{ name: "fleet", key: KEY }],
          requests_per_minute: 6_000,
          requests_per_day: 100_000,
        }),
      },
      stdio: ["ignore", "ignore", "inherit"],
    });
    return { child, port };
  }

  #clockArguments(): string[] {
    const { at, speed, startedAt } = this.#clock;
    const now = new Date(at + (Date.now() - startedAt) * speed);
    return ["--clock", now.toISOString(), "--speed", String(speed)];
  }

  /** Returns the shards that have a price, by home. */
  async #servedBy(): Promise<Map<string, number[]>> {
    const served = new Map<string, number[]>();
    await Promise.all(
      this.#shards.map(async ({ port }, index) => {
        for (const { id, price } of await homesAt(port))
          if (price !== null) served.set(id, [...(served.get(id) ?? []), index]);
      }),
    );
    return served;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      [this.#simulator, ...this.#shards.map(({ child }) => child)].map((each) => ended(each, "SIGKILL")),
    );
    await this.watcher[Symbol.asyncDispose]();
    await this.broker[Symbol.asyncDispose]();
    await this.database[Symbol.asyncDispose]();
    this.#dir[Symbol.dispose]();
  }
}

async function homesAt(port: number): Promise<readonly { readonly id: string; readonly price: number | null }[]> {
  try {
    const headers = { authorization: `Bearer ${KEY}` };
    const answer = await fetch(`http://127.0.0.1:${port}/local/v1/now`, { headers });
    return ((await answer.json()) as { homes?: { id: string; price: number | null }[] }).homes ?? [];
  } catch {
    return []; // the shard is starting
  }
}
