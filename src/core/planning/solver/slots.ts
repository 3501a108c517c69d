/** `slots`: so many hours in any steps, with shortest runs and pauses and longest gaps. */

import type { PlanAlternatives, PlanSolution, SlotsPlan } from "../model/plan-spec.ts";
import { beginOf, lengthsOf, stepCosts } from "./constraints.ts";
import { PRICE_SCALE, spanOf, stepsUp } from "./grid.ts";
import { type RunsProblem, startCosts } from "./run-problem.ts";
import { mostSteps, type RunsChoice, RunsSolver } from "./runs-solver.ts";
import { type HardLimits, infeasible, otherStart, type PlanTask, type Selection, slackOf, solved } from "./solution.ts";

type SlotsProblem = RunsProblem & { readonly on: number };

/**
 * Exactly the hours that are left of the plan, in the cheapest steps that are allowed. Where less is left than the
 * shortest run and nothing runs, the last run is as long as the shortest: a plan gets at least its hours.
 */
export function solveSlots(task: PlanTask<SlotsPlan>): PlanSolution {
  const on = stepsLeft(task);
  if (on === 0) return solved(task, { runs: [] });
  const chosen = chooseSlots(task, on) ?? chooseRest(task, on);
  if (chosen) return solved(task, chosen);
  const problem = problemOf(task, on);
  const most = mostSteps(problem);
  const possible = (walls: HardLimits) => new RunsSolver(problemOf(task, on, walls)).cheapest() !== null;
  return partly(task, on, most, infeasible(task, on, on - most, possible));
}

/** The most of the hours that is possible, unless the owner wants all or nothing. */
function partly(task: PlanTask<SlotsPlan>, on: number, most: number, none: PlanSolution): PlanSolution {
  const { spec, grid } = task;
  if (none.kind === "solved" || spec.whenShort === "nothing") return none;
  const hasRun = grid.past.usedMs > 0 && !grid.forced.includes(1);
  const chosen = most > 0 ? chooseSlots(task, most) : hasRun ? { runs: [] } : null;
  if (!chosen) return none;
  const reason = none.kind === "impossible" ? none.reason : "no_prices";
  const partial = solved(task, { ...chosen, shortfall: { missingMs: (on - most) * grid.stepMs, reason } });
  return none.kind === "impossible" ? partial : { ...none, partial };
}

/** What has not run of the hours, and at least what is fixed. */
function stepsLeft({ spec, grid }: PlanTask<SlotsPlan>): number {
  const fixed = grid.forced.reduce((sum, forced) => sum + forced, 0);
  return Math.max(fixed, stepsUp(spec.hoursMs - grid.past.usedMs, grid.stepMs));
}

/** A rest that is shorter than the shortest run. */
function chooseRest(task: PlanTask<SlotsPlan>, on: number): Selection | null {
  const { minRun } = lengthsOf(task.spec, task.grid.stepMs);
  return task.grid.past.usedMs > 0 && on < minRun ? chooseSlots(task, minRun) : null;
}

function chooseSlots(task: PlanTask<SlotsPlan>, on: number): Selection | null {
  const problem = problemOf(task, on);
  const solver = new RunsSolver(problem);
  const best = solver.cheapest();
  if (!best) return null;
  const choice = tolerated(task, problem, solver, best);
  const isSame = choice.runs[0]?.[0] === best.runs[0]?.[0] && choice.cost === best.cost;
  return {
    runs: choice.runs,
    nextBest: nextBest(task, problem, solver, choice),
    best: isSame ? null : told(task, best, on),
  };
}

function problemOf({ spec, grid, window }: PlanTask<SlotsPlan>, on: number, walls?: HardLimits): SlotsProblem {
  const costs = stepCosts(grid, spec.maxPrice, walls);
  const lengths = lengthsOf(spec, grid.stepMs);
  const begin = beginOf(grid, window.start, spec, costs, startCosts(costs, lengths.minRun));
  const maxRuns = Math.max(0, (spec.atMostRuns ?? Number.POSITIVE_INFINITY) - grid.past.runs);
  return { costs, forced: grid.forced, on, ...lengths, maxRuns, begin };
}

/** Of the choices that are hardly dearer than the best, the latest or the earliest. Ties: the cheapest, then the earliest. */
function tolerated(
  { spec, grid }: PlanTask<SlotsPlan>,
  problem: SlotsProblem,
  solver: RunsSolver,
  best: RunsChoice,
): RunsChoice {
  if (!spec.tolerance) return best;
  const { percent, side } = spec.tolerance;
  const most = best.cost + slackOf(percent, best.cost, problem.on, grid);
  return side === "earliest" ? earliestWithin(problem, best, most) : latestWithin(problem, solver, best, most);
}

/** Halves the time within which the last run ends: an earlier end never costs less. */
function earliestWithin(problem: RunsProblem, best: RunsChoice, most: number): RunsChoice {
  let choice = best;
  let low = problem.on ?? 0;
  let high = best.runs.at(-1)?.[1] ?? low;
  while (low < high) {
    const end = (low + high) >> 1;
    const costs = problem.costs.slice().fill(Number.POSITIVE_INFINITY, end);
    const earlier = new RunsSolver({ ...problem, costs }).cheapest({ most });
    if (earlier) {
      choice = earlier;
      high = earlier.runs.at(-1)?.[1] ?? end;
    } else low = end + 1;
  }
  return choice;
}

/** A run that goes on has begun. */
function latestWithin({ begin }: RunsProblem, solver: RunsSolver, best: RunsChoice, most: number): RunsChoice {
  if (begin.kind === "running") return best;
  for (let first = begin.last; first > begin.first; first--) {
    const later = solver.cheapest({ may: (step) => step === first, most });
    if (later) return later;
  }
  return best;
}

/** The best whose first run begins elsewhere; null where a run goes on. */
function nextBest(
  task: PlanTask,
  { begin, on }: SlotsProblem,
  solver: RunsSolver,
  choice: RunsChoice,
): PlanAlternatives["nextBest"] {
  if (begin.kind === "running") return null;
  const chosen = choice.runs[0]?.[0] ?? 0;
  const apart = otherStart(task.grid, on);
  const other = solver.cheapest({ may: (first) => Math.abs(first - chosen) >= apart });
  if (!other) return null;
  return told(task, other, on);
}

/** When a choice begins and what it costs. */
function told({ grid }: PlanTask, { runs, cost }: RunsChoice, on: number): NonNullable<PlanAlternatives["nextBest"]> {
  const first = runs[0]?.[0] ?? 0;
  return { start: spanOf(grid, first, first + 1).start, meanPrice: cost / on / PRICE_SCALE };
}
