/** The built daemon with years of prices on its shelf and a simulator beside it, for benches of the LAN API. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { writeRequest } from "../../src/contract/request.ts";
import type { Resolution } from "../../src/contract/resources.ts";
import type { EpochMs } from "../../src/core/interval.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { freePort } from "./mosquitto.ts";
import { NODE_FLAGS } from "./node-flags.ts";
import { plainScript } from "./plain-script.ts";
import { addressId, calendar, StoredHome } from "./stored-home.ts";
import { TempDir } from "./temp-dir.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const KEY = "key-of-the-bench";
const LOOK_EVERY_MS = 50;
/** What a start does after its API answers: state, discovery, what the service is asked. */
const START_ENDS_AFTER_MS = 4_000;
const NO_LIMIT = "1000000000";
/**
 * Windows of a year and of 90 days that begin a day apart, each of which is asked for the first time. So many that the
 * slowest hundredth of them is more than the two or three answers for which a process compiles its code.
 */
export const COLD_WINDOWS = 500;
export const YEAR_DAYS = 366;
export const QUARTER_DAYS = 90;

/** What the daemon's process tells of itself. Unit: milliseconds, bytes. */
export interface Told {
  /** The longest turn of the event loop since it was asked before; `late` counts what else the machine did. */
  readonly held: number;
  readonly late: number;
  readonly rss: number;
  readonly used: number;
}

export class LanBenchDaemon implements AsyncDisposable {
  readonly port: number;
  readonly headers = [`Authorization: Bearer ${KEY}`];
  /** The longest turn of its loop in all that was told. */
  longest: Pick<Told, "held" | "late"> = { held: 0, late: 0 };
  readonly #child: ChildProcess;
  readonly #end: EpochMs;
  readonly #owned: AsyncDisposableStack;

  private constructor(port: number, child: ChildProcess, end: EpochMs, owned: AsyncDisposableStack) {
    this.port = port;
    this.#child = child;
    this.#end = end;
    this.#owned = owned;
  }

  static async start(): Promise<LanBenchDaemon> {
    execFileSync("npm", ["run", "--silent", "build"], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
    const owned = new AsyncDisposableStack();
    const dir = owned.use(new TempDir());
    const now = Date.now();
    await fill(dir.file("elbro.db"), now);
    const service = owned.use(await startSimulator({ now: Date.now }));
    const port = await freePort();
    const child = spawn(
      process.execPath,
      [...NODE_FLAGS, "--require", await plainScript("loop-process", dir), path.join(ROOT, "dist/elbro.cjs")],
      {
        // In the root of a clone there may be the owner's config/elbro.yaml.
        cwd: dir.path,
        stdio: ["ignore", "ignore", "inherit", "ipc"],
        env: {
          MALLOC_ARENA_MAX: "1",
          ELBRO_SERVICE_BASE_URL: service.url,
          ELBRO_CONSUMER_API_KEY: service.keys.consumerKey ?? "",
          ELBRO_HISTORY_MONTHS: "0",
          ELBRO_BROKER_HOST: "127.0.0.1",
          ELBRO_BROKER_PORT: "0",
          ELBRO_API_HOST: "127.0.0.1",
          ELBRO_API_PORT: String(port),
          ELBRO_API_KEYS: `[{ name: bench, key: ${KEY} }]`,
          ELBRO_API_REQUESTS_PER_MINUTE: NO_LIMIT,
          ELBRO_API_REQUESTS_PER_DAY: NO_LIMIT,
          ELBRO_DATA_DIR: dir.path,
        },
      },
    );
    owned.defer(async () => {
      if (child.exitCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    });
    const house = new LanBenchDaemon(port, child, calendar.day(now).end, owned);
    await house.#up();
    return house;
  }

  /** The path of the prices of so many days, of which the last is so many days ago. */
  prices(days: number, resolution: Resolution, daysAgo = 0): string {
    const to = calendar.add("day", this.#end, -daysAgo);
    return writeRequest("prices", { addressId, from: calendar.add("day", to, -days), to, resolution });
  }

  async body(path: string): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      headers: { authorization: `Bearer ${KEY}`, "accept-encoding": "identity" },
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path} is answered by ${response.status}: ${text}`);
    return text;
  }

  /** How its loop and memory are; memory after a collection. */
  async told(): Promise<Told> {
    const answer = once(this.#child, "message");
    this.#child.send("?");
    const [told] = (await answer) as [Told];
    this.longest = { held: Math.max(this.longest.held, told.held), late: Math.max(this.longest.late, told.late) };
    return told;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned.disposeAsync();
  }

  /** Waits until it answers, and until what a start asks of the service is over. */
  async #up(): Promise<void> {
    for (;;) {
      if (this.#child.exitCode !== null) throw new Error(`the daemon ended with ${this.#child.exitCode}`);
      const answer = await fetch(`http://127.0.0.1:${this.port}/healthz`).catch(() => null);
      if (answer) return pause(START_ENDS_AFTER_MS);
      await pause(LOOK_EVERY_MS);
    }
  }
}

async function fill(file: string, now: EpochMs): Promise<void> {
  using house = new StoredHome(file, now);
  // Only a bench loses its file when the power goes.
  house.database.exec("pragma synchronous = off");
  await house.poll("addresses", {});
  const end = calendar.day(now).end;
  for (const [resolution, window] of [
    ["hour", YEAR_DAYS],
    ["fifteenMinutes", QUARTER_DAYS],
  ] as const) {
    const begin = calendar.add("day", end, -(window + COLD_WINDOWS));
    for (let from = begin; from < end; ) {
      const to = Math.min(end, calendar.add("day", from, window));
      await house.poll("prices", { addressId, from, to, resolution });
      house.now = now;
      from = to;
    }
  }
  house.library.close();
}
