/** Opens or restores the database of the data directory, and guards its writes. */
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type Message, message } from "../core/language/text.ts";
import { DataDirInUse, mayPass, PassingStartError, StartError } from "../core/status/start-error.ts";
import { errorMessage } from "../core/text/error-words.ts";
import { SERVICE_ZONE, type TransitionMemory } from "../core/time/calendar.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { OWNER_ONLY } from "./atomic-file.ts";
import { sourceOf, takeSource } from "./data-source.ts";
import { DatabaseError, DatabaseInUse, type OpeningOptions } from "./database.ts";
import { KeyValueStore } from "./key-value-store.ts";
import { SCHEMA_VERSION } from "./migrations.ts";
import { dropDamagedRows } from "./recovery/damage-scan.ts";
import {
  type OpenedDatabase,
  openOrRestore,
  type Recovery,
  type Replacement,
  recoverKeys,
  takeWaiting,
} from "./recovery/recovery.ts";
import { WriteGuard, writeTroubleOf } from "./write-guard.ts";

export interface StorageOptions {
  readonly config: { readonly data_dir: string; readonly service: { readonly base_url: string } };
  readonly isDemo?: boolean;
  /** Whether the database could not be read before, so that a file of any size is checked completely. */
  readonly isSuspect?: boolean;
  readonly clock: { now(): EpochMs };
  readonly log: Record<"info" | "warn", (facts: object, text: string) => void>;
}

export interface Storage {
  readonly database: DatabaseSync;
  readonly databasePath: string;
  /** Recovery of a damaged database at this start; null if it was intact. */
  readonly recovery: Recovery | null;
  readonly writing: WriteGuard;
  readonly settings: KeyValueStore;
  /** Whether an uploaded copy replaced page.yaml at this start, after the configuration was read. */
  readonly isOverlayReplaced: boolean;
  readonly close: () => void;
}

/** Opens the storage and removes damaged rows. Throws StartError if the data directory cannot be used. */
export function openStorage({ config, clock, log, isDemo = false, isSuspect = false }: StorageOptions): Storage {
  const limits = isSuspect ? { maxCheckedBytes: Number.POSITIVE_INFINITY } : {};
  const opened = openDataDir(config.data_dir, clock.now(), limits);
  const { database, databasePath, recovery, upgradedFrom, replaced } = opened;
  if (replaced)
    log.warn({ setAside: replaced.setAside }, "database replaced by the uploaded copy; keys and sessions stay");
  if (upgradedFrom !== null) log.info({ from: upgradedFrom, to: SCHEMA_VERSION }, "database upgraded");
  const writing = new WriteGuard(database);
  dropDamagedRows(database, writing);
  const settings = new KeyValueStore(database, writing);
  takeSource(database, settings, sourceOf(config.service.base_url, isDemo));
  const isOverlayReplaced = replaced?.isOverlayReplaced ?? false;
  return { database, databasePath, recovery, writing, settings, isOverlayReplaced, close: () => database.close() };
}

/**
 * Opens the database of a data directory and creates the directory if it is missing. `replaced` is null if no uploaded
 * copy replaced the database. Throws StartError.
 */
export function openDataDir(
  dataDir: string,
  now: EpochMs,
  options: OpeningOptions = {},
): OpenedDatabase & { readonly databasePath: string; readonly replaced: Replacement | null } {
  const databasePath = databasePathIn(dataDir);
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const replaced = takeWaiting(databasePath, now);
    const opened = openOrRestore(databasePath, now, options);
    if (opened.recovery) recoverKeys(opened.database, databasePath);
    keepPrivate(dataDir, databasePath);
    return { ...opened, databasePath, replaced };
  } catch (error) {
    if (error instanceof DatabaseInUse) throw new DataDirInUse(error.text);
    if (error instanceof DatabaseError) throw new StartError(error.text);
    const why = errorMessage(error);
    const trouble = writeTroubleOf(error);
    const isFull = trouble?.code === "disk_full" || /^(ENOSPC|EDQUOT)\b/.test(why);
    const remedy = isFull ? message("start.data_dir_full") : remedyFor(dataDir);
    const isPassing = trouble || mayPass(error);
    throw new (isPassing ? PassingStartError : StartError)(message("start.data_dir", { dir: dataDir, why, remedy }));
  }
}

/** Returns what the owner can do about a data directory that cannot be written. */
function remedyFor(dir: string): Message {
  const otherwise = message("start.data_dir_other");
  const owner = statSync(dir, { throwIfNoEntry: false })?.uid;
  const user = process.getuid?.();
  if (owner === undefined || user === undefined || owner === user) return otherwise;
  const chown = `chown -R ${user} ${dir}`;
  return message("start.data_dir_owner", { owner, user, chown, dir, otherwise });
}

/** Makes the data readable by the daemon's user only, because usage shows when people are at home. Needs ownership. */
function keepPrivate(dataDir: string, databasePath: string): void {
  if (statSync(dataDir).uid !== process.getuid?.()) return;
  chmodSync(dataDir, 0o700);
  for (const ending of ["", "-wal", ".copy"])
    if (existsSync(databasePath + ending)) chmodSync(databasePath + ending, OWNER_ONLY);
}

export function databasePathIn(dataDir: string): string {
  return path.join(dataDir, "elbro.db");
}

/** Stores transitions per version of the time zone database, so that a new version is read again. */
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
