import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { copyDatabase } from "../../../src/storage/backup.ts";
import { DatabaseError, DatabaseInUse, openDatabase } from "../../../src/storage/database.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { copyPathOf, replaceDatabase, SPENDS_UNKNOWN } from "../../../src/storage/recovery.ts";
import { StoreOnDisk } from "../../support/daemon/store-on-disk.ts";

const NOW = Date.UTC(2026, 1, 3, 4, 5, 6, 7);
const ASIDE = "elbro.db.replaced-2026-02-03T04-05-06Z";
const idle = { node: process.execPath, signal: new AbortController().signal };

/** A database that says `now`, with a copy beside it that says `then`. Closed. */
async function copied(): Promise<StoreOnDisk> {
  const store = new StoreOnDisk();
  new KeyValueStore(store.database).write("said", "then");
  await copyDatabase(store.database, store.path, idle);
  new KeyValueStore(store.database).write("said", "now");
  store.database.close();
  return store;
}

function said(path: string, name = "said"): string | null {
  const database = openDatabase(path);
  const found = new KeyValueStore(database).read(name);
  database.close();
  return found;
}

describe("a copy takes the place of the database", () => {
  test("and what was there is kept under a dated name", async () => {
    using store = await copied();
    expect(replaceDatabase(store.path, copyPathOf(store.path), NOW)).toBe(store.dir.file(ASIDE));
    expect(said(store.path)).toBe("then");
    expect(said(store.dir.file(ASIDE))).toBe("now");
    expect(existsSync(copyPathOf(store.path))).toBe(true);
    expect([said(store.path, SPENDS_UNKNOWN), said(copyPathOf(store.path), SPENDS_UNKNOWN)]).toEqual(["yes", null]);
  });

  test("where there was none, and where there was a broken one", async () => {
    using store = await copied();
    expect(replaceDatabase(store.dir.file("new.db"), copyPathOf(store.path), NOW)).toBeNull();
    expect(said(store.dir.file("new.db"))).toBe("then");
    writeFileSync(store.path, "# not a database\n".repeat(500));
    replaceDatabase(store.path, copyPathOf(store.path), NOW);
    expect(said(store.path)).toBe("then");
    expect(readFileSync(store.dir.file(ASIDE), "utf8")).toContain("# not a database");
  });

  test("also in place of one that a newer program wrote: that is how one goes back", async () => {
    using store = await copied();
    const newer = new DatabaseSync(store.path);
    newer.exec("pragma user_version = 999");
    newer.close();
    replaceDatabase(store.path, copyPathOf(store.path), NOW);
    expect(said(store.path)).toBe("then");
  });
});

describe("nothing is changed", () => {
  async function refused(damage: (store: StoreOnDisk) => void): Promise<string> {
    using store = await copied();
    damage(store);
    const before = readdirSync(store.dir.path).filter((name) => !name.endsWith("-shm"));
    let words = "";
    try {
      replaceDatabase(store.path, copyPathOf(store.path), NOW);
    } catch (error) {
      expect(error).toBeInstanceOf(DatabaseError);
      words = String(error).replaceAll(`${store.dir.path}/`, "");
    }
    expect(readdirSync(store.dir.path).filter((name) => !name.endsWith("-shm"))).toEqual(before);
    if (store.database.isOpen) expect(new KeyValueStore(store.database).read("said")).toBe("now");
    else expect(said(store.path)).toBe("now");
    return words;
  }

  test("by a copy that is damaged", async () => {
    const words = await refused((store) => {
      const bytes = readFileSync(copyPathOf(store.path));
      bytes.fill(0x5a, 600, 3_000);
      writeFileSync(copyPathOf(store.path), bytes);
    });
    expect(words).toMatch(/elbro\.db\.copy cannot be used: (it is damaged|.*malformed)/);
  });

  test("by a file that is something else", async () => {
    expect(await refused((store) => writeFileSync(copyPathOf(store.path), "hello\n".repeat(200)))).toContain(
      "elbro.db.copy cannot be used: file is not a database",
    );
    const words = await refused((store) => {
      writeFileSync(copyPathOf(store.path), "");
    });
    expect(words).toContain("it is no database of elbro");
  });

  test("by a copy of an older version", async () => {
    const words = await refused((store) => {
      const copy = new DatabaseSync(copyPathOf(store.path));
      copy.exec("pragma user_version = 2");
      copy.close();
    });
    expect(words).toContain(
      "elbro.db.copy cannot be used: was written by an older elbro (version 2, this one needs 4)",
    );
  });

  test("by a copy that a newer program wrote", async () => {
    const words = await refused((store) => {
      const copy = new DatabaseSync(copyPathOf(store.path));
      copy.exec("pragma user_version = 999");
      copy.close();
    });
    expect(words).toContain("was written by a newer elbro (version 999");
  });

  test("while a daemon holds the database", async () => {
    const words = await refused((store) => {
      store.database = openDatabase(store.path);
    });
    expect(words).toContain("is in use by another elbro");
    using store = await copied();
    store.database = openDatabase(store.path);
    expect(() => replaceDatabase(store.path, copyPathOf(store.path), NOW)).toThrow(DatabaseInUse);
  });
});

test("a copy is made although the database is locked when it begins", async () => {
  using store = new StoreOnDisk();
  let begins = 0;
  // What Node answers when the daemon writes at the moment of the first step.
  const locked = Object.assign(new Error("not an error"), { errcode: 0 });
  const begin: typeof backup = (...given) => (++begins < 3 ? Promise.reject(locked) : backup(...given));
  expect(await copyDatabase(store.database, store.path, idle, begin)).toMatchObject({ kind: "verified" });
  expect(begins).toBe(3);
});
