import type { Timeline } from "../prices/timeline.ts";
import type { PlanContext, PlanSolution, PlanSpec, PlanWindow, SpecFields } from "./model/plan-spec.ts";
import { solveAvoid } from "./solver/avoid.ts";
import { solveBelow } from "./solver/below.ts";
import { gridOf, type PlanGrid } from "./solver/grid.ts";
import { solveSlots } from "./solver/slots.ts";
import { solveWindow } from "./solver/window.ts";

/**
 * Solves a plan for the rest of its window, exactly: no other choice of steps costs less (`below`: is ON longer). Ignores
 * `enabled`.
 * Shape: `timeline` sorted, gaps allowed (a gap is never chosen). Ties go to the earliest. Errors: none; an infeasible plan
 * is returned with its reason.
 */
export function solvePlan(spec: PlanSpec, timeline: Timeline, window: PlanWindow, context: PlanContext): PlanSolution {
  const points = context.estimates ? timeline.points : timeline.points.filter((point) => !point.estimate);
  const { maxGapMs }: SpecFields = spec;
  const grid = gridOf(points, window, context, maxGapMs);
  switch (spec.kind) {
    case "window":
      return solveWindow({ spec, window, context, grid });
    case "slots":
      return solveSlots({ spec, window, context, grid });
    case "below":
      return unpriced(grid) ?? solveBelow({ spec, window, context, grid });
    case "avoid":
      return unpriced(grid) ?? solveAvoid({ spec, window, context, grid });
  }
}

function unpriced(grid: PlanGrid): PlanSolution | null {
  if (grid.count === 0 || grid.prices.some((price) => !Number.isNaN(price))) return null;
  return { kind: "no_prices", missing: { start: grid.start, end: grid.end } };
}
