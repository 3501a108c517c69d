/** Watches the files of a folder, and single files. */

import { unwatchFile, watch, watchFile } from "node:fs";
import { errorMessage } from "../core/text/error-words.ts";

/** Delay in ms after the first change. A tool that writes many accounts has written most of them within this time. */
const SETTLE_MS = 500;

/**
 * Calls `onChange` once for all changes within SETTLE_MS. Returns a function that ends the watch.
 * Errors: calls `onError` if the system cannot watch the folder, as on some network file systems; use SIGHUP there.
 */
export function watchFolder(folder: string, onChange: () => void, onError: (why: string) => void): () => void {
  let timer: NodeJS.Timeout | null = null;
  const changed = () => {
    timer ??= setTimeout(() => {
      timer = null;
      onChange();
    }, SETTLE_MS);
  };
  try {
    const watcher = watch(folder, changed);
    watcher.on("error", (error) => onError(error.message));
    return () => {
      clearTimeout(timer ?? undefined);
      watcher.close();
    };
  } catch (error) {
    onError(errorMessage(error));
    return () => undefined;
  }
}

/** Time in ms between two checks of a file. A certificate is replaced weeks before it expires. */
const CHECK_EVERY_MS = 60_000;

/** Returns a function that watches files in place of the previous ones, also behind links; none ends the watch. */
export function fileWatch(onChange: () => void, interval = CHECK_EVERY_MS): (files: readonly string[]) => void {
  let watched: readonly string[] = [];
  return (files) => {
    for (const file of watched) unwatchFile(file, onChange);
    watched = [...new Set(files)];
    for (const file of watched) watchFile(file, { persistent: false, interval }, onChange);
  };
}
