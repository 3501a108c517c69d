import { createWriteStream, existsSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { readJsonAnswer } from "../../api/socket.ts";
import { StartError } from "../../core/status/start-error.ts";
import { errorMessage } from "../../core/text/error-words.ts";
import { OWNER_ONLY, sync } from "../../storage/atomic-file.ts";
import type { Arguments } from "../arguments.ts";
import { withConnection } from "../connect.ts";
import { failed, print } from "../output.ts";

export const line = {
  usage: "backup FILE",
  about:
    "Writes a checked copy of the database to FILE, which must not exist yet. It contains the keys of `elbro keys` and page.yaml. Works\nwith or without a running daemon. `elbro restore FILE` restores it.",
  words: [1, 1] as const,
};

export async function main(given: Arguments): Promise<number> {
  const file = path.resolve(given.words[0] ?? "");
  if (existsSync(file)) throw new StartError(`${file} exists already; give another file name`);
  const trouble = await withConnection(given, async ({ open, isDemo }) => {
    if (isDemo) throw new StartError("no account is configured, so there is nothing to back up");
    const copy = await open("/local/v1/backup");
    if (copy.statusCode !== 200) return (await readJsonAnswer(copy)) as { readonly reason: string };
    await write(copy, file);
    return null;
  });
  if (trouble !== null) return failed(trouble.reason);
  print(`${file} contains the database and the keys; restore it with: elbro restore ${file}`);
  return 0;
}

/** Only the owner may read the copy, and files copied from it. */
async function write(copy: IncomingMessage, file: string): Promise<void> {
  try {
    await pipeline(copy, createWriteStream(file, { flags: "wx", mode: OWNER_ONLY }));
    sync(file);
    sync(path.dirname(file));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) rmSync(file, { force: true });
    throw new StartError(`cannot write ${file}: ${errorMessage(error)}`);
  }
}
