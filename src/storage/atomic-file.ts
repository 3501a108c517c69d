/** Small files that are there whole or not at all, whatever happens while they are written. */
import {
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  promises,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";

/** Nobody but the daemon's user may look. */
const OWNER_ONLY = 0o600;

/** The text of a file; null where there is none. Errors: throws where it may not be read. */
export function readWhole(file: string): string | null {
  try {
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
    const descriptor = openSync(draft, "w", OWNER_ONLY);
    try {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    giveToOwnerOf(path.dirname(file), draft);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** The same without holding anybody up. */
export async function writeWholeSoon(file: string, text: string): Promise<void> {
  const draft = `${file}.soon`;
  const handle = await promises.open(draft, "w", OWNER_ONLY);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await promises.rename(draft, file);
}

/** What an administrator writes, the daemon reads: it may be another user. */
export function giveToOwnerOf(folder: string, file: string): void {
  const { uid, gid } = statSync(folder);
  if (statSync(file).uid !== uid) chownSync(file, uid, gid);
}
