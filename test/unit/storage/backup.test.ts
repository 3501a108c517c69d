import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { StartError } from "../../../src/core/status/start-error.ts";
import { type KeptKey, KeyFile } from "../../../src/storage/api-key-file.ts";
import { DatabaseError, DatabaseInUse, openDatabase } from "../../../src/storage/database.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { openDataDir } from "../../../src/storage/open-storage.ts";
import { copyDatabase } from "../../../src/storage/recovery/backup.ts";
import { copyPathOf, replaceDatabase, SPENDS_UNKNOWN } from "../../../src/storage/recovery/recovery.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";
import { StoreOnDisk } from "../../support/storage/store-on-disk.ts";

const NOW = Date.UTC(2026, 1, 3, 4, 5, 6, 7);
const ASIDE = "elbro.db.replaced-2026-02-03T04-05-06Z";
const idle = { node: process.execPath, signal: new AbortController().signal };

/** Returns a closed database with the value `now`, with a copy that has the value `then`. */
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

describe("replaceDatabase with a copy", () => {
  test("replaceDatabase with a copy keeps the replaced database under a dated name", async () => {
    using store = await copied();
    expect(replaceDatabase(store.path, copyPathOf(store.path), NOW).setAside).toBe(store.dir.file(ASIDE));
    expect(said(store.path)).toBe("then");
    expect(said(store.dir.file(ASIDE))).toBe("now");
    expect(existsSync(copyPathOf(store.path))).toBe(true);
    expect([said(store.path, SPENDS_UNKNOWN), said(copyPathOf(store.path), SPENDS_UNKNOWN)]).toEqual(["yes", null]);
  });

  test("works without a database, and with a damaged one", async () => {
    using store = await copied();
    expect(replaceDatabase(store.dir.file("new.db"), copyPathOf(store.path), NOW).setAside).toBeNull();
    expect(said(store.dir.file("new.db"))).toBe("then");
    writeFileSync(store.path, "# not a database\n".repeat(500));
    replaceDatabase(store.path, copyPathOf(store.path), NOW);
    expect(said(store.path)).toBe("then");
    expect(readFileSync(store.dir.file(ASIDE), "utf8")).toContain("# not a database");
  });

  test("replaceDatabase with a copy replaces a database of a newer program, which allows a downgrade", async () => {
    using store = await copied();
    const newer = new DatabaseSync(store.path);
    newer.exec("pragma user_version = 999");
    newer.close();
    replaceDatabase(store.path, copyPathOf(store.path), NOW);
    expect(said(store.path)).toBe("then");
  });
});

describe("replaceDatabase changes nothing", () => {
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

  test("if the copy is damaged", async () => {
    const words = await refused((store) => {
      const bytes = readFileSync(copyPathOf(store.path));
      bytes.fill(0x5a, 600, 3_000);
      writeFileSync(copyPathOf(store.path), bytes);
    });
    expect(words).toMatch(/elbro\.db\.copy cannot be used: (it is damaged|.*malformed)/);
  });

  test("if the copy has a newer version", async () => {
    const words = await refused((store) => {
      const copy = new DatabaseSync(copyPathOf(store.path));
      copy.exec("pragma user_version = 999");
      copy.close();
    });
    expect(words).toContain("was written by a newer elbro (version 999");
  });

  test("while a daemon uses the database", async () => {
    const words = await refused((store) => {
      store.database = openDatabase(store.path);
    });
    expect(words).toContain("is in use by another elbro");
    using store = await copied();
    store.database = openDatabase(store.path);
    expect(() => replaceDatabase(store.path, copyPathOf(store.path), NOW)).toThrow(DatabaseInUse);
  });
});

test("copyDatabase retries while the database is locked", async () => {
  using store = new StoreOnDisk();
  let begins = 0;
  // Error that Node throws if the daemon writes during the first step.
  const locked = Object.assign(new Error("not an error"), { errcode: 0 });
  const begin: typeof backup = (...given) => (++begins < 3 ? Promise.reject(locked) : backup(...given));
  expect(await copyDatabase(store.database, store.path, idle, begin)).toMatchObject({ kind: "verified" });
  expect(begins).toBe(3);
});

test("copyDatabase does not retry after another error", async () => {
  using store = new StoreOnDisk();
  let begins = 0;
  for (const error of [Object.assign(new Error("disk I/O error"), { errcode: 10 }), new Error("no code")]) {
    const begin: typeof backup = () => {
      begins++;
      return Promise.reject(error);
    };
    await expect(copyDatabase(store.database, store.path, idle, begin)).rejects.toBe(error);
  }
  expect(begins).toBe(2);
});

test("opening a data directory makes it and its database readable by their user only", async () => {
  using store = await copied();
  chmodSync(store.dir.path, 0o755);
  for (const path of [store.path, copyPathOf(store.path)]) chmodSync(path, 0o644);
  openDataDir(store.dir.path, NOW).database.close();
  expect(statSync(store.dir.path).mode & 0o777).toBe(0o700);
  for (const path of [store.path, copyPathOf(store.path)]) expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a data directory below a file cannot be made, and the error says what to do", () => {
  using dir = new TempDir();
  writeFileSync(dir.file("data"), "");
  const start = () => openDataDir(path.join(dir.file("data"), "elbro"), NOW);
  expect(start).toThrow(StartError);
  expect(start).toThrow(/data\/elbro.*ENOTDIR.*set data_dir/);
});

describe("API keys", () => {
  const key = (name: string): KeptKey => ({
    ...{ name, kind: "bearer", scopes: ["read"], sha256: "ab".repeat(32), created: "2026-02-03" },
  });

  /** Returns a closed database with a copy that contains the keys `names`. */
  async function copiedWith(...names: string[]): Promise<StoreOnDisk> {
    const store = new StoreOnDisk();
    new KeyFile(store.dir.path).write(names.map(key));
    await copyDatabase(store.database, store.path, idle);
    store.database.close();
    return store;
  }
  const namesIn = (store: StoreOnDisk) => {
    const reading = new KeyFile(store.dir.path).read();
    return reading.kind === "keys" ? reading.keys.map(({ name }) => name) : reading.why;
  };

  test("API keys are in each copy; a restore writes them back and keeps the previous file", async () => {
    using store = await copiedWith("kitchen", "shelly");
    new KeyFile(store.dir.path).write([key("newer")]);
    const { keys, keysSetAside } = replaceDatabase(store.path, copyPathOf(store.path), NOW);
    expect(keys.map(({ name }) => name)).toEqual(["kitchen", "shelly"]);
    expect(namesIn(store)).toEqual(["kitchen", "shelly"]);
    expect(keysSetAside).toBe(store.dir.file("keys.json.replaced-2026-02-03T04-05-06Z"));
    expect(readFileSync(String(keysSetAside), "utf8")).toContain("newer");
    expect(statSync(store.dir.file("keys.json")).mode & 0o777).toBe(0o600);
    expect(statSync(copyPathOf(store.path)).mode & 0o777).toBe(0o600);
  });

  test("API keys stay if they are equal, and if the copy has no keys", async () => {
    using store = await copiedWith("kitchen");
    expect(replaceDatabase(store.path, copyPathOf(store.path), NOW).keysSetAside).toBe(null);
    using older = await copied();
    new KeyFile(older.dir.path).write([key("kitchen")]);
    expect(replaceDatabase(older.path, copyPathOf(older.path), NOW)).toMatchObject({ keys: [], keysSetAside: null });
    expect(namesIn(older)).toEqual(["kitchen"]);
  });

  test("that cannot be read leave those of the previous copy unchanged", async () => {
    using store = await copiedWith("kitchen");
    writeFileSync(store.dir.file("keys.json"), "{");
    await copyDatabase(store.reopen(), store.path, idle);
    store.database.close();
    replaceDatabase(store.path, copyPathOf(store.path), NOW);
    expect(namesIn(store)).toEqual(["kitchen"]);
  });

  test("that are lost with a damaged database are restored at start, but not those that were deleted", async () => {
    using store = await copiedWith("kitchen");
    const start = () => openDataDir(store.dir.path, NOW).database.close();
    rmSync(store.dir.file("keys.json"));
    start();
    expect(existsSync(store.dir.file("keys.json"))).toBe(false);
    writeFileSync(store.path, "# not a database\n".repeat(500));
    start();
    expect(namesIn(store)).toEqual(["kitchen"]);
  });
});

test("the newest five replaced files of each kind are kept, for any clock", async () => {
  using store = await copied();
  const aside = (kind: string) =>
    readdirSync(store.dir.path).filter((name) => name.includes(`.${kind}-`) && !/-(wal|shm)$/.test(name));
  for (let i = 0; i < 8; i++) replaceDatabase(store.path, copyPathOf(store.path), NOW - i * 86_400_000);
  for (let i = 0; i < 8; i++) {
    writeFileSync(store.path, "# not a database\n".repeat(500));
    openDataDir(store.dir.path, NOW - i * 86_400_000).database.close();
  }
  expect([aside("broken"), aside("replaced")].map((names) => names.length)).toEqual([5, 5]);
  expect(aside("broken")[0]).toContain("2026-01-27");
  expect(readdirSync(store.dir.path).filter((name) => /-(wal|shm)$/.test(name)).length).toBeLessThanOrEqual(5);
});
