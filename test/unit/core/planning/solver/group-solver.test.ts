import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { PlanSpec } from "../../../../../src/core/planning/model/plan-spec.ts";
import { type Draw, type GroupMember, solveGroup } from "../../../../../src/core/planning/solve-group.ts";
import { solveGroupLines } from "../../../../../src/core/planning/solver/group-solver.ts";
import { type Interval, QUARTER_MS } from "../../../../../src/core/time/interval.ts";
import { at, calendar, timelineOf } from "../../../../support/home/price-days.ts";
import { groupCases } from "../../../../support/plans/plan-groups.ts";
import { haveRealPrices } from "../../../../support/plans/real-prices.ts";

const START = at("2026-03-10T08:00:00Z");
const STEPS = 8;
const stepAt = (step: number) => START + step * QUARTER_MS;
const spanOf = (from: number, to: number): Interval => ({ start: stepAt(from), end: stepAt(to) });

interface SmallPlan {
  readonly spec: PlanSpec;
  readonly watts: number;
  readonly from: number;
  readonly to: number;
}

interface SmallGroup {
  readonly prices: readonly number[];
  readonly plans: readonly SmallPlan[];
  readonly taken: readonly (readonly [from: number, to: number, watts: number])[];
}

const common = { useForecast: true, enabled: true } as const;
const steps = (most: number) => fc.integer({ min: 1, max: most }).map((count) => count * QUARTER_MS);

const anyPlan: fc.Arbitrary<SmallPlan> = fc.record({
  spec: fc
    .oneof(
      fc.record({ kind: fc.constant("window" as const), hoursMs: steps(3), profile: fc.constantFrom([1], [3, 1, 2]) }),
      fc
        .record({
          hoursMs: steps(4),
          minRunMs: steps(2),
          minPauseMs: steps(2),
          atMostRuns: fc.integer({ min: 1, max: 3 }),
        })
        .map((slots) => ({ kind: "slots" as const, ...slots })),
      fc.record({ kind: fc.constant("slots" as const), hoursMs: steps(4), maxGapMs: steps(5) }),
    )
    .map((spec): PlanSpec => ({ ...common, ...spec })),
  watts: fc.constantFrom(1_000, 2_000, 3_700, 7_000),
  from: fc.integer({ min: 0, max: 2 }),
  to: fc.integer({ min: 6, max: STEPS }),
});

const anyGroup: fc.Arbitrary<SmallGroup> = fc.record({
  prices: fc.array(fc.integer({ min: -3, max: 9 }), { minLength: STEPS, maxLength: STEPS }),
  plans: fc.array(anyPlan, { minLength: 2, maxLength: 3 }),
  taken: fc.array(fc.tuple(fc.constantFrom(0, 3), fc.constantFrom(4, 6), fc.constantFrom(1_000, 4_000)), {
    maxLength: 1,
  }),
});

const LIMIT = 8_000;

function membersOf({ prices, plans }: SmallGroup): GroupMember[] {
  const timeline = timelineOf(prices.map((price, step) => ({ ...spanOf(step, step + 1), price, estimate: false })));
  return plans.map(({ spec, watts, from, to }) => {
    const window = { ...spanOf(from, to), until: stepAt(to) };
    return { spec, timeline, window, context: { now: START, calendar }, watts, priority: 1 };
  });
}

function drawsOf({ taken }: SmallGroup): Draw[] {
  return taken.map(([from, to, watts]) => ({ ...spanOf(from, to), watts }));
}

/** Returns for each step whether it is ON. */
const picture = (runs: readonly Interval[]) =>
  Array.from({ length: STEPS }, (_, step) =>
    runs.some(({ start, end }) => start <= stepAt(step) && stepAt(step) < end),
  );

type Mask = readonly boolean[];

function runsIn(mask: Mask): [number, number][] {
  const text = mask.map((on) => (on ? "#" : ".")).join("");
  return [...text.matchAll(/#+/g)].map(({ index, 0: run }) => [index, index + run.length]);
}

function keeps({ spec, from, to }: SmallPlan, mask: Mask): boolean {
  if (spec.kind !== "window" && spec.kind !== "slots") return false;
  const runs = runsIn(mask);
  const inside = runs.every((run) => run[0] >= from && run[1] <= to);
  if (!inside || mask.filter(Boolean).length !== spec.hoursMs / QUARTER_MS) return false;
  if (spec.kind === "window") return runs.length === 1;
  const { minRunMs = 0, minPauseMs = 0, maxGapMs = 24 * 60 * 60_000, atMostRuns = 100 } = spec;
  const gaps = [[from, from] as const, ...runs].map(([, end], i) => (runs[i]?.[0] ?? to) - end);
  return (
    runs.length <= atMostRuns &&
    runs.every(([start, end]) => (end - start) * QUARTER_MS >= minRunMs) &&
    gaps.slice(1, -1).every((gap) => gap * QUARTER_MS >= minPauseMs) &&
    gaps.every((gap) => gap * QUARTER_MS <= maxGapMs)
  );
}

/** Returns the cost of a plan's steps, weighted by its power; with a profile, by the power of each step. */
function costOf({ spec, watts }: SmallPlan, mask: Mask, prices: readonly number[]): number {
  const on = prices.flatMap((price, step) => (mask[step] ? [price] : []));
  if (spec.kind !== "window" || !spec.profile) return on.reduce((sum, price) => sum + price * watts, 0);
  const { profile } = spec;
  const mean = profile.reduce((sum, power) => sum + power, 0) / profile.length;
  const shares = on.map((_, i) => {
    let power = 0;
    for (let part = 0; part < 60; part++)
      power += profile[Math.floor(((i + part / 60) / on.length) * profile.length)] ?? 0;
    return power / 60 / mean;
  });
  return on.reduce((sum, price, i) => sum + price * watts * (shares[i] ?? 0), 0);
}

/** Returns the minimum cost of all plans within the limit, by trying everything; Infinity if they do not fit. */
function leastByTrying(group: SmallGroup): number {
  const sets = group.plans.map((plan) =>
    Array.from({ length: 2 ** STEPS }, (_, bits) =>
      Array.from({ length: STEPS }, (_, step) => ((bits >> step) & 1) === 1),
    )
      .filter((mask) => keeps(plan, mask))
      .map((mask) => ({ mask, cost: costOf(plan, mask, group.prices), watts: plan.watts })),
  );
  const drawn = Array.from({ length: STEPS }, (_, step) =>
    group.taken.reduce((sum, [from, to, watts]) => sum + (from <= step && step < to ? watts : 0), 0),
  );
  const least = (plan: number, drawn: readonly number[]): number => {
    const own = sets[plan];
    if (!own) return 0;
    let best = Number.POSITIVE_INFINITY;
    for (const { mask, cost, watts } of own) {
      const next = drawn.map((sum, step) => sum + (mask[step] ? watts : 0));
      if (next.every((sum, step) => sum <= LIMIT || !mask[step])) best = Math.min(best, cost + least(plan + 1, next));
    }
    return best;
  };
  return least(0, drawn);
}

test("two or three plans of a group have the minimum total cost, compared with every possible choice", () => {
  fc.assert(
    fc.property(anyGroup, (group) => {
      const runs = solveGroup(membersOf(group), LIMIT, drawsOf(group));
      const least = leastByTrying(group);
      const masks = runs.map((own) => picture(own ?? []));
      if (least === Number.POSITIVE_INFINITY) {
        expect(group.plans.every((plan, i) => keeps(plan, masks[i] ?? []))).toBe(false);
        return;
      }
      const cost = group.plans.reduce((sum, plan, i) => sum + costOf(plan, masks[i] ?? [], group.prices), 0);
      expect(group.plans.every((plan, i) => keeps(plan, masks[i] ?? []))).toBe(true);
      expect(cost).toBeCloseTo(least, 0);
    }),
    { numRuns: 150 },
  );
});

test("a group never uses more power than its limit, including fixed runs", () => {
  fc.assert(
    fc.property(anyGroup, (group) => {
      const masks = solveGroup(membersOf(group), LIMIT, drawsOf(group)).map((own) => picture(own ?? []));
      for (let step = 0; step < STEPS; step++) {
        const running = group.plans.reduce((sum, { watts }, i) => sum + (masks[i]?.[step] ? watts : 0), 0);
        const fixed = group.taken.reduce((sum, [from, to, watts]) => sum + (from <= step && step < to ? watts : 0), 0);
        if (running > 0) expect(running + fixed).toBeLessThanOrEqual(LIMIT);
      }
    }),
  );
});

test("if only one plan can run, the plan of lower priority does not run", () => {
  const spec = { ...common, kind: "window", hoursMs: 5 * QUARTER_MS } as const;
  const prices = [1, 2, 3, 4, 5, 6, 7, 8];
  const plans = [3_700, 7_000].map((watts) => ({ spec, watts, from: 0, to: STEPS }));
  const [small, large] = membersOf({ prices, plans, taken: [] });
  const ordered = (first: number, second: number) =>
    solveGroup(
      [
        { ...(small as GroupMember), priority: first },
        { ...(large as GroupMember), priority: second },
      ],
      LIMIT,
      [],
    );
  expect(ordered(1, 2)).toEqual([[spanOf(0, 5)], null]);
  expect(ordered(2, 1)).toEqual([null, [spanOf(0, 5)]]);
});

test("if only some hours are possible, the plan of lower priority still gets as many as possible", () => {
  const first: PlanSpec = { ...common, kind: "slots", hoursMs: 2 * QUARTER_MS };
  const long: PlanSpec = { ...common, kind: "slots", hoursMs: 7 * QUARTER_MS, minRunMs: 6 * QUARTER_MS };
  const prices = [5, 5, 5, 1, 1, 5, 5, 6];
  const solve = (spec: PlanSpec) => {
    const plans = [
      { spec: first, watts: 7_000, from: 0, to: STEPS },
      { spec, watts: 6_000, from: 0, to: STEPS },
    ];
    const [one, two] = membersOf({ prices, plans, taken: [] }) as [GroupMember, GroupMember];
    return solveGroup([one, { ...two, priority: 2 }], LIMIT, []);
  };
  expect(solve(long)).toEqual([[spanOf(0, 2)], [spanOf(2, 8)]]);
  expect(solve({ ...long, whenShort: "nothing" })).toEqual([[spanOf(3, 5)], null]);
});

test("a plan that cannot get all its hours even alone is still planned with its group", () => {
  const expensive: PlanSpec = { ...common, kind: "slots", hoursMs: 4 * QUARTER_MS, maxPrice: 2 };
  const other: PlanSpec = { ...common, kind: "slots", hoursMs: 2 * QUARTER_MS };
  const plans = [expensive, other].map((spec) => ({ spec, watts: 7_000, from: 0, to: STEPS }));
  const members = membersOf({ prices: [5, 5, 1, 2, 9, 9, 9, 9], plans, taken: [] });
  expect(solveGroup(members, LIMIT, [])).toEqual([[spanOf(2, 4)], [spanOf(0, 2)]]);
});

test.skipIf(!haveRealPrices)(
  "four plans of 96 quarters of real prices are proven to be the cheapest, also within a tight limit",
  () => {
    const unproven = [7_400, 10_000, 11_000].flatMap((limit) =>
      groupCases(4, 19, limit).flatMap(({ members, start }) => {
        let isProven: boolean | undefined;
        solveGroup(members, limit, [], (problems, limits) => {
          const choice = solveGroupLines(problems, limits);
          isProven = choice?.isProven;
          return choice;
        });
        return isProven ? [] : `${limit} W on ${new Date(start).toISOString()}`;
      }),
    );
    expect(unproven).toEqual([]);
  },
  120_000,
);
