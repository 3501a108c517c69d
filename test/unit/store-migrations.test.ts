import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { openDatabase, versionOf } from "../../src/store/database.ts";
import { Ledger } from "../../src/store/ledger.ts";
import { migrations } from "../../src/store/migrations.ts";
import { PlanStore } from "../../src/store/plan-store.ts";
import { Settings } from "../../src/store/settings.ts";
import { Shelf } from "../../src/store/shelf.ts";
import { calendar, dayOf, rowsOf, StoreOnDisk, seriesOf } from "../support/store-on-disk.ts";
import { TempDir } from "../support/temp-dir.ts";

const FOLDER = path.join(import.meta.dirname, "../fixtures/store");
/** Every version that a program was ever run with. */
const versions = migrations.map((_, i) => i + 1);
/** What every fixture holds: the long day of 2026. */
const day = dayOf("2026-10-25");
const hours = seriesOf("hour");

function fixture(version: number): string {
  return readFileSync(path.join(FOLDER, `version-${version}.sql`), "utf8");
}

function schemaOf(database: DatabaseSync): unknown[] {
  return database.prepare("select type, name, tbl_name, sql from sqlite_schema order by name").all();
}

/** A database as that version left it, opened by this program. */
class Upgraded implements Disposable {
  readonly dir = new TempDir();
  readonly database: DatabaseSync;

  constructor(version: number) {
    const old = new DatabaseSync(this.dir.file("elbro.db"));
    old.exec(fixture(version));
    old.close();
    this.database = openDatabase(this.dir.file("elbro.db"));
  }

  [Symbol.dispose](): void {
    this.database.close();
    this.dir[Symbol.dispose]();
  }
}

test("every version has its fixture: a new migration needs one more", () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual(versions.map((version) => `version-${version}.sql`));
});

describe.each(versions)("a database of version %i", (version) => {
  test("is what the migrations up to then made: none of them was changed since", () => {
    const then = new DatabaseSync(":memory:");
    then.exec(fixture(version));
    const now = new DatabaseSync(":memory:");
    for (const migration of migrations.slice(0, version)) now.exec(migration);
    expect(schemaOf(then)).toEqual(schemaOf(now));
    expect(versionOf(then)).toBe(version);
  });

  test("becomes the newest", () => {
    using upgraded = new Upgraded(version);
    using fresh = new StoreOnDisk();
    expect(versionOf(upgraded.database)).toBe(migrations.length);
    expect(schemaOf(upgraded.database)).toEqual(schemaOf(fresh.database));
  });

  test("keeps every price of the long day, and knows that it was asked", () => {
    using upgraded = new Upgraded(version);
    const shelf = new Shelf(upgraded.database, calendar);
    const expected = rowsOf("hour", day, (start) => 1 + ((start / 3_600_000) % 7) / 8);
    expect(expected).toHaveLength(25);
    expect(shelf.rows(hours, day)).toEqual(expected);
    expect(shelf.covers(hours, day)).toBe(true);
    expect(shelf.envelope(hours)).toEqual({ currency: "DKK", vatIncluded: true });
    expect(shelf.latest(seriesOf("latest"))).toHaveLength(3);
  });

  test("keeps the ledger: what was spent is spent", () => {
    using upgraded = new Upgraded(version);
    const ledger = new Ledger(upgraded.database);
    const id = new Shelf(upgraded.database, calendar).idOf(hours);
    expect(ledger.countSince("consumer", day.start)).toBe(1);
    expect(ledger.chunkAnsweredAt(id, day.start)).toBe(day.start + 600);
    expect(ledger.serverTime()).toBe(day.start + 500);
  });

  test("keeps what was settled once: the names of homes", () => {
    using upgraded = new Upgraded(version);
    expect(new Settings(upgraded.database).read(`home/${hours.place}`)).toBe("home");
  });

  test.runIf(version >= 2)("keeps where plans stand, what was changed of them, and what has run", () => {
    using upgraded = new Upgraded(version);
    const store = new PlanStore(upgraded.database);
    expect(store.memory("car")).toMatchObject({ window: day, since: day.start, begun: [], owedMs: 0 });
    expect(store.settings("car")).toEqual({ hours: "3" });
    expect(store.totals("car", day.start, day.end)).toMatchObject({ runs: 1, hours: 2, cost: 15, savingNow: 5 });
  });

  test("can be written on", () => {
    using upgraded = new Upgraded(version);
    const shelf = new Shelf(upgraded.database, calendar);
    const next = { start: day.end, end: calendar.add("day", day.end, 1) };
    shelf.store(hours, next, rowsOf("hour", next), { currency: "DKK", vatIncluded: true });
    expect(shelf.rows(hours, { start: day.start, end: next.end })).toHaveLength(49);
  });
});
