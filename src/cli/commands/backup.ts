import { constants, copyFileSync, existsSync, rmSync } from "node:fs";
import path from "node:path";
import { StartError } from "../../core/status/start-error.ts";
import { sync } from "../../storage/atomic-file.ts";
import type { Given } from "../arguments.ts";
import { withAdminConnection } from "../connect.ts";

export const line = {
  usage: "backup FILE",
  about:
    "Writes a checked copy of the database to FILE, which must not exist yet. It contains the keys of `elbro keys`. Works\nwith or without a running daemon. `elbro restore FILE` restores it.",
  words: [1, 1] as const,
};

/** `elbro backup` */
export async function main(given: Given): Promise<number> {
  const file = path.resolve(given.words[0] ?? "");
  if (existsSync(file)) throw new StartError(`${file} exists already; give another file name`);
  const { trouble, copy } = await withAdminConnection(given, (admin) => {
    if (admin.isDemo) throw new StartError("no account is configured, so there is nothing to back up");
    return admin.ask({ ask: "backup" });
  });
  if (trouble !== null) {
    process.stderr.write(`elbro: the backup failed: ${trouble}\n`);
    return 1;
  }
  write(copy, file);
  process.stdout.write(`${file} contains the database and the keys; restore it with: elbro restore ${file}\n`);
  return 0;
}

/** Only the owner may read the copy, and files copied from it. */
function write(copy: string, file: string): void {
  try {
    copyFileSync(copy, file, constants.COPYFILE_EXCL);
    sync(file);
    sync(path.dirname(file));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) rmSync(file, { force: true });
    throw new StartError(`cannot write ${file}: ${error instanceof Error ? error.message : "unknown error"}`);
  }
}
