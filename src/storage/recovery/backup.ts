/** Copy of the database, made each night and on demand. It is verified before it replaces the previous copy. */
import { chmod, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { backup, type DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { storeKeys } from "../api-key-file.ts";
import { OWNER_ONLY, sync } from "../atomic-file.ts";
import { KeyValueStore } from "../key-value-store.ts";
import { databaseTrouble } from "../write-check.ts";
import { type CheckOptions, integrityOf } from "./file-check.ts";
import { overlayFilesIn, replaceFiles } from "./overlay-copy.ts";
import { copyPathOf } from "./recovery.ts";

/** Result of a copy. A damaged copy is deleted, and the previous copy stays. */
export type CopyOutcome =
  | { readonly kind: "verified"; readonly bytes: number }
  | { readonly kind: "damaged"; readonly damage: string }
  | { readonly kind: "stopped" };

/** Pages per step of the copy. The daemon's own statements wait for at most one step: 0.1 ms. */
const PAGES_PER_STEP = 200;
/** Maximum attempts while the daemon writes; one write takes a few milliseconds. */
const MAX_ATTEMPTS = 20;
const RETRY_PAUSE_MS = 50;

/**
 * Copies an open database with keys and page files to a file next to it. A verified copy replaces the previous one.
 * Rejects if the folder cannot be written.
 */
export async function copyDatabase(
  database: DatabaseSync,
  databasePath: string,
  { node, signal }: CheckOptions,
  begin: typeof backup = backup,
): Promise<CopyOutcome> {
  storeKeys(path.dirname(databasePath), new KeyValueStore(database));
  const copyPath = copyPathOf(databasePath);
  const partPath = `${copyPath}.part`;
  await rm(partPath, { force: true });
  try {
    await whenFree(
      () => begin(database, partPath, { rate: PAGES_PER_STEP, progress: () => signal.throwIfAborted() }),
      async () =>
        (await databaseTrouble(database, databasePath)) ?? "the database changed during every attempt to copy it",
      signal,
    );
    const found = await integrityOf(partPath, { node, signal });
    if (signal.aborted) return { kind: "stopped" };
    if (found !== "ok") return { kind: "damaged", damage: found };
    replaceFiles(partPath, overlayFilesIn(path.dirname(databasePath)));
    const { size } = await stat(partPath);
    await chmod(partPath, OWNER_ONLY);
    await rename(partPath, copyPath);
    sync(path.dirname(copyPath));
    return { kind: "verified", bytes: size };
  } catch (error) {
    if (signal.aborted) return { kind: "stopped" };
    throw error;
  } finally {
    for (const ending of ["", "-wal", "-journal"]) await rm(`${partPath}${ending}`, { force: true });
  }
}

/**
 * Node runs each step of a backup on another thread. If the daemon writes during the first step, SQLite returns
 * SQLITE_LOCKED and Node rejects with code 0, "not an error". Then the copy is tried again.
 */
async function whenFree(
  copy: () => Promise<unknown>,
  trouble: () => Promise<string>,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await copy();
      return;
    } catch (error) {
      const wasLocked = error instanceof Error && "errcode" in error && error.errcode === 0;
      if (!wasLocked) throw error;
      if (attempt === MAX_ATTEMPTS) throw new Error(await trouble());
      await pause(RETRY_PAUSE_MS, undefined, { signal });
    }
  }
}
