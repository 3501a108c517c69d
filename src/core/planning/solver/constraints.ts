/** A grid as the line that runs are chosen on: what each step costs, how the line is entered. */

import { type PlanGrid, PRICE_SCALE, stepsUp } from "./grid.ts";
import type { RunsBegin } from "./run-problem.ts";
import type { HardLimits } from "./solution.ts";

const ALL_WALLS: HardLimits = { gaps: true, others: true, maxPrice: true };

/** What each step costs; Infinity where a wall stands. A fixed run stands through walls; without a price it is free. */
export function stepCosts(grid: PlanGrid, maxPrice: number | undefined, walls: HardLimits = ALL_WALLS): Float64Array {
  const most =
    maxPrice === undefined || !walls.maxPrice ? Number.POSITIVE_INFINITY : Math.round(maxPrice * PRICE_SCALE);
  const costs = new Float64Array(grid.count);
  for (let step = 0; step < grid.count; step++) {
    const price = grid.prices[step] as number;
    const unknown = Number.isNaN(price);
    const closed = (unknown && walls.gaps) || (grid.blocked[step] === 1 && walls.others) || price > most;
    const open = unknown ? 0 : price;
    costs[step] = closed && grid.forced[step] === 0 ? Number.POSITIVE_INFINITY : open;
  }
  return costs;
}

/** How long runs, pauses and gaps are to be. Unit: milliseconds. */
export interface RunLengths {
  readonly minRunMs?: number | undefined;
  readonly minPauseMs?: number | undefined;
  readonly maxGapMs?: number | undefined;
}

/** The same in steps: at least the shortest, at most the longest. */
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
 * How the line is entered after what has been. A run in progress is first brought to its shortest length, as far as it
 * can go on. A pause that has begun counts, and so does time OFF: since the last run, else since the window's start;
 * where that has been too long already, the first run begins as early as one can. `starts`: Infinity where none can.
 */
export function beginOf(
  grid: PlanGrid,
  windowStart: number,
  lengths: RunLengths,
  costs: Float64Array,
  starts: Float64Array,
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
