/** Notices that files of a folder changed. */
import { watch } from "node:fs";

/** Tools that write many accounts are done with most of them by then; one reading serves all of these. */
const SETTLE_MS = 500;

/**
 * Calls back some time after a change, once for all changes until then. Where the system cannot watch (some network file
 * systems), SIGHUP remains. Errors: tells `onError`, once.
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
