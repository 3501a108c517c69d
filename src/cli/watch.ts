/** Watches the files of a folder, and single files. */
import { unwatchFile, watch, watchFile } from "node:fs";

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
    onError(error instanceof Error ? error.message : String(error));
    return () => undefined;
  }
}

/** Time in ms between two looks at a file. A certificate is replaced weeks before it expires. */
const LOOK_EVERY_MS = 60_000;

/** Watches single files, also through symbolic links and on network file systems. */
export class FileWatch {
  readonly #onChange: () => void;
  readonly #intervalMs: number;
  #files: readonly string[] = [];

  constructor(onChange: () => void, intervalMs = LOOK_EVERY_MS) {
    this.#onChange = onChange;
    this.#intervalMs = intervalMs;
  }

  /** Watches these files in place of the previous ones. None ends the watch. */
  watch(files: readonly string[]): void {
    for (const file of this.#files) unwatchFile(file, this.#onChange);
    this.#files = [...new Set(files)];
    for (const file of this.#files) watchFile(file, { persistent: false, interval: this.#intervalMs }, this.#onChange);
  }
}
