/** A new data directory after its first night, in which the daemon copied the database and let a process check it. */
import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { EpochMs } from "../../../src/core/time/interval.ts";
import { withDigest } from "../../../src/storage/database.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { databasePathIn, openDataDir } from "../../../src/storage/open-storage.ts";
import { TempDir } from "../runner/temp-dir.ts";

let empty: Buffer | null = null;

/** Writes the database. Without it, each daemon of a test would start that process 10 min after its start. */
export function passFirstNight(dataDir: string, now: EpochMs): void {
  empty ??= emptyDatabase(now);
  writeFileSync(databasePathIn(dataDir), empty);
  const database = withDigest(new DatabaseSync(databasePathIn(dataDir)));
  database.exec("pragma synchronous = off");
  new KeyValueStore(database).write("upkeep_at_ms", String(now));
  database.close();
}

function emptyDatabase(now: EpochMs): Buffer {
  using dir = new TempDir();
  openDataDir(dir.path, now).database.close();
  return readFileSync(databasePathIn(dir.path));
}
