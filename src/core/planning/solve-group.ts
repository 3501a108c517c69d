/** Plans that share a limit of power, solved together. */

import type { Timeline } from "../prices/timeline.ts";
import type { Interval } from "../time/interval.ts";
import type { PlanContext, PlanSpec, PlanWindow } from "./model/plan-spec.ts";
import { gridOf, type PlanGrid, spanOf } from "./solver/grid.ts";
import type { GroupProblem } from "./solver/group-plan.ts";
import { solveGroupLines } from "./solver/group-solver.ts";
import { slotsProblem } from "./solver/slots.ts";
import { windowProblem } from "./solver/window.ts";

/** A plan with a number of hours, as it would be solved alone. */
export interface GroupMember {
  readonly spec: PlanSpec;
  readonly timeline: Timeline;
  readonly window: PlanWindow;
  readonly context: PlanContext;
  /** What it draws while it is ON. Unit: W, whole. */
  readonly watts: number;
  /** 1 comes first where not all can run. */
  readonly priority: number;
}

/** What draws whatever is chosen. Unit: W. */
export interface Draw extends Interval {
  readonly watts: number;
}

interface Line {
  readonly grid: PlanGrid;
  readonly problem: Omit<GroupProblem, "offset" | "watts">;
  readonly member: GroupMember;
  /** The same with fewer steps; null where that cannot be, or is not wanted. */
  readonly shorter: (steps: number) => Line | null;
}

/**
 * The cheapest runs that together never draw more than the limit: exact for four plans of a day's quarters, near it for
 * more. Where not all hours are possible, plans of low priority have as many as the others leave room for, wherever these run;
 * of equal ones the later.
 * Shape: by member, ascending, what is fixed included; null for a member that is left out, or is no matter of choice.
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

  /** As many steps of a plan as are possible with the others; none where that is none. */
  function mostOf(others: readonly Line[], line: Line): Line[] {
    let most: Line[] = [];
    let high = line.problem.on - 1;
    for (let low = 1; low <= high; ) {
      const steps = (low + high + 1) >> 1;
      const shorter = line.shorter(steps);
      // Fewer than the shortest run are impossible even alone.
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
