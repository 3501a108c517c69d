/**
 * Opens the database of a data directory. A damaged file is renamed with the date, and the last verified copy replaces
 * it; without a copy, an empty database does. The five newest renamed files of each kind are kept.
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
import type { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { OVERLAY_FILE, OVERLAY_STATES } from "../../core/runtime/data-files.ts";
import { type EpochMs, formatInstant, SECOND_MS } from "../../core/time/interval.ts";
import { type KeptKey, KeyFile, storedKeys } from "../api-key-file.ts";
import { sync } from "../atomic-file.ts";
import { BrokenDatabase, DatabaseError, DatabaseInUse, type OpeningOptions, openDatabase } from "../database.ts";
import { KeyValueStore } from "../key-value-store.ts";
import { ACCESS_SETTINGS, SESSIONS_SETTING } from "./access-settings.ts";
import { copySettings, importCopy } from "./import-copy.ts";
import { type CopiedFile, overlayFilesIn, replaceFiles, takeFiles, writeFiles } from "./overlay-copy.ts";

/** Setting of a database that replaced another, or that lost attempts: its request log is incomplete. */
export const SPENDS_UNKNOWN = "spends_unknown";

export interface Recovery {
  /** Description of the damage, mostly SQLite's. */
  readonly damage: string;
  /** New path of the damaged file; null if there was none. */
  readonly setAside: string | null;
  /** Time of the copy that replaced it, by the file system; null if the database starts empty. */
  readonly copiedAt: EpochMs | null;
}

export interface Replacement {
  /** New path of the previous database; null if there was none. */
  readonly setAside: string | null;
  readonly keys: readonly KeptKey[];
  /** New path of the previous `keys.json`; null if it was not changed. */
  readonly keysSetAside: string | null;
  /** Whether the copy had another `page.yaml`, which is in place now. */
  readonly isOverlayReplaced: boolean;
}

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  /** Null if the database was intact, or did not exist before. */
  readonly recovery: Recovery | null;
  /** Previous version of a database that was upgraded; null if there was nothing to upgrade. */
  readonly upgradedFrom: number | null;
}

/** Files of one SQLite database: the database, its write-ahead log and the log's index. */
const ENDINGS = ["", "-wal", "-shm"];

export function copyPathOf(databasePath: string): string {
  return `${databasePath}.copy`;
}

/** Returns the path at which an uploaded copy waits for the next start. */
export function waitingPathOf(databasePath: string): string {
  return `${databasePath}.waiting`;
}

/** Replaces the database by an uploaded copy, if there is one. An unusable copy is renamed. */
export function takeWaiting(databasePath: string, now: EpochMs): Replacement | null {
  const waiting = waitingPathOf(databasePath);
  deleteParts(waiting);
  if (!existsSync(waiting)) return null;
  try {
    const replacement = replaceDatabase(databasePath, waiting, now, "present");
    rmSync(waiting, { force: true });
    return replacement;
  } catch (error) {
    if (!(error instanceof DatabaseInUse)) putAside(waiting, now);
    throw error;
  }
}

/** Deletes what an upload left that was interrupted. */
function deleteParts(waiting: string): void {
  const [folder, name] = [path.dirname(waiting), path.basename(waiting)];
  for (const each of readdirSync(folder))
    if (each.startsWith(`${name}.`)) rmSync(path.join(folder, each), { force: true });
}

/** Opens the database, or restores it if it is damaged. Throws DatabaseError and errors of the file system. */
export function openOrRestore(databasePath: string, now: EpochMs, options: OpeningOptions = {}): OpenedDatabase {
  const loss = lossOf(databasePath);
  const attempt: Attempt =
    loss === null
      ? tryOpening(databasePath, now, options)
      : { kind: "broken", damage: loss, setAside: putAside(databasePath, now) };
  if (attempt.kind === "open") {
    const { database, upgradedFrom } = attempt;
    return { database, recovery: null, upgradedFrom };
  }
  const { damage, setAside } = attempt;
  const restored = restore(databasePath, now);
  const database = restored?.database ?? openDatabase(databasePath);
  const recovery = { damage, setAside, copiedAt: restored?.copiedAt ?? null };
  return { database, recovery, upgradedFrom: null };
}

/**
 * Describes a missing, empty or malformed file where a database must have existed; null if it is there, or never was.
 * SQLite itself would silently create a new one.
 */
function lossOf(databasePath: string): string | null {
  const odd = ENDINGS.find((ending) => statSync(databasePath + ending, { throwIfNoEntry: false })?.isFile() === false);
  if (odd !== undefined) return `${path.basename(databasePath + odd)} is not a file`;
  const size = sizeOf(databasePath);
  // An empty file may also result from a power cut at the first start. The two cases cannot be distinguished.
  if (size === 0) return "the file is empty";
  if (size !== null) return headDamageOf(databasePath);
  const wasThere = existsSync(copyPathOf(databasePath)) || (sizeOf(`${databasePath}-wal`) ?? 0) > 0;
  return wasThere ? "the file is missing" : null;
}

/** Checks the file's format version. SQLite opens future formats read-only, but here they mean damage. */
function headDamageOf(databasePath: string): string | null {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(databasePath, "r");
  const length = readSync(file, head);
  closeSync(file);
  const isKnown = length === HEAD_BYTES && [head[18], head[19]].every((version) => version === 1 || version === 2);
  return isKnown ? null : "the header of the file is malformed";
}

/** Source: https://www.sqlite.org/fileformat2.html, 1.3.3 */
const HEAD_BYTES = 100;

type Attempt =
  | { readonly kind: "open"; readonly database: DatabaseSync; readonly upgradedFrom: number | null }
  | ({ readonly kind: "broken" } & Omit<Recovery, "copiedAt">);

/** Opens an existing file. A damaged file is renamed together with its log. */
function tryOpening(databasePath: string, now: EpochMs, options: OpeningOptions = {}): Attempt {
  let setAside: string | null = null;
  let upgradedFrom: number | null = null;
  try {
    const database = openDatabase(databasePath, {
      ...options,
      whenBroken: () => {
        setAside = putAside(databasePath, now);
      },
      whenUpgraded: (from) => {
        upgradedFrom = from;
      },
    });
    return { kind: "open", database, upgradedFrom };
  } catch (error) {
    if (error instanceof BrokenDatabase) return { kind: "broken", damage: error.message, setAside };
    throw error;
  }
}

/** Restores the last verified copy. Returns null if there is no usable copy; a damaged copy is renamed too. */
function restore(databasePath: string, now: EpochMs): { database: DatabaseSync; copiedAt: EpochMs } | null {
  const copyPath = copyPathOf(databasePath);
  if (!statSync(copyPath, { throwIfNoEntry: false })?.isFile()) return null;
  const copiedAt = Math.floor(statSync(copyPath).mtimeMs);
  moveInPlace(copied(copyPath, databasePath), databasePath);
  const attempt = tryOpening(databasePath, now);
  if (attempt.kind === "open") return { database: attempt.database, copiedAt };
  putAside(copyPath, now);
  return null;
}

function copied(copyPath: string, databasePath: string): string {
  const partPath = `${databasePath}.restoring`;
  for (const ending of ENDINGS) rmSync(partPath + ending, { force: true });
  copyFileSync(copyPath, partPath);
  return partPath;
}

function moveInPlace(partPath: string, databasePath: string): void {
  sync(partPath);
  renameSync(partPath, databasePath);
  sync(path.dirname(databasePath));
}

/**
 * Replaces the database and the page's files by those of a copy, and renames the previous ones. `access` tells whose keys
 * are valid then: with "copy", those of the copy replace `keys.json`, and no session continues; with "present", keys,
 * sessions and tokens of feeds stay. Throws DatabaseError, without a change, if the database is locked or the copy
 * unusable.
 */
export function replaceDatabase(
  databasePath: string,
  copyPath: string,
  now: EpochMs,
  access: "copy" | "present" = "copy",
): Replacement {
  const partPath = `${databasePath}.restoring`;
  const isThere = existsSync(databasePath);
  try {
    importCopy(copyPath, partPath, access === "copy" ? [SESSIONS_SETTING] : ACCESS_SETTINGS);
    if (isThere) requireFree(databasePath);
  } catch (error) {
    for (const ending of ENDINGS) rmSync(partPath + ending, { force: true });
    const isFlaw = error instanceof DatabaseError && !(error instanceof DatabaseInUse);
    throw isFlaw ? new DatabaseError(`${copyPath} cannot be used: ${error.message}`) : error;
  }
  // Upgrades the copy. Requests sent after the copy was made are not in it.
  const database = openDatabase(partPath);
  const settings = new KeyValueStore(database);
  settings.write(SPENDS_UNKNOWN, "yes");
  if (access === "present" && isThere) copySettings(databasePath, database, ACCESS_SETTINGS);
  const keys = access === "copy" ? storedKeys(settings) : [];
  const files = takeFiles(database);
  // Merges the write-ahead log into the file.
  database.close();
  const setAside = putAside(databasePath, now, "replaced");
  moveInPlace(partPath, databasePath);
  const dataDir = path.dirname(databasePath);
  const isOverlayReplaced = replaceOverlay(dataDir, files, now);
  const file = new KeyFile(dataDir);
  const present = file.read();
  const isSame = present.kind === "keys" && isDeepStrictEqual(present.keys, keys);
  const isChanged = keys.length > 0 && !isSame;
  const keysSetAside = isChanged ? putAside(file.path, now, "replaced") : null;
  if (isChanged) file.write(keys);
  return { setAside, keys, keysSetAside, isOverlayReplaced };
}

/** Replaces `page.yaml` and its previous states by those of a copy. Returns whether they differ; a copy may have none. */
function replaceOverlay(dataDir: string, files: readonly CopiedFile[], now: EpochMs): boolean {
  if (files.length === 0 || isDeepStrictEqual(files, overlayFilesIn(dataDir))) return false;
  for (const name of [OVERLAY_FILE, OVERLAY_STATES]) putAside(path.join(dataDir, name), now, "replaced");
  writeFiles(dataDir, files);
  return true;
}

/** Restores `keys.json` from the copy that replaced a lost database, if the file is lost too. */
export function recoverKeys(database: DatabaseSync, databasePath: string): void {
  const file = new KeyFile(path.dirname(databasePath));
  const keys = storedKeys(new KeyValueStore(database));
  if (keys.length > 0 && file.stamp === null) file.write(keys);
}

/** Throws DatabaseInUse if a process has locked the database. A damaged file counts as not locked. */
function requireFree(databasePath: string): void {
  try {
    openDatabase(databasePath).close();
  } catch (error) {
    if (error instanceof DatabaseInUse) throw error;
  }
}

/** Renames a database file with its log and index. Returns the new name; null if there was no file. */
function putAside(
  databasePath: string,
  now: EpochMs,
  as: "broken" | "replaced" | "uploaded" = "broken",
): string | null {
  const wanted = `${databasePath}.${as}-${stampAt(now)}`;
  let name = wanted;
  // A daemon that restarts within one second finds the name taken, so a number is added.
  for (let i = 2; ENDINGS.some((ending) => existsSync(name + ending)); i++) name = `${wanted}-${i}`;
  const there = ENDINGS.filter((ending) => existsSync(databasePath + ending));
  for (const ending of there) renameSync(databasePath + ending, name + ending);
  deleteOldest(`${databasePath}.${as}-`, name);
  return there.length > 0 ? name : null;
}

function stampAt(now: EpochMs): string {
  return formatInstant(now - (now % SECOND_MS)).replaceAll(":", "-");
}

/**
 * Sets aside an uploaded copy that waits, or one that has replaced the database after `since`: then the database and the
 * page's files from before are put back. Returns the path of the copy; null without one.
 */
export function setUploadAside(databasePath: string, since: EpochMs, now: EpochMs): string | null {
  const waiting = waitingPathOf(databasePath);
  if (existsSync(waiting)) {
    const upload = `${databasePath}.uploaded-${stampAt(now)}`;
    renameSync(waiting, upload);
    return upload;
  }
  const dataDir = path.dirname(databasePath);
  const prefix = `${path.basename(databasePath)}.replaced-`;
  const stamps = readdirSync(dataDir)
    .filter((name) => name.startsWith(prefix) && !/-(wal|shm)$/.test(name))
    .map((name) => name.slice(prefix.length));
  const stamp = stamps.sort().at(-1);
  if (stamp === undefined || stamp <= stampAt(since)) return null;
  requireFree(databasePath);
  const before = openDatabase(`${databasePath}.replaced-${stamp}`);
  // It does not know what was sent since it was replaced.
  new KeyValueStore(before).write(SPENDS_UNKNOWN, "yes");
  before.close();
  const overlayFiles = [OVERLAY_FILE, OVERLAY_STATES].map((name) => path.join(dataDir, name));
  const files = overlayFilesIn(dataDir);
  const upload = putAside(databasePath, now, "uploaded");
  renameSync(`${databasePath}.replaced-${stamp}`, databasePath);
  for (const file of overlayFiles.filter((each) => existsSync(`${each}.replaced-${stamp}`))) {
    if (upload !== null) replaceFiles(upload, files);
    putAside(file, now, "uploaded");
    renameSync(`${file}.replaced-${stamp}`, file);
  }
  return upload;
}

/** Lets a copy that was set aside replace the database at the next start. */
export function releaseUpload(upload: string, databasePath: string): void {
  // Merges the write-ahead log into the file, which is one file again.
  openDatabase(upload).close();
  renameSync(upload, waitingPathOf(databasePath));
}

/** Maximum renamed files per kind, so that a failing card does not fill up. */
const MAX_SET_ASIDE = 5;

/** Deletes the oldest renamed files by change time, because the date in the name may come from a wrong clock. */
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
