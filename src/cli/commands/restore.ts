import { existsSync, statSync } from "node:fs";
import { loadConfiguration } from "../../config/load-config-file.ts";
import { StartError } from "../../core/status/start-error.ts";
import { formatInstant, SECOND_MS } from "../../core/time/interval.ts";
import { giveToOwnerOf } from "../../storage/atomic-file.ts";
import { DatabaseError } from "../../storage/database.ts";
import { databasePathIn } from "../../storage/open-storage.ts";
import { copyPathOf, replaceDatabase } from "../../storage/recovery.ts";
import type { Given } from "../arguments.ts";
import { systemClock } from "../system-clock.ts";

export const line = {
  usage: "restore [FILE]",
  about:
    "Puts a copy of the database in its place: FILE, or the copy that is made and checked every night. Stop the daemon\nfirst. The copy is checked before anything is changed, and what was there is kept under a dated name.",
  words: [0, 1] as const,
};

/** `elbro restore` */
export async function main(given: Given): Promise<number> {
  const { config } = loadConfiguration(given.configPath, process.env);
  const databasePath = databasePathIn(config.data_dir);
  const [copyPath = copyPathOf(databasePath)] = given.words;
  try {
    const setAside = replaceDatabase(databasePath, copyPath, systemClock(given.simulated).now());
    if (process.getuid?.() === 0) giveToOwnerOf(config.data_dir, databasePath);
    const { mtimeMs } = statSync(copyPath);
    process.stdout.write(`${databasePath} is now the copy of ${formatInstant(mtimeMs - (mtimeMs % SECOND_MS))}\n`);
    if (setAside !== null) process.stdout.write(`what was there is kept as ${setAside}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const hint = given.words.length > 0 || existsSync(copyPath) ? "" : "; the nightly copy is made at twenty to four";
    throw new StartError(`${error.message}${hint}`);
  }
}
