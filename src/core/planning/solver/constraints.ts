/** Builds the solver's constraints from the price grid. */

import { type PlanGrid, PRICE_SCALE, stepsUp } from "./grid.ts";
import type { RunsBegin } from "./run-problem.ts";
import type { HardLimits } from "./solution.ts";

const ALL_LIMITS: HardLimits = { gaps: true, others: true, maxPrice: true };

/** Returns the cost of each step; Infinity if a limit forbids it. Fixed steps are always allowed; without a price they cost 0. */
export function stepCosts(grid: PlanGrid, maxPrice: number | undefined, limits: HardLimits = ALL_LIMITS): Float64Array {
  const most =
    maxPrice === undefined || !limits.maxPrice ? Number.POSITIVE_INFINITY : Math.round(maxPrice * PRICE_SCALE);
  const costs = new Float64Array(grid.count);
  for (let step = 0; step < grid.count; step++) {
    const price = grid.prices[step] as number;
    const unknown = Number.isNaN(price);
    const closed = (unknown && limits.gaps) || (grid.blocked[step] === 1 && limits.others) || price > most;
    const open = unknown ? 0 : price;
    costs[step] = closed && grid.forced[step] === 0 ? Number.POSITIVE_INFINITY : open;
  }
  return costs;
}

/** Lengths of runs, pauses and gaps. Unit: ms. */
export interface RunLengths {
  readonly minRunMs?: number | undefined;
  readonly minPauseMs?: number | undefined;
  readonly maxGapMs?: number | undefined;
}

/** Converts lengths to steps: minima rounded up, maxima rounded down. */
export function lengthsOf(
  { minRunMs = 0, minPauseMs = 0, maxGapMs = Number.POSITIVE_INFINITY }: RunLengths,
  stepMs: number,
): { minRun: number; minPause: number; maxGap: number } {
  return {
    minRun: Math.max(1, stepsUp(minRunMs, stepMs)),
    minPause: Math.max(1, stepsUp(minPauseMs, stepMs)),
    maxGap: Math.floor(maxGapMs / stepMs),
  };
}

/**
 * Returns the state at the start of the grid. A run in progress first reaches its minimum length, as far as it can
 * continue. A pause that has begun counts. So does time OFF since the last run, or since the start of the window. If that
 * already exceeds the maximum, the first run begins as early as possible. `starts`: Infinity where no run can begin.
 */
export function beginOf(
  grid: PlanGrid,
  windowStart: number,
  lengths: RunLengths,
  { costs, starts }: { readonly costs: Float64Array; readonly starts: Float64Array },
): RunsBegin {
  const { past, stepMs } = grid;
  const { minRunMs = 0, minPauseMs = 0, maxGapMs = Number.POSITIVE_INFINITY } = lengths;
  if (past.runningMs > 0) {
    const lacking = past.inProgress ? stepsUp(minRunMs - past.runningMs, stepMs) : 0;
    let need = 0;
    while (need < lacking && (costs[need] ?? Number.POSITIVE_INFINITY) < Number.POSITIVE_INFINITY) need++;
    return { kind: "running", need };
  }
  const first = past.lastEnd === null ? 0 : stepsUp(past.lastEnd + minPauseMs - grid.start, stepMs);
  const last = Math.floor(((past.lastEnd ?? windowStart) + maxGapMs - grid.start) / stepMs);
  let earliest = first;
  while (earliest < grid.count && starts[earliest] === Number.POSITIVE_INFINITY) earliest++;
  return { kind: "off", first, last: Math.min(grid.count - 1, Math.max(last, earliest)) };
}
