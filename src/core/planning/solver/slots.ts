/** `slots`: so many hours in any steps, with shortest runs and pauses and longest gaps. */

import type { PlanAlternatives, PlanSolution, PlanTolerance, SlotsPlan } from "../model/plan-spec.ts";
import { beginOf, lengthsOf, stepCosts } from "./constraints.ts";
import { mostSteps } from "./feasible-count.ts";
import { PRICE_SCALE, spanOf, stepsUp } from "./grid.ts";
import { type RunsProblem, startCosts } from "./run-problem.ts";
import { cheapestRuns, type FoundRuns, type RunsChoice } from "./run-selection.ts";
import { cheapestSteps, isFree } from "./run-selection-unconstrained.ts";
import { type HardLimits, infeasible, otherStart, type PlanTask, type Selection, slackOf, solved } from "./solution.ts";

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
  const short = on - mostSteps(problem);
  return infeasible(task, on, short, (walls) => cheapestRuns(problemOf(task, on, walls)) !== null);
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
  if (on > problem.costs.length) return null;
  const { tolerance } = task.spec;
  if (!tolerance && isFree(problem)) return chooseSteps(task, problem);
  const best = cheapestRuns(problem);
  if (!best) return null;
  const choice = tolerance ? tolerated(task, problem, best, tolerance) : best;
  return { runs: choice.runs, nextBest: nextBest(task, problem, choice) };
}

function problemOf({ spec, grid, window }: PlanTask<SlotsPlan>, on: number, walls?: HardLimits): RunsProblem {
  const costs = stepCosts(grid, spec.maxPrice, walls);
  const lengths = lengthsOf(spec, grid.stepMs);
  const begin = beginOf(grid, window.start, spec, costs, startCosts(costs, lengths.minRun));
  const maxRuns = Math.max(0, (spec.atMostRuns ?? Number.POSITIVE_INFINITY) - grid.past.runs);
  return { costs, forced: grid.forced, on, ...lengths, maxRuns, begin };
}

function chooseSteps(task: PlanTask<SlotsPlan>, problem: RunsProblem): Selection | null {
  const choice = cheapestSteps(problem);
  if (!choice) return null;
  return { runs: choice.runs, nextBest: nextBestSteps(task, problem, choice) };
}

/** Of the choices that are hardly dearer than the best, the latest or the earliest. Ties: the cheapest, then the earliest. */
function tolerated(
  { grid }: PlanTask<SlotsPlan>,
  problem: RunsProblem,
  best: FoundRuns,
  { percent, side }: PlanTolerance,
): FoundRuns {
  const most = best.cost + slackOf(percent, best.cost, problem.on, grid);
  return side === "earliest" ? earliestWithin(problem, best, most) : latestWithin(problem, best, most);
}

/** Halves the time within which the last run ends: an earlier end never costs less. */
function earliestWithin(problem: RunsProblem, best: FoundRuns, most: number): FoundRuns {
  let choice = best;
  let low = problem.on;
  let high = best.runs.at(-1)?.[1] ?? low;
  while (low < high) {
    const end = (low + high) >> 1;
    const costs = problem.costs.slice().fill(Number.POSITIVE_INFINITY, end);
    const earlier = cheapestRuns({ ...problem, costs }, { most, trail: best.trail });
    if (earlier) {
      choice = earlier;
      high = earlier.runs.at(-1)?.[1] ?? end;
    } else low = end + 1;
  }
  return choice;
}

/** Halves the time within which the first run begins: a later beginning never costs less. A run that goes on has begun. */
function latestWithin(problem: RunsProblem, best: FoundRuns, most: number): FoundRuns {
  const { begin } = problem;
  if (begin.kind === "running") return best;
  let choice = best;
  let low = best.runs[0]?.[0] ?? begin.first;
  let high = begin.last;
  while (low < high) {
    const first = (low + high + 1) >> 1;
    const later = cheapestRuns({ ...problem, begin: { ...begin, first } }, { most, trail: best.trail });
    if (later) {
      choice = later;
      low = later.runs[0]?.[0] ?? first;
    } else high = first - 1;
  }
  return choice;
}

/** The best whose first run begins elsewhere; null where a run goes on. */
function nextBest(task: PlanTask, problem: RunsProblem, choice: FoundRuns): PlanAlternatives["nextBest"] {
  const { begin, on } = problem;
  if (begin.kind === "running") return null;
  const chosen = choice.runs[0]?.[0] ?? 0;
  const apart = otherStart(task.grid, on);
  const elsewhere = { ...begin, except: [chosen - apart + 1, chosen + apart] } as const;
  const other = cheapestRuns({ ...problem, begin: elsewhere }, { trail: choice.trail });
  if (!other) return null;
  const first = other.runs[0]?.[0] ?? 0;
  return { start: spanOf(task.grid, first, first + 1).start, meanPrice: other.cost / on / PRICE_SCALE };
}

/**
 * The same where any steps will do. Later: the cheapest of what is left. Earlier: every step there is dearer than all
 * the chosen, so the cheapest of them takes the place of the dearest chosen.
 */
function nextBestSteps({ grid }: PlanTask, problem: RunsProblem, choice: RunsChoice): PlanAlternatives["nextBest"] {
  const { costs, forced, on, begin } = problem;
  if (begin.kind === "running") return null;
  const chosen = choice.runs[0]?.[0] ?? 0;
  const apart = otherStart(grid, on);
  const later = cheapestSteps({ ...problem, costs: costs.slice().fill(Number.POSITIVE_INFINITY, 0, chosen + apart) });
  let earlier = -1;
  for (let step = 0; step <= chosen - apart; step++) {
    if ((costs[step] as number) < (earlier < 0 ? Number.POSITIVE_INFINITY : (costs[earlier] as number))) earlier = step;
  }
  const dearest = dearestOf(choice, costs, forced);
  const earlierCost = earlier < 0 ? Number.POSITIVE_INFINITY : choice.cost - dearest + (costs[earlier] as number);
  // What has to be stays where it is: then there is nothing elsewhere.
  const laterCost = later?.cost ?? Number.POSITIVE_INFINITY;
  const cost = Math.min(laterCost, earlierCost);
  if (cost === Number.POSITIVE_INFINITY) return null;
  const first = laterCost < earlierCost ? (later?.runs[0]?.[0] ?? 0) : earlier;
  return { start: spanOf(grid, first, first + 1).start, meanPrice: cost / on / PRICE_SCALE };
}

/** The most that a chosen step costs which need not be; -Infinity where all have to be. */
function dearestOf(choice: RunsChoice, costs: Float64Array, forced: Uint8Array): number {
  let dearest = Number.NEGATIVE_INFINITY;
  for (const [from, to] of choice.runs) {
    for (let step = from; step < to; step++) {
      if (forced[step] === 0) dearest = Math.max(dearest, costs[step] as number);
    }
  }
  return dearest;
}
