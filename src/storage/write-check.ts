/** Checks whether the database can be written, without writing, because memory cards wear out. */
import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { errorCode, errorMessage } from "../core/text/error-words.ts";

/** Minimum free space. With less, the next request cannot be recorded. */
const MIN_FREE_BYTES = 1024 * 1024;

/**
 * Returns why the database cannot be written; null if it can. Inserts a row in a transaction that is rolled back, so
 * nothing reaches the disk. The file system shows whether the disk would accept it.
 */
export async function databaseTrouble(database: DatabaseSync, databasePath: string): Promise<string | null> {
  return refusalOf(database) ?? (await diskTrouble(databasePath));
}

function refusalOf(database: DatabaseSync): string | null {
  try {
    // Another write is in progress.
    if (database.isTransaction) return null;
    database.exec("begin immediate");
    try {
      database.exec("insert into setting (name, value) values ('probe', '') on conflict (name) do nothing");
    } finally {
      database.exec("rollback");
    }
    return null;
  } catch (error) {
    return `the database cannot be written: ${errorMessage(error)}`;
  }
}

async function diskTrouble(databasePath: string): Promise<string | null> {
  try {
    await access(databasePath, constants.R_OK | constants.W_OK);
    // The write-ahead log is next to the database.
    await access(path.dirname(databasePath), constants.W_OK);
    const { bavail, bsize } = await statfs(path.dirname(databasePath));
    const free = bavail * bsize;
    return free < MIN_FREE_BYTES ? `the disk is full: ${Math.floor(free / 1024)} KiB are free` : null;
  } catch (error) {
    // The system's code names the cause without a path.
    return `the file of the database cannot be written: ${errorCode(error) || errorMessage(error)}`;
  }
}
