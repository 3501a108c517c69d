/**
 * LAN API of the built daemon, compared with a bare `node:http` server that sends the same bodies as prepared buffers.
 * Daemon, server and load generator are separate processes with the same flags and the same event-loop probe. They take
 * turns of a few hundred ms, and the median of the turns counts, so that other load affects both. The daemon checks the
 * key, counts the quota and writes all headers.
 *
 * - `small_ratio`: a day of hourly prices (3 kB), `year_ratio`: a year of hours (8,784 rows, 1.1 MB), `quarters_ratio`:
 *   90 days of quarters (8,640 rows): requests per second relative to the bare server's.
 * - `cold_p99_ms`: a year, or 90 days of quarters, that was not requested before: from the store to the last byte.
 * - `loop_max_ms`: longest event-loop tick of the daemon in the whole bench; see `loop-process.ts`.
 * - `growth_mb`: growth of the daemon's resident memory over 100,000 requests for 1,000 different things.
 * - `json_server_ratio`, `prism_ratio`: requests per second of these programs for the small body, relative to the bare
 *   server's.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { COLD_WINDOWS, LanBenchDaemon, QUARTER_DAYS, YEAR_DAYS } from "../support/bench/lan-bench-daemon.ts";
import type { Load, LoadResult } from "../support/bench/load-process.ts";
import { plainScript } from "../support/bench/plain-script.ts";
import { jsonServer, prism, type Rival } from "../support/bench/rivals.ts";
import { LineProcess } from "../support/processes/line-process.ts";
import { NODE_FLAGS } from "../support/processes/node-flags.ts";
import { TempDir } from "../support/runner/temp-dir.ts";

const support = (file: string) => path.join(import.meta.dirname, "../support/bench", file);
const ROUNDS = 21;
const ROUND_MS = 400;
const WARM_MS = 3_000;
const SMALL_CONNECTIONS = 32;
const LARGE_CONNECTIONS = 4;
const REQUESTS = 100_000;
const DIFFERENT = 1_000;

/** Server to compare: port, headers and path of a request for the same body. */
type Server = Pick<Load, "port" | "headers"> & { readonly path: string };

export async function run(): Promise<Record<string, number | null>> {
  using dir = new TempDir();
  await using daemon = await LanBenchDaemon.start();
  await using callers = new Callers();
  const [small, year, quarters] = [
    daemon.prices(1, "hour"),
    daemon.prices(YEAR_DAYS, "hour"),
    daemon.prices(QUARTER_DAYS, "fifteenMinutes"),
  ];
  // The start is measured elsewhere. The warm-up of daemon and load generator is not part of any time here.
  await callers.ask({ port: daemon.port, headers: daemon.headers, paths: [small], connections: 1, ms: WARM_MS });
  await daemon.sample();
  daemon.longest = { held: 0, late: 0 };
  const cold = await coldTimes(daemon, callers);
  const bodies = await Promise.all([small, year, quarters].map((path) => daemon.body(path)));
  const files = bodies.map((body, i) => {
    writeFileSync(dir.file(`${i}.json`), body);
    return dir.file(`${i}.json`);
  });
  const [looker, server] = [await plainScript("loop-process", dir), await plainScript("bare-process", dir)];
  await using bareProcess = new LineProcess([...NODE_FLAGS, "--require", looker, server, ...files]);
  const barePort = Number(await bareProcess.ask());
  const bare = (i: number): Server => ({ port: barePort, headers: daemon.headers, path: `/${i}` });
  const own = (path: string): Server => ({ port: daemon.port, headers: daemon.headers, path });
  const ratios = {
    small_ratio: await callers.ratio(own(small), bare(0), SMALL_CONNECTIONS),
    year_ratio: await callers.ratio(own(year), bare(1), LARGE_CONNECTIONS),
    quarters_ratio: await callers.ratio(own(quarters), bare(2), LARGE_CONNECTIONS),
  };
  const growth = await growthBytes(daemon, callers);
  const { held, late } = daemon.longest;
  console.log(
    `held ${held.toFixed(1)} ms, ${late.toFixed(1)} ms with what else the machine did; cold ${JSON.stringify(cold)}`,
  );
  const body = JSON.parse(bodies[0] as string) as object;
  const rivalRatio = async (start: (dir: TempDir, body: object) => Promise<Rival | null>) => {
    await using rival = await start(dir, body);
    return rival && (await callers.ratio({ ...rival, headers: [] }, bare(0), SMALL_CONNECTIONS));
  };
  return {
    ...ratios,
    cold_p99_ms: Math.max(cold.year.p99Ms, cold.quarters.p99Ms),
    loop_max_ms: held,
    growth_mb: growth / 1e6,
    json_server_ratio: await rivalRatio(jsonServer),
    prism_ratio: await rivalRatio(prism),
  };
}

/** Measures requests that are each the first for their range: only the file contains their data. */
async function coldTimes(daemon: LanBenchDaemon, callers: Callers) {
  const windows = Array.from({ length: COLD_WINDOWS }, (_, i) => COLD_WINDOWS - 1 - i);
  const times = async (days: number, resolution: "hour" | "fifteenMinutes") => {
    const paths = windows.map((daysAgo) => daemon.prices(days, resolution, daysAgo));
    const load = { port: daemon.port, headers: daemon.headers, paths, connections: 1, count: paths.length };
    const { p50Ms, p99Ms } = await callers.ask(load);
    return { p50Ms, p99Ms };
  };
  return { year: await times(YEAR_DAYS, "hour"), quarters: await times(QUARTER_DAYS, "fifteenMinutes") };
}

/** Requests different ranges, encodings and ETags, so that all caches fill up. */
async function growthBytes(daemon: LanBenchDaemon, callers: Callers): Promise<number> {
  const paths = Array.from({ length: DIFFERENT }, (_, i) => daemon.prices(1 + (i % 7), "hour", i % (YEAR_DAYS - 7)));
  const kinds = [[], ["Accept-Encoding: gzip"], ["Accept-Encoding: br"], ["If-None-Match: *"]];
  const round = async (count: number) => {
    for (const more of kinds) {
      const load = { port: daemon.port, headers: [...daemon.headers, ...more], paths, connections: SMALL_CONNECTIONS };
      await callers.ask({ ...load, count: count / kinds.length });
    }
    return (await daemon.sample()).rss;
  };
  const before = await round(REQUESTS / 5);
  return (await round(REQUESTS)) - before;
}

class Callers implements AsyncDisposable {
  readonly #process = new LineProcess([support("load-process.ts")]);

  async ask(load: Load): Promise<LoadResult> {
    const result = JSON.parse(await this.#process.ask(JSON.stringify(load))) as LoadResult;
    const failed = Object.keys(result.statuses).filter((status) => status !== "200" && status !== "304");
    if (failed.length > 0) throw new Error(`answers of ${load.paths[0]}: ${JSON.stringify(result.statuses)}`);
    return result;
  }

  /** Returns the requests per second of one server relative to another: the median of alternating rounds. */
  async ratio(one: Server, other: Server, connections: number): Promise<number> {
    const rate = async ({ path, ...server }: Server, ms: number) =>
      (await this.ask({ ...server, paths: [path], connections, ms })).perSecond;
    for (const server of [one, other]) await rate(server, WARM_MS);
    const ratios: number[] = [];
    const rates: number[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      const first = await rate(i % 2 === 0 ? one : other, ROUND_MS);
      const second = await rate(i % 2 === 0 ? other : one, ROUND_MS);
      ratios.push(i % 2 === 0 ? first / second : second / first);
      rates.push(i % 2 === 0 ? first : second);
    }
    console.log(`${one.path}: ${median(rates).toFixed(0)} requests per second, ${median(ratios).toFixed(3)} of bare`);
    return median(ratios);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process[Symbol.asyncDispose]();
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
