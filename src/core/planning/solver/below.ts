/** `below`: ON while the price qualifies. */

import { type Level, levelOf, levels } from "../../prices/level.ts";
import { referenceOf } from "../../prices/price-comparison.ts";
import type { Interval } from "../../time/interval.ts";
import type { BelowPlan, CheapBelow, PlanSolution } from "../model/plan-spec.ts";
import { beginOf, lengthsOf } from "./constraints.ts";
import { type PlanGrid, PRICE_SCALE, pricesOf, spanOf } from "./grid.ts";
import { startCosts } from "./run-problem.ts";
import { RunsSolver, type StepRun } from "./runs-solver.ts";
import { type PlanTask, solved } from "./solution.ts";

/**
 * Chooses the most qualifying steps that `minRun` and `minPause` allow; of equal numbers the cheapest, of those the
 * earliest. A step that does not qualify is never ON: too short stretches are left out, and too short pauses are
 * extended. A step qualifies if it meets all given conditions: at most `maxPrice`, at `level` or better, and among the
 * cheapest `percent` of its local day.
 */
export function solveBelow(task: PlanTask<BelowPlan>): PlanSolution {
  const { spec, window, grid } = task;
  const costs = gains(grid, qualifying(task));
  const lengths = lengthsOf(spec, grid.stepMs);
  const begin = beginOf(grid, window.start, spec, { costs, starts: startCosts(costs, lengths.minRun) });
  const line = { costs, forced: grid.forced, begin, on: null, ...lengths };
  // Fixed runs remain, even if a command made one shorter than `minRun`.
  const choice = new RunsSolver(line).cheapest() ?? new RunsSolver({ ...line, minRun: 1, minPause: 1 }).cheapest();
  const end = Math.round((window.end - grid.start) / grid.stepMs);
  const runs = (choice?.runs ?? [])
    .filter(([from]) => from < end)
    .map(([from, to]): StepRun => [from, Math.min(to, end)]);
  return solved(task, { runs });
}

/** Returns costs with which one more step outweighs any price. Other steps are closed, fixed ones cost nothing. */
function gains({ prices, forced }: PlanGrid, qualifies: Uint8Array): Float64Array {
  let worth = 1;
  for (const price of prices) if (!Number.isNaN(price)) worth += Math.abs(price);
  return prices.map((price, step) => {
    if (qualifies[step] === 1) return price - worth;
    return forced[step] === 1 ? 0 : Number.POSITIVE_INFINITY;
  });
}

/** Returns 1 for each step that is cheap enough and not blocked. */
export function qualifying({
  spec,
  context,
  grid,
}: Pick<PlanTask, "context" | "grid"> & { readonly spec: CheapBelow }): Uint8Array {
  const most = spec.maxPrice === undefined ? Number.POSITIVE_INFINITY : Math.round(spec.maxPrice * PRICE_SCALE);
  const qualifies = new Uint8Array(grid.count);
  for (let step = 0; step < grid.count; step++) {
    qualifies[step] = (grid.prices[step] as number) <= most && grid.blocked[step] === 0 ? 1 : 0;
  }
  if (spec.level === undefined && spec.percent === undefined) return qualifies;
  for (const day of context.calendar.intervals("day", grid)) {
    if (spec.level !== undefined) keepLevel(qualifies, { context, grid }, day, spec.level);
    if (spec.percent !== undefined) keepCheapest(qualifies, grid, day, spec.percent);
  }
  return qualifies;
}

/** Removes steps above a level. The reference is as for a home: the days before, or the day itself without them. */
function keepLevel(
  qualifies: Uint8Array,
  { context: { calendar, thresholds }, grid }: Pick<PlanTask, "context" | "grid">,
  day: Interval,
  level: Level,
): void {
  const reference = referenceOf(grid.points, day, calendar) ?? 0;
  const worst = levels.indexOf(level);
  const { from, to } = stepsOf(grid, day);
  for (let step = Math.max(0, from); step < Math.min(grid.count, to); step++) {
    const price = (grid.prices[step] as number) / PRICE_SCALE;
    if (levels.indexOf(levelOf(price, reference, thresholds)) > worst) qualifies[step] = 0;
  }
}

/** Keeps the cheapest share of the day's steps with a price, also outside the window, rounded. Ties: the earliest. */
function keepCheapest(qualifies: Uint8Array, grid: PlanGrid, day: Interval, percent: number): void {
  const { from, to } = stepsOf(grid, day);
  const { prices } = pricesOf(grid.points, spanOf(grid, from, to), grid.stepMs);
  const order = [...prices.keys()].filter((step) => !Number.isNaN(prices[step]));
  order.sort((a, b) => (prices[a] as number) - (prices[b] as number) || a - b);
  const others = order.slice(Math.round((percent / 100) * order.length));
  for (const step of others) if (from + step >= 0) qualifies[from + step] = 0;
}

/** Returns the steps of a day. Steps before the grid are negative. */
function stepsOf({ start, stepMs }: PlanGrid, day: Interval): { from: number; to: number } {
  return { from: Math.ceil((day.start - start) / stepMs), to: Math.ceil((day.end - start) / stepMs) };
}
