/** The built daemon with years of stored prices and a simulator, for benches of the LAN API. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { EpochMs } from "../../../src/core/time/interval.ts";
import { writeRequest } from "../../../src/service/contract/request.ts";
import type { Resolution } from "../../../src/service/contract/resources.ts";
import { LAN_KEY } from "../daemon/test-config.ts";
import { TestDaemon } from "../daemon/test-daemon.ts";
import type { DaemonProcess } from "../processes/daemon-process.ts";
import { MALLOC_SETTINGS, NODE_FLAGS } from "../processes/node-flags.ts";
import { plainScript } from "./plain-script.ts";
import { buildProgram } from "./program.ts";
import { addressId, calendar, StoredHome } from "./stored-home.ts";

/** Time for the rest of the start: state, discovery, first requests. */
const START_ENDS_AFTER_MS = 4_000;
const NO_LIMIT = 1_000_000_000;
/**
 * Number of requests, each for a window that starts one day later and was not requested before. With 500, the slowest 1
 * % contains more than the 2 or 3 responses during which the process compiles its code.
 */
export const COLD_WINDOWS = 500;
export const YEAR_DAYS = 366;
export const QUARTER_DAYS = 90;

/** Sample of the daemon's process. Units: ms, bytes. */
export interface ProcessSample {
  /** Longest event-loop tick since the last sample; `late` includes delays by other processes. */
  readonly held: number;
  readonly late: number;
  readonly rss: number;
  readonly used: number;
}

export class LanBenchDaemon implements AsyncDisposable {
  readonly port: number;
  readonly headers = [`Authorization: Bearer ${LAN_KEY}`];
  /** The longest event-loop tick of all samples so far. */
  longest: Pick<ProcessSample, "held" | "late"> = { held: 0, late: 0 };
  readonly #process: DaemonProcess;
  readonly #end: EpochMs;
  readonly #owned: AsyncDisposableStack;

  private constructor(port: number, process: DaemonProcess, end: EpochMs, owned: AsyncDisposableStack) {
    this.port = port;
    this.#process = process;
    this.#end = end;
    this.#owned = owned;
  }

  static async start(): Promise<LanBenchDaemon> {
    buildProgram();
    const owned = new AsyncDisposableStack();
    const api = { host: "127.0.0.1", port: 0, keys: [{ name: "bench", key: LAN_KEY }] };
    const installed = owned.use(
      await TestDaemon.install({
        config: {
          api: { ...api, requests_per_minute: NO_LIMIT, requests_per_day: NO_LIMIT },
          history: { months: 0 },
          // The bench measures a daemon with one account.
          third_party: undefined,
        },
      }),
    );
    const now = Date.now();
    mkdirSync(installed.dataDir);
    await fill(path.join(installed.dataDir, "elbro.db"), now);
    const probe = await plainScript("loop-process", installed.dir);
    const process = owned.use(
      await installed.launch(MALLOC_SETTINGS, { nodeArgs: [...NODE_FLAGS, "--require", probe], channel: "ipc" }),
    );
    await pause(START_ENDS_AFTER_MS);
    return new LanBenchDaemon(await process.apiPort(), process, calendar.day(now).end, owned);
  }

  /** Returns the path for the prices of `days` days; the last of them is `daysAgo` days ago. */
  prices(days: number, resolution: Resolution, daysAgo = 0): string {
    const to = calendar.add("day", this.#end, -daysAgo);
    return writeRequest("prices", { addressId, from: calendar.add("day", to, -days), to, resolution });
  }

  async body(path: string): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      headers: { authorization: `Bearer ${LAN_KEY}`, "accept-encoding": "identity" },
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path} is answered by ${response.status}: ${text}`);
    return text;
  }

  /** Returns the state of its event loop, and its memory after a garbage collection. */
  async sample(): Promise<ProcessSample> {
    const sample = (await this.#process.ask("?")) as ProcessSample;
    this.longest = { held: Math.max(this.longest.held, sample.held), late: Math.max(this.longest.late, sample.late) };
    return sample;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned.disposeAsync();
  }
}

async function fill(file: string, now: EpochMs): Promise<void> {
  using home = new StoredHome(file, now);
  // A power cut may corrupt this file: only the bench uses it.
  home.database.exec("pragma synchronous = off");
  await home.poll("addresses", {});
  const end = calendar.day(now).end;
  for (const [resolution, window] of [
    ["hour", YEAR_DAYS],
    ["fifteenMinutes", QUARTER_DAYS],
  ] as const) {
    const begin = calendar.add("day", end, -(window + COLD_WINDOWS));
    for (let from = begin; from < end; ) {
      const to = Math.min(end, calendar.add("day", from, window));
      await home.poll("prices", { addressId, from, to, resolution });
      home.now = now;
      from = to;
    }
  }
  // The daemon's simulator did not send these responses, and is compared with the log at the end.
  home.database.exec("update attempt set request_id = null");
  home.repository.close();
}
