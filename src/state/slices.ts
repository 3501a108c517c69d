/** Processes many homes in slices, so that LAN requests and messages are processed in between. */
import { setImmediate } from "node:timers/promises";

/** Maximum length of a slice. Only its last item may exceed it. */
const SLICE_MS = 10;

export interface SliceClock {
  readonly nowMs: () => number;
  /** Resolves in the next event-loop tick. */
  readonly nextTurn: () => Promise<unknown>;
}

interface Slices extends SliceClock {
  /** Runs each slice, for example to write once what it changed. */
  readonly within: <Result>(slice: () => Result) => Result;
}

const REAL: Slices = { nowMs: () => performance.now(), nextTurn: () => setImmediate(), within: (slice) => slice() };

/** Calls `work` for each item until it returns false. Returns whether all items were processed. */
export async function inSlices<Item>(
  items: Iterable<Item>,
  work: (item: Item) => boolean | undefined,
  slices: Partial<Slices> = {},
): Promise<boolean> {
  const { nowMs, nextTurn, within } = { ...REAL, ...slices };
  const iterator = items[Symbol.iterator]();
  const slice = () => {
    for (const began = nowMs(); nowMs() - began < SLICE_MS; ) {
      const next = iterator.next();
      if (next.done) return "processed";
      if (work(next.value) !== false) continue;
      iterator.return?.();
      return "ended";
    }
    return "due";
  };
  for (;;) {
    const end = within(slice);
    if (end !== "due") return end === "processed";
    await nextTurn();
  }
}
