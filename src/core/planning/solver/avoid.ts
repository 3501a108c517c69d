/** `avoid`: ON except in the most expensive hours. */

import type { AvoidPlan, PlanSolution } from "../model/plan-spec.ts";
import { beginOf, lengthsOf, stepCosts } from "./constraints.ts";
import { type RunsProblem, startCosts } from "./run-problem.ts";
import { fewestSteps, mostSteps, type RunsChoice, RunsSolver } from "./runs-solver.ts";
import { type HardLimits, infeasible, type PlanTask, solved } from "./solution.ts";

/**
 * OFF in exactly the hours that are left of the plan, those that cost most together with no longer time OFF than
 * `maxGap`. Time OFF because others run or because a price is above `maxPrice` counts, and may be more than the hours;
 * where it would be longer than `maxGap`, it is ON there for as few steps as keep that.
 * A step without a price is not known to be expensive: it stays ON.
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

/** The choice of as many steps as shortest runs allow; null where `maxGap` needs others. */
function fewerSteps(problem: AvoidProblem, mustRun: boolean): Pick<RunsChoice, "runs"> | null {
  const on = problem.on > 0 ? mostSteps(problem) : 0;
  if (on > 0) return new RunsSolver({ ...problem, on }).cheapest();
  return mustRun || problem.forced.includes(1) ? null : { runs: [] };
}

/** The choice that is ON in as few closed steps as `maxGap` needs; null where shortest runs do not fit either. */
function gapFirst(task: PlanTask<AvoidPlan>, problem: AvoidProblem, mustRun: boolean): RunsChoice | null {
  const unlimited = problemOf(task, { gaps: false, others: false, maxPrice: false });
  const { begin, minRun } = unlimited;
  const latest = task.grid.count - minRun;
  const first = begin.kind === "off" && mustRun ? { ...begin, last: Math.min(begin.last, latest) } : begin;
  const open = { ...unlimited, forced: problem.forced, begin: first };
  const isClosed = (step: number) => problem.costs[step] === Number.POSITIVE_INFINITY;
  const dearest = open.costs.reduce((most, cost) => Math.max(most, Math.abs(cost)), 0);
  const penalty = (2 * dearest + 1) * (open.costs.length + 1);
  // First as few closed steps as can be, with as many open ones; then the number of steps that this allows.
  const counted = open.costs.map((_, step) => (isClosed(step) ? open.costs.length + 1 : -1));
  const fewest = new RunsSolver({ ...open, costs: counted, on: null }).cheapest();
  if (!fewest) return null;
  let closed = fewest.runs.length === 0 ? open.minRun : 0;
  for (const [from, to] of fewest.runs) for (let step = from; step < to; step++) closed += isClosed(step) ? 1 : 0;
  const costs = open.costs.map((cost, step) => (isClosed(step) ? cost + penalty : cost));
  const on = Math.max(problem.on, Math.min(problem.most, problem.on + closed));
  return new RunsSolver({ ...open, costs, on }).cheapest();
}

/** `most`: the steps that the hours of the plan leave ON. */
type AvoidProblem = RunsProblem & { readonly on: number; readonly most: number };

function problemOf({ spec, grid, window }: PlanTask<AvoidPlan>, walls?: HardLimits): AvoidProblem {
  const costs = stepCosts(grid, spec.maxPrice, walls);
  const forced = grid.forced.slice();
  for (let step = 0; step < grid.count; step++) {
    if (!Number.isNaN(grid.prices[step]) || costsBlocked(grid.blocked, step, walls)) continue;
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
  const begin = beginOf(grid, window.start, spec, costs, startCosts(costs, lengths.minRun));
  return { costs, forced, on, most, ...lengths, maxRuns: Number.POSITIVE_INFINITY, begin };
}

function costsBlocked(blocked: Uint8Array, step: number, walls: HardLimits | undefined): boolean {
  return blocked[step] === 1 && (walls?.others ?? true);
}
