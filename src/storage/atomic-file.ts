/** Small files that are there whole or not at all, whatever happens while they are written. */
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  promises,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

/** Nobody but the daemon's user may look. */
export const OWNER_ONLY = 0o600;

const ALL_MODES = 0o777;

/** A hundred keys with long names are 60 kB. */
const MAX_FILE_BYTES = 1024 * 1024;

/** The text of a file; null where there is none. Errors: throws where it may not be read, or is none of ours by its size. */
export function readWhole(file: string): string | null {
  try {
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > MAX_FILE_BYTES)
      throw Object.assign(new Error(`${file} is no file of elbro`), { code: stat.isDirectory() ? "EISDIR" : "EFBIG" });
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/** What changes when a file is written again; null where there is none. */
export function stampOf(file: string): string | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : null;
}

/** Writes a file; it is on disk when this returns. Given by whoever may do so to the owner of its folder. */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.new`;
  try {
    writeFileSync(draft, text, { mode: OWNER_ONLY, flush: true });
    giveToOwnerOf(path.dirname(file), draft);
    renameSync(draft, file);
    // Until its folder is on the disk too, a power cut brings the old file back: a key that was revoked.
    sync(path.dirname(file));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Replaces the owner's file, which keeps its owner and mode. Errors: throws where this user may not. */
export function replaceWhole(file: string, text: string): void {
  const { uid, gid, mode } = statSync(file);
  const draft = `${file}.new`;
  try {
    writeFileSync(draft, text, { mode: OWNER_ONLY, flush: true });
    const made = statSync(draft);
    if (made.uid !== uid || made.gid !== gid) chownSync(draft, uid, gid);
    chmodSync(draft, mode & ALL_MODES);
    renameSync(draft, file);
    sync(path.dirname(file));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Writes a file without holding anybody up. */
export async function writeWholeSoon(file: string, text: string): Promise<void> {
  const draft = `${file}.soon`;
  await promises.writeFile(draft, text, { mode: OWNER_ONLY, flush: true });
  await promises.rename(draft, file);
}

/** What an administrator writes, the daemon reads: it may be another user. */
export function giveToOwnerOf(folder: string, file: string): void {
  const { uid, gid } = statSync(folder);
  if (statSync(file).uid !== uid) chownSync(file, uid, gid);
}

/** Puts on the disk what was written to a file, or the names that changed in a folder. */
export function sync(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
