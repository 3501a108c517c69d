/** `avoid`: ON except in the dearest hours. */

import type { AvoidPlan, PlanSolution } from "../model/plan-spec.ts";
import { beginOf, lengthsOf, stepCosts } from "./constraints.ts";
import { stepsUp } from "./grid.ts";
import { type RunsProblem, startCosts } from "./run-problem.ts";
import { fewestSteps, RunsSolver } from "./runs-solver.ts";
import { type HardLimits, infeasible, type PlanTask, solved } from "./solution.ts";

/**
 * OFF in exactly the hours that are left of the plan, those that cost most together with no longer time OFF than
 * `maxGap`. Time OFF because others run or because a price is above `maxPrice` counts, and may be more than the hours.
 * A step without a price is not known to be dear: it stays ON.
 */
export function solveAvoid(task: PlanTask<AvoidPlan>): PlanSolution {
  const problem = problemOf(task);
  if (problem.on === 0) return solved(task, { runs: [] });
  const choice = new RunsSolver(problem).cheapest();
  if (choice) return solved(task, { runs: choice.runs });
  const off = problem.costs.length - problem.on;
  const fewest = fewestSteps(problem);
  const short = fewest === null ? off : fewest - problem.on;
  return infeasible(task, off, short, (walls) => new RunsSolver(problemOf(task, walls)).cheapest() !== null);
}

function problemOf(
  { spec, grid, window }: PlanTask<AvoidPlan>,
  walls?: HardLimits,
): RunsProblem & { readonly on: number } {
  const costs = stepCosts(grid, spec.maxPrice, walls);
  const forced = grid.forced.slice();
  for (let step = 0; step < grid.count; step++) {
    if (!Number.isNaN(grid.prices[step]) || costsBlocked(grid.blocked, step, walls)) continue;
    costs[step] = 0;
    forced[step] = 1;
  }
  const offBeforeMs = Math.max(0, grid.start - window.start - grid.past.usedMs);
  const off = stepsUp(spec.hoursMs - offBeforeMs, grid.stepMs);
  const open = costs.reduce((sum, cost) => sum + (cost < Number.POSITIVE_INFINITY ? 1 : 0), 0);
  const fixed = forced.reduce((sum, step) => sum + step, 0);
  const on = Math.max(fixed, Math.min(open, grid.count - off), 0);
  const begin = beginOf(grid, window.start, spec, costs, startCosts(costs, 1));
  return { costs, forced, on, ...lengthsOf(spec, grid.stepMs), maxRuns: Number.POSITIVE_INFINITY, begin };
}

function costsBlocked(blocked: Uint8Array, step: number, walls: HardLimits | undefined): boolean {
  return blocked[step] === 1 && (walls?.others ?? true);
}
