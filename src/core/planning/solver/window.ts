/** `window`: one run, weighted by its power profile. */

import type { PlanSolution, PlanTolerance, WindowPlan } from "../model/plan-spec.ts";
import { stepCosts } from "./constraints.ts";
import { PRICE_SCALE, stepsUp } from "./grid.ts";
import { fixedIn, type HardLimits, infeasible, type PlanTask, type Selection, slackOf, solved } from "./solution.ts";

/** Weight of the mean power. Weights are whole numbers, so that costs are exact. */
const MEAN_WEIGHT = 1_000;

/** Returns the cheapest run. A run that has begun in this window is kept: it is never moved nor divided. */
export function solveWindow(task: PlanTask<WindowPlan>): PlanSolution {
  const { spec, window, context, grid } = task;
  if (fixedIn(window, context).length > 0) return solved(task, { runs: [] });
  const weights = profileWeights(spec.profile, stepsUp(spec.hoursMs, grid.stepMs));
  const priced = weighted(stepCosts(grid, undefined), weights);
  const chosen = chooseRun(task, priced, weights);
  if (chosen) return solved(task, chosen);
  const possible = (walls: HardLimits) => {
    const costs = weighted(stepCosts(grid, undefined, walls), weights);
    return leastOf(walls.maxPrice ? affordable(costs, spec.maxPrice, weights) : costs) < Number.POSITIVE_INFINITY;
  };
  const tooExpensive = leastOf(priced) < Number.POSITIVE_INFINITY;
  const longest = tooExpensive ? 0 : longestStretch(stepCosts(grid, undefined));
  return infeasible(task, weights.length, weights.length - longest, possible);
}

/** Returns the weights of `steps` for a profile stretched over them: whole numbers around `MEAN_WEIGHT`. */
export function profileWeights(profile: readonly number[] = [], steps: number): Float64Array {
  const total = profile.reduce((sum, power) => sum + power, 0);
  const weights = new Float64Array(steps).fill(MEAN_WEIGHT);
  if (!(total > 0)) return weights;
  for (let step = 0; step < steps; step++) {
    const from = (step * profile.length) / steps;
    const to = ((step + 1) * profile.length) / steps;
    let power = 0;
    for (let i = Math.floor(from); i < Math.min(to, profile.length); i++) {
      power += (profile[i] as number) * (Math.min(to, i + 1) - Math.max(from, i));
    }
    weights[step] = Math.round((power / total) * steps * MEAN_WEIGHT);
  }
  return weights;
}

function chooseRun(task: PlanTask<WindowPlan>, priced: Float64Array, weights: Float64Array): Selection | null {
  const { spec } = task;
  const costs = affordable(priced, spec.maxPrice, weights);
  const best = leastOf(costs);
  if (best === Number.POSITIVE_INFINITY) return null;
  const total = totalOf(weights);
  const first = spec.tolerance ? tolerated(task, costs, total, spec.tolerance) : costs.indexOf(best);
  return { runs: [[first, first + weights.length]], meanPrice: (costs[first] as number) / total / PRICE_SCALE };
}

/** Returns the latest or the earliest start within the tolerance. */
function tolerated({ grid }: PlanTask, costs: Float64Array, total: number, { percent, side }: PlanTolerance): number {
  const best = leastOf(costs);
  const most = best + slackOf(percent, best, total, grid);
  const within = (cost: number) => cost <= most;
  return side === "earliest" ? costs.findIndex(within) : costs.findLastIndex(within);
}

/** Returns the cost of the run by its first step; Infinity if one of its steps is not allowed. */
function weighted(costs: Float64Array, weights: Float64Array): Float64Array {
  const count = Math.max(0, costs.length - weights.length + 1);
  const sums = new Float64Array(count);
  for (let first = 0; first < count; first++) {
    let sum = 0;
    for (let i = 0; i < weights.length; i++) {
      const cost = costs[first + i] as number;
      // A step without power has to be allowed too; 0 times Infinity would be NaN.
      sum += cost < Number.POSITIVE_INFINITY ? cost * (weights[i] as number) : cost;
    }
    sums[first] = sum;
  }
  return sums;
}

/** Replaces the cost of runs whose mean is above the maximum by Infinity. */
function affordable(costs: Float64Array, maxPrice: number | undefined, weights: Float64Array): Float64Array {
  if (maxPrice === undefined) return costs;
  const most = Math.round(maxPrice * PRICE_SCALE) * totalOf(weights);
  return costs.map((cost) => (cost <= most ? cost : Number.POSITIVE_INFINITY));
}

function longestStretch(costs: Float64Array): number {
  let longest = 0;
  let length = 0;
  for (const cost of costs) {
    length = cost < Number.POSITIVE_INFINITY ? length + 1 : 0;
    longest = Math.max(longest, length);
  }
  return longest;
}

function leastOf(costs: Float64Array): number {
  return Math.min(...costs);
}

function totalOf(weights: Float64Array): number {
  return weights.reduce((sum, weight) => sum + weight, 0);
}
