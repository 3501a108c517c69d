/** Random power groups on days of real prices, with a limit that leaves little room. */

import path from "node:path";
import * as fc from "fast-check";
import type { PlanSpec } from "../../../src/core/planning/model/plan-spec.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { calendar, timelineOf } from "../home/price-days.ts";
import { daysOfPrices, realPoints } from "./plan-days.ts";
import { caseOf, type GroupCase, type GroupPlan, solveCase, solverGroup, stepsOfCase } from "./plan-groups.ts";
import { groupCost } from "./plan-solver.ts";

const base = { useForecast: true, enabled: true } as const;
const HALF_HOUR_MS = 30 * MINUTE_MS;

const oneRun = fc.record({
  kind: fc.constant("window" as const),
  hoursMs: fc.integer({ min: 2, max: 7 }).map((halves) => halves * HALF_HOUR_MS),
  profile: fc.constantFrom([1], [3, 1, 1], [1, 2]),
});
const anyRuns = fc.record(
  {
    kind: fc.constant("slots" as const),
    hoursMs: fc.integer({ min: 1, max: 6 }).map((hours) => hours * HOUR_MS),
    minRunMs: fc.constantFrom(HALF_HOUR_MS, HOUR_MS),
    minPauseMs: fc.constantFrom(HALF_HOUR_MS, HOUR_MS),
    atMostRuns: fc.integer({ min: 2, max: 4 }),
  },
  { requiredKeys: ["kind", "hoursMs"] },
);

const anyPlan: fc.Arbitrary<GroupPlan> = fc
  .record({
    spec: fc.oneof(oneRun, anyRuns).map((spec): PlanSpec => ({ ...base, ...spec })),
    watts: fc.integer({ min: 8, max: 37 }).map((each) => each * 200),
    from: fc.integer({ min: 0, max: 10 }),
    length: fc.integer({ min: 8, max: 24 }),
  })
  .map(({ from, length, ...plan }) => ({ ...plan, from, to: Math.min(24, from + length) }));

const anyGroup = fc.record({
  day: fc.nat(),
  plans: fc.array(anyPlan, { minLength: 3, maxLength: 8 }),
  /** Share of the limit's energy in a day that the plans use. */
  load: fc.integer({ min: 35, max: 75 }),
});

/** Returns random groups, the same for the same seed. Some do not fit at all. */
export function tightGroups(count: number, seed: number): GroupCase[] {
  const points = realPoints();
  const days = daysOfPrices(points);
  return fc.sample(anyGroup, { numRuns: count, seed }).map(({ day, plans, load }) => {
    const start = calendar.timeOnDay(days[day % days.length] ?? 0, 12 * 60);
    const near = points.filter((point) => point.end > start && point.start < start + 24 * HOUR_MS);
    const energy = plans.reduce((sum, { spec, watts }) => sum + ("hoursMs" in spec ? spec.hoursMs * watts : 0), 0);
    const limitWatts = Math.max(...plans.map(({ watts }) => watts), Math.ceil((100 * energy) / load / (24 * HOUR_MS)));
    return caseOf(plans, start, limitWatts, timelineOf(near));
  });
}

/** The groups of `npm test`, and the file with the costs of their best known solutions; null for an infeasible group. */
export const TESTED_GROUPS = { count: 200, seed: 3 } as const;
export const OPTIMA = path.resolve(import.meta.dirname, "../../fixtures/group-optima.json");

/**
 * Returns the cost above `best`, as a share of what the hours cost at the mean price of their windows, at least 0; null if
 * not all plans have their hours. Unit: percent.
 */
export function excessOf(given: GroupCase, best: number): number | null {
  const runs = solveCase(given);
  if (runs.includes(null)) return null;
  const group = solverGroup(given);
  const atMean = group.plans.reduce((sum, { prices, spec, watts, stepMs }) => {
    const known = prices.flatMap((price) => price ?? []);
    const mean = known.reduce((total, price) => total + price, 0) / known.length;
    return sum + ("hoursMs" in spec ? (mean * Math.ceil(spec.hoursMs / stepMs) * watts) / 1_000 : 0);
  }, 0);
  return Math.max(0, (100 * (groupCost(group, stepsOfCase(given, runs)) - best)) / Math.abs(atMean));
}

/** Returns the value below which a share of the values is. */
export function shareOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
