/** Notices that the data directory is gone: a disk that was taken out, a folder that was deleted or put back from a copy. */

import { statSync } from "node:fs";
import { message } from "../core/language/text.ts";
import type { Problems } from "../core/status/problem.ts";
import type { EpochMs } from "../core/time/interval.ts";

const SUBJECT = "data directory";

export class DataDirWatch {
  readonly #databasePath: string;
  readonly #inode: number | null;

  constructor(databasePath: string) {
    this.#databasePath = databasePath;
    this.#inode = inodeOf(databasePath);
  }

  /** Starts or ends the problem. What SQLite writes to a file without a name is lost with the process. */
  tell(problems: Pick<Problems, "start" | "end">, now: EpochMs): void {
    const inode = inodeOf(this.#databasePath);
    const detail = inode === null ? "found_database_gone" : "found_other_database";
    if (inode === this.#inode) problems.end(SUBJECT);
    else
      problems.start({
        code: "data_dir_gone",
        subject: SUBJECT,
        since: now,
        detail: message(detail, { path: this.#databasePath }),
      });
  }
}

/** Null where there is no file that can be looked at. */
function inodeOf(path: string): number | null {
  try {
    return statSync(path).ino;
  } catch {
    return null; // whatever stands in the way: the file cannot be reached
  }
}
