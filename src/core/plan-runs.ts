/** The cheapest runs on a line of equal steps, exact. */
import { GO_ON, type RunsProblem, type RunsTable, runsTable } from "./plan-runs-table.ts";

/** A stretch of steps [from, to). */
export type StepRun = readonly [from: number, to: number];

/** A set of runs and what it costs. Shape: `runs` ascending, apart. */
export interface RunsChoice {
  readonly cost: number;
  readonly runs: readonly StepRun[];
}

/**
 * The cheapest choice; null where there is none. Ties go to the earliest: of two equal sets the one that is ON in the
 * first step where they differ.
 */
export function cheapestRuns(problem: RunsProblem): RunsChoice | null {
  return bestOf(countedIfNeeded(problem));
}

/**
 * The table of a problem. Most lines need fewer runs than they may have, and a table that does not count them is that
 * many times smaller: where its best has few enough, it is the best of all.
 */
export function countedIfNeeded(problem: RunsProblem): RunsTable {
  if (problem.maxRuns >= mostRuns(problem)) return countedTable(problem);
  const uncounted = runsTable({ ...problem, maxRuns: Number.POSITIVE_INFINITY });
  const free = bestOf(uncounted);
  const continued = problem.begin.kind === "running" ? 1 : 0;
  return !free || free.runs.length - continued <= problem.maxRuns ? uncounted : countedTable(problem);
}

/** The table that counts runs, unless there can be no more of them than there may be. */
export function countedTable(problem: RunsProblem, options: { fewer?: boolean } = {}): RunsTable {
  const counted = problem.maxRuns < mostRuns(problem);
  return runsTable(counted ? problem : { ...problem, maxRuns: Number.POSITIVE_INFINITY }, options);
}

/** How many runs of the shortest length the steps are enough for. */
function mostRuns({ on, minRun }: RunsProblem): number {
  return Math.floor(on / minRun);
}

/** The cheapest steps, where any will do. Ties go to the earliest. */
export function cheapestSteps({ costs, forced, on }: RunsProblem): RunsChoice | null {
  const free = costs.filter((_, step) => forced[step] === 0).sort();
  const needed = on - (costs.length - free.length);
  const limit = needed > 0 ? (free[needed - 1] as number) : Number.NEGATIVE_INFINITY;
  if (!(limit < Number.POSITIVE_INFINITY)) return null;
  let equal = needed;
  for (let i = 0; i < needed; i++) if ((free[i] as number) < limit) equal--;
  let cost = 0;
  const runs: [number, number][] = [];
  for (let step = 0; step < costs.length; step++) {
    const own = costs[step] as number;
    if (forced[step] === 0 && !(own < limit || (own === limit && equal-- > 0))) continue;
    cost += own;
    const last = runs.at(-1);
    if (last?.[1] === step) last[1] = step + 1;
    else runs.push([step, step + 1]);
  }
  return { cost, runs };
}

/** The earliest of the cheapest; null where there is none. */
export function bestOf(table: RunsTable): RunsChoice | null {
  const { begin, on } = table.problem;
  if (begin.kind === "running") {
    const cost = costRunning(table, begin.need, on);
    if (cost === Number.POSITIVE_INFINITY) return null;
    return { cost, runs: walk(table, { begun: 0, step: begin.need, left: on - begin.need, layer: table.layers - 1 }) };
  }
  let best = begin.first;
  for (let first = best; first <= begin.last; first++) {
    if (costFrom(table, first, on) < costFrom(table, best, on)) best = first;
  }
  return bestFrom(table, best);
}

/** The earliest of the cheapest whose first run begins with a step; null where there is none. */
export function bestFrom(table: RunsTable, first: number): RunsChoice | null {
  const { on, minRun } = table.problem;
  const cost = costFrom(table, first, on);
  if (cost === Number.POSITIVE_INFINITY) return null;
  const layer = Math.max(0, table.layers - 2);
  return { cost, runs: walk(table, { begun: first, step: first + minRun, left: on - minRun, layer }) };
}

/** What the cheapest costs whose first run begins with a step, with `on` steps; Infinity where there is none. */
export function costFrom(table: RunsTable, first: number, on = table.problem.on): number {
  const { begin, minRun, costs } = table.problem;
  const allowed = begin.kind === "off" && first >= begin.first && first <= begin.last;
  if (!allowed || !table.behindFirst || on < minRun || first + on > costs.length) return Number.POSITIVE_INFINITY;
  if (first > (table.nextForced[0] as number)) return Number.POSITIVE_INFINITY;
  const state = (on - minRun) * table.columns + columnOf(table, first, on);
  return (table.startCosts[first] as number) + (table.behindFirst[state] as number);
}

/** The most steps, up to `on`, that can be placed at all; 0 where none can. */
export function mostSteps(problem: RunsProblem): number {
  if (problem.on === 0 || problem.costs.length === 0) return 0;
  const costs = problem.costs.map((cost) => (cost < Number.POSITIVE_INFINITY ? 0 : cost));
  const on = Math.min(problem.on, costs.length);
  const table = countedTable({ ...problem, costs, on }, { fewer: true });
  for (let steps = on; steps > 0; steps--) if (canPlace(table, steps)) return steps;
  return 0;
}

/** The fewest steps, of `least` and more, that can be placed at all; null where none can. */
export function fewestSteps(problem: RunsProblem, least: number): number | null {
  const costs = problem.costs.map((cost) => (cost < Number.POSITIVE_INFINITY ? 0 : cost));
  const table = countedTable({ ...problem, costs, on: costs.length }, { fewer: true });
  for (let steps = Math.max(1, least); steps <= costs.length; steps++) if (canPlace(table, steps)) return steps;
  return null;
}

function canPlace(table: RunsTable, on: number): boolean {
  const { begin } = table.problem;
  if (begin.kind === "running") return costRunning(table, begin.need, on) < Number.POSITIVE_INFINITY;
  for (let first = begin.first; first <= begin.last; first++) {
    if (costFrom(table, first, on) < Number.POSITIVE_INFINITY) return true;
  }
  return false;
}

function costRunning(table: RunsTable, need: number, on: number): number {
  if (need > on) return Number.POSITIVE_INFINITY;
  let cost = table.top[(on - need) * table.columns + columnOf(table, 0, on)] as number;
  for (let step = 0; step < need; step++) cost += table.problem.costs[step] as number;
  return cost;
}

/** Where a step stands in the row of `left` steps still to place. */
function columnOf({ problem, shift }: RunsTable, step: number, left: number): number {
  return step + shift - (problem.on - left);
}

/** Follows the choices from a state of a run that began with `begun`. */
function walk(table: RunsTable, from: { begun: number; step: number; left: number; layer: number }): StepRun[] {
  const { choices, columns, problem } = table;
  const runs: StepRun[] = [];
  let { begun, step, left, layer } = from;
  const size = (problem.on + 1) * columns;
  while (left > 0) {
    const choice = choices[layer * size + left * columns + columnOf(table, step, left)] as number;
    if (choice === GO_ON) {
      left--;
      step++;
      continue;
    }
    runs.push([begun, step]);
    begun = choice - 1;
    step = begun + problem.minRun;
    left -= problem.minRun;
    if (table.layers > 1) layer--;
  }
  runs.push([begun, step]);
  return runs;
}
