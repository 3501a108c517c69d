/**
 * Power groups against the joint optimum: 300 random tight groups of five to eight plans, for which a joint placement exists.
 *
 * - `within3`: share of the groups that cost at most 3 % more than the optimum; `p95`, `worst`: how much more, in percent.
 * - `short`: groups in which a plan lacks hours.
 * - `solutions_max`: largest number of single plans that were solved for a group.
 */
import { tightGroups } from "../support/plans/plan-joint.ts";

const GROUPS = 300;

export function run(): Record<string, number> {
  const groups = [...tightGroups(GROUPS)];
  const sorted = groups.flatMap(({ excess }) => excess ?? []).sort((a, b) => a - b);
  return {
    within3: sorted.filter((each) => each <= 3).length / sorted.length,
    p95: sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN,
    worst: sorted.at(-1) ?? Number.NaN,
    exact: sorted.filter((each) => each < 1e-6).length / sorted.length,
    short: groups.length - sorted.length,
    solutions_max: Math.max(...groups.map(({ solved }) => solved)),
  };
}
