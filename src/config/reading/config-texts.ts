/** Texts of the configuration's files on this machine. */
import { existsSync } from "node:fs";
import path from "node:path";
import { message, reasonOf } from "../../core/language/text.ts";
import { OVERLAY_FILE } from "../../core/runtime/data-files.ts";
import { PassingStartError, StartError, throwIfShort } from "../../core/status/start-error.ts";
import { readBounded } from "./bounded-file.ts";
import type { ConfigMistake } from "./mistake.ts";

/** Longest configuration in bytes. A household with all its homes, plans and plugs takes 50 kB. */
export const MAX_CONFIG_BYTES = 256 * 1024;

/** Texts of the configuration's files; null for a file that does not exist. */
export type ConfigTexts = { readonly file: string | null; readonly overlay: string | null };

/** Returns the text of the page's file in a data directory; null if it does not exist. */
export function readOverlayText(dataDir: string): string | null {
  const file = path.join(dataDir, OVERLAY_FILE);
  return existsSync(file) ? readConfigText(file) : null;
}

/** Returns why the page's file cannot be read. Throws errors that may pass by themselves. */
export function overlayUnread(error: unknown): ConfigMistake {
  if (!(error instanceof StartError) || error instanceof PassingStartError) throw error;
  return { path: OVERLAY_FILE, ...message("mistake.page_unread", { why: error.text }) };
}

/** Returns the text of a file. Throws a StartError if it cannot be read. */
export function readConfigText(path: string): string {
  try {
    return readBounded(path, MAX_CONFIG_BYTES);
  } catch (error) {
    const what = message("start.config_unread", { path });
    throwIfShort(error, what);
    // Docker creates a folder for a mounted file that does not exist.
    const isFolder = error instanceof Error && "code" in error && error.code === "EISDIR";
    const why = isFolder ? message("start.config_folder") : reasonOf(error, "unknown error");
    throw new StartError(message("start.failed", { what, why }));
  }
}
