import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { TempDir } from "../runner/temp-dir.ts";

const FILL_BYTES = 4_096;

/** File system in memory (tmpfs) that can be filled to the last byte. */
export class SmallDisk implements Disposable {
  readonly dir = new TempDir();

  /** Mounts a file system; null if this user may not mount. */
  static mount(megabytes: number): SmallDisk | null {
    const disk = new SmallDisk();
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", disk.dir.path]);
    if (mounted.status === 0) return disk;
    disk.dir[Symbol.dispose]();
    return null;
  }

  fill(): void {
    const file = openSync(this.dir.file("other-files"), "a");
    try {
      for (const bytes of [FILL_BYTES, 1]) while (tryWrite(file, bytes));
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.dir.file("other-files"));
  }

  /** Remounts read-only, as the kernel does with a faulty memory card. */
  lock(): void {
    spawnSync("mount", ["-o", "remount,ro", this.dir.path]);
  }

  unlock(): void {
    spawnSync("mount", ["-o", "remount,rw", this.dir.path]);
  }

  [Symbol.dispose](): void {
    spawnSync("umount", ["-l", this.dir.path]);
    this.dir[Symbol.dispose]();
  }
}

function tryWrite(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes)) === bytes;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
    throw error;
  }
}
