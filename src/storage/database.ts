/** The one SQLite file of a data directory: opened, locked, and its tables made where it is new. */
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { SCHEMA, SCHEMA_VERSION } from "./migrations.ts";

/**
 * The smallest pages there are: a request changes a few hundred bytes, and what is written is whole pages. Measured by
 * `npm run bench -- store`, kB written a day, and MB of ten years: 512 bytes 84 and 10.8, 1 KiB 120 and 11.6, 2 KiB 174
 * and 9.6.
 */
export const PAGE_BYTES = 512;
/**
 * The write-ahead log is folded back when it reaches this many pages: about once a week, so that a page that
 * changes with every request is written back once for all of them.
 */
const CHECKPOINT_PAGES = 1000;
/** Pages kept in memory: a day of one home and the request log's end. A year that is read passes through. Unit: KiB. */
const CACHE_KIB = 1024;

/** Why a database cannot be used, in words for the owner. */
export class DatabaseError extends Error {}

/** Another process holds the database. */
export class DatabaseInUse extends DatabaseError {}

/** The file has an older schema than this program reads. */
export class OutdatedDatabase extends DatabaseError {}

/** The file of a database is damaged. The message says how, in SQLite's words. */
export class BrokenDatabase extends Error {}

/** Source: https://www.sqlite.org/rescode.html. The statements of an opening are right: an error in them is the file's. */
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
const BROKEN_CODES: ReadonlySet<number> = new Set([SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB]);
/**
 * The disk cannot read a part of the file, or has less of it than SQLite wrote. Without a detail in its upper bits the code
 * is no disk's: SQLite gives it for a log that does not fit its file.
 */
const UNREADABLE: ReadonlySet<unknown> = new Set([10, 266, 522]);

/**
 * Opens the database, makes sure that it is whole, and makes its tables where it is new.
 * Errors: throws a DatabaseError if another process holds it, or if it is of another version; a BrokenDatabase if
 * the file is damaged. `whenBroken` runs before such a file is closed: closing folds the log into it and deletes the log.
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
 * A file up to this size is read whole before it is used: half a second on a small machine. A larger one, of hundreds
 * of homes, would keep all of them waiting: it is checked by the nightly copy, in a process of its own, and each value when it is read.
 */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;

/** What is wrong with the file, in SQLite's words; null where it is whole, or too large to be read now. */
function damageOf(database: DatabaseSync): string | null {
  const { page_count: pages } = database.prepare("pragma page_count").get() ?? {};
  if (Number(pages) * PAGE_BYTES > MAX_CHECKED_BYTES) return null;
  const [first] = database.prepare("pragma integrity_check(1)").all();
  const found = String(first?.integrity_check);
  return found === "ok" ? null : found;
}

/**
 * Which table of a file in use is missing or is not as this program made it; null where all are. The text of a table and
 * the version of the file are as easily damaged as anything else, and SQLite takes what it can read for meant.
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
  return isOther || (version === 0 && found.size === 0) ? null : `the version of the file reads ${version}`;
}

/** No program will ever be of such a version: the number is damaged, as it is where the tables are those of this one. */
const MAX_VERSION = 1_000;
/** The text of each table as SQLite keeps it, by name. */
const TABLES: ReadonlyMap<string, string> = new Map(
  [...SCHEMA.matchAll(/^create table (\w+)([^;]*);/gm)].map(([, name = "", rest]) => [
    name,
    `CREATE TABLE ${name}${rest}`,
  ]),
);

/**
 * Gives a database's SQL a function `digest(…)`. A row of small texts carries the one of its values, and is sound where it fits: what
 * the disk changed is not what was written, however well it reads.
 */
export function withDigest(database: DatabaseSync): DatabaseSync {
  const options = { deterministic: true, varargs: true, useBigIntArguments: true };
  database.function("digest", options, (...values) => crc32(values.join("\0")));
  return database;
}

function asOpeningError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !("errcode" in error)) return error;
  // Extended codes carry the primary one in their low byte.
  const code = Number(error.errcode) & 0xff;
  if (code === SQLITE_BUSY)
    return new DatabaseInUse(`${path} is in use by another elbro; one process per data directory`);
  const broken = BROKEN_CODES.has(code) || UNREADABLE.has(error.errcode);
  return broken ? new BrokenDatabase(error.message) : error;
}

/** Runs `work` in one transaction: all of it is on disk when this returns, or none of it. */
export function transaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec("begin immediate");
  try {
    const result = work();
    database.exec("commit");
    return result;
  } catch (error) {
    // A commit that found the disk full has rolled back by itself.
    if (database.isTransaction) database.exec("rollback");
    throw error;
  }
}

/** The version of a database's schema; 0 if it has none yet. */
export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("pragma user_version").get()?.user_version);
}

/** Why a database of another version cannot be used; null if it is of this program's version. */
export function versionFlaw(version: number): string | null {
  if (version > SCHEMA_VERSION)
    return `was written by a newer elbro (version ${version}, this one knows ${SCHEMA_VERSION}); run the newer program, or restore an older copy`;
  if (version < SCHEMA_VERSION)
    return `was written by an older elbro (version ${version}, this one needs ${SCHEMA_VERSION})`;
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
  // An exclusive lock is taken with the first write, not with the first read.
  transaction(database, () => database.exec("update setting set value = value where name = ''"));
}
