import { readdirSync, readFileSync, renameSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { storedKeys } from "../../../src/storage/api-key-file.ts";
import { DatabaseError, openDatabase, versionOf } from "../../../src/storage/database.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { FIRST_VERSION, MIGRATIONS, SCHEMA_VERSION } from "../../../src/storage/migrations.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { PlanStore } from "../../../src/storage/plan-store.ts";
import { PlugEnergyStore } from "../../../src/storage/plug-energy-store.ts";
import { damageInFile, dropDamagedRows } from "../../../src/storage/recovery/damage-scan.ts";
import { copyPathOf, openOrRestore, replaceDatabase } from "../../../src/storage/recovery/recovery.ts";
import { RequestLog } from "../../../src/storage/request-log.ts";
import { ArchiveBacklog } from "../../../src/storage/series/archive-backlog.ts";
import { SeriesStore } from "../../../src/storage/series/series-store.ts";
import { WriteGuard } from "../../../src/storage/write-guard.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";
import { writeEarlierDatabase } from "../../support/storage/earlier-database.ts";
import { calendar, dayOf } from "../../support/storage/store-on-disk.ts";

const FIXTURES = new URL("../../fixtures/databases/", import.meta.url);
/** Version of the database of elbro 1.0, whose tables are frozen. */
const VERSION_OF_1_0 = 6;
/** Versions of which a database is stored. */
const versions = readdirSync(FIXTURES).flatMap((name) => /^version-(\d+)\.sql$/.exec(name)?.[1] ?? []);

/** Returns a data directory with the database of an earlier version. */
function earlier(version: number): TempDir & { db: string } {
  const dir = new TempDir();
  writeEarlierDatabase(version, dir.file("elbro.db"));
  return Object.assign(dir, { db: dir.file("elbro.db") });
}

/** Returns all rows of each table, by the names of the columns. */
function rowsOf(path: string): Record<string, readonly Record<string, unknown>[]> {
  const database = new DatabaseSync(path, { readOnly: true });
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
  const rows = tables.map(({ name }) => {
    const statement = database.prepare(`select * from ${name}`);
    statement.setReadBigInts(true);
    return [String(name), statement.all()] as const;
  });
  database.close();
  return Object.fromEntries(rows);
}

describe.each(versions.map(Number))("a database of version %i", (version) => {
  test("has after the upgrade every row that it had before", () => {
    using dir = earlier(version);
    const before = rowsOf(dir.db);
    openDatabase(dir.db).close();
    const after = rowsOf(dir.db);
    for (const [table, rows] of Object.entries(before)) {
      expect([table, after[table]?.length]).toEqual([table, rows.length]);
      // A migration may add columns, and then the digest of a row is another.
      for (const { digest: _, ...row } of rows) expect(after[table]).toContainEqual(expect.objectContaining(row));
    }
    expect(damageInFile(dir.db)).toEqual([]);
  });

  test("is used by the program: prices, attempts, plans, savings, keys and archive are there", () => {
    using dir = earlier(version);
    const logged: string[] = [];
    const log = {
      info: (_: object, text: string) => logged.push(text),
      warn: (_: object, text: string) => logged.push(text),
    };
    const storage = openStorage({
      config: { data_dir: dir.path, service: { base_url: "https://service.example" } },
      clock: { now: () => 0 },
      log,
    });
    const { database, settings, writing } = storage;
    expect(versionOf(database)).toBe(SCHEMA_VERSION);
    expect(logged).toEqual(version === SCHEMA_VERSION ? [] : ["database upgraded"]);
    const damages: string[] = [];
    writing.onDamage((what) => damages.push(what));
    dropDamagedRows(database, writing);
    const place = "5d0c9f0e-6a1b-4c5e-9b64-1f1f4a7e2d01";
    const prices = { account: "consumer", place, operation: "prices", unit: "fifteenMinutes" } as const;
    expect(new SeriesStore(database, calendar, writing).rows(prices, dayOf("2026-03-11"))).toHaveLength(96);
    expect(new RequestLog(database).recent("consumer", 100)).toHaveLength(33);
    const plans = new PlanStore(database, writing);
    expect(plans.settings("washer").hours).toBe("2");
    expect(plans.lastRun("washer")).toMatchObject({ kwh: 1.2, meanPrice: expect.closeTo(0.905028, 5) });
    expect(plans.memory("washer")).not.toBeNull();
    expect(settings.read("client_id")).toBe("elbro_80000000");
    expect(storedKeys(settings).map(({ name }) => name)).toEqual(["phone"]);
    expect(ArchiveBacklog.open(database, settings, writing)?.count()).toBe(14);
    expect(damages).toEqual([]);
    storage.close();
  });

  test("can replace the current database as a backup", () => {
    using dir = earlier(version);
    const restored = dir.file("restored.db");
    expect(replaceDatabase(restored, dir.db, 0).keys.map(({ name }) => name)).toEqual(["phone"]);
    const database = openDatabase(restored);
    expect([versionOf(database), new KeyValueStore(database).read("client_id")]).toEqual([
      SCHEMA_VERSION,
      "elbro_80000000",
    ]);
    database.close();
  });
});

describe("the database of 1.0", () => {
  /** Returns the statements that made the tables, without the archive's. */
  const tablesOf = (database: DatabaseSync) => {
    const made = database.prepare("select name, sql from sqlite_schema where sql is not null order by name").all();
    return made.filter(({ name }) => !String(name).startsWith("archive_"));
  };

  test("the tables of 1.0 never change: a new file of that version has those of its stored database", () => {
    using dir = earlier(VERSION_OF_1_0);
    const stored = new DatabaseSync(dir.db);
    const made = openDatabase(dir.file("new.db"), { migrations: MIGRATIONS.slice(0, VERSION_OF_1_0 - FIRST_VERSION) });
    expect(tablesOf(made)).toEqual(tablesOf(stored));
    made.close();
    stored.close();
  });

  test("every version from the first one to this one has a stored database", () => {
    expect(versions.map(Number).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: MIGRATIONS.length + 1 }, (_, i) => FIRST_VERSION + i),
    );
  });

  test("the energy of plugs stays", () => {
    using dir = earlier(VERSION_OF_1_0);
    const database = openDatabase(dir.db);
    const day = dayOf("2026-03-11");
    expect(new PlugEnergyStore(database).totals("washer_plug", day)).toMatchObject({ kwh: 0.36, unpricedKwh: 0.05 });
    database.close();
  });
});

describe("a migration", () => {
  const added = [...MIGRATIONS, "create table added (a integer) strict", "alter table added add column b integer"];

  test("a migration runs once, in the order of the list, in an older file and in a new one", () => {
    using dir = earlier(FIRST_VERSION);
    const upgrades: number[] = [];
    const options = { migrations: added, whenUpgraded: (from: number) => upgrades.push(from) };
    const columns = (path: string) => {
      const database = openDatabase(path, options);
      const found = database.prepare("select name from pragma_table_info('added')").all();
      const version = versionOf(database);
      database.close();
      return [version, ...found.map(({ name }) => name)];
    };
    const expected = [FIRST_VERSION + added.length, "a", "b"];
    expect([columns(dir.db), columns(dir.db), columns(dir.file("new.db"))]).toEqual([expected, expected, expected]);
    expect(upgrades).toEqual([FIRST_VERSION]);
  });

  test.each([
    ["is wrong", "insert into nowhere values (1)", "no such table: nowhere"],
    ["does not fit the data", "create table one (n integer unique) strict; insert into one values (1), (1)", "UNIQUE"],
  ])("that %s leaves the file as it was and says so", (_, sql, why) => {
    using dir = earlier(FIRST_VERSION);
    const before = rowsOf(dir.db);
    const migrations = [...added, sql];
    const open = () => openDatabase(dir.db, { migrations });
    expect(open).toThrow(DatabaseError);
    expect(open).toThrow(
      `${dir.db} could not be upgraded from version ${FIRST_VERSION} to ${FIRST_VERSION + migrations.length} (${why}`,
    );
    expect(open).toThrow("is unchanged");
    expect(rowsOf(dir.db)).toEqual(before);
    const database = new DatabaseSync(dir.db, { readOnly: true });
    expect(versionOf(database)).toBe(FIRST_VERSION);
    database.close();
    openDatabase(dir.db).close();
  });

  test("of a newer elbro makes its backup unusable here, which leaves the database as it was", () => {
    using dir = earlier(FIRST_VERSION);
    const newer = dir.file("newer.db");
    openDatabase(newer, { migrations: added }).close();
    const bytes = readFileSync(dir.db);
    expect(() => replaceDatabase(dir.db, newer, 0)).toThrow("was written by a newer elbro");
    expect(readFileSync(dir.db)).toEqual(bytes);
  });

  test("a migration changes the tables, so that a damaged version is detected", () => {
    using dir = new TempDir();
    const definitions = Array.from({ length: MIGRATIONS.length + 1 }, (_, i) => {
      const database = openDatabase(dir.file(`${i}.db`), { migrations: MIGRATIONS.slice(0, i) });
      const found = database.prepare("select sql from sqlite_schema where sql is not null").all();
      database.close();
      return JSON.stringify(found);
    });
    expect(new Set(definitions).size).toBe(definitions.length);
  });
});

test("a copy of an earlier version replaces a damaged database", () => {
  using dir = earlier(FIRST_VERSION);
  renameSync(dir.db, copyPathOf(dir.db));
  const { database, recovery } = openOrRestore(dir.db, 0);
  expect(recovery).toMatchObject({ damage: "the file is missing", setAside: null, copiedAt: expect.any(Number) });
  expect([versionOf(database), new PlanStore(database).settings("washer").hours]).toEqual([SCHEMA_VERSION, "2"]);
  database.close();
});

test("the writes of a database with an archive are noted by its triggers after the upgrade", () => {
  using dir = earlier(FIRST_VERSION);
  const database = openDatabase(dir.db);
  const writing = new WriteGuard(database);
  const backlog = ArchiveBacklog.open(database, new KeyValueStore(database), writing);
  database.exec("delete from archive_backlog; update chunk set complete = complete where key > 1");
  expect(backlog?.count()).toBe(14);
  expect(database.prepare("select count(*) as n from archive_backlog").get()).toEqual({ n: 13 });
  database.close();
});
