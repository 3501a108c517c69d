/** Opens what is kept on disk: the database and what guards its writes. */
import type { DatabaseSync } from "node:sqlite";
import type { EpochMs } from "../core/time/interval.ts";
import { openDataDir } from "./data-dir.ts";
import { KeyValueStore } from "./key-value-store.ts";
import type { Recovery } from "./recovery.ts";
import { WriteGuard } from "./write-guard.ts";

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
  const { database, databasePath, recovery, outdated } = openDataDir(config.data_dir, clock.now());
  if (outdated !== null)
    log.warn({ file: outdated }, "database of an older version set aside; its prices and usage are asked for again");
  const writing = new WriteGuard(database);
  const settings = new KeyValueStore(database, writing);
  return { database, databasePath, recovery, writing, settings, close: () => database.close() };
}
