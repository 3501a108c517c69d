import { copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { damageInFile, lostCommitsText } from "../../../src/storage/damage-scan.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { type OpenedDatabase, openOrRestore, SPENDS_UNKNOWN } from "../../../src/storage/recovery.ts";
import { StoreOnDisk } from "../../support/storage/store-on-disk.ts";

const COMMITS = 20;
/** Every byte at night, otherwise every third, which includes each field of four bytes. */
const HEADER_STEP = process.env.ELBRO_NIGHTLY === "1" ? 1 : 3;
const LAST = String(COMMITS - 1);

/** Simulates a crash that leaves the last writes in the write-ahead log, which `change` then modifies. */
function afterCrash(change: (logPath: string, length: number) => void): OpenedDatabase & { readonly value: unknown } {
  using store = new StoreOnDisk();
  const settings = new KeyValueStore(store.database);
  for (let i = 0; i < COMMITS; i++) settings.write("last", String(i));
  const path = `${store.path}.crashed`;
  for (const ending of ["", "-wal"]) copyFileSync(store.path + ending, path + ending);
  change(`${path}-wal`, readFileSync(`${path}-wal`).length);
  const found = damageInFile(path);
  const opened = openOrRestore(path, 0);
  expect(found).toEqual(opened.lostCommits > 0 ? [lostCommitsText(opened.lostCommits)] : []);
  const value = new KeyValueStore(opened.database).read("last");
  const unknown = new KeyValueStore(opened.database).read(SPENDS_UNKNOWN);
  expect(unknown === "yes").toBe(opened.lostCommits > 0);
  opened.database.close();
  return { ...opened, value };
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

describe("a write-ahead log", () => {
  test("without damage has lost no commits", () => {
    expect(afterCrash(() => undefined)).toMatchObject({ lostCommits: 0, value: LAST });
  });

  test("with a flipped bit in the middle is reported, and its requests count as spent", () => {
    const { lostCommits, value } = afterCrash((path, length) => flip(path, length >> 1));
    expect(lostCommits).toBeGreaterThan(1);
    expect(value).not.toBe(LAST);
  });

  test("with a flipped bit in its header is reported, because SQLite reads nothing from it", () => {
    for (let at = 0; at < 32; at += HEADER_STEP) {
      const { lostCommits, value } = afterCrash((path) => flip(path, at));
      expect([at, lostCommits > 1, value]).toEqual([at, true, null]);
    }
  });

  test("with an incomplete last commit has lost no acknowledged commit", () => {
    expect(afterCrash((path, length) => flip(path, length - 100)).lostCommits).toBe(0);
    expect(afterCrash((path, length) => truncateSync(path, length - 100)).lostCommits).toBe(0);
  });
});
