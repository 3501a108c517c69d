/** The whole program, killed at any moment of its life, and started again on what it left. */
import { cpSync, existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { InstalledDaemon } from "../support/daemon/installed-daemon.ts";
import { TempDir } from "../support/daemon/temp-dir.ts";

/** A kill comes within this after the start: while it opens, connects, asks, fills its history, or rests. */
const LONGEST_LIFE_MS = 3_000;
const START_WITHIN_MS = 20_000;
/** Refusals of the service that an elbro that keeps within its quota never meets. */
const DENIED = [401, 403, 429];

export interface KillResult {
  readonly kills: number;
  /** Parts of history that were on disk and are not any more, and databases that are not whole. */
  readonly lost: number;
  /** Starts that did not come up. */
  readonly stuck: number;
  /** Requests that the service refused. */
  readonly denied: number;
}

/** Kills and starts until `isOver`. */
export async function killLoop(isOver: (kills: number) => boolean): Promise<KillResult> {
  await using installed = await InstalledDaemon.prepare({});
  let [kills, lost, stuck, chunks] = [0, 0, 0, 0];
  for (; !isOver(kills); kills++) {
    const daemon = installed.spawn();
    const up = daemon.line(/broker connected/).then(() => true);
    // Every third is killed before it is up.
    if (kills % 3 === 0) {
      up.catch(() => undefined);
      await pause(Math.random() * LONGEST_LIFE_MS);
    } else {
      const isUp = await Promise.race([up.catch(() => false), pause(START_WITHIN_MS, false, { ref: false })]);
      if (isUp) await pause(Math.random() * LONGEST_LIFE_MS);
      else {
        stuck++;
        process.stdout.write(`kill ${kills}: not up:\n${daemon.output}\n`);
      }
    }
    await daemon.end("SIGKILL");
    const kept = keptIn(installed.dataDir);
    if (kept === null || kept < chunks) lost++;
    chunks = kept ?? 0;
  }
  const denied = installed.simulator.answered().filter(({ status }) => DENIED.includes(status)).length;
  return { kills, lost, stuck, denied };
}

/**
 * How many parts of history are there; null where the database is not whole. Looks at a copy: whoever opens the database
 * itself mends what the kill left to the next start.
 */
function keptIn(dataDir: string): number | null {
  if (!existsSync(`${dataDir}/elbro.db`)) return 0;
  using dir = new TempDir();
  cpSync(dataDir, dir.path, { recursive: true, filter: (file) => !file.endsWith(".sock") });
  using database = new DatabaseSync(dir.file("elbro.db"));
  if (database.prepare("pragma quick_check(1)").get()?.quick_check !== "ok") return null;
  const hasTable = database.prepare("select 1 from sqlite_schema where name = 'chunk'").get();
  return hasTable ? Number(database.prepare("select count(*) as n from chunk").get()?.n) : 0;
}
