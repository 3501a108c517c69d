/** SQLite database of a data directory: opens, locks and checks it, and creates or upgrades its tables. */

import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { message, TextError } from "../core/language/text.ts";
import { ARCHIVE_SCHEMA, FIRST_SCHEMA, FIRST_VERSION, MIGRATIONS } from "./migrations.ts";

/**
 * Smallest page size that SQLite allows: a request changes a few hundred bytes, but SQLite writes whole pages. Measured
 * by `npm run bench -- store`, as kB written per day and MB for ten years. 512 bytes: 84 and 10.8. 1 KiB: 120 and 11.6.
 * 2 KiB: 174 and 9.6.
 */
const PAGE_BYTES = 512;
/** Pages in the write-ahead log at which SQLite copies it to the file, about once a week: each changed page once. */
const CHECKPOINT_PAGES = 1000;
/** Page cache: a day of one home and the end of the request log. Reading a year replaces its content. Unit: KiB. */
const CACHE_KIB = 1024;

/** Reason why a database cannot be used, in words for the owner. */
export class DatabaseError extends TextError {}

export class DatabaseInUse extends DatabaseError {}

/** The database file is damaged. The message is SQLite's. */
export class BrokenDatabase extends Error {}

/** Source: https://www.sqlite.org/rescode.html. SQLITE_ERROR means damage, because the statements are correct. */
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_CONSTRAINT = 19;
const SQLITE_MISMATCH = 20;
const SQLITE_NOTADB = 26;
const BROKEN_CODES: ReadonlySet<number> = new Set([SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB]);
/** Codes of a migration that does not fit the data. The others are damage, or a disk that is full or failing. */
const UPGRADE_CODES: ReadonlySet<number> = new Set([SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH]);
/** SQLITE_IOERR codes: a part of the file cannot be read (SQLITE_IOERR_READ) or is missing (SQLITE_IOERR_SHORT_READ). */
const UNREADABLE_PARTS: ReadonlySet<unknown> = new Set([266, 522]);
/** The same when a file is opened. SQLite returns 10 alone for a write-ahead log that does not fit its file. */
const UNREADABLE: ReadonlySet<unknown> = new Set([10, ...UNREADABLE_PARTS]);

export interface OpeningOptions {
  /** Called before a damaged file is closed, which merges the write-ahead log into it and deletes the log. */
  readonly whenBroken?: () => void;
  readonly whenUpgraded?: (from: number) => void;
  /** Default: MIGRATIONS. */
  readonly migrations?: readonly string[];
  readonly maxCheckedBytes?: number;
}

/**
 * Opens and checks the database, creates or upgrades its tables. Throws DatabaseError if the file is locked, of a newer
 * elbro, or not upgradable and unchanged; BrokenDatabase if it is damaged.
 */
export function openDatabase(path: string, options: OpeningOptions = {}): DatabaseSync {
  const { migrations = MIGRATIONS, maxCheckedBytes = MAX_CHECKED_BYTES } = options;
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec(`pragma page_size = ${PAGE_BYTES}`);
    database.exec("pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full");
    database.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma cache_size = -${CACHE_KIB}`);
    const damage = damageOf(database, maxCheckedBytes) ?? damageOfTables(database, migrations);
    if (damage !== null) throw new BrokenDatabase(damage);
    const found = versionOf(database);
    const flaw = versionFlaw(found, migrations);
    if (flaw !== null) throw new DatabaseError(`${path} ${flaw}`);
    dropOthers(database, migrations);
    upgrade(database, path, migrations);
    // SQLite takes an exclusive lock at the first write, not at the first read.
    transaction(database, () => database.exec("update setting set value = value where name = ''"));
    if (found > 0 && found < versionOf(database)) options.whenUpgraded?.(found);
    return database;
  } catch (error) {
    const failure = asOpeningError(error, path);
    if (failure instanceof BrokenDatabase) options.whenBroken?.();
    database.close();
    throw failure;
  }
}

/**
 * Maximum size of a file that is checked completely when it is opened: 0.5 s on a small machine. The nightly copy
 * checks larger ones, and each value is checked when it is read.
 */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;

/** Returns SQLite's description of the damage; null if the file is intact or too large for a check at the start. */
function damageOf(database: DatabaseSync, maxCheckedBytes: number): string | null {
  const { page_count: pages } = database.prepare("pragma page_count").get() ?? {};
  if (Number(pages) * PAGE_BYTES > maxCheckedBytes) return null;
  const [first] = database.prepare("pragma integrity_check(1)").all();
  const found = String(first?.integrity_check);
  return found === "ok" ? null : found;
}

/**
 * Returns which table is missing or differs from the definition of the file's version; null if all are correct. A disk
 * error can also change table definitions and the version, which SQLite does not detect. Other objects are allowed.
 */
function damageOfTables(database: DatabaseSync, migrations: readonly string[]): string | null {
  const version = versionOf(database);
  const newest = FIRST_VERSION + migrations.length;
  const found = objectsIn(database);
  if (version === 0 && found.length === 0) return null;
  const isKnown = version >= FIRST_VERSION && version <= newest;
  const { required, optional } = objectsOf(isKnown ? version : newest, migrations);
  const wrong = required.find((object) => !has(found, object));
  if (isKnown) return wrong ? `the table ${wrong.table} is missing or damaged` : null;
  const hasOther = wrong || found.some((object) => !has(required, object) && !has(optional, object));
  return version > newest && version < MAX_VERSION && hasOther ? null : `the file has the invalid version ${version}`;
}

/** A file with this version or a higher one is damaged. So is one with another version than its tables. */
const MAX_VERSION = 1_000;

/**
 * Returns why a file from elsewhere cannot be used, although SQLite reads it; null if it has exactly the tables, indexes
 * and triggers of its version. Another trigger would run with the statements of this program.
 */
export function schemaFlaw(version: number, found: readonly SchemaObject[], migrations = MIGRATIONS): string | null {
  if (!found.some(({ table }) => table === "attempt")) return "it is not a database of elbro";
  const newer = versionFlaw(version, migrations);
  if (newer !== null) return newer;
  if (version < FIRST_VERSION) return `the file has the invalid version ${version}`;
  const { required, optional } = objectsOf(version, migrations);
  const expected = found.length > required.length ? [...required, ...optional] : required;
  const missing = expected.find((object) => !has(found, object));
  const other = found.find((object) => !has(expected, object));
  if (other && !has([...required, ...optional], other))
    return `elbro does not create its ${other.type} ${JSON.stringify(other.name.slice(0, MAX_SHOWN_NAME))}`;
  if (missing) return `the table ${missing.table} is missing or damaged`;
  return found.length === expected.length ? null : "its schema has a table twice";
}

const MAX_SHOWN_NAME = 60;

/** Drops triggers and indexes that another program created, because they could make the statements here fail. */
function dropOthers(database: DatabaseSync, migrations: readonly string[]): void {
  const { required, optional } = objectsOf(versionOf(database), migrations);
  const own = [...required, ...optional];
  const others = objectsIn(database).filter(
    (object) => (object.type === "trigger" || object.type === "index") && object.sql !== null && !has(own, object),
  );
  for (const { type, name } of others) database.exec(`drop ${type} "${name.replaceAll('"', '""')}"`);
}

/** Table, index, view or trigger as SQLite stores it. `sql` is null for an index that belongs to a constraint. */
export interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  readonly sql: string | null;
}

export const SCHEMA_OBJECTS = "select type, name, tbl_name as [table], sql from sqlite_schema";

function objectsIn(database: DatabaseSync): SchemaObject[] {
  return database.prepare(SCHEMA_OBJECTS).all() as unknown as SchemaObject[];
}

function has(objects: readonly SchemaObject[], { type, name, table, sql }: SchemaObject): boolean {
  return objects.some((each) => each.type === type && each.name === name && each.table === table && each.sql === sql);
}

/** Returns what a database of this version has, and what it has in addition while an archive is configured. */
function objectsOf(
  version: number,
  migrations: readonly string[],
): Readonly<Record<"required" | "optional", readonly SchemaObject[]>> {
  const database = withDigest(new DatabaseSync(":memory:"));
  for (const sql of [FIRST_SCHEMA, ...migrations.slice(0, version - FIRST_VERSION)]) database.exec(sql);
  const required = objectsIn(database);
  database.exec(ARCHIVE_SCHEMA);
  const optional = objectsIn(database).filter((object) => !has(required, object));
  database.close();
  return { required, optional };
}

/** Adds the SQL function `digest(…)`. Rows store the digest of their values, to detect changes by a disk error. */
export function withDigest(database: DatabaseSync): DatabaseSync {
  const options = { deterministic: true, varargs: true, useBigIntArguments: true };
  database.function("digest", options, (...values) => crc32(values.join("\0")));
  return database;
}

function asOpeningError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !("errcode" in error)) return error;
  // Extended codes contain the primary code in their low byte.
  const code = Number(error.errcode) & 0xff;
  if (code === SQLITE_BUSY) return new DatabaseInUse(message("start.database_used", { path }));
  const broken = BROKEN_CODES.has(code) || UNREADABLE.has(error.errcode);
  return broken ? new BrokenDatabase(error.message) : error;
}

/** Returns whether an error of an open database means that its file is damaged or cannot be read. */
export function isReadFailure(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error)) return false;
  const code = Number(error.errcode);
  return UNREADABLE_PARTS.has(code) || [SQLITE_CORRUPT, SQLITE_NOTADB].includes(code & 0xff);
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

/** Returns why the version of a database cannot be used; null if this program reads or upgrades it. */
function versionFlaw(version: number, migrations: readonly string[]): string | null {
  const newest = FIRST_VERSION + migrations.length;
  return version > newest
    ? `was written by a newer elbro (version ${version}; this elbro knows ${newest}); run the newer elbro, or restore an older copy`
    : null;
}

/** Creates the tables of a new file, or upgrades those of an older one: all steps, or none if one fails. */
function upgrade(database: DatabaseSync, path: string, migrations: readonly string[]): void {
  const newest = FIRST_VERSION + migrations.length;
  const found = versionOf(database);
  if (found === newest) return;
  withDigest(database);
  try {
    transaction(database, () => {
      if (found === 0) database.exec(FIRST_SCHEMA);
      for (const sql of migrations.slice(Math.max(0, found - FIRST_VERSION))) database.exec(sql);
      database.exec(`pragma user_version = ${newest}`);
    });
  } catch (error) {
    if (!(error instanceof Error && "errcode" in error && UPGRADE_CODES.has(Number(error.errcode) & 0xff))) throw error;
    throw new DatabaseError(message("start.upgrade_failed", { path, found, newest, why: error.message }));
  }
}
