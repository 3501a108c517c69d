import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openDatabase } from "../../../src/storage/database.ts";
import { databaseTrouble } from "../../../src/storage/write-check.ts";
import { TempDir } from "../../support/daemon/temp-dir.ts";

test("a database that can be written has no trouble, and a thousand tries leave no trace on the disk", async () => {
  using dir = new TempDir();
  const path = join(dir.path, "elbro.db");
  const database = openDatabase(path);
  const bytes = () => [path, `${path}-wal`].map((file) => (existsSync(file) ? readFileSync(file).toString("hex") : ""));
  const before = bytes();
  for (let i = 0; i < 1_000; i++) expect(await databaseTrouble(database, path)).toBeNull();
  expect(bytes()).toEqual(before);
  database.close();
});

test("a database opened for reading refuses, in SQLite's words", async () => {
  using dir = new TempDir();
  const path = join(dir.path, "elbro.db");
  openDatabase(path).close();
  const database = new DatabaseSync(path, { readOnly: true });
  expect(await databaseTrouble(database, path)).toBe(
    "the database refuses to be written: attempt to write a readonly database",
  );
  database.close();
  expect(await databaseTrouble(database, path)).toBe("the database refuses to be written: database is not open");
});

test("a file that is gone is told by its code, without its place", async () => {
  using dir = new TempDir();
  const path = join(dir.path, "elbro.db");
  const database = openDatabase(path);
  renameSync(path, join(dir.path, "elsewhere"));
  expect(await databaseTrouble(database, path)).toBe("the file of the database cannot be written: ENOENT");
  database.close();
});

test("in the middle of a write it is left alone", async () => {
  using dir = new TempDir();
  const path = join(dir.path, "elbro.db");
  const database = openDatabase(path);
  database.exec("begin; insert into setting (name, value) values ('a', 'b')");
  expect(await databaseTrouble(database, path)).toBeNull();
  database.exec("commit");
  expect(database.prepare("select value from setting where name = 'a'").get()?.value).toBe("b");
  database.close();
});
