import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmdirSync, writeSync } from "node:fs";
import { expect, test } from "vitest";
import { Problems } from "../../../src/core/status/problem.ts";
import { DAY_MS, type EpochMs, formatInstant, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { NightlyMaintenance, reportRecovery } from "../../../src/state/nightly-maintenance.ts";
import { SeriesRepository } from "../../../src/state/series-repository.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { copyPathOf } from "../../../src/storage/recovery/recovery.ts";
import { WriteGuard } from "../../../src/storage/write-guard.ts";
import { spendOf } from "../../support/storage/spend.ts";
import { calendar, dayOf, rowsOf, StoreOnDisk, seriesOf } from "../../support/storage/store-on-disk.ts";

const START = Date.UTC(2026, 5, 1, 8);
const OFFSET_MS = 3 * MINUTE_MS;

/** Nightly maintenance of a file, with a clock that jumps to the end of each sleep. */
class Kept implements Disposable {
  readonly store = new StoreOnDisk();
  readonly logged: string[] = [];
  readonly problemChanges: string[] = [];
  readonly problems = new Problems((problem, state) => this.problemChanges.push(`${state} ${problem.code}`));
  /** Times until which it slept. */
  readonly woken: EpochMs[] = [];
  now: EpochMs = START;
  repository = new SeriesRepository(this.store.database, calendar, () => this.now);

  /** Runs the maintenance for `count` nights. */
  async nights(count: number, years = 10): Promise<void> {
    const stop = new AbortController();
    let left = count;
    const sleepUntil = async (at: EpochMs) => {
      if (left-- === 0) {
        stop.abort();
        return;
      }
      this.woken.push(at);
      this.now = Math.max(this.now, at);
    };
    const { database, path: databasePath } = this.store;
    const clock = { boot: "test", now: () => this.now, monotonicMs: () => this.now, sleepUntil };
    const log = { info: (_facts: object, text: string) => this.logged.push(text) };
    const writing = new WriteGuard(database);
    const settings = new KeyValueStore(database, writing);
    const { repository, problems } = this;
    const options = { database, databasePath, repository, settings, writing, calendar, clock, problems, years, log };
    await new NightlyMaintenance({ ...options, offsetMs: OFFSET_MS }).run(stop.signal);
  }

  get wokenAt(): string[] {
    return this.woken.map(formatInstant);
  }

  [Symbol.dispose](): void {
    this.store[Symbol.dispose]();
  }
}

test("the first copy is made ten minutes after the start, the next at 03:43 local time", async () => {
  using kept = new Kept();
  await kept.nights(3);
  expect(kept.wokenAt).toEqual(["2026-06-01T08:10:00Z", "2026-06-02T01:43:00Z", "2026-06-03T01:43:00Z"]);
  expect(kept.logged).toEqual(new Array(3).fill("database copied and checked"));
  expect(existsSync(copyPathOf(kept.store.path))).toBe(true);
});

test("a restart by day makes no second copy; an overdue copy is made after ten minutes", async () => {
  using kept = new Kept();
  await kept.nights(2);
  kept.now += 5 * HOUR_MS;
  await kept.nights(1);
  kept.now += 3 * DAY_MS;
  await kept.nights(1);
  expect(kept.wokenAt.slice(2)).toEqual(["2026-06-03T01:43:00Z", "2026-06-06T01:53:00Z"]);
});

test("after a night with a clock that was ahead, the next copy is not delayed for years", async () => {
  using kept = new Kept();
  kept.now = Date.UTC(2069, 0, 1);
  await kept.nights(1);
  kept.now = START;
  await kept.nights(1);
  expect(kept.wokenAt[1]).toBe("2026-06-01T08:10:00Z");
});

test("history older than the configured years is deleted and logged once", async () => {
  using kept = new Kept();
  const { store, requestLog } = kept.repository;
  const old = dayOf("2023-12-31");
  store.store(seriesOf("hour"), old, rowsOf("hour", old), {});
  requestLog.settle(requestLog.spend(spendOf({ at: START })), 200, null, START);
  requestLog.flush();
  await kept.nights(2, 2);
  expect(store.covers(seriesOf("hour"), old)).toBe(false);
  expect(kept.logged.filter((text) => text.startsWith("history"))).toHaveLength(1);
});

test("a failed copy is a problem, reported once, until a copy succeeds", async () => {
  using kept = new Kept();
  const inTheWay = `${copyPathOf(kept.store.path)}.part`;
  mkdirSync(inTheWay);
  await kept.nights(2);
  expect(kept.problemChanges).toEqual(["started copy_failed"]);
  expect(kept.problems.list()[0]?.detail).toMatch(/directory/);
  rmdirSync(inTheWay);
  await kept.nights(1);
  expect(kept.problemChanges).toEqual(["started copy_failed", "ended copy_failed"]);
});

test("a failed copy is repeated within an hour, and ten minutes after a restart", async () => {
  using kept = new Kept();
  const inTheWay = `${copyPathOf(kept.store.path)}.part`;
  mkdirSync(inTheWay);
  await kept.nights(2);
  expect(kept.wokenAt).toEqual(["2026-06-01T08:10:00Z", "2026-06-01T09:00:00Z"]);
  await kept.nights(1);
  expect(kept.wokenAt[2]).toBe("2026-06-01T09:10:00Z");
  rmdirSync(inTheWay);
  await kept.nights(2);
  expect(kept.wokenAt.slice(3)).toEqual(["2026-06-01T09:20:00Z", "2026-06-02T01:43:00Z"]);
  expect(kept.problemChanges).toEqual(["started copy_failed", "ended copy_failed"]);
});

test("a database damaged in use is reported, and its last intact copy stays", async () => {
  using kept = new Kept();
  const { store } = kept.repository;
  const range = { start: dayOf("2026-01-01").start, end: dayOf("2026-03-31").end };
  store.store(
    seriesOf("hour"),
    range,
    rowsOf("hour", range, (start) => (start / HOUR_MS) % 977),
    {},
  );
  await kept.nights(1);
  const good = readFileSync(copyPathOf(kept.store.path));
  kept.store.database.exec("pragma wal_checkpoint(truncate); pragma shrink_memory");
  const descriptor = openSync(kept.store.path, "r+");
  writeSync(descriptor, new Uint8Array(4_096).fill(7), 0, 4_096, 8_192);
  closeSync(descriptor);
  await kept.nights(1);
  expect(kept.problemChanges).toEqual(["started database_damaged"]);
  expect(readFileSync(copyPathOf(kept.store.path))).toEqual(good);
});

test("a replaced database is reported with all details until the next intact copy", async () => {
  using kept = new Kept();
  const recovery = { damage: "file is not a database", setAside: "/data/elbro.db.broken-x", copiedAt: START };
  reportRecovery(recovery, kept.problems, START);
  expect(kept.problems.list()[0]).toMatchObject({
    code: "database_restored",
    since: START,
    detail:
      "file is not a database; it is kept as /data/elbro.db.broken-x; the copy of 2026-06-01T08:00:00Z replaced it",
  });
  await kept.nights(1);
  expect(kept.problemChanges).toEqual(["started database_restored", "ended database_restored"]);
});
