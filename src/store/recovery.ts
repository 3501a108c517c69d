/**
 * Opens the database of a data directory, come what may: a broken file is set aside under a dated name and the last
 * verified copy takes its place; without a copy an empty one does. Nothing of the broken file is deleted.
 */
import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type EpochMs, formatInstant, SECOND_MS } from "../core/interval.ts";
import { BrokenDatabase, DatabaseError, DatabaseInUse, newerText, openDatabase, versionOf } from "./database.ts";
import { migrations } from "./migrations.ts";
import { Settings } from "./settings.ts";

/** The setting of a database that an owner put in place of another: spends since its copy are not in its ledger. */
export const SPENDS_UNKNOWN = "spends_unknown";

/** What was done to get a database that works. */
export interface Recovery {
  /** What was wrong, in SQLite's words. */
  readonly damage: string;
  /** Where the broken file is now; null where there was none. */
  readonly setAside: string | null;
  /** When the copy was made that took its place, by the file system's time; null where it starts empty. */
  readonly copiedAt: EpochMs | null;
}

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  /** Null where the database was whole, or there never was one. */
  readonly recovery: Recovery | null;
}

/** What SQLite keeps of one database: the file, its write-ahead log, and the log's index. */
const ENDINGS = ["", "-wal", "-shm"];

/** Where the copy of a database stands. */
export function copyPathOf(databasePath: string): string {
  return `${databasePath}.copy`;
}

/** Errors: throws a DatabaseError as `openDatabase` does, and what the file system says. */
export function openOrRestore(databasePath: string, now: EpochMs): OpenedDatabase {
  const loss = lossOf(databasePath);
  const attempt =
    loss === null ? tryOpening(databasePath, now) : { damage: loss, setAside: putAside(databasePath, now) };
  if ("database" in attempt) return { ...attempt, recovery: null };
  const restored = restore(databasePath, now);
  if (restored) return { database: restored.database, recovery: { ...attempt, copiedAt: restored.copiedAt } };
  return { database: openDatabase(databasePath), recovery: { ...attempt, copiedAt: null } };
}

/** Says what is missing where there must have been a database. SQLite itself would quietly begin a new one. */
function lossOf(databasePath: string): string | null {
  const size = sizeOf(databasePath);
  if (size !== null && size > 0) return null;
  const wasThere = existsSync(copyPathOf(databasePath)) || (sizeOf(`${databasePath}-wal`) ?? 0) > 0;
  if (!wasThere) return null;
  return size === null ? "the file is gone" : "the file is empty";
}

/** Opens a file that is there. A broken one is set aside, with its log. */
function tryOpening(databasePath: string, now: EpochMs): { database: DatabaseSync } | Omit<Recovery, "copiedAt"> {
  let setAside: string | null = null;
  try {
    const database = openDatabase(databasePath, () => {
      setAside = putAside(databasePath, now);
    });
    return { database };
  } catch (error) {
    if (error instanceof BrokenDatabase) return { damage: error.message, setAside };
    throw error;
  }
}

/** Puts the last verified copy in place. Null where there is none that works; a broken one is set aside too. */
function restore(databasePath: string, now: EpochMs): { database: DatabaseSync; copiedAt: EpochMs } | null {
  const copyPath = copyPathOf(databasePath);
  if (!existsSync(copyPath)) return null;
  const copiedAt = Math.floor(statSync(copyPath).mtimeMs);
  putInPlace(copyPath, databasePath);
  const attempt = tryOpening(databasePath, now);
  if ("database" in attempt) return { ...attempt, copiedAt };
  putAside(copyPath, now);
  return null;
}

/** Copies a file to where the database belongs, in one step. */
function putInPlace(copyPath: string, databasePath: string): void {
  const partPath = `${databasePath}.restoring`;
  copyFileSync(copyPath, partPath);
  sync(partPath);
  renameSync(partPath, databasePath);
  sync(path.dirname(databasePath));
}

/**
 * Puts a copy in place of the database, at its owner's wish. What was there is set aside; gives back where, or null where
 * there was nothing. Errors: throws a DatabaseError where a process holds the database, or the copy cannot be used: then
 * nothing is changed.
 */
export function replaceDatabase(databasePath: string, copyPath: string, now: EpochMs): string | null {
  const flaw = flawOf(copyPath);
  if (flaw !== null) throw new DatabaseError(`${copyPath} cannot be used: ${flaw}`);
  if (existsSync(databasePath)) requireFree(databasePath);
  const setAside = putAside(databasePath, now, "replaced");
  putInPlace(copyPath, databasePath);
  const database = openDatabase(databasePath);
  // What was asked since the copy is not in it.
  new Settings(database).write(SPENDS_UNKNOWN, "yes");
  database.close();
  return setAside;
}

/** Why a file is no database that this program can go on with; null where it is. Does not change it. */
function flawOf(copyPath: string): string | null {
  if (!existsSync(copyPath)) return "there is no such file";
  let copy: DatabaseSync | null = null;
  try {
    copy = new DatabaseSync(copyPath, { readOnly: true });
    const found = String(copy.prepare("pragma integrity_check(1)").get()?.integrity_check);
    if (found !== "ok") return `it is damaged: ${found}`;
    if (!copy.prepare("select 1 from sqlite_schema where name = 'attempt'").get()) return "it is no database of elbro";
    const version = versionOf(copy);
    return version > migrations.length ? newerText(version) : null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    copy?.close();
  }
}

/** Errors: throws a DatabaseInUse. A broken file is nobody's. */
function requireFree(databasePath: string): void {
  try {
    openDatabase(databasePath).close();
  } catch (error) {
    if (error instanceof DatabaseInUse) throw error;
  }
}

/** Renames a file and what belongs to it. Gives back its new name; null where there was nothing. */
function putAside(databasePath: string, now: EpochMs, as: "broken" | "replaced" = "broken"): string | null {
  const stamp = formatInstant(now - (now % SECOND_MS)).replaceAll(":", "-");
  const wanted = `${databasePath}.${as}-${stamp}`;
  let name = wanted;
  // A daemon that starts again within the second finds other names taken; a name more for each.
  for (let i = 2; ENDINGS.some((ending) => existsSync(name + ending)); i++) name = `${wanted}-${i}`;
  const there = ENDINGS.filter((ending) => existsSync(databasePath + ending));
  for (const ending of there) renameSync(databasePath + ending, name + ending);
  return there.length > 0 ? name : null;
}

function sizeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.size ?? null;
}

/** What was written or renamed is on the disk when this returns. */
function sync(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
