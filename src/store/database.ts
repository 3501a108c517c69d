/** The one SQLite file of a data directory: opened, locked, brought up to date. */
import { DatabaseSync } from "node:sqlite";
import { migrations } from "./migrations.ts";

/**
 * Small pages: a poll changes a few hundred bytes, and what is written to the card is whole pages.
 */
const PAGE_BYTES = 1024;
/** The write-ahead log is folded back when it reaches this many pages. */
const CHECKPOINT_PAGES = 1000;

/** Why a database cannot be used, in words for the owner. */
export class DatabaseError extends Error {}

/**
 * Opens the database and brings it to the newest version.
 * Errors: throws a DatabaseError where another process holds it, or a newer program wrote it.
 */
export function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec(`pragma page_size = ${PAGE_BYTES}`);
    database.exec("pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full");
    database.exec(
      `pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma foreign_keys = on; pragma cache_size = -1024`,
    );
    migrate(database, path);
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked/.test(error.message)) {
      throw new DatabaseError(`${path} is in use by another elbro; one process per data directory`);
    }
    throw error;
  }
}

/** Runs `work` in one transaction: all of it is on disk when this returns, or none of it. */
export function transaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec("begin immediate");
  try {
    const result = work();
    database.exec("commit");
    return result;
  } catch (error) {
    database.exec("rollback");
    throw error;
  }
}

function migrate(database: DatabaseSync, path: string): void {
  const found = Number(database.prepare("pragma user_version").get()?.user_version);
  if (found > migrations.length) {
    throw new DatabaseError(
      `${path} was written by a newer elbro (version ${found}, this one knows ${migrations.length}); run the newer program, or restore an older copy`,
    );
  }
  for (let version = found + 1; version <= migrations.length; version++) {
    transaction(database, () => {
      database.exec(migrations[version - 1] ?? "");
      database.exec(`pragma user_version = ${version}`);
    });
  }
  // An exclusive lock is taken with the first write, not with the first read.
  transaction(database, () => database.exec("update setting set value = value where name = ''"));
}
