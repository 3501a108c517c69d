import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../../src/storage/database.ts";
import { databaseTrouble } from "../../../src/storage/write-check.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

test("databaseTrouble returns null for a writable database, and a thousand checks write nothing to disk", async () => {
  using dir = new TempDir();
  const path = join(dir.path, "elbro.db");
  const database = openDatabase(path);
  const bytes = () => [path, `${path}-wal`].map((file) => (existsSync(file) ? readFileSync(file).toString("hex") : ""));
  const before = bytes();
  for (let i = 0; i < 1_000; i++) expect(await databaseTrouble(database, path)).toBeNull();
  expect(bytes()).toEqual(before);
  database.close();
});

test("databaseTrouble does not interfere with a transaction", async () => {
  using dir = new TempDir();
  const path = join(dir.path, "elbro.db");
  const database = openDatabase(path);
  database.exec("begin; insert into setting (name, value) values ('a', 'b')");
  expect(await databaseTrouble(database, path)).toBeNull();
  database.exec("commit");
  expect(database.prepare("select value from setting where name = 'a'").get()?.value).toBe("b");
  database.close();
});
