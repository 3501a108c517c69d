/** What runs are chosen on: a line of equal steps, and the rules for what may be ON. */

/** How the line is entered. */
export type RunsBegin =
  /** A run reaches the line and has to go on for `need` steps. */
  | { readonly kind: "running"; readonly need: number }
  /** The first run begins in one of the steps `first` to `last`, both included. */
  | { readonly kind: "off"; readonly first: number; readonly last: number };

export interface RunsProblem {
  /** Shape: whole numbers, so that sums are exact; Infinity where it may not be ON. */
  readonly costs: Float64Array;
  /** 1 where it has to be ON; those have a cost. */
  readonly forced: Uint8Array;
  /** How many steps are ON, at least 1; null for any number, none included: for steps that are worth having. */
  readonly on: number | null;
  /** At least 1. */
  readonly minRun: number;
  /** At least 1. */
  readonly minPause: number;
  /** Most steps OFF in a row, behind the last run too; Infinity for no bound. */
  readonly maxGap: number;
  /** Most runs that may begin; Infinity for no bound. */
  readonly maxRuns: number;
  readonly begin: RunsBegin;
}

/** A problem with what follows from it, for all who work along its line. */
export interface RunsLine extends RunsProblem {
  /** What the shortest run costs that begins with each step. */
  readonly starts: Float64Array;
  /** By the first step OFF: the last step by which it has to be ON again; the line's end where it need not. */
  readonly latest: Int32Array;
  /** The first step that has to be ON; the line's end where none has. */
  readonly firstForced: number;
  readonly countsRuns: boolean;
  /** How many runs may still begin when the first of them has; 0 where they are not counted. */
  readonly top: number;
}

export function lineOf(problem: RunsProblem): RunsLine {
  const { costs, forced, on, minRun, maxGap, maxRuns, begin } = problem;
  const end = costs.length;
  const latest = new Int32Array(end + 1);
  let nextForced = end;
  for (let step = end; step >= 0; step--) {
    if (forced[step] === 1) nextForced = step;
    latest[step] = Math.min(step + maxGap, nextForced);
  }
  const countsRuns = maxRuns < (on ?? end) / minRun;
  const top = countsRuns ? maxRuns - (begin.kind === "off" ? 1 : 0) : 0;
  return { ...problem, starts: startCosts(costs, minRun), latest, firstForced: nextForced, countsRuns, top };
}

/** The cost of `length` steps from each; Infinity where one of them is not allowed or the line ends. */
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
