/** The texts of the configuration's files, as they are on this machine. */
import { existsSync } from "node:fs";
import path from "node:path";
import { StartError } from "../core/status/start-error.ts";
import { readBounded } from "./bounded-file.ts";
import { PAGE_FILE } from "./entry-list.ts";

/** A house with all its homes, plans and plugs has 50 kB. */
export const MAX_CONFIG_BYTES = 256 * 1024;

/** Docker makes a folder of a file that is mounted and not there. */
const FOLDER =
  "it is a folder; where Docker made it, because there was no such file, remove it, write the file and start the container again";

/** The texts of the configuration's files; null for a file that is not there. */
export interface ConfigTexts {
  readonly file: string | null;
  readonly page: string | null;
}

/** The text of the page's file in a data directory; null without one. */
export function readPage(dataDir: string): string | null {
  const file = path.join(dataDir, PAGE_FILE);
  return existsSync(file) ? readText(file) : null;
}

/** Errors: throws a StartError. */
export function readText(path: string): string {
  try {
    return readBounded(path, MAX_CONFIG_BYTES);
  } catch (error) {
    const isFolder = error instanceof Error && "code" in error && error.code === "EISDIR";
    const why = error instanceof Error ? error.message : "unknown error";
    throw new StartError(`cannot read the configuration ${path}: ${isFolder ? FOLDER : why}`);
  }
}
