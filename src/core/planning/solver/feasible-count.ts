/** How many steps can be placed at all, whatever they cost. */

import { RunsTable } from "./dynamic-program.ts";
import { RunsSweep } from "./lagrangian-sweep.ts";
import { type FavouredProblem, favouredProblem, type RunsProblem } from "./run-problem.ts";
import { entryOf } from "./run-selection.ts";

/** The most steps, up to `on`, that can be placed; 0 where none can. */
export function mostSteps(problem: RunsProblem): number {
  const on = Math.min(problem.on, problem.costs.length);
  const open = openProblem({ ...problem, on });
  const range = rangeOf(open);
  if (!range || range.fewest > on) return 0;
  if (range.most <= on) return range.most;
  const table = openTable(open);
  for (let steps = on; steps >= range.fewest && steps > 0; steps--) if (canPlace(table, open, steps)) return steps;
  return 0;
}

/** The fewest steps, of `least` and more, that can be placed; null where none can. */
export function fewestSteps(problem: RunsProblem, least: number): number | null {
  const open = openProblem({ ...problem, on: problem.costs.length });
  const range = rangeOf(open);
  if (!range || range.most < least) return null;
  if (range.fewest >= Math.max(1, least)) return range.fewest;
  const table = openTable(open);
  for (let steps = Math.max(1, least); steps <= range.most; steps++) if (canPlace(table, open, steps)) return steps;
  return null;
}

/** A step costs nothing, or may not be ON; runs are counted where there could be too many of them. */
function openProblem(problem: RunsProblem): FavouredProblem {
  const costs = problem.costs.map((cost) => (cost < Number.POSITIVE_INFINITY ? 0 : cost));
  const maxRuns =
    problem.maxRuns < Math.floor(problem.on / problem.minRun) ? problem.maxRuns : Number.POSITIVE_INFINITY;
  return favouredProblem({ ...problem, costs, maxRuns });
}

/** The ends of the numbers of steps that can be placed, between which there may be others that cannot. */
function rangeOf(open: FavouredProblem): { fewest: number; most: number } | null {
  const sweep = new RunsSweep(open);
  // Steps that are paid for are as many as there can be; those that are fined as few.
  sweep.run(1);
  const most = sweep.leastOn;
  if (sweep.least + most > open.dearest) return null;
  sweep.run(-1);
  return { fewest: sweep.leastOn, most };
}

function openTable(open: FavouredProblem): RunsTable {
  const sweep = new RunsSweep(open);
  sweep.run(0);
  const table = new RunsTable(open, sweep, 0);
  table.fill(Number.MAX_VALUE, 1);
  return table;
}

function canPlace(table: RunsTable, { dearest }: FavouredProblem, steps: number): boolean {
  return entryOf(table, steps).cost <= dearest;
}
