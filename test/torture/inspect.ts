/** Opens a data directory as the daemon does at its start, and reads everything in it. */
import { mkdirSync, writeFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Row, SeriesKey } from "../../src/core/series/series.ts";
import { DAY_MS } from "../../src/core/time/interval.ts";
import { KeyFile } from "../../src/storage/api-key-file.ts";
import { openDataDir } from "../../src/storage/open-storage.ts";
import { dropDamagedRows } from "../../src/storage/recovery/damage-scan.ts";
import type { Recovery } from "../../src/storage/recovery/recovery.ts";
import { RequestLog } from "../../src/storage/request-log.ts";
import { SeriesStore } from "../../src/storage/series/series-store.ts";
import { WriteGuard } from "../../src/storage/write-guard.ts";
import { TempDir } from "../support/runner/temp-dir.ts";
import { calendar } from "../support/storage/store-on-disk.ts";
import type { Life, Truth } from "./life.ts";

export interface Found {
  readonly recovery: Recovery | null;
  /** Reports of damaged data that is ignored. */
  readonly damages: readonly string[];
  readonly attempts: number;
  /** Prices that differ from the service's. */
  readonly wrong: readonly string[];
  /** Names of the keys; null if the file cannot be read. */
  readonly keys: readonly string[] | null;
  /** Returns the hourly prices of a home in a range. */
  readonly rows: (addressId: string, from: number, to: number) => readonly Row[];
}

/**
 * Writes files into a new folder, opens it, and returns the result of `look`. Throws the error that a start would
 * throw.
 */
export function inspected<Result>(
  files: ReadonlyMap<string, Buffer>,
  life: Life,
  look: (found: Found, dir: string) => Result,
): Result {
  using dir = laidOut(files);
  const dataDir = dir.file("data");
  const { database, recovery } = openDataDir(dataDir, Date.now());
  try {
    database.exec("pragma synchronous = off");
    return look(foundIn(database, dataDir, recovery, life), dataDir);
  } finally {
    database.close();
  }
}

export function laidOut(files: ReadonlyMap<string, Buffer>): TempDir {
  const dir = new TempDir();
  mkdirSync(dir.file("data"));
  for (const [name, bytes] of files) writeFileSync(dir.file(`data/${name}`), bytes);
  return dir;
}

function foundIn(database: DatabaseSync, dataDir: string, recovery: Recovery | null, life: Life): Found {
  const damages: string[] = [];
  const writing = new WriteGuard(database);
  writing.onDamage((what) => damages.push(what));
  dropDamagedRows(database, writing);
  const store = new SeriesStore(database, calendar, writing);
  const log = new RequestLog(database);
  for (const account of ["consumer", "thirdParty"]) log.recent(account, 1_000);
  const now = Date.now();
  const range = { start: now - 200 * DAY_MS, end: now + 3 * DAY_MS };
  const units = Object.keys(life.truth) as (keyof Truth)[];
  const wrong = units.flatMap((unit) => {
    const rows = store.rows(pricesOf(life.addressId, unit), range);
    return rows
      .filter(({ start, totalPricePerKWh }) => life.truth[unit].get(String(start)) !== totalPricePerKWh)
      .map(({ start, totalPricePerKWh }) => `${unit} ${start}: ${totalPricePerKWh}`);
  });
  const keys = new KeyFile(dataDir).read();
  return {
    ...{ recovery, damages, wrong },
    attempts: Number(database.prepare("select count(*) as n from attempt").get()?.n),
    keys: keys.kind === "keys" ? keys.keys.map(({ name }) => name) : null,
    rows: (addressId, from, to) => store.rows(pricesOf(addressId, "hour"), { start: from, end: to }),
  };
}

function pricesOf(place: string, unit: keyof Truth): SeriesKey {
  return { account: "consumer", place, operation: "prices", unit };
}
