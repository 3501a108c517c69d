/** Follows the log of the daemon. */
import type { LogAnswer, LogLineAnswer } from "../../api/log.ts";

const MAX_SHOWN = 500;

/**
 * Returns a function that reads the new lines and returns all lines. `read` requests the lines after an id; ids begin
 * at 1 again after a restart of the daemon.
 */
export function logReader(read: (after: number) => Promise<LogAnswer>): () => Promise<readonly LogLineAnswer[]> {
  let known: LogAnswer = { started: "", lines: [] };
  return async () => {
    const after = known.lines.at(-1)?.id ?? 0;
    let { started, lines } = await read(after);
    if (started === known.started) lines = [...known.lines, ...lines].slice(-MAX_SHOWN);
    else if (after > 0) ({ started, lines } = await read(0));
    known = { started, lines };
    return lines;
  };
}
