import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import {
  DatabaseError,
  DatabaseInUse,
  isReadFailure,
  openDatabase,
  SCHEMA_OBJECTS,
  type SchemaObject,
  schemaFlaw,
  transaction,
} from "../../../src/storage/database.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { SCHEMA_VERSION } from "../../../src/storage/migrations.ts";
import { Child } from "../../support/processes/child.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";
import { StoreOnDisk } from "../../support/storage/store-on-disk.ts";

function versionOf(database: DatabaseSync): unknown {
  return database.prepare("pragma user_version").get()?.user_version;
}

describe("a data directory allows one process:", () => {
  test("a second one gets an error, and the first continues", async () => {
    using dir = new TempDir();
    const path = dir.file("elbro.db");
    await using child = new Child("hold.ts", path);
    await child.said(1);
    expect(() => openDatabase(path)).toThrow(DatabaseInUse);
    expect(() => openDatabase(path)).toThrow(
      `${path} is in use by another elbro process; use one data directory per process`,
    );
    await child.kill();
    openDatabase(path).close();
  });

  test("a second opening in the same process gets an error", () => {
    using store = new StoreOnDisk();
    expect(() => openDatabase(store.path)).toThrow("is in use by another elbro");
    expect(versionOf(store.reopen())).toBe(SCHEMA_VERSION);
  });
});

describe("a database", () => {
  test("a database has the program's version, when it is new and when it is opened again", () => {
    using store = new StoreOnDisk();
    expect(versionOf(store.database)).toBe(SCHEMA_VERSION);
    new KeyValueStore(store.database).write("kept", "yes");
    expect(new KeyValueStore(store.reopen()).read("kept")).toBe("yes");
  });

  test("of a newer version is rejected with a message and stays unchanged", () => {
    using store = new StoreOnDisk();
    const newer = SCHEMA_VERSION + 1;
    store.database.exec(`create table newer (a text); pragma user_version = ${newer}`);
    store.database.close();
    expect(() => openDatabase(store.path)).toThrow(
      new DatabaseError(
        `${store.path} was written by a newer elbro (version ${newer}; this elbro knows ${SCHEMA_VERSION}); run the newer elbro, or restore an older copy`,
      ),
    );
    const untouched = new DatabaseSync(store.path);
    expect(versionOf(untouched)).toBe(newer);
    untouched.close();
  });
});

describe("objects of another program", () => {
  test.each([
    "create trigger other before update on setting begin select raise(abort, 'no'); end",
    "create trigger other before insert on setting begin select raise(abort, 'no'); end",
    'create unique index "a "" quote" on setting (length(value))',
  ])("objects of another program do not make the statements of the program fail: %s", (sql) => {
    using store = new StoreOnDisk();
    new KeyValueStore(store.database).write("a", "1");
    store.database.exec(sql);
    const settings = new KeyValueStore(store.reopen());
    settings.write("a", "2");
    settings.write("b", "2");
    expect([settings.read("a"), settings.read("b")]).toEqual(["2", "2"]);
  });

  test("that are tables stay, because they may hold data", () => {
    using store = new StoreOnDisk();
    store.database.exec("create table notes (text text); insert into notes values ('mine')");
    expect(store.reopen().prepare("select text from notes").all()).toEqual([{ text: "mine" }]);
  });
});

describe("the schema of a file from elsewhere", () => {
  const schemaOf = (database: DatabaseSync) =>
    database.prepare(SCHEMA_OBJECTS).all() as unknown as readonly SchemaObject[];

  test("the schema of a file from elsewhere must be exactly that of its version", () => {
    using store = new StoreOnDisk();
    const own = schemaOf(store.database);
    expect([schemaFlaw(SCHEMA_VERSION, own), schemaFlaw(SCHEMA_VERSION, own.toReversed())]).toEqual([null, null]);
    for (const [i, object] of own.entries()) {
      for (const field of ["type", "name", "table", "sql"] as const) {
        const flaw = schemaFlaw(SCHEMA_VERSION, own.with(i, { ...object, [field]: "another" }));
        expect([object.name, field, flaw]).toEqual([
          object.name,
          field,
          expect.stringMatching(/^elbro does not create|^it is not a database/),
        ]);
      }
      const missing = schemaFlaw(SCHEMA_VERSION, own.toSpliced(i, 1));
      expect(missing).toMatch(/^the table \w+ is missing or damaged$|^it is not a database/);
      expect(schemaFlaw(SCHEMA_VERSION, [...own, object])).not.toBeNull();
    }
  });

  test("the schema of a file from elsewhere may have no trigger of another program, which is named", () => {
    using store = new StoreOnDisk();
    store.database.exec(`create trigger "${"x".repeat(70)}" after insert on setting begin select 1; end`);
    expect(schemaFlaw(SCHEMA_VERSION, schemaOf(store.database))).toBe(
      `elbro does not create its trigger "${"x".repeat(60)}"`,
    );
    expect(schemaFlaw(SCHEMA_VERSION, [])).toBe("it is not a database of elbro");
    expect(schemaFlaw(SCHEMA_VERSION + 1, schemaOf(store.database))).toContain("was written by a newer elbro");
    expect(schemaFlaw(0, schemaOf(store.database))).toBe("the file has the invalid version 0");
  });
});

test.each([
  [11, true],
  [267, true],
  [26, true],
  [266, true],
  [522, true],
  [10, false],
  [778, false],
  [13, false],
  [5, false],
  [1, false],
])(
  "the error code %i of an open database means that its file is damaged or cannot be read: %j",
  (errcode, expected) => {
    expect(isReadFailure(Object.assign(new Error("no"), { errcode }))).toBe(expected);
    expect([isReadFailure(new Error("no")), isReadFailure({ errcode })]).toEqual([false, false]);
  },
);

describe("a transaction", () => {
  const count = (database: DatabaseSync) => database.prepare("select count(*) as n from setting").get()?.n;

  test("a transaction is committed completely or not at all", () => {
    using store = new StoreOnDisk();
    const settings = new KeyValueStore(store.database);
    expect(() =>
      transaction(store.database, () => {
        settings.write("a", "1");
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(count(store.database)).toBe(0);
    expect(transaction(store.database, () => settings.once("a", () => "2"))).toBe("2");
    expect(count(store.reopen())).toBe(1);
  });

  test("that SQLite has already rolled back reports the original error", () => {
    using store = new StoreOnDisk();
    expect(() =>
      transaction(store.database, () => {
        store.database.exec("rollback");
        throw new Error("database or disk is full");
      }),
    ).toThrow("database or disk is full");
  });

  test("a transaction is flushed to disk before it returns", () => {
    using store = new StoreOnDisk();
    const pragma = (name: string) => Object.values(store.database.prepare(`pragma ${name}`).get() ?? {})[0];
    expect(pragma("journal_mode")).toBe("wal");
    expect(pragma("synchronous")).toBe(2);
    expect(pragma("locking_mode")).toBe("exclusive");
    expect(pragma("foreign_keys")).toBe(1);
  });
});

describe("settings", () => {
  test("survive a restart, are created once, and can be changed", () => {
    using store = new StoreOnDisk();
    const settings = new KeyValueStore(store.database);
    expect(settings.read("offset")).toBeNull();
    expect(settings.once("offset", () => "17")).toBe("17");
    expect(settings.once("offset", () => "18")).toBe("17");
    settings.write("offset", "19");
    expect(new KeyValueStore(store.reopen()).read("offset")).toBe("19");
  });
});
