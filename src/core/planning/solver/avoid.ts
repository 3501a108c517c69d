/** `avoid`: ON except in the most expensive hours. */

import type { AvoidPlan, PlanSolution } from "../model/plan-spec.ts";
import { beginOf, lengthsOf, stepCosts } from "./constraints.ts";
import { type RunsProblem, startCosts } from "./run-problem.ts";
import { fewestSteps, mostSteps, type RunsChoice, RunsSolver } from "./runs-solver.ts";
import { type HardLimits, infeasible, type PlanTask, solved } from "./solution.ts";

/**
 * Chooses the steps that are OFF: exactly the remaining hours of the plan, at the maximum total price, and never OFF for
 * longer than `maxGap`. Steps that are OFF because of other plans or `maxPrice` count, and may exceed the hours. If they
 * exceed `maxGap`, the plan is ON there for as few steps as possible. Steps without a price stay ON.
 */
export function solveAvoid(task: PlanTask<AvoidPlan>): PlanSolution {
  const problem = problemOf(task);
  const { past, end } = task.grid;
  const mustRun = (past.lastEnd ?? task.window.start) + (task.spec.maxGapMs ?? Number.POSITIVE_INFINITY) < end;
  const exact = problem.on > 0 ? new RunsSolver(problem).cheapest() : null;
  const choice = exact ?? fewerSteps(problem, mustRun) ?? gapFirst(task, problem, mustRun);
  if (choice) return solved(task, { runs: choice.runs });
  const off = problem.costs.length - problem.on;
  const fewest = fewestSteps(problem);
  const short = fewest === null ? off : fewest - problem.on;
  return infeasible(task, off, short, (walls) => new RunsSolver(problemOf(task, walls)).cheapest() !== null);
}

/** Returns the solution with the most steps that `minRun` allows; null if `maxGap` needs another one. */
function fewerSteps(problem: AvoidProblem, mustRun: boolean): Pick<RunsChoice, "runs"> | null {
  const on = problem.on > 0 ? mostSteps(problem) : 0;
  if (on > 0) return new RunsSolver({ ...problem, on }).cheapest();
  return mustRun || problem.forced.includes(1) ? null : { runs: [] };
}

/** Returns the solution with as few closed steps ON as `maxGap` needs; null if `minRun` does not fit. */
function gapFirst(task: PlanTask<AvoidPlan>, problem: AvoidProblem, mustRun: boolean): RunsChoice | null {
  const unlimited = problemOf(task, { gaps: false, others: false, maxPrice: false });
  const { begin, minRun } = unlimited;
  const latest = task.grid.count - minRun;
  const first = begin.kind === "off" && mustRun ? { ...begin, last: Math.min(begin.last, latest) } : begin;
  const open = { ...unlimited, forced: problem.forced, begin: first };
  const isClosed = (step: number) => problem.costs[step] === Number.POSITIVE_INFINITY;
  const highest = open.costs.reduce((most, cost) => Math.max(most, Math.abs(cost)), 0);
  const penalty = (2 * highest + 1) * (open.costs.length + 1);
  // First the minimum number of closed steps, with as many open steps as possible. Then the resulting number of steps.
  const counted = open.costs.map((_, step) => (isClosed(step) ? open.costs.length + 1 : -1));
  const fewest = new RunsSolver({ ...open, costs: counted, on: null }).cheapest();
  if (!fewest) return null;
  let closed = fewest.runs.length === 0 ? open.minRun : 0;
  for (const [from, to] of fewest.runs) for (let step = from; step < to; step++) closed += isClosed(step) ? 1 : 0;
  const costs = open.costs.map((cost, step) => (isClosed(step) ? cost + penalty : cost));
  const on = Math.max(problem.on, Math.min(problem.most, problem.on + closed));
  return new RunsSolver({ ...open, costs, on }).cheapest();
}

/** `most`: number of steps ON according to the hours of the plan. */
type AvoidProblem = RunsProblem & { readonly on: number; readonly most: number };

function problemOf({ spec, grid, window }: PlanTask<AvoidPlan>, walls?: HardLimits): AvoidProblem {
  const costs = stepCosts(grid, spec.maxPrice, walls);
  const forced = grid.forced.slice();
  for (let step = 0; step < grid.count; step++) {
    const isBlocked = grid.blocked[step] === 1 && (walls?.others ?? true);
    if (!Number.isNaN(grid.prices[step]) || isBlocked) continue;
    costs[step] = 0;
    forced[step] = 1;
  }
  const offBeforeMs = Math.max(0, grid.start - window.start - grid.past.usedMs);
  const off = Math.max(0, Math.floor((spec.hoursMs - offBeforeMs) / grid.stepMs));
  const open = costs.reduce((sum, cost) => sum + (cost < Number.POSITIVE_INFINITY ? 1 : 0), 0);
  const fixed = forced.reduce((sum, step) => sum + step, 0);
  const most = grid.count - off;
  const on = Math.max(fixed, Math.min(open, most), 0);
  const lengths = lengthsOf(spec, grid.stepMs);
  // What closes the first steps does not extend the maximum time OFF.
  const starts = startCosts(new Float64Array(grid.count), lengths.minRun);
  const begin = beginOf(grid, window.start, spec, { costs, starts });
  return { costs, forced, on, most, ...lengths, begin };
}
