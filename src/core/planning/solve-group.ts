/** Solves plans together that share a power limit. */

import type { Timeline } from "../prices/timeline.ts";
import type { Interval } from "../time/interval.ts";
import type { PlanContext, PlanSpec, PlanWindow } from "./model/plan-spec.ts";
import { gridOf, type PlanGrid, spanOf } from "./solver/grid.ts";
import type { GroupProblem } from "./solver/group-plan.ts";
import { solveGroupLines } from "./solver/group-solver.ts";
import { slotsProblem } from "./solver/slots.ts";
import { windowProblem } from "./solver/window.ts";

/** A plan with hours, and its input as for solving it alone. */
export interface GroupMember {
  readonly spec: PlanSpec;
  readonly timeline: Timeline;
  readonly window: PlanWindow;
  readonly context: PlanContext;
  /** Power while it is ON. Unit: W, whole. */
  readonly watts: number;
  /** 1 comes first if not all plans can run. */
  readonly priority: number;
}

/** Power that is used in any case. Unit: W. */
export interface Draw extends Interval {
  readonly watts: number;
}

interface Line {
  readonly grid: PlanGrid;
  readonly problem: Omit<GroupProblem, "offset" | "watts">;
  readonly member: GroupMember;
  /** Returns the same line with fewer steps; null if that is infeasible or the owner wants all or nothing. */
  readonly shorter: (steps: number) => Line | null;
}

/**
 * Returns the cheapest runs that together stay within the limit: exact for up to four plans of 96 steps, otherwise close
 * to the minimum. If not all hours are possible, plans of low priority get fewer hours; of equal priority, later plans.
 * Shape: by member, ascending, fixed runs included; null for a member that is left out or has nothing to choose.
 */
export function solveGroup(
  members: readonly GroupMember[],
  limitWatts: number,
  taken: readonly Draw[],
  solve: typeof solveGroupLines = solveGroupLines,
): (readonly Interval[] | null)[] {
  const stepMs = Math.min(...members.map((member) => gridFor(member).stepMs));
  const lines = members.map((member) => lineOf(member, stepMs));
  const found = new Map<GroupMember, readonly Interval[]>();
  const known = lines.filter((line) => line !== null);
  if (!choose(known)) {
    const kept: Line[] = [];
    for (const line of known.toSorted((a, b) => a.member.priority - b.member.priority))
      kept.push(...(choose([...kept, line]) ? [line] : mostOf(kept, line)));
  }
  return members.map((member) => found.get(member) ?? null);

  /** Returns the line with the most steps that are feasible with the others; empty if none are. */
  function mostOf(others: readonly Line[], line: Line): Line[] {
    let most: Line[] = [];
    let high = line.problem.on - 1;
    for (let low = 1; low <= high; ) {
      const steps = (low + high + 1) >> 1;
      const shorter = line.shorter(steps);
      // Fewer steps than the shortest run are infeasible even alone.
      if (shorter && !choose([...others, shorter])) high = steps - 1;
      else {
        if (shorter) most = [shorter];
        low = steps + 1;
      }
    }
    return most;
  }

  function choose(lines: readonly Line[]): boolean {
    if (lines.length === 0) return true;
    const start = Math.min(...lines.map(({ grid }) => grid.start));
    const end = Math.max(...lines.map(({ grid }) => grid.end));
    const limits = new Float64Array((end - start) / stepMs).fill(limitWatts);
    for (const draw of taken) {
      const from = Math.max(0, Math.floor((draw.start - start) / stepMs));
      for (let step = from; step < limits.length && start + step * stepMs < draw.end; step++)
        limits[step] = (limits[step] as number) - draw.watts;
    }
    const problems = lines.map(({ grid, problem, member: { watts } }): GroupProblem => {
      const costs = problem.costs.map((cost) => cost * watts);
      return { ...problem, costs, watts, offset: Math.round((grid.start - start) / stepMs) };
    });
    const choice = solve(problems, limits);
    for (const [i, line] of lines.entries())
      if (choice)
        found.set(
          line.member,
          (choice.runs[i] ?? []).map(([from, to]) => spanOf(line.grid, from, to)),
        );
    return choice !== null;
  }
}

function lineOf(member: GroupMember, stepMs: number): Line | null {
  const { spec, window } = member;
  const context = { ...member.context, stepMs };
  const grid = gridFor({ ...member, context });
  if (spec.kind === "window") {
    const problem = windowProblem({ spec, window, context, grid });
    return problem && { grid, problem, member, shorter: () => null };
  }
  const slots = spec.kind === "slots" ? { spec, window, context, grid } : null;
  const lineWith = (steps?: number): Line | null => {
    const problem = slots && slotsProblem(slots, steps);
    return problem && { grid, problem: { weights: null, begins: null, ...problem }, member, shorter: lineWith };
  };
  return lineWith();
}

function gridFor({ spec, timeline, window, context }: GroupMember): PlanGrid {
  const points = spec.useForecast ? timeline.points : timeline.points.filter((point) => !point.estimate);
  return gridOf(points, window, context);
}
