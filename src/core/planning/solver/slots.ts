/** `slots`: hours in any steps, with minimum runs and pauses and maximum gaps. */

import type { PlanSolution, SlotsPlan } from "../model/plan-spec.ts";
import { qualifying } from "./below.ts";
import { beginOf, lengthsOf, stepCosts } from "./constraints.ts";
import { stepsUp } from "./grid.ts";
import { type RunsProblem, startCosts } from "./run-problem.ts";
import { fewestSteps, mostSteps, type RunsChoice, RunsSolver } from "./runs-solver.ts";
import { type HardLimits, infeasible, type PlanTask, type Selection, slackOf, solved } from "./solution.ts";

type SlotsProblem = RunsProblem & { readonly on: number };

/**
 * Chooses the cheapest allowed steps for exactly the remaining hours. If less than `minRun` remains and nothing runs, the
 * last run has the length `minRun`: a plan gets at least its hours.
 */
export function solveSlots(task: PlanTask<SlotsPlan>): PlanSolution {
  const on = stepsLeft(task);
  if (on === 0 && task.spec.upToMs === undefined) return solved(task, { runs: [] });
  const least = on > 0 ? on : stepsForGap(task);
  const chosen = chooseSlots(task, least) ?? chooseRest(task, on);
  if (chosen) return solved(task, whileCheap(task, chosen));
  const problem = problemOf(task, on);
  const most = mostSteps(problem);
  const possible = (walls: HardLimits) => new RunsSolver(problemOf(task, on, walls)).cheapest() !== null;
  return partly(task, most, infeasible(task, on, on - most, possible));
}

/** Returns the solution with the most possible hours, unless the owner wants all or nothing. */
function partly(task: PlanTask<SlotsPlan>, most: number, none: PlanSolution): PlanSolution {
  const { spec, grid } = task;
  if (none.kind === "solved" || spec.whenShort === "nothing") return none;
  const hasRun = grid.past.usedMs > 0 && !grid.forced.includes(1);
  const chosen = most > 0 ? chooseSlots(task, most) : hasRun ? { runs: [] } : null;
  if (!chosen) return none;
  const reason = none.kind === "impossible" ? none.reason : "no_prices";
  // The hours may end within a step, so whole steps would be more than what is missing.
  const missingMs = Math.max(0, spec.hoursMs - grid.past.usedMs - most * grid.stepMs);
  const partial = solved(task, { ...chosen, shortfall: { missingMs, reason } });
  return none.kind === "impossible" ? partial : { ...none, partial };
}

/** Returns the remaining hours in steps, at least the fixed ones. */
function stepsLeft({ spec, grid }: PlanTask<SlotsPlan>): number {
  const fixed = grid.forced.reduce((sum, forced) => sum + forced, 0);
  return Math.max(fixed, stepsUp(spec.hoursMs - grid.past.usedMs, grid.stepMs));
}

/** Adds cheap steps: as many as `upTo` and the rules allow, and of equal numbers the cheapest. */
function whileCheap(task: PlanTask<SlotsPlan>, chosen: Selection): Selection {
  const { spec, grid } = task;
  const { upToMs, cheapBelow } = spec;
  const on = stepsUp((upToMs ?? 0) - grid.past.usedMs, grid.stepMs);
  if (!cheapBelow || on === 0) return chosen;
  const problem = problemOf(task, on);
  const cheap = qualifying({ ...task, spec: cheapBelow });
  const forced = grid.forced.slice();
  for (const [from, to] of chosen.runs) forced.fill(1, from, to);
  const costs = problem.costs.map((cost, step) => (cheap[step] || forced[step] ? cost : Number.POSITIVE_INFINITY));
  const more = { ...problem, costs, forced };
  const runs = new RunsSolver({ ...more, on: mostSteps(more) || on }).cheapest()?.runs ?? chosen.runs;
  return stepsOf(runs) > stepsOf(chosen.runs) ? { runs } : chosen;
}

function stepsOf(runs: Selection["runs"]): number {
  return runs.reduce((sum, [from, to]) => sum + to - from, 0);
}

/** Returns the steps that `maxGap` still needs after all hours have run during cheap steps. */
function stepsForGap(task: PlanTask<SlotsPlan>): number {
  const { spec, grid, window } = task;
  const offMs = grid.end - (grid.past.lastEnd ?? window.start);
  return offMs <= (spec.maxGapMs ?? offMs) ? 0 : (fewestSteps(problemOf(task, 1)) ?? 0);
}

/** Solves remaining hours that are shorter than `minRun`. */
function chooseRest(task: PlanTask<SlotsPlan>, on: number): Selection | null {
  const { minRun } = lengthsOf(task.spec, task.grid.stepMs);
  return task.grid.past.usedMs > 0 && on < minRun ? chooseSlots(task, minRun) : null;
}

function chooseSlots(task: PlanTask<SlotsPlan>, on: number): Selection | null {
  if (on === 0) return { runs: [] };
  const problem = problemOf(task, on);
  const solver = new RunsSolver(problem);
  const best = solver.cheapest();
  return best && { runs: tolerated(task, problem, solver, best).runs };
}

function problemOf({ spec, grid, window }: PlanTask<SlotsPlan>, on: number, walls?: HardLimits): SlotsProblem {
  const costs = stepCosts(grid, spec.maxPrice, walls);
  const lengths = lengthsOf(spec, grid.stepMs);
  const begin = beginOf(grid, window.start, spec, { costs, starts: startCosts(costs, lengths.minRun) });
  return { costs, forced: grid.forced, on, ...lengths, begin };
}

/**
 * Returns the latest or the earliest solution within the tolerance, by bisection: a later start or an earlier end never costs
 * less. A run in progress cannot start later. Ties: the cheapest, then the earliest.
 */
function tolerated(
  { spec, grid }: PlanTask<SlotsPlan>,
  problem: SlotsProblem,
  solver: RunsSolver,
  best: RunsChoice,
): RunsChoice {
  const { costs, begin, on } = problem;
  if (!spec.tolerance) return best;
  const { percent, side } = spec.tolerance;
  if (side === "latest" && begin.kind === "running") return best;
  const most = best.cost + slackOf(percent, best.cost, on, grid);
  const [start, end] = [best.runs[0]?.[0] ?? 0, best.runs.at(-1)?.[1] ?? on];
  const moved = (steps: number): RunsChoice | null => {
    if (side === "latest") return solver.cheapest({ most, first: start + steps });
    const earlier = { ...problem, costs: costs.slice().fill(Number.POSITIVE_INFINITY, end - steps) };
    return new RunsSolver(earlier).cheapest({ most });
  };
  let [low, high] = [0, side === "earliest" ? end - on : costs.length - on - start];
  while (low < high) {
    const steps = (low + high + 1) >> 1;
    if (moved(steps)) low = steps;
    else high = steps - 1;
  }
  return low === 0 ? best : (moved(low) ?? best);
}
