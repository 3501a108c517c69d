/** Log lines about refused connections. A client that retries without end does not fill the log. */
import type { RefusedConnection } from "./network-connection.ts";

/** Time in ms after a log line. Until then, equal refusals of the same address are only counted. */
const QUIET_MS = 60_000;
/** Maximum number of remembered addresses and reasons. The oldest is dropped. */
const MAX_REMEMBERED = 256;

/**
 * Returns a function that writes at most one line per minute for an address and reason. `repeated` counts the refusals
 * without a line since then. `now` returns a monotonic time in ms.
 */
export function refusalLog(
  write: (facts: RefusedConnection & { readonly repeated: number }) => void,
  now: () => number,
): (refused: RefusedConnection) => void {
  /** Last lines, oldest first. Bounded by MAX_REMEMBERED. */
  const lines = new Map<string, { readonly atMs: number; repeated: number }>();
  return (refused) => {
    const key = JSON.stringify([refused.address, refused.reason]);
    const before = lines.get(key);
    const atMs = now();
    if (before && atMs - before.atMs < QUIET_MS) {
      before.repeated++;
      return;
    }
    lines.delete(key);
    lines.set(key, { atMs, repeated: 0 });
    const oldest = lines.keys().next();
    if (lines.size > MAX_REMEMBERED && !oldest.done) lines.delete(oldest.value);
    write({ ...refused, repeated: before?.repeated ?? 0 });
  };
}
