/** A choice of steps told in instants and money, and why there is none. */

import type { PricePoint } from "../../prices/timeline.ts";
import type { Interval } from "../../time/interval.ts";
import type {
  ImpossibleReason,
  PlanAlternatives,
  PlanContext,
  PlanShortfall,
  PlanSolution,
  PlanSolved,
  PlanSpec,
  PlanWindow,
} from "../model/plan-spec.ts";
import { mergeRuns } from "../model/plan-windows.ts";
import { missingIn, type PlanGrid, PRICE_SCALE, spanOf } from "./grid.ts";
import type { StepRun } from "./runs-solver.ts";

/** Everything that a kind is solved with. */
export interface PlanTask<Spec extends PlanSpec = PlanSpec> {
  readonly spec: Spec;
  readonly window: PlanWindow;
  readonly context: PlanContext;
  readonly grid: PlanGrid;
}

/** Another start is another choice from an hour on; from the run's length on, where that is shorter. */
const OTHER_START_MS = 60 * 60_000;

/** What was chosen on the grid; figures that are given stand in for the plain means. */
export interface Selection {
  readonly runs: readonly StepRun[];
  readonly nextBest?: PlanAlternatives["nextBest"];
  readonly best?: PlanAlternatives["nextBest"];
  readonly startedNow?: number | null;
  /** Weighted by a profile. */
  readonly meanPrice?: number;
  readonly shortfall?: PlanShortfall;
}

export function solved(task: PlanTask, chosen: Selection): PlanSolved {
  const { spec, window, context, grid } = task;
  const begun = fixedIn(window, context);
  const planned = chosen.runs.map(([from, to]) => spanOf(grid, from, to));
  const runs = mergeRuns([...begun, ...planned.flatMap((run) => clipped(run, window))]);
  const meanPrice = chosen.meanPrice ?? meanOver(grid.points, runs);
  const steps = chosen.runs.reduce((sum, [from, to]) => sum + to - from, 0);
  const { shortfall = null } = chosen;
  const missing = shortfall && "hoursMs" in spec ? shortfall.missingMs / spec.hoursMs : 0;
  return {
    kind: "solved",
    runs,
    meanPrice,
    cost: spec.kwh === undefined || meanPrice === null ? null : spec.kwh * (1 - missing) * meanPrice,
    shortfall,
    alternatives: {
      nextBest: chosen.nextBest ?? null,
      best: chosen.best ?? null,
      startedNow: chosen.startedNow === undefined ? meanOfSteps(grid, 0, steps) : chosen.startedNow,
      windowMean: windowMean(grid),
    },
    usesEstimates: chosen.runs.some(([from, to]) => hasEstimate(grid, from, to)),
    missing: missingIn(grid.points, grid.start, window.end),
  };
}

/** The part of what is fixed that lies in the window. Shape: ascending, apart. */
export function fixedIn(window: Interval, { fixed = [] }: PlanContext): Interval[] {
  return mergeRuns(fixed).flatMap((run) => clipped(run, window));
}

/** How many steps two first starts lie apart to be told as two choices. */
export function otherStart(grid: PlanGrid, steps: number): number {
  return Math.max(1, Math.min(steps, Math.round(OTHER_START_MS / grid.stepMs)));
}

/** The mean of the priced steps; null without any. Unit: currency per kWh. */
function windowMean({ prices }: PlanGrid): number | null {
  let sum = 0;
  let count = 0;
  for (const price of prices) {
    if (Number.isNaN(price)) continue;
    sum += price;
    count++;
  }
  return count > 0 ? sum / count / PRICE_SCALE : null;
}

/**
 * By how much a choice may cost more than the best and still be within a plan's tolerance: so many percent of the best
 * where that is above zero, else of the window's mean without its sign. Unit: that of `best`, a sum of whole prices
 * with weights that add up to `weight`.
 */
export function slackOf(percent: number, best: number, weight: number, grid: PlanGrid): number {
  const reference = best > 0 ? best : Math.abs(windowMean(grid) ?? 0) * PRICE_SCALE * weight;
  return Math.round((percent / 100) * reference);
}

/** The mean price of `count` steps from one on; null where one has none or the grid ends. */
function meanOfSteps({ prices }: PlanGrid, from: number, count: number): number | null {
  if (count === 0 || from + count > prices.length) return null;
  let sum = 0;
  for (let step = from; step < from + count; step++) sum += prices[step] as number;
  return Number.isNaN(sum) ? null : sum / count / PRICE_SCALE;
}

/** The walls that a choice is kept from by. */
export interface HardLimits {
  readonly gaps: boolean;
  readonly others: boolean;
  readonly maxPrice: boolean;
}

/** One after the other. With the last of them, the highest price, there is no choice, or nobody would ask. */
const WALLS: readonly (readonly [HardLimits, ImpossibleReason])[] = [
  [{ gaps: false, others: false, maxPrice: false }, "constraints"],
  [{ gaps: false, others: true, maxPrice: false }, "blocked"],
];

/**
 * Says why there is no choice: prices are missing where it could be, or the first wall with which there is none. Unit: `shortSteps` and `asked` in steps.
 */
export function infeasible(
  task: PlanTask,
  asked: number,
  shortSteps: number,
  possible: (walls: HardLimits) => boolean,
): PlanSolution {
  const { grid, window } = task;
  const shortfallMs = shortSteps * grid.stepMs;
  if (asked > grid.count) return { kind: "impossible", shortfallMs, reason: "window_too_short" };
  const missing = missingIn(grid.points, grid.start, window.end);
  if (missing && possible({ gaps: false, others: true, maxPrice: true })) return { kind: "no_prices", missing };
  const reason = WALLS.find(([walls]) => !possible(walls))?.[1] ?? "max_price";
  return { kind: "impossible", shortfallMs, reason };
}

/** The mean price of the priced time of runs, by time; null where none of it has a price. */
function meanOver(points: readonly PricePoint[], runs: readonly Interval[]): number | null {
  let sum = 0;
  let length = 0;
  let i = 0;
  for (const run of runs) {
    while (i > 0 && (points[i]?.start ?? 0) > run.start) i--;
    for (; i < points.length; i++) {
      const point = points[i] as PricePoint;
      if (point.start >= run.end) break;
      const common = Math.min(point.end, run.end) - Math.max(point.start, run.start);
      if (common <= 0) continue;
      sum += point.price * common;
      length += common;
    }
  }
  return length > 0 ? sum / length : null;
}

function hasEstimate({ estimates, forced }: PlanGrid, from: number, to: number): boolean {
  for (let step = from; step < to; step++) if (estimates[step] === 1 && forced[step] === 0) return true;
  return false;
}

function clipped(run: Interval, window: Interval): Interval[] {
  const start = Math.max(run.start, window.start);
  const end = Math.min(run.end, window.end);
  return start < end ? [{ start, end }] : [];
}
