import { existsSync, statSync } from "node:fs";
import { loadConfiguration } from "../../config/reading/load-config-file.ts";
import { StartError } from "../../core/status/start-error.ts";
import { formatInstant, SECOND_MS } from "../../core/time/interval.ts";
import { giveToOwnerOf } from "../../storage/atomic-file.ts";
import { DatabaseError, DatabaseInUse } from "../../storage/database.ts";
import { databasePathIn } from "../../storage/open-storage.ts";
import { copyPathOf, replaceDatabase } from "../../storage/recovery/recovery.ts";
import type { Arguments } from "../arguments.ts";
import { print } from "../output.ts";
import { systemClock } from "../system-clock.ts";

export const line = {
  usage: "restore [FILE]",
  about:
    "Replaces the database, the keys and page.yaml by those of a copy: FILE from `elbro backup`, or by default the copy that elbro makes and\nchecks every night. Stop the daemon first. The copy is checked before anything is changed, and the old database is kept\nwith the date in its name.",
  words: [0, 1] as const,
};

export async function main(given: Arguments): Promise<number> {
  const { config } = loadConfiguration(given.configPath, process.env);
  const databasePath = databasePathIn(config.data_dir);
  const [copyPath = copyPathOf(databasePath)] = given.words;
  try {
    const now = systemClock(given.simulated).now();
    const { setAside, keys, keysSetAside, isOverlayReplaced } = replaceDatabase(databasePath, copyPath, now);
    if (process.getuid?.() === 0) giveToOwnerOf(config.data_dir, databasePath);
    const { mtimeMs } = statSync(copyPath);
    print(`${databasePath} is now the copy of ${formatInstant(mtimeMs - (mtimeMs % SECOND_MS))}`);
    if (keys.length > 0) print(`keys that are valid again: ${keys.map(({ name }) => name).join(", ")}`);
    if (isOverlayReplaced) print("page.yaml is that of the copy; the old one is kept with the date in its name");
    for (const old of [setAside, keysSetAside]) if (old !== null) print(`the old database is kept as ${old}`);
    return 0;
  } catch (error) {
    if (error instanceof DatabaseInUse)
      throw new StartError(`elbro is running and uses ${databasePath}; stop it, and restore then`);
    if (!(error instanceof DatabaseError)) throw error;
    const hint = given.words.length > 0 || existsSync(copyPath) ? "" : "; the nightly copy is made at 03:40";
    throw new StartError(`${error.message}${hint}`);
  }
}
