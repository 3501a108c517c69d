/** The problem of choosing runs: a line of equal steps, and the rules for ON and OFF. */

/** State at the start of the line. */
export type RunsBegin =
  /** A run is in progress and has to continue for `need` steps. */
  | { readonly kind: "running"; readonly need: number }
  /** The first run begins in a step from `first` to `last`, both included. */
  | { readonly kind: "off"; readonly first: number; readonly last: number };

export interface RunsProblem {
  /** Cost of each step ON. Shape: whole numbers, so that sums are exact; Infinity if ON is not allowed. */
  readonly costs: Float64Array;
  /** 1 for steps that have to be ON; their cost is finite. */
  readonly forced: Uint8Array;
  /** Number of steps ON, at least 1; null for any number from 0, for example with negative costs. */
  readonly on: number | null;
  /** At least 1. */
  readonly minRun: number;
  /** At least 1. */
  readonly minPause: number;
  /** Maximum consecutive steps OFF, also after the last run; Infinity for no limit. */
  readonly maxGap: number;
  readonly begin: RunsBegin;
}

/** A problem with values derived from it. */
export type RunsLine = Readonly<ReturnType<typeof lineOf>>;

export function lineOf(problem: RunsProblem) {
  const { costs, forced, minRun, maxGap } = problem;
  const end = costs.length;
  const latest = new Int32Array(end + 1);
  let nextForced = end;
  for (let step = end; step >= 0; step--) {
    if (forced[step] === 1) nextForced = step;
    latest[step] = Math.min(step + maxGap, nextForced);
  }
  return {
    ...problem,
    /** Cost of a run of `minRun` that begins in a step, indexed by step. */
    starts: startCosts(costs, minRun),
    /** The last step in which it has to be ON again, indexed by the first step OFF; the end of the line without one. */
    latest,
    /** First step that has to be ON; the end of the line if none. */
    firstForced: nextForced,
    /** End of the last step that may be ON. */
    open: costs.findLastIndex((cost) => cost < Number.POSITIVE_INFINITY) + 1,
  };
}

/** Returns the cost of `length` steps from each step; Infinity if one is not allowed or the line ends. */
export function startCosts(costs: Float64Array, length: number): Float64Array {
  const sums = new Float64Array(costs.length + 1).fill(Number.POSITIVE_INFINITY);
  let sum = 0;
  let closed = 0;
  for (let end = 1; end <= costs.length; end++) {
    const added = costs[end - 1] as number;
    if (added === Number.POSITIVE_INFINITY) closed++;
    else sum += added;
    if (end > length) {
      const removed = costs[end - 1 - length] as number;
      if (removed === Number.POSITIVE_INFINITY) closed--;
      else sum -= removed;
    }
    if (end >= length && closed === 0) sums[end - length] = sum;
  }
  return sums;
}
