import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import type { PlugSnapshot } from "../../../src/core/plugs/plug-snapshot.ts";
import { type Row, rowEnd, rowStart, type SeriesKey } from "../../../src/core/series/series.ts";
import { Problems } from "../../../src/core/status/problem.ts";
import type { EpochMs, Interval } from "../../../src/core/time/interval.ts";
import { ArchiveLoop } from "../../../src/integrations/archive/archive-loop.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { ArchiveBacklog } from "../../../src/storage/series/archive-backlog.ts";
import { inflateTexts, rowsOfText } from "../../../src/storage/series/chunk-text.ts";
import { SeriesStore } from "../../../src/storage/series/series-store.ts";
import { WriteGuard } from "../../../src/storage/write-guard.ts";
import { SingleLoopClock } from "../clock/single-loop-clock.ts";
import { HANG_MS } from "../runner/time-limits.ts";
import { calendar, type StoreOnDisk } from "../storage/store-on-disk.ts";
import type { PostgresServer } from "./postgres.ts";

/** Store and the loop that archives it, with a clock that the test moves. */
export class RunningArchive implements AsyncDisposable {
  readonly disk: Pick<StoreOnDisk, "database">;
  readonly clock: SingleLoopClock;
  readonly problems = new Problems(() => undefined);
  readonly store: SeriesStore;
  readonly loop: ArchiveLoop;
  readonly log: string[] = [];
  /** Number of rows that each batch changed. */
  readonly written: number[] = [];
  /** Plugs with their months. */
  plugs: readonly PlugSnapshot[] = [];
  /** Called after each batch, before it is confirmed. */
  onBatch: () => void = () => undefined;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #backlog: ArchiveBacklog | null = null;

  constructor(url: string, disk: Pick<StoreOnDisk, "database">, start: EpochMs = Date.parse("2026-03-10T08:00:00Z")) {
    this.disk = disk;
    this.clock = new SingleLoopClock(start);
    const writing = new WriteGuard(disk.database);
    this.store = new SeriesStore(disk.database, calendar, writing);
    const { clock, problems } = this;
    this.loop = new ArchiveLoop({
      ...{ clock, problems, account: { url }, random: () => 1 },
      openBacklog: () => {
        this.#backlog = ArchiveBacklog.open(disk.database, new KeyValueStore(disk.database, writing), writing);
        return this.#backlog;
      },
      plugs: () => this.plugs,
      log: { info: (_facts, text) => void this.log.push(text) },
      heartbeat: { turn: () => undefined, sleep: () => undefined },
      onWritten: (rows) => {
        this.written.push(rows);
        this.onBatch();
      },
    });
    this.#running = this.loop.run(this.#stop.signal);
  }

  /** Stores rows and notifies the loop, as the collector does. */
  put(series: SeriesKey, range: Interval, rows: readonly Row[]): void {
    this.store.store(series, range, rows, { currency: "DKK", vatIncluded: true });
    this.loop.changed();
  }

  /** Moves the clock in steps until `holds` returns true. Rejects after `HANG_MS`. */
  async until(what: string, holds: () => boolean | Promise<boolean>, stepMs = 10_000): Promise<void> {
    const giveUpAt = performance.now() + HANG_MS;
    while (!(await holds())) {
      if (performance.now() > giveUpAt) throw new Error(`it did not come: ${what}`);
      await this.clock.runUntil(this.clock.now() + stepMs);
      await pause(2);
    }
  }

  /** Moves the clock until the archive contains all changes. */
  untilCopied(): Promise<void> {
    return this.until("everything is in the archive", () => this.#backlog !== null && this.#backlog.next() === null);
  }

  /** Returns the stored rows of some series by account, address, series, resolution and start. */
  stored(parts: readonly (readonly [SeriesKey, Interval])[]): Map<string, unknown> {
    const named = parts.flatMap(([series, range]) =>
      this.store.rows(series, range).map((row) => {
        const { account, place, operation, unit } = series;
        const [start, end] = [rowStart(row) ?? 0, rowEnd(row)];
        return [[account, place, operation, unit, start].join(" "), { end, values: row }] as const;
      }),
    );
    return new Map(named);
  }

  codes(): string[] {
    return this.problems.list().map(({ code }) => code);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** Returns the rows of an archive in the same form. Rejects if a row occurs twice. */
export async function archived(server: PostgresServer, database = "elbro"): Promise<Map<string, unknown>> {
  const rows = await server.query("select * from elbro.stored_rows", database);
  const named = rows.map(
    ({ account, address, series, resolution, start_at, end_at, values }) =>
      [
        [account, address, series, resolution, start_at.getTime()].join(" "),
        { end: end_at?.getTime() ?? null, values },
      ] as const,
  );
  const found = new Map(named);
  if (found.size !== rows.length) throw new Error(`${rows.length - found.size} rows are there twice`);
  return found;
}

/** Returns every row of a database that has a start in the same form, read without the program's own reader. */
export function storedIn(database: DatabaseSync): Map<string, unknown> {
  const chunks = database.prepare("select name, rows from chunk join series on series.id = series_id").all();
  const named = chunks.flatMap(({ name, rows }) => {
    const series = String(name).split("/").map(decodeURIComponent);
    if (!(rows instanceof Uint8Array)) throw new Error(`${name} has no rows`);
    const stored = inflateTexts([rows]).flatMap(rowsOfText);
    return stored.flatMap((row) => {
      const start = Date.parse(String(row.start ?? row.date));
      const end = typeof row.end === "string" ? Date.parse(row.end) : null;
      return Number.isNaN(start) ? [] : [[[...series, start].join(" "), { end, values: row }] as const];
    });
  });
  return new Map(named);
}
