/** Watches the files of a folder. */
import { watch } from "node:fs";

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
