/** Databases that earlier versions of elbro made, stored as SQL: see `test/fixtures/databases`. */
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** Writes the database of an earlier version to a file. */
export function writeEarlierDatabase(version: number, path: string): void {
  const sql = readFileSync(new URL(`../../fixtures/databases/version-${version}.sql`, import.meta.url), "utf8");
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}
