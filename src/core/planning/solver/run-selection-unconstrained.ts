/** The cheapest steps on a line, where any will do. */

import type { RunsProblem } from "./run-problem.ts";
import type { RunsChoice } from "./run-selection.ts";

/** Whether any steps will do: then they need only be sorted. */
export function isFree({ costs, minRun, minPause, maxGap, maxRuns, begin, on }: RunsProblem): boolean {
  const anywhere = begin.kind === "running" ? begin.need === 0 : begin.first === 0 && begin.last === costs.length - 1;
  return anywhere && minRun === 1 && minPause === 1 && maxGap >= costs.length && maxRuns >= on;
}

/** The cheapest steps, for a problem that is free; null where too few may be ON. Ties go to the earliest. */
export function cheapestSteps({ costs, forced, on }: RunsProblem): RunsChoice | null {
  const free = costs.filter((_, step) => forced[step] === 0).sort();
  const needed = on - (costs.length - free.length);
  const limit = needed > 0 ? (free[needed - 1] as number) : Number.NEGATIVE_INFINITY;
  if (!(limit < Number.POSITIVE_INFINITY)) return null;
  let equal = needed;
  for (let i = 0; i < needed; i++) if ((free[i] as number) < limit) equal--;
  let cost = 0;
  const runs: [number, number][] = [];
  for (let step = 0; step < costs.length; step++) {
    const own = costs[step] as number;
    if (forced[step] === 0 && !(own < limit || (own === limit && equal-- > 0))) continue;
    cost += own;
    const last = runs.at(-1);
    if (last?.[1] === step) last[1] = step + 1;
    else runs.push([step, step + 1]);
  }
  return { cost, runs };
}
