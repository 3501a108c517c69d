import { describe, expect, test } from "vitest";
import type { PlanSpec } from "../../../../../src/core/planning/model/plan-spec.ts";
import { solvePlan } from "../../../../../src/core/planning/solve-plan.ts";
import type { PricePoint } from "../../../../../src/core/prices/timeline.ts";
import { HOUR_MS } from "../../../../../src/core/time/interval.ts";
import { at, calendar, timelineOf } from "../../../../support/home/price-days.ts";
import { dayCase, dayPlans, daysOfPrices, oddDays, realPoints, withGaps } from "../../../../support/plans/plan-days.ts";
import { PlanSolver, pricedSteps, stepPrices, stepsOn } from "../../../../support/plans/plan-solver.ts";
import { haveRealPrices } from "../../../../support/plans/real-prices.ts";

const night = process.env.ELBRO_NIGHTLY === "1";

/** Maximum rounding error of a sum of a hundred prices. */
const SAME = 1e-6;

/** Time at which the market changed from hourly to quarter-hourly prices. */
const FIRST_QUARTERS = at("2025-09-30T22:00:00Z");

const points = realPoints();
const { changes, negative } = oddDays(points);
const allDays = daysOfPrices(points);
const hourDays = allDays.filter((day) => day < FIRST_QUARTERS);
const quarterDays = allDays.filter((day) => day >= FIRST_QUARTERS);

/** Returns every `share`-th item of a list; all items with `ELBRO_NIGHTLY=1`. */
function some<Value>(list: readonly Value[], share: number): readonly Value[] {
  return night ? list : list.filter((_, i) => i % share === 0);
}

/** Solves one occurrence with elbro and with the solver. */
async function compare(solver: PlanSolver, spec: PlanSpec, start: number, from: readonly PricePoint[]) {
  const { window, points: near, stepMs } = dayCase(spec, calendar.day(start), from);
  const solution = solvePlan(spec, timelineOf(near), window, { now: window.start, calendar });
  const prices = stepPrices(near, { start: window.start, end: window.until }, stepMs);
  const theirs = await solver.solve({ spec, stepMs, prices });
  if (solution.kind !== "solved") return { ours: null, theirs };
  const own = { spec, stepMs, prices: prices.slice(0, Math.round((window.end - window.start) / stepMs)) };
  const on = stepsOn(own, window.start, solution.runs);
  // Steps after the window are chosen next time. So elbro's solution counts with the best continuation after it.
  const isFollowed = on.length < prices.length;
  return { ours: isFollowed ? await solver.solve({ ...own, prices, given: on }) : pricedSteps(own, on), theirs };
}

/** Compares the solutions of each day for the next `perDay` plans of the list, so that every plan is used. */
async function compareAll(days: readonly number[], perDay: number, from: (day: number) => readonly PricePoint[]) {
  const solver = new PlanSolver();
  const tally = { cases: 0, worse: 0, better: 0, unproven: 0, impossible: 0 };
  for (const [i, day] of days.entries()) {
    for (let j = 0; j < perDay; j++) {
      const spec = dayPlans[(i * perDay + j) % dayPlans.length];
      if (!spec) continue;
      const { ours, theirs } = await compare(solver, spec, day, from(day));
      tally.cases++;
      if (theirs?.proven === false) tally.unproven++;
      if (ours === null && theirs === null) tally.impossible++;
      else if (ours === null || (theirs && (ours.sum > theirs.sum + SAME || ours.on !== theirs.on))) tally.worse++;
      else if (theirs === null || ours.sum < theirs.sum - SAME) tally.better++;
    }
  }
  console.log(`solver: ${JSON.stringify(tally)}, ${Math.round(solver.spentMs)} ms in it`);
  return tally;
}

describe.skipIf(!haveRealPrices)("no plan costs more than the solver's solution, with real prices", () => {
  const none = { worse: 0, better: 0, unproven: 0 };

  test("hourly prices of seven months", async () => {
    const tally = await compareAll(some(hourDays, 3), night ? dayPlans.length : 1, () => points);
    expect(tally).toMatchObject(none);
    expect(tally.cases).toBeGreaterThan(65);
  });

  test("quarter-hourly prices", async () => {
    const tally = await compareAll(some(quarterDays, 20), night ? dayPlans.length : 1, () => points);
    expect(tally).toMatchObject(none);
    expect(tally.cases).toBeGreaterThan(8);
  });

  test("clock changes, every kind of plan", async () => {
    expect(changes.length).toBe(3);
    expect(await compareAll(changes, dayPlans.length, () => points)).toMatchObject(none);
  });

  test("negative prices", async () => {
    expect(negative.length).toBeGreaterThan(20);
    expect(await compareAll(some(negative, 4), night ? dayPlans.length : 1, () => points)).toMatchObject(none);
  });

  test("no plan costs more than the solver's solution, with real prices gaps in the prices", async () => {
    const gappy = (day: number) => withGaps(points, Math.round(day / HOUR_MS) % 7);
    const plans = await compareAll(some(allDays, 20), night ? dayPlans.length : 1, gappy);
    expect(plans).toMatchObject(none);
  });
});
