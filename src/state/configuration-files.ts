/** Files of the configuration: which ones can be written, and a backup of each before a change. */
import { createHash } from "node:crypto";
import { accessSync, constants, mkdirSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { type ConfigTexts, readPage, readText } from "../config/config-texts.ts";
import { PAGE_FILE } from "../config/entry-list.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { replaceWhole, writeWhole } from "../storage/atomic-file.ts";

export type ConfigFile = keyof ConfigTexts;

const BACKUPS = "configuration-backups";
/** Maximum number of backups, one for each change. */
const MAX_BACKUPS = 50;
const ANYBODY_MAY_WRITE = 0o222;

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

  /** Whether the owner's file can be replaced. `options.json` cannot, because Home Assistant writes it. */
  get isWritable(): boolean {
    if (this.#path === null || this.#path.endsWith(".json")) return false;
    try {
      const file = realpathSync(this.#path);
      for (const each of [file, path.dirname(file)]) accessSync(each, constants.W_OK);
      return (statSync(file).mode & ANYBODY_MAY_WRITE) !== 0;
    } catch {
      return false;
    }
  }

  /** Replaces a file and keeps a backup in the data directory. Throws the error of the file system. */
  write(which: ConfigFile, text: string, before: string | null, now: EpochMs): void {
    if (before !== null) this.#backUp(which, before, now);
    if (which === "page") writeWhole(this.pagePath, text);
    else replaceWhole(realpathSync(this.#path ?? ""), text);
  }

  #backUp(which: ConfigFile, text: string, now: EpochMs): void {
    const folder = path.join(this.#dataDir, BACKUPS);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const kept = readdirSync(folder).sort();
    // Ordered by number, because a clock may be set back.
    const number = String(Number.parseInt(kept.at(-1) ?? "0", 10) + 1).padStart(6, "0");
    const time = new Date(now).toISOString().replaceAll(":", "-");
    writeWhole(path.join(folder, `${number}-${time}-${which === "page" ? PAGE_FILE : (this.name ?? "")}`), text);
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
