/** Files of the configuration: the owner's, which is only read, and `page.yaml` with its previous states. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { type ConfigTexts, readPage, readText } from "../config/config-texts.ts";
import { PAGE_FILE } from "../config/entry-list.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { writeWhole } from "../storage/atomic-file.ts";

const BACKUPS = "configuration-backups";
/** Maximum number of backups, one for each change. */
const MAX_BACKUPS = 50;

export class ConfigurationFiles {
  readonly #path: string | null;
  readonly #dataDir: string;

  /** `file` is the owner's file; null if the configuration has no file. */
  constructor(file: string | null, dataDir: string) {
    this.#path = file;
    this.#dataDir = dataDir;
  }

  /** Name of the owner's file; null if the configuration has no file. */
  get name(): string | null {
    return this.#path && path.basename(this.#path);
  }

  /** Path of the file for entries that the dashboard saves. */
  get pagePath(): string {
    return path.join(this.#dataDir, PAGE_FILE);
  }

  /** Returns the texts of the files. Throws a StartError for a file that cannot be read. */
  read(): ConfigTexts {
    return { file: this.#path === null ? null : readText(this.#path), page: readPage(this.#dataDir) };
  }

  /** Replaces page.yaml and keeps a copy of its previous state. Throws the error of the file system. */
  writePage(text: string, before: string | null, now: EpochMs): void {
    if (before !== null) this.#keep(before, now);
    writeWhole(this.pagePath, text);
  }

  #keep(text: string, now: EpochMs): void {
    const folder = path.join(this.#dataDir, BACKUPS);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const kept = readdirSync(folder).sort();
    // Ordered by number, because a clock may be set back.
    const number = String(Number.parseInt(kept.at(-1) ?? "0", 10) + 1).padStart(6, "0");
    const time = new Date(now).toISOString().replaceAll(":", "-");
    writeWhole(path.join(folder, `${number}-${time}-${PAGE_FILE}`), text);
    for (const old of kept.slice(0, 1 - MAX_BACKUPS)) rmSync(path.join(folder, old));
  }
}

/** Returns the revision of the files, which differs for different texts. */
export function revisionOf({ file, page }: ConfigTexts): string {
  return createHash("sha256")
    .update(JSON.stringify([file, page]))
    .digest("hex")
    .slice(0, 16);
}
