/** Converts a solver result to intervals and cost, or to the reason why it is infeasible. */

import { indexAfter, meanPrice, type PricePoint } from "../../prices/timeline.ts";
import { clipped, type Interval } from "../../time/interval.ts";
import type { PlanContext, PlanShortfall, PlanSolution, PlanSolved, PlanSpec, PlanWindow } from "../model/plan-spec.ts";
import { mergeRuns } from "../model/plan-windows.ts";
import { missingIn, type PlanGrid, PRICE_SCALE, spanOf } from "./grid.ts";
import type { StepRun } from "./runs-solver.ts";

/** Input of the solvers of all kinds. */
export interface PlanTask<Spec extends PlanSpec = PlanSpec> {
  readonly spec: Spec;
  readonly window: PlanWindow;
  readonly context: PlanContext;
  readonly grid: PlanGrid;
}

/** Result of a solver on the grid. Optional figures replace the plain means. */
export interface Selection {
  readonly runs: readonly StepRun[];
  /** Weighted by a profile. */
  readonly meanPrice?: number;
  readonly shortfall?: PlanShortfall;
}

export function solved(task: PlanTask, chosen: Selection): PlanSolved {
  const { window, context, grid } = task;
  const begun = fixedIn(window, context);
  const planned = chosen.runs.map(([from, to]) => spanOf(grid, from, to));
  const runs = mergeRuns([...begun, ...planned.flatMap((run) => clipped(run, window) ?? [])]);
  const meanPrice = chosen.meanPrice ?? meanOver(grid.points, runs);
  const { shortfall = null } = chosen;
  return { kind: "solved", runs, meanPrice, shortfall, missing: missingIn(grid.points, grid.start, window.end) };
}

/** Returns the parts of fixed runs inside the window. Shape: ascending, apart. */
export function fixedIn(window: Interval, { fixed = [] }: PlanContext): Interval[] {
  return mergeRuns(fixed).flatMap((run) => clipped(run, window) ?? []);
}

/** Returns the mean of the steps with a price; null if none exist. Unit: currency per kWh. */
function windowMean({ prices }: PlanGrid): number | null {
  const known = prices.filter((price) => !Number.isNaN(price));
  return known.length > 0 ? known.reduce((sum, price) => sum + price, 0) / known.length / PRICE_SCALE : null;
}

/**
 * Returns how much more than the best a solution may cost within a tolerance: `percent` of the best cost if that is
 * positive, otherwise of the absolute mean of the window. Unit: as `best`, a sum of whole prices whose weights have the
 * sum `weight`.
 */
export function slackOf(percent: number, best: number, weight: number, grid: PlanGrid): number {
  const reference = best > 0 ? best : Math.abs(windowMean(grid) ?? 0) * PRICE_SCALE * weight;
  return Math.round((percent / 100) * reference);
}

/** Limits that forbid steps. */
export interface HardLimits {
  readonly gaps: boolean;
  readonly others: boolean;
  readonly maxPrice: boolean;
}

/**
 * Returns why a plan is infeasible: missing prices, its own limits, other plans if it is feasible without them, otherwise its
 * maximum price. Unit of numbers: steps.
 */
export function infeasible(
  task: PlanTask,
  wanted: number,
  shortSteps: number,
  possible: (walls: HardLimits) => boolean,
): PlanSolution {
  const { grid, window } = task;
  const shortfallMs = shortSteps * grid.stepMs;
  if (wanted > grid.count) return { kind: "impossible", shortfallMs, reason: "window_too_short" };
  const missing = missingIn(grid.points, grid.start, window.end);
  if (missing && possible({ gaps: false, others: true, maxPrice: true })) return { kind: "no_prices", missing };
  const isContradiction = !possible({ gaps: false, others: false, maxPrice: false });
  const isBlocked =
    possible({ gaps: true, others: false, maxPrice: true }) ||
    !possible({ gaps: false, others: true, maxPrice: false });
  return {
    kind: "impossible",
    shortfallMs,
    reason: isContradiction ? "constraints" : isBlocked ? "blocked" : "max_price",
  };
}

/** Returns the mean price of runs by time, without times that have no price; null if none has one. */
function meanOver(points: readonly PricePoint[], runs: readonly Interval[]): number | null {
  const parts = runs.flatMap((run) => {
    const around = points.slice(Math.max(0, indexAfter(points, run.start) - 1), indexAfter(points, run.end - 1));
    return around.flatMap((point) => {
      const part = clipped(point, run);
      return part ? { ...point, ...part } : [];
    });
  });
  return meanPrice(parts);
}
