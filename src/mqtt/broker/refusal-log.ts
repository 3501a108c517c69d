/** Log lines about refused connections: one per connection, but a client that tries for ever does not fill the log. */
import type { RefusedConnection } from "./network-connection.ts";

/** After a line, the same refusal of the same address is only counted for this long. */
const QUIET_MS = 60_000;
/** Addresses and reasons that are remembered; the oldest is forgotten. */
const MAX_REMEMBERED = 256;

interface Reported {
  readonly atMs: number;
  repeated: number;
}

export class RefusalLog {
  readonly #write: (facts: RefusedConnection & { readonly repeated: number }) => void;
  readonly #now: () => number;
  /** Shape: the oldest first. Bounded by MAX_REMEMBERED. */
  readonly #reported = new Map<string, Reported>();

  /** `now` is a time in ms that only rises. */
  constructor(write: (facts: RefusedConnection & { readonly repeated: number }) => void, now: () => number) {
    this.#write = write;
    this.#now = now;
  }

  /** Writes a line; its `repeated` counts the refusals since the line before that were only counted. */
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
