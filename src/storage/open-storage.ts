/** Opens what is kept in the data directory: the database, opened or restored, and what guards its writes. */
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { DataDirInUse, PassingStartError, StartError } from "../core/status/start-error.ts";
import { SERVICE_ZONE, type TransitionMemory } from "../core/time/calendar.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { OWNER_ONLY } from "./atomic-file.ts";
import { dropDamagedRows, lostCommitsText } from "./damage-scan.ts";
import { DatabaseError, DatabaseInUse } from "./database.ts";
import { KeyValueStore } from "./key-value-store.ts";
import {
  type OpenedDatabase,
  openOrRestore,
  type Recovery,
  type Replacement,
  recoverKeys,
  takeWaiting,
} from "./recovery.ts";
import { WriteGuard, writeTroubleOf } from "./write-guard.ts";

export interface StorageOptions {
  readonly config: { readonly data_dir: string };
  readonly clock: { now(): EpochMs };
  readonly log: { warn(facts: object, text: string): void };
}

export interface Storage {
  readonly database: DatabaseSync;
  readonly databasePath: string;
  /** What was done about a damaged database at this start; null if it was sound. */
  readonly recovery: Recovery | null;
  readonly writing: WriteGuard;
  readonly settings: KeyValueStore;
  readonly close: () => void;
}

/** Errors: throws a StartError if the data directory cannot be used. */
export function openStorage({ config, clock, log }: StorageOptions): Storage {
  const opened = openDataDir(config.data_dir, clock.now());
  const { database, databasePath, recovery, outdated, lostCommits, replaced } = opened;
  if (replaced)
    log.warn(
      { keys: replaced.keys.map(({ name }) => name), setAside: replaced.setAside },
      "database replaced by the copy that was uploaded; its keys are valid again",
    );
  if (outdated !== null)
    log.warn({ file: outdated }, "database of an older version set aside; its prices and usage are asked for again");
  const writing = new WriteGuard(database);
  if (lostCommits > 0) writing.damaged(lostCommitsText(lostCommits), () => undefined);
  dropDamagedRows(database, writing);
  const settings = new KeyValueStore(database, writing);
  return { database, databasePath, recovery, writing, settings, close: () => database.close() };
}

interface OpenedDataDir extends OpenedDatabase {
  readonly databasePath: string;
  /** What an uploaded copy took the place of at this start; null if none did. */
  readonly replaced: Replacement | null;
}

/** Opens the database of a data directory, which is made where it is not there. Errors: throws a StartError. */
export function openDataDir(dataDir: string, now: EpochMs): OpenedDataDir {
  const databasePath = databasePathIn(dataDir);
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const replaced = takeWaiting(databasePath, now);
    const opened = openOrRestore(databasePath, now);
    if (opened.recovery) recoverKeys(opened.database, databasePath);
    keepPrivate(dataDir, databasePath);
    return { ...opened, databasePath, replaced };
  } catch (error) {
    if (error instanceof DatabaseInUse) throw new DataDirInUse(error.message);
    if (error instanceof DatabaseError) throw new StartError(error.message);
    const why = error instanceof Error ? error.message : String(error);
    throw new (mayPass(error) ? PassingStartError : StartError)(
      `cannot write to the data directory ${dataDir} (${why}); set data_dir or ELBRO_DATA_DIR to a folder this user may write`,
    );
  }
}

/** Prices tell when somebody is at home: nobody but the daemon's user may look. A file system without owners cannot. */
function keepPrivate(dataDir: string, databasePath: string): void {
  if (statSync(dataDir).uid !== process.getuid?.()) return;
  chmodSync(dataDir, 0o700);
  for (const ending of ["", "-wal", ".copy"])
    if (existsSync(databasePath + ending)) chmodSync(databasePath + ending, OWNER_ONLY);
}

/** Codes of the system for a disk that is read-only, fails, is full or is not there yet. */
const DISK_CODES: ReadonlySet<unknown> = new Set(["EROFS", "EIO", "ENOSPC", "EDQUOT", "ENXIO", "ENODEV"]);

function mayPass(error: unknown): boolean {
  if (writeTroubleOf(error)) return true;
  return error instanceof Error && "code" in error && DISK_CODES.has(error.code);
}

/** Where the database of a data directory is. */
export function databasePathIn(dataDir: string): string {
  return path.join(dataDir, "elbro.db");
}

/** Stores the transitions of the service's zone, by version of the time zone database: another version is read again. */
export function transitionsIn(
  settings: Pick<KeyValueStore, "read" | "write">,
  tz = process.versions.tz,
): TransitionMemory {
  const name = (year: number) => `transitions/${SERVICE_ZONE}/${tz}/${year}`;
  return {
    read: (year) => settings.read(name(year)),
    write: (year, text) => settings.write(name(year), text),
  };
}
