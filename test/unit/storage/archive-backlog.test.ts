import type { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Row, rowStart } from "../../../src/core/series/series.ts";
import { formatInstant } from "../../../src/core/time/interval.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { ArchiveBacklog, type ArchiveBatch, forgetBacklog } from "../../../src/storage/series/archive-backlog.ts";
import { SeriesStore } from "../../../src/storage/series/series-store.ts";
import { WriteGuard } from "../../../src/storage/write-guard.ts";
import { calendar, dayOf, rowsOf, StoreOnDisk, seriesOf } from "../../support/storage/store-on-disk.ts";

const HOURS = seriesOf("hour");
const FORECAST = seriesOf("latest");
const ENVELOPE = { currency: "DKK" };

let disk: StoreOnDisk;
let store: SeriesStore;
let writing: WriteGuard;
beforeEach(() => {
  disk = new StoreOnDisk();
  use(disk.database);
});
afterEach(() => disk[Symbol.dispose]());

function use(database: DatabaseSync): void {
  writing = new WriteGuard(database);
  store = new SeriesStore(database, calendar, writing);
}

function open(): ArchiveBacklog {
  const { database } = disk;
  const backlog = ArchiveBacklog.open(database, new KeyValueStore(database, writing), writing);
  if (!backlog) throw new Error("the backlog cannot be written");
  return backlog;
}

function put(date: string, price = 1.25, series = HOURS): void {
  const day = dayOf(date);
  store.store(
    series,
    day,
    rowsOf("hour", day, () => price),
    ENVELOPE,
  );
}

/** Returns the days of a batch with the first price of each, such as `2026-03-01 1.25`. */
function shownIn(batch: ArchiveBatch | null): string[] {
  return (batch?.chunks ?? []).map(({ rows: [first = {}] }) => {
    const noon = (rowStart(first) ?? 0) + 12 * 3_600_000;
    return `${formatInstant(noon).slice(0, 10)} ${first.totalPricePerKWh}`;
  });
}

/** Takes and confirms all batches. Returns their days in order. */
function drained(backlog: ArchiveBacklog): string[] {
  const shown: string[] = [];
  for (let batch = backlog.next(); batch; batch = backlog.next()) {
    shown.push(...shownIn(batch));
    backlog.confirm(batch);
  }
  return shown;
}

describe("the backlog", () => {
  test("the backlog contains all data stored before it was opened, once", () => {
    put("2026-03-02");
    put("2026-03-01");
    const backlog = open();
    expect(drained(backlog)).toEqual(["2026-03-01 1.25", "2026-03-02 1.25"]);
    expect(backlog.next()).toBeNull();
    expect(backlog.confirmedBatch).toBe(1);
  });

  test("the backlog contains later changes, also of old days, before the earlier data", () => {
    put("2026-03-02");
    const backlog = open();
    put("2026-03-01", 7);
    expect(drained(backlog)).toEqual(["2026-03-01 7", "2026-03-01 7", "2026-03-02 1.25"]);
    put("2026-03-02", 8);
    put("2026-03-01", 7);
    expect(drained(backlog)).toEqual(["2026-03-02 8"]);
  });

  test("the backlog returns a batch until it is confirmed, also after a restart", () => {
    put("2026-03-01");
    open().next();
    use(disk.reopen());
    put("2026-03-02", 2);
    const { source } = open();
    use(disk.reopen());
    expect(open().source).toBe(source);
    expect(drained(open())).toEqual(["2026-03-02 2", "2026-03-01 1.25", "2026-03-02 2"]);
    use(disk.reopen());
    expect(drained(open())).toEqual([]);
  });

  test("the backlog keeps a change that was made while its batch was in flight", () => {
    const backlog = open();
    expect(drained(backlog)).toEqual([]);
    put("2026-03-01", 1);
    const batch = backlog.next();
    put("2026-03-01", 2);
    if (batch) backlog.confirm(batch);
    expect(backlog.count()).toBe(1);
    expect(drained(backlog)).toEqual(["2026-03-01 2"]);
  });

  test("the backlog counts what the first copy has not reached, and each chunk once", () => {
    for (let day = 1; day <= 9; day++) put(`2026-03-0${day}`);
    const backlog = open();
    expect(backlog.count()).toBe(9);
    put("2026-03-02", 2);
    expect(backlog.count()).toBe(9);
    const counts: number[] = [];
    for (let batch = backlog.next(); batch; batch = backlog.next()) {
      backlog.confirm(batch);
      counts.push(backlog.count());
    }
    // A changed chunk is sent first, and again with the others.
    expect(counts).toEqual([9, 0]);
    put("2026-03-05", 3);
    expect(backlog.count()).toBe(1);
  });

  test("the backlog contains account, address, series and resolution, with envelope and time", () => {
    const backlog = open();
    put("2026-03-01");
    const [chunk] = backlog.next()?.chunks ?? [];
    const { place, account } = HOURS;
    expect(chunk).toMatchObject({ account, address: place, series: "prices", resolution: "hour", latest: null });
    expect(chunk?.envelope).toBe(JSON.stringify(ENVELOPE));
    expect(Math.abs((chunk?.changedAt ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  test("the backlog contains the latest response unchanged, and one row for each start", () => {
    const backlog = open();
    const rows: Row[] = [{ date: "2026-03-01", price: 1 }, { label: "no start" }, { date: "2026-03-01", price: 2 }];
    store.store(FORECAST, dayOf("2026-03-01"), rows, {});
    const [chunk] = backlog.next()?.chunks ?? [];
    expect(chunk?.latest).toBe(JSON.stringify(rows));
    expect(chunk?.rows).toEqual([{ date: "2026-03-01", price: 2 }]);
  });
});

describe("a batch", () => {
  test("a batch is limited in size", () => {
    const year = { start: dayOf("2025-01-01").start, end: dayOf("2026-01-01").start };
    store.store(HOURS, year, rowsOf("hour", year), ENVELOPE);
    const backlog = open();
    const sizes: number[] = [];
    for (let batch = backlog.next(); batch; batch = backlog.next()) {
      sizes.push(batch.chunks.reduce((sum, { rows }) => sum + rows.length, 0));
      backlog.confirm(batch);
    }
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(8_760);
    expect(Math.max(...sizes)).toBeLessThan(1_000);
  });

  test("a batch omits a damaged chunk, which follows when it is stored again", () => {
    put("2026-03-01");
    put("2026-03-02");
    disk.database.exec("update chunk set rows = x'00' where start_ms = (select min(start_ms) from chunk)");
    const backlog = open();
    expect(drained(backlog)).toEqual(["2026-03-02 1.25"]);
    put("2026-03-01", 3);
    expect(drained(backlog)).toEqual(["2026-03-01 3"]);
  });

  test("a batch is not confirmed while the disk is read-only, and is returned again", () => {
    const backlog = open();
    put("2026-03-01");
    const batch = backlog.next();
    disk.database.exec("pragma query_only = on");
    expect(batch && backlog.confirm(batch)).toBe(false);
    disk.database.exec("pragma query_only = off");
    expect(shownIn(backlog.next())).toEqual(["2026-03-01 1.25"]);
  });
});

test("an archive that has less than was confirmed is filled from the beginning", () => {
  put("2026-03-01");
  const backlog = open();
  drained(backlog);
  backlog.startOver(0);
  expect(backlog.confirmedBatch).toBe(0);
  expect(drained(backlog)).toEqual(["2026-03-01 1.25"]);
});

test.each([
  "{",
  '"text"',
  '{"source":"not a UUID","batch":1,"walked":null}',
  '{"source":"11111111-1111-4111-8111-111111111111","batch":-1,"walked":null}',
])("the stored mark %j is reported, and everything is sent again under another source", (text) => {
  put("2026-03-01");
  const { source } = open();
  drained(open());
  const damaged: string[] = [];
  use(disk.reopen());
  writing.onDamage((what) => void damaged.push(what));
  new KeyValueStore(disk.database, writing).write("archive", text);
  const backlog = open();
  expect(damaged).toEqual(["the setting archive"]);
  expect(backlog.source).not.toBe(source);
  expect(drained(backlog)).toEqual(["2026-03-01 1.25"]);
  expect([open().source, open().next(), damaged.length]).toEqual([backlog.source, null, 1]);
});

test("without an archive nothing is stored for it; an archive configured later starts from the beginning", () => {
  const schema = () => disk.database.prepare("select count(*) as n from sqlite_schema").get()?.n;
  const before = schema();
  put("2026-03-01");
  drained(open());
  forgetBacklog(disk.database, writing);
  expect(schema()).toBe(before);
  put("2026-03-02");
  expect(drained(open())).toEqual(["2026-03-01 1.25", "2026-03-02 1.25"]);
});
