/** Processes many homes in slices, so that LAN requests and messages are processed in between. */
import { setImmediate } from "node:timers/promises";

/** Maximum length of a slice. Only its last item may exceed it. */
const SLICE_MS = 10;

export interface SliceClock {
  readonly nowMs: () => number;
  /** Resolves in the next event-loop tick. */
  readonly nextTurn: () => Promise<unknown>;
}

const REAL: SliceClock = { nowMs: () => performance.now(), nextTurn: () => setImmediate() };

/** Calls `work` for each item until it returns false. Returns whether all items were processed. */
export async function inSlices<Item>(
  items: Iterable<Item>,
  work: (item: Item) => boolean | undefined,
  { nowMs, nextTurn }: SliceClock = REAL,
): Promise<boolean> {
  let began = nowMs();
  for (const item of items) {
    if (nowMs() - began >= SLICE_MS) {
      await nextTurn();
      began = nowMs();
    }
    if (work(item) === false) return false;
  }
  return true;
}
