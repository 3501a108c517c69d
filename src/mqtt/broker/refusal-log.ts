/** Log lines about refused connections. A client that retries without end does not fill the log. */
import type { RefusedConnection } from "./network-connection.ts";

/** Time in ms after a log line. Until then, equal refusals of the same address are only counted. */
const QUIET_MS = 60_000;
/** Maximum number of remembered addresses and reasons. The oldest is dropped. */
const MAX_REMEMBERED = 256;

interface Reported {
  readonly atMs: number;
  repeated: number;
}

export class RefusalLog {
  readonly #write: (facts: RefusedConnection & { readonly repeated: number }) => void;
  readonly #now: () => number;
  /** Oldest first. Bounded by MAX_REMEMBERED. */
  readonly #reported = new Map<string, Reported>();

  /** `now` returns a monotonic time in ms. */
  constructor(write: (facts: RefusedConnection & { readonly repeated: number }) => void, now: () => number) {
    this.#write = write;
    this.#now = now;
  }

  /**
   * Writes at most one line per minute for an address and reason. `repeated` counts the refusals without a line since
   * then.
   */
  report(refused: RefusedConnection): void {
    const key = JSON.stringify([refused.address, refused.reason]);
    const before = this.#reported.get(key);
    const atMs = this.#now();
    if (before && atMs - before.atMs < QUIET_MS) {
      before.repeated++;
      return;
    }
    this.#reported.delete(key);
    this.#reported.set(key, { atMs, repeated: 0 });
    const oldest = this.#reported.keys().next();
    if (this.#reported.size > MAX_REMEMBERED && !oldest.done) this.#reported.delete(oldest.value);
    this.#write({ ...refused, repeated: before?.repeated ?? 0 });
  }
}
