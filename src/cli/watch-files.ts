/** Watches single files, also through symbolic links and on network file systems. */
import { unwatchFile, watchFile } from "node:fs";

/** Time in ms between two looks at a file. A certificate is replaced weeks before it expires. */
const LOOK_EVERY_MS = 60_000;

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
