/** Detects that the data directory is gone: a removed disk, or a folder that was deleted or restored from a copy. */

import { statSync } from "node:fs";
import { message } from "../core/language/text.ts";
import { type Problems, setProblem } from "../core/status/problem.ts";
import type { EpochMs } from "../core/time/interval.ts";

export class DataDirWatch {
  readonly #databasePath: string;
  readonly #inode: number | null;

  constructor(databasePath: string) {
    this.#databasePath = databasePath;
    this.#inode = inodeOf(databasePath);
  }

  /** Starts or ends the problem. SQLite's writes to a deleted file are lost when the process ends. */
  report(problems: Pick<Problems, "start" | "end">, now: EpochMs): void {
    const inode = inodeOf(this.#databasePath);
    const found = inode === null ? "found.database_gone" : "found.other_database";
    const detail = inode === this.#inode ? null : message(found, { path: this.#databasePath });
    setProblem(problems, { code: "data_dir_gone", subject: "data directory", since: now, detail });
  }
}

/** Returns the inode of a file; null if it cannot be read. */
function inodeOf(path: string): number | null {
  try {
    return statSync(path).ino;
  } catch {
    return null; // after any error, because then the file cannot be reached
  }
}
