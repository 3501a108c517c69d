/** Small files that are written atomically. */
import {
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { errorCode } from "../core/text/error-words.ts";

/** File mode: only the owner can read and write. */
export const OWNER_ONLY = 0o600;

/** A hundred keys with long names take 60 kB. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Returns the text of a file; null if it does not exist. Throws if it is unreadable, not regular or too large. */
export function readWhole(file: string): string | null {
  try {
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > MAX_FILE_BYTES)
      throw Object.assign(new Error(`${file} is not a file that elbro can read`), {
        code: stat.isDirectory() ? "EISDIR" : "EFBIG",
      });
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Returns a text that changes when the file is written; null if there is no file. */
export function stampOf(file: string): string | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : null;
}

/**
 * Writes a file atomically, and gives it to the owner of its folder. Throws if that is not possible. `isDurable`: to disk,
 * so that it also survives a power cut.
 */
export function writeWhole(file: string, text: string, isDurable = true): void {
  const draft = `${file}.new`;
  try {
    // The draft of a process that died may belong to another user.
    rmSync(draft, { force: true });
    writeFileSync(draft, text, { mode: OWNER_ONLY, flush: isDurable });
    giveToOwnerOf(path.dirname(file), draft);
    renameSync(draft, file);
    // Without a sync of the folder, a power cut could restore the old file, and with it a revoked key.
    if (isDurable) sync(path.dirname(file));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Sets the owner of a file to that of its folder, because the daemon's user must read what an administrator writes. */
export function giveToOwnerOf(folder: string, file: string): void {
  const { uid, gid } = statSync(folder);
  if (statSync(file).uid !== uid) chownSync(file, uid, gid);
}

export function sync(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
