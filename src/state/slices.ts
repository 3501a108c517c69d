/** Work on many homes in slices, so that requests of the LAN and messages get their turn in between. */
import { setImmediate } from "node:timers/promises";

/** The longest that one slice holds the event loop, but for the one home that goes over it. */
const SLICE_MS = 10;

export interface SliceClock {
  readonly nowMs: () => number;
  /** Lets others have their turn. */
  readonly nextTurn: () => Promise<unknown>;
}

const REAL: SliceClock = { nowMs: () => performance.now(), nextTurn: () => setImmediate() };

/** Does `work` for each of `items` until it says that the rest can wait. Returns whether all was done. */
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
