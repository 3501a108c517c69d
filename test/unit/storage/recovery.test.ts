import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { BrokenDatabase, DatabaseError, openDatabase } from "../../../src/storage/database.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { copyDatabase } from "../../../src/storage/recovery/backup.ts";
import { copyPathOf, openOrRestore } from "../../../src/storage/recovery/recovery.ts";
import { SeriesStore } from "../../../src/storage/series/series-store.ts";
import { calendar, dayOf, rowsOf, StoreOnDisk, seriesOf } from "../../support/storage/store-on-disk.ts";

const NOW = Date.UTC(2026, 1, 3, 4, 5, 6, 7);
const ASIDE = "elbro.db.broken-2026-02-03T04-05-06Z";
const range = { start: dayOf("2026-01-01").start, end: dayOf("2026-04-09").end };
const key = seriesOf("hour");
const idle = { node: process.execPath, signal: new AbortController().signal };

/** Returns a closed database with rows and its copy; `after` is written after the copy. */
async function copied(): Promise<StoreOnDisk> {
  const store = new StoreOnDisk();
  new SeriesStore(store.database, calendar).store(key, range, rowsOf("hour", range), { currency: "DKK" });
  await copyDatabase(store.database, store.path, idle);
  new KeyValueStore(store.database).write("after", "the copy");
  store.database.close();
  return store;
}

/** Returns deterministic noise. */
function noise(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state & 255;
  });
}

function overwrite(file: string, at: number, bytes: Uint8Array): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, bytes, 0, bytes.length, at);
  closeSync(descriptor);
}

const damages: [string, (file: string) => void][] = [
  ["random bytes in its middle", (file) => overwrite(file, statSync(file).size >> 1, noise(4_096))],
  ["random bytes at its start", (file) => overwrite(file, 0, noise(4_096))],
  ["a first page of zeros", (file) => overwrite(file, 0, new Uint8Array(4_096))],
  ["half its length", (file) => truncateSync(file, Math.floor(statSync(file).size / 2))],
  ["a length that is no whole page", (file) => truncateSync(file, statSync(file).size - 612)],
  ["a few bytes left", (file) => truncateSync(file, 70)],
  ["the text of something else", (file) => writeFileSync(file, "# not a database\n".repeat(500))],
];

describe("a damaged database", () => {
  test.each(damages)("with %s is set aside and replaced by the last verified copy", async (_, damage) => {
    using store = await copied();
    damage(store.path);
    const broken = readFileSync(store.path);
    expect(() => openDatabase(store.path)).toThrow(BrokenDatabase);
    const { database, recovery } = openOrRestore(store.path, NOW);
    store.database = database;
    expect(recovery).toEqual({
      damage: expect.stringMatching(/malformed|not a database|\*\*\*|Tree|Page|page|btree/),
      setAside: store.dir.file(ASIDE),
      copiedAt: Math.floor(statSync(copyPathOf(store.path)).mtimeMs),
    });
    expect(readFileSync(store.dir.file(ASIDE))).toEqual(broken);
    expect(new SeriesStore(database, calendar).rows(key, range)).toEqual(rowsOf("hour", range));
    expect(new KeyValueStore(database).read("after")).toBeNull();
    expect(existsSync(copyPathOf(store.path))).toBe(true);
  });

  test("without a copy is set aside and replaced by an empty one", async () => {
    using store = new StoreOnDisk();
    store.database.close();
    overwrite(store.path, 0, noise(1_000));
    const { database, recovery } = openOrRestore(store.path, NOW);
    store.database = database;
    expect(recovery).toMatchObject({ setAside: store.dir.file(ASIDE), copiedAt: null });
    expect(new KeyValueStore(database).read("anything")).toBeNull();
  });

  test("with a damaged copy: both are set aside, and nothing is deleted", async () => {
    using store = await copied();
    overwrite(store.path, 0, noise(1_000));
    overwrite(copyPathOf(store.path), 0, noise(2_000));
    const copy = readFileSync(copyPathOf(store.path));
    const { database, recovery } = openOrRestore(store.path, NOW);
    store.database = database;
    expect(recovery).toMatchObject({ setAside: store.dir.file(ASIDE), copiedAt: null });
    expect(readFileSync(store.dir.file("elbro.db.copy.broken-2026-02-03T04-05-06Z"))).toEqual(copy);
    expect(readdirSync(store.dir.path).filter((name) => name.includes("broken"))).toHaveLength(3);
  });

  test("a damaged database is set aside with its write-ahead log, which is not applied to the copy", async () => {
    using store = await copied();
    store.database = openDatabase(store.path);
    new KeyValueStore(store.database).write("only", "in the log");
    // As after a crash: the log is still next to the file.
    cpSync(store.path, store.dir.file("crashed.db"));
    cpSync(`${store.path}-wal`, store.dir.file("crashed.db-wal"));
    cpSync(copyPathOf(store.path), store.dir.file("crashed.db.copy"));
    const log = readFileSync(store.dir.file("crashed.db-wal"));
    expect(log.length).toBeGreaterThan(0);
    overwrite(store.dir.file("crashed.db"), 2_048, noise(8_192));
    const { database, recovery } = openOrRestore(store.dir.file("crashed.db"), NOW);
    expect(readFileSync(`${recovery?.setAside}-wal`)).toEqual(log);
    expect(new KeyValueStore(database).read("only")).toBeNull();
    expect(new SeriesStore(database, calendar).covers(key, range)).toBe(true);
    database.close();
  });

  test("a damaged database gets a different name for the second one in one second", async () => {
    using store = await copied();
    for (const name of [ASIDE, `${ASIDE}-2`]) {
      overwrite(store.path, 0, noise(1_000));
      const { database, recovery } = openOrRestore(store.path, NOW);
      database.close();
      expect(recovery?.setAside).toBe(store.dir.file(name));
    }
  });
});

describe("an intact database", () => {
  test("an intact database is opened unchanged, also if it is new or was not closed", async () => {
    using store = await copied();
    const found = openOrRestore(store.path, NOW);
    store.database = found.database;
    expect(found.recovery).toBeNull();
    expect(new KeyValueStore(found.database).read("after")).toBe("the copy");
    const fresh = openOrRestore(store.dir.file("fresh.db"), NOW);
    expect(fresh.recovery).toBeNull();
    fresh.database.close();
    new KeyValueStore(found.database).write("only", "in the log");
    cpSync(store.path, store.dir.file("crashed.db"));
    cpSync(`${store.path}-wal`, store.dir.file("crashed.db-wal"));
    const crashed = openOrRestore(store.dir.file("crashed.db"), NOW);
    expect(crashed.recovery).toBeNull();
    expect(new KeyValueStore(crashed.database).read("only")).toBe("in the log");
    crashed.database.close();
  });

  test("that is in use or of a newer version is never set aside", async () => {
    using store = await copied();
    store.database = openDatabase(store.path);
    expect(() => openOrRestore(store.path, NOW)).toThrow(DatabaseError);
    store.database.exec("create table newer (a text); pragma user_version = 999");
    store.database.close();
    expect(() => openOrRestore(store.path, NOW)).toThrow("run the newer elbro");
    expect(readdirSync(store.dir.path).filter((name) => name.includes("broken"))).toEqual([]);
  });
});

describe("a copy", () => {
  test("a copy is one file that any SQLite opens, with all committed data", async () => {
    using store = new StoreOnDisk();
    new SeriesStore(store.database, calendar).store(key, range, rowsOf("hour", range), {});
    const outcome = await copyDatabase(store.database, store.path, idle);
    const copyPath = copyPathOf(store.path);
    expect(outcome).toEqual({ kind: "verified", bytes: statSync(copyPath).size });
    expect(readdirSync(store.dir.path).filter((name) => name.startsWith("elbro.db.copy"))).toEqual(["elbro.db.copy"]);
    const copy = new DatabaseSync(copyPath, { readOnly: true });
    expect(copy.prepare("pragma journal_mode").get()).toEqual({ journal_mode: "delete" });
    expect(copy.prepare("select count(*) as n from chunk").get()).toEqual({ n: 99 });
    copy.close();
  });

  test("a copy is consistent, with or without data written during copying", async () => {
    using store = new StoreOnDisk();
    const seriesStore = new SeriesStore(store.database, calendar);
    seriesStore.store(key, range, rowsOf("hour", range), {});
    const copying = copyDatabase(store.database, store.path, idle);
    seriesStore.store(seriesOf("fifteenMinutes"), range, rowsOf("fifteenMinutes", range), {});
    expect((await copying).kind).toBe("verified");
    expect(seriesStore.covers(seriesOf("fifteenMinutes"), range)).toBe(true);
  });

  test("of a damaged database does not replace the intact one", async () => {
    using store = await copied();
    const good = readFileSync(copyPathOf(store.path));
    store.database = openDatabase(store.path);
    // The damage is in an open file, in pages that are not cached.
    store.database.exec("pragma shrink_memory");
    overwrite(store.path, 4_096, noise(8_192));
    const outcome = await copyDatabase(store.database, store.path, idle);
    expect(outcome.kind).toBe("damaged");
    expect(readFileSync(copyPathOf(store.path))).toEqual(good);
    expect(existsSync(`${copyPathOf(store.path)}.part`)).toBe(false);
  });

  test("a copy is aborted when the daemon stops, without leaving files", async () => {
    using store = new StoreOnDisk();
    new SeriesStore(store.database, calendar).store(key, range, rowsOf("hour", range), {});
    const stop = new AbortController();
    const copying = copyDatabase(store.database, store.path, { ...idle, signal: stop.signal });
    stop.abort();
    expect(await copying).toEqual({ kind: "stopped" });
    expect(readdirSync(store.dir.path).filter((name) => name.includes("copy"))).toEqual([]);
  });

  test("that cannot be written is reported", async () => {
    using store = new StoreOnDisk();
    await expect(copyDatabase(store.database, store.dir.file("no/such/folder/elbro.db"), idle)).rejects.toThrow(/./);
  });
});
