/** Kills the built program at random times and starts it again with the same data directory. */
import { cpSync, existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { InstalledDaemon } from "../support/processes/installed-daemon.ts";
import { TempDir } from "../support/runner/temp-dir.ts";
import { DENIED, type PartOptions, type Report } from "./part.ts";

/** Maximum time from the start, or from its first connection, to the kill. */
const LONGEST_LIFE_MS = 3_000;
const START_WITHIN_MS = 20_000;

/** Numbers of chunks and attempts on the disk. */
type Kept = { readonly chunks: number; readonly attempts: number };

/** Kills and restarts the program `wanted` times. Returns `wanted`. */
export async function killLoop(wanted: number, { random }: PartOptions, report: Report): Promise<number> {
  await using installed = await InstalledDaemon.prepare({ config: { history: { months: 13 } } });
  let before: Kept = { chunks: 0, attempts: 0 };
  for (let kill = 0; kill < wanted; kill++) {
    const daemon = installed.spawn();
    const up = daemon.line(/broker connected/).then(() => true);
    // Every third process may be killed before it is up.
    if (kill % 3 === 0) {
      up.catch(() => undefined);
      await pause(random.below(LONGEST_LIFE_MS));
    } else {
      const isUp = await Promise.race([up.catch(() => false), pause(START_WITHIN_MS, false, { ref: false })]);
      if (isUp) await pause(random.below(LONGEST_LIFE_MS));
      else report.broken("stuck", `kill ${kill}: not up:\n${daemon.output}`);
    }
    const requests = installed.requests;
    await daemon.end("SIGKILL");
    const kept = keptIn(installed.dataDir);
    if (kept === null) report.broken("lost", `kill ${kill}: the database is not whole`);
    else if (kept.chunks < before.chunks)
      report.broken("lost", `kill ${kill}: ${kept.chunks} parts of ${before.chunks}`);
    else if (kept.attempts < requests) report.broken("lost", `kill ${kill}: ${kept.attempts} attempts of ${requests}`);
    before = kept ?? before;
  }
  const denied = installed.simulator.answered().filter(({ status }) => DENIED.includes(status)).length;
  if (denied > 0) report.broken("denied", `${denied} requests`);
  return wanted;
}

/**
 * Returns the numbers of stored chunks and attempts; null if the database is damaged. Opens a copy, because opening the
 * database itself would recover it, which the next start of the program has to do.
 */
function keptIn(dataDir: string): Kept | null {
  if (!existsSync(`${dataDir}/elbro.db`)) return { chunks: 0, attempts: 0 };
  using dir = new TempDir();
  cpSync(dataDir, dir.path, { recursive: true, filter: (file) => !file.endsWith(".sock") });
  using database = new DatabaseSync(dir.file("elbro.db"));
  if (database.prepare("pragma quick_check(1)").get()?.quick_check !== "ok") return null;
  const hasTable = database.prepare("select 1 from sqlite_schema where name = 'chunk'").get();
  const count = (table: string) =>
    hasTable ? Number(database.prepare(`select count(*) as n from ${table}`).get()?.n) : 0;
  return { chunks: count("chunk"), attempts: count("attempt") };
}
