/** What runs are chosen on: a line of equal steps, and the rules for what may be ON. */

/** How the line is entered. */
export type RunsBegin =
  /** A run reaches the line and has to go on for `need` steps. */
  | { readonly kind: "running"; readonly need: number }
  /** The first run begins in one of the steps `first` to `last`, both included, but in none of `except` [from, to). */
  | {
      readonly kind: "off";
      readonly first: number;
      readonly last: number;
      readonly except?: readonly [from: number, to: number];
    };

export interface RunsProblem {
  /** Shape: whole numbers, so that sums are exact; Infinity where it may not be ON. */
  readonly costs: Float64Array;
  /** 1 where it has to be ON; those have a cost. */
  readonly forced: Uint8Array;
  /** How many steps are ON; at least 1, at most all. */
  readonly on: number;
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

/** Whether the first run may begin with a step. */
export function mayBegin(begin: RunsBegin, step: number): boolean {
  if (begin.kind === "running" || step < begin.first || step > begin.last) return false;
  return !begin.except || step < begin.except[0] || step >= begin.except[1];
}

/** A problem in which nothing has to be ON, with the same answers: what had to be is too good to be left out. */
export interface FavouredProblem extends RunsProblem {
  /** By how much the steps that have to be ON are cheaper together. */
  readonly bonus: number;
  /** A sum above this goes without one of them. */
  readonly dearest: number;
}

/**
 * Makes each step that has to be ON cheaper by more than all steps cost together, and than all of them are in number: so
 * a sum tells whether one is missing. Sums of a week stay below 2^50, and whole.
 */
export function favouredProblem(problem: RunsProblem): FavouredProblem {
  const { costs, forced } = problem;
  let sum = 0;
  let count = 0;
  for (let step = 0; step < costs.length; step++) {
    const cost = costs[step] as number;
    if (cost < Number.POSITIVE_INFINITY) sum += Math.abs(cost);
    count += forced[step] as number;
  }
  if (count === 0) return { ...problem, bonus: 0, dearest: Number.MAX_VALUE };
  const each = 2 * (sum + costs.length) + 1;
  const favoured = costs.map((cost, step) => (forced[step] === 1 ? cost - each : cost));
  return { ...problem, costs: favoured, bonus: each * count, dearest: sum - each * count };
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
