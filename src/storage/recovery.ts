/**
 * Opens the database of a data directory. A broken file is set aside under a dated name and the last verified copy takes
 * its place; without a copy an empty one does. A file of an older version is set aside too, and an empty one begun.
 * Of each kind the newest few that were set aside are kept.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { type EpochMs, formatInstant, SECOND_MS } from "../core/time/interval.ts";
import { type KeptKey, KeyFile, storedKeys } from "./api-key-file.ts";
import { sync } from "./atomic-file.ts";
import {
  BrokenDatabase,
  DatabaseError,
  DatabaseInUse,
  damageOfTables,
  OutdatedDatabase,
  openDatabase,
  versionFlaw,
  versionOf,
} from "./database.ts";
import { KeyValueStore } from "./key-value-store.ts";
import { lostCommits } from "./log-damage.ts";

/** The setting of a database that took the place of another: the request log lacks spends of the other. */
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

/** What took the place of what. */
export interface Replacement {
  /** Where the database of before is now; null if there was none. */
  readonly setAside: string | null;
  /** The keys that the copy held. */
  readonly keys: readonly KeptKey[];
  /** Where `keys.json` of before is now; null if it stays as it is. */
  readonly keysSetAside: string | null;
}

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  /** Null if the database was whole, or there never was one. */
  readonly recovery: Recovery | null;
  /** Where a file of an older version is now; null if there was none. */
  readonly outdated: string | null;
  /** How many of the last commits were lost with damage in the write-ahead log. */
  readonly lostCommits: number;
}

/** What SQLite keeps of one database: the file, its write-ahead log, and the log's index. */
const ENDINGS = ["", "-wal", "-shm"];

/** Where the copy of a database stands. */
export function copyPathOf(databasePath: string): string {
  return `${databasePath}.copy`;
}

/** Where an uploaded copy waits for the next start. */
export function waitingPathOf(databasePath: string): string {
  return `${databasePath}.waiting`;
}

/**
 * Puts the copy that waits in place of the database; null where none does. Errors: as `replaceDatabase`. A copy that cannot
 * be used is put aside, so that the start after this one goes on with what there is.
 */
export function takeWaiting(databasePath: string, now: EpochMs): Replacement | null {
  const waiting = waitingPathOf(databasePath);
  if (!existsSync(waiting)) return null;
  try {
    const replacement = replaceDatabase(databasePath, waiting, now);
    rmSync(waiting, { force: true });
    return replacement;
  } catch (error) {
    if (!(error instanceof DatabaseInUse)) putAside(waiting, now);
    throw error;
  }
}

/** Errors: throws a DatabaseError as `openDatabase` does, and what the file system says. */
export function openOrRestore(databasePath: string, now: EpochMs): OpenedDatabase {
  const loss = lossOf(databasePath);
  const lost = loss === null ? lostCommits(`${databasePath}-wal`) : 0;
  const attempt: Attempt =
    loss === null
      ? tryOpening(databasePath, now)
      : { kind: "broken", damage: loss, setAside: putAside(databasePath, now) };
  switch (attempt.kind) {
    case "open": {
      const { database } = attempt;
      if (lost > 0) new KeyValueStore(database).write(SPENDS_UNKNOWN, "yes");
      return { database, recovery: null, outdated: null, lostCommits: lost };
    }
    case "outdated":
      return {
        ...{ database: openWithSpendsUnknown(databasePath), recovery: null, outdated: attempt.setAside },
        lostCommits: 0,
      };
    case "broken": {
      const { damage, setAside } = attempt;
      const restored = restore(databasePath, now);
      const database = restored?.database ?? openDatabase(databasePath);
      return {
        database,
        recovery: { damage, setAside, copiedAt: restored?.copiedAt ?? null },
        outdated: null,
        lostCommits: 0,
      };
    }
  }
}

/** Says what is missing where there must have been a database. SQLite itself would quietly begin a new one. */
function lossOf(databasePath: string): string | null {
  const odd = ENDINGS.find((ending) => statSync(databasePath + ending, { throwIfNoEntry: false })?.isFile() === false);
  if (odd !== undefined) return `${path.basename(databasePath + odd)} is no file`;
  const size = sizeOf(databasePath);
  // Also what a power cut leaves of the very first start: that nothing was in it cannot be told.
  if (size === 0) return "the file is empty";
  if (size !== null) return headDamageOf(databasePath);
  const wasThere = existsSync(copyPathOf(databasePath)) || (sizeOf(`${databasePath}-wal`) ?? 0) > 0;
  return wasThere ? "the file is gone" : null;
}

/** SQLite opens a file of a format of the future for reading only: with us, these numbers are damaged. */
function headDamageOf(databasePath: string): string | null {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(databasePath, "r");
  const length = readSync(file, head);
  closeSync(file);
  const isKnown = length === HEAD_BYTES && inRange(head[18]) && inRange(head[19]);
  return isKnown ? null : "the head of the file is malformed";
}

/** Source: https://www.sqlite.org/fileformat2.html, 1.3.3 */
const HEAD_BYTES = 100;
function inRange(formatVersion: number | undefined): boolean {
  return formatVersion === 1 || formatVersion === 2;
}

/** What became of opening a file. */
type Attempt =
  | { readonly kind: "open"; readonly database: DatabaseSync }
  | ({ readonly kind: "broken" } & Omit<Recovery, "copiedAt">)
  | { readonly kind: "outdated"; readonly setAside: string | null };

/** Opens a file that is there. A broken one is set aside, with its log, and so is one of an older version. */
function tryOpening(databasePath: string, now: EpochMs): Attempt {
  let setAside: string | null = null;
  try {
    const database = openDatabase(databasePath, () => {
      setAside = putAside(databasePath, now);
    });
    return { kind: "open", database };
  } catch (error) {
    if (error instanceof BrokenDatabase) return { kind: "broken", damage: error.message, setAside };
    if (error instanceof OutdatedDatabase)
      return { kind: "outdated", setAside: putAside(databasePath, now, "replaced") };
    throw error;
  }
}

/** Puts the last verified copy in place. Null if there is none that works; a broken one is set aside too. */
function restore(databasePath: string, now: EpochMs): { database: DatabaseSync; copiedAt: EpochMs } | null {
  const copyPath = copyPathOf(databasePath);
  if (!statSync(copyPath, { throwIfNoEntry: false })?.isFile()) return null;
  const copiedAt = Math.floor(statSync(copyPath).mtimeMs);
  putInPlace(copyPath, databasePath);
  const attempt = tryOpening(databasePath, now);
  if (attempt.kind === "open") return { database: attempt.database, copiedAt };
  if (attempt.kind === "broken") putAside(copyPath, now);
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
 * Puts a copy in place of the database, and the keys in it in place of `keys.json`, at their owner's wish. What was there
 * is set aside. Errors: throws a DatabaseError where a process holds the database, or the copy cannot be used: then
 * nothing is changed.
 */
export function replaceDatabase(databasePath: string, copyPath: string, now: EpochMs): Replacement {
  const flaw = flawOf(copyPath);
  if (flaw !== null) throw new DatabaseError(`${copyPath} cannot be used: ${flaw}`);
  if (existsSync(databasePath)) requireFree(databasePath);
  const setAside = putAside(databasePath, now, "replaced");
  putInPlace(copyPath, databasePath);
  // What was asked since the copy is not in it.
  const database = openWithSpendsUnknown(databasePath);
  const keys = storedKeys(new KeyValueStore(database));
  database.close();
  const file = new KeyFile(path.dirname(databasePath));
  const present = file.read();
  const isSame = present.kind === "keys" && isDeepStrictEqual(present.keys, keys);
  if (keys.length === 0 || isSame) return { setAside, keys, keysSetAside: null };
  const keysSetAside = putAside(file.path, now, "replaced");
  file.write(keys);
  return { setAside, keys, keysSetAside };
}

/** Puts the keys of a copy in place that took the place of a lost database, where the keys are lost too. */
export function recoverKeys(database: DatabaseSync, databasePath: string): void {
  const file = new KeyFile(path.dirname(databasePath));
  const keys = storedKeys(new KeyValueStore(database));
  if (keys.length > 0 && file.stamp === null) file.write(keys);
}

function openWithSpendsUnknown(databasePath: string): DatabaseSync {
  const database = openDatabase(databasePath);
  new KeyValueStore(database).write(SPENDS_UNKNOWN, "yes");
  return database;
}

/** Why a file is no database that this program can go on with; null where it is. Does not change it. */
export function flawOf(copyPath: string): string | null {
  if (!existsSync(copyPath)) return "there is no such file";
  let copy: DatabaseSync | null = null;
  try {
    copy = new DatabaseSync(copyPath, { readOnly: true });
    const found = String(copy.prepare("pragma integrity_check(1)").get()?.integrity_check);
    if (found !== "ok") return `it is damaged: ${found}`;
    if (!copy.prepare("select 1 from sqlite_schema where name = 'attempt'").get()) return "it is no database of elbro";
    return versionFlaw(versionOf(copy)) ?? damageOfTables(copy);
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

/** Renames a file and what belongs to it. Returns its new name; null where there was nothing. */
function putAside(databasePath: string, now: EpochMs, as: "broken" | "replaced" = "broken"): string | null {
  const stamp = formatInstant(now - (now % SECOND_MS)).replaceAll(":", "-");
  const wanted = `${databasePath}.${as}-${stamp}`;
  let name = wanted;
  // A daemon that starts again within the second finds other names taken; a name more for each.
  for (let i = 2; ENDINGS.some((ending) => existsSync(name + ending)); i++) name = `${wanted}-${i}`;
  const there = ENDINGS.filter((ending) => existsSync(databasePath + ending));
  for (const ending of there) renameSync(databasePath + ending, name + ending);
  deleteOldest(`${databasePath}.${as}-`, name);
  return there.length > 0 ? name : null;
}

/** A card that fails would fill itself with what was set aside. */
const MAX_SET_ASIDE = 5;

/** Deletes the oldest of what was set aside under a prefix, by when that was: a name has the time of a clock that may be wrong. */
function deleteOldest(prefix: string, newest: string): void {
  const folder = path.dirname(prefix);
  const files = readdirSync(folder).map((name) => path.join(folder, name));
  const sets = new Map<string, number>();
  for (const file of files.filter((each) => each.startsWith(prefix)))
    sets.set(file.replace(/-(wal|shm)$/, ""), statSync(file).ctimeMs);
  sets.delete(newest);
  const byAge = [...sets].sort(([, a], [, b]) => b - a).map(([name]) => name);
  for (const name of byAge.slice(MAX_SET_ASIDE - 1))
    for (const ending of ENDINGS) rmSync(name + ending, { recursive: true, force: true });
}

function sizeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.size ?? null;
}
