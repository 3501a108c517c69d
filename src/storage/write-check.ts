/** Whether the database can be written, found out without writing: a memory card has only so many writes. */
import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";

/** With less room than this the next request cannot be written down. */
const MIN_FREE_BYTES = 1024 * 1024;

/**
 * Why the database cannot be written, in words; null where it can. A row is written inside a transaction that is rolled
 * back, which the disk never sees; whether the disk would take it, the file system tells.
 */
export async function databaseTrouble(database: DatabaseSync, databasePath: string): Promise<string | null> {
  return refusalOf(database) ?? (await diskTrouble(databasePath));
}

function refusalOf(database: DatabaseSync): string | null {
  try {
    // Somebody is writing at this moment.
    if (database.isTransaction) return null;
    database.exec("begin immediate");
    try {
      database.exec("insert into setting (name, value) values ('probe', '') on conflict (name) do nothing");
    } finally {
      database.exec("rollback");
    }
    return null;
  } catch (error) {
    return `the database refuses to be written: ${wordsOf(error)}`;
  }
}

async function diskTrouble(databasePath: string): Promise<string | null> {
  try {
    await access(databasePath, constants.R_OK | constants.W_OK);
    // Beside the database stands the log of what was written last.
    await access(path.dirname(databasePath), constants.W_OK);
    const { bavail, bsize } = await statfs(path.dirname(databasePath));
    const free = bavail * bsize;
    return free < MIN_FREE_BYTES ? `the disk is full: ${Math.floor(free / 1024)} KiB are free` : null;
  } catch (error) {
    return `the file of the database cannot be written: ${codeOf(error)}`;
  }
}

/** A code of the system says what is wrong without saying where. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : wordsOf(error);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
