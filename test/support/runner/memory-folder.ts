import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";

const MEMORY = "/dev/shm/";
const NEEDED_BYTES = 2 * 1024 ** 3;

/**
 * Makes a folder in memory the folder for temporary files until this process ends. Daemons wait until each change is on
 * disk, which takes milliseconds with a real one. A small or missing file system in memory is not used.
 */
export function useMemoryFolder(): void {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < NEEDED_BYTES) return;
  const folder = mkdtempSync(`${MEMORY}elbro-tests-`);
  // Servers that run as another user find their own folders in it.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}
