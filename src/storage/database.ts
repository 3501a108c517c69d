/** SQLite database of a data directory: opens, locks and checks it, and creates its tables. */
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { SCHEMA, SCHEMA_VERSION } from "./migrations.ts";

/**
 * Smallest page size that SQLite allows: a request changes a few hundred bytes, but SQLite writes whole pages. Measured
 * by `npm run bench -- store`, as kB written per day and MB for ten years. 512 bytes: 84 and 10.8. 1 KiB: 120 and 11.6.
 * 2 KiB: 174 and 9.6.
 */
export const PAGE_BYTES = 512;
/**
 * Number of pages in the write-ahead log at which SQLite copies it to the file: about once a week. So a page that
 * changes with every request is copied once for all of them.
 */
const CHECKPOINT_PAGES = 1000;
/** Page cache: a day of one home and the end of the request log. Reading a year replaces its content. Unit: KiB. */
const CACHE_KIB = 1024;

/** Reason why a database cannot be used, in words for the owner. */
export class DatabaseError extends Error {}

/** Another process has locked the database. */
export class DatabaseInUse extends DatabaseError {}

/** The file has an older schema than this program reads. */
export class OutdatedDatabase extends DatabaseError {}

/** The database file is damaged. The message is SQLite's. */
export class BrokenDatabase extends Error {}

/**
 * Source: https://www.sqlite.org/rescode.html. The statements used for opening are correct, so SQLITE_ERROR means a
 * damaged file.
 */
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
const BROKEN_CODES: ReadonlySet<number> = new Set([SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB]);
/**
 * SQLITE_IOERR codes that mean a damaged file. 266 and 522: a part of the file cannot be read or is missing. 10,
 * without an extended code: SQLite returns it for a write-ahead log that does not fit its file.
 */
const UNREADABLE: ReadonlySet<unknown> = new Set([10, 266, 522]);

/**
 * Opens the database, checks it, and creates its tables if it is new. Throws DatabaseError if another process has
 * locked it or it has another version, BrokenDatabase if the file is damaged. `whenBroken` runs before a damaged file
 * is closed, because closing merges the write-ahead log into it and deletes the log.
 */
export function openDatabase(path: string, whenBroken: () => void = () => undefined): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec(`pragma page_size = ${PAGE_BYTES}`);
    database.exec("pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full");
    database.exec(
      `pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma foreign_keys = on; pragma cache_size = -${CACHE_KIB}`,
    );
    const damage = damageOf(database) ?? damageOfTables(database);
    if (damage !== null) throw new BrokenDatabase(damage);
    prepareSchema(database, path);
    return database;
  } catch (error) {
    const failure = asOpeningError(error, path);
    if (failure instanceof BrokenDatabase) whenBroken();
    database.close();
    throw failure;
  }
}

/**
 * Files up to this size are checked completely when they are opened: 0.5 s on a small machine. Larger files, of
 * hundreds of homes, would delay the start. The nightly copy checks them in a process of its own, and each value is
 * checked when it is read.
 */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;

/** Returns SQLite's description of the damage; null if the file is intact or too large for a check at the start. */
function damageOf(database: DatabaseSync): string | null {
  const { page_count: pages } = database.prepare("pragma page_count").get() ?? {};
  if (Number(pages) * PAGE_BYTES > MAX_CHECKED_BYTES) return null;
  const [first] = database.prepare("pragma integrity_check(1)").all();
  const found = String(first?.integrity_check);
  return found === "ok" ? null : found;
}

/**
 * Returns which table is missing or differs from this program's definition; null if all are correct. A disk error can
 * also change table definitions and the version, which SQLite does not detect.
 */
export function damageOfTables(database: DatabaseSync): string | null {
  const version = versionOf(database);
  const found = new Set(
    database
      .prepare("select sql from sqlite_schema where sql is not null")
      .all()
      .map(({ sql }) => sql),
  );
  const wrong = [...TABLES].find(([, text]) => !found.has(text))?.[0];
  if (version === SCHEMA_VERSION) return wrong === undefined ? null : `the table ${wrong} is missing or damaged`;
  const isOther = version > 0 && version < MAX_VERSION && (wrong !== undefined || found.size > TABLES.size);
  return isOther || (version === 0 && found.size === 0) ? null : `the file has the invalid version ${version}`;
}

/** A file with this version or a higher one is damaged. So is one with another version than its tables. */
const MAX_VERSION = 1_000;
/** Definition of each table as SQLite stores it, by name. */
const TABLES: ReadonlyMap<string, string> = new Map(
  [...SCHEMA.matchAll(/^create table (\w+)([^;]*);/gm)].map(([, name = "", rest]) => [
    name,
    `CREATE TABLE ${name}${rest}`,
  ]),
);

/**
 * Adds the SQL function `digest(…)` to a database. Rows of small values store the digest of their values, so that
 * changes by a disk error are detected.
 */
export function withDigest(database: DatabaseSync): DatabaseSync {
  const options = { deterministic: true, varargs: true, useBigIntArguments: true };
  database.function("digest", options, (...values) => crc32(values.join("\0")));
  return database;
}

function asOpeningError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !("errcode" in error)) return error;
  // Extended codes contain the primary code in their low byte.
  const code = Number(error.errcode) & 0xff;
  if (code === SQLITE_BUSY)
    return new DatabaseInUse(`${path} is in use by another elbro process; use one data directory per process`);
  const broken = BROKEN_CODES.has(code) || UNREADABLE.has(error.errcode);
  return broken ? new BrokenDatabase(error.message) : error;
}

/** Runs `work` in one transaction. When this returns, all its changes are on disk; if it throws, none are. */
export function transaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec("begin immediate");
  try {
    const result = work();
    database.exec("commit");
    return result;
  } catch (error) {
    // A commit that fails on a full disk has already rolled back.
    if (database.isTransaction) database.exec("rollback");
    throw error;
  }
}

/** Returns the schema version of a database; 0 if it has none yet. */
export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("pragma user_version").get()?.user_version);
}

/** Returns why a database of another version cannot be used; null if it has this program's version. */
export function versionFlaw(version: number): string | null {
  if (version > SCHEMA_VERSION)
    return `was written by a newer elbro (version ${version}; this elbro knows ${SCHEMA_VERSION}); run the newer elbro, or restore an older copy`;
  if (version < SCHEMA_VERSION)
    return `was written by an older elbro (version ${version}; this elbro needs ${SCHEMA_VERSION})`;
  return null;
}

function prepareSchema(database: DatabaseSync, path: string): void {
  const found = versionOf(database);
  if (found === 0) {
    transaction(database, () => {
      database.exec(SCHEMA);
      database.exec(`pragma user_version = ${SCHEMA_VERSION}`);
    });
  } else {
    const flaw = versionFlaw(found);
    if (flaw !== null) throw new (found < SCHEMA_VERSION ? OutdatedDatabase : DatabaseError)(`${path} ${flaw}`);
  }
  // SQLite takes an exclusive lock at the first write, not at the first read.
  transaction(database, () => database.exec("update setting set value = value where name = ''"));
}
