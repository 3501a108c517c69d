import * as fc from "fast-check";
import { expect, test } from "vitest";
import { planSchema } from "../../../src/config/schema/plan-schema.ts";
import type { PlanSpec } from "../../../src/core/planning/model/plan-spec.ts";
import { runPrice } from "../../../src/core/planning/snapshot/plan-savings.ts";
import { at, daysOf, points, timelineOf } from "../../support/home/price-days.ts";
import { PlansOnDisk } from "../../support/plans/plans-on-disk.ts";
import { definitionOf, HOUR } from "../../support/plans/shown-plans.ts";

/** 18:00 local time. */
const NOW = at("2026-03-10T17:00:00Z");
const OPENS = at("2026-03-10T19:00:00Z");
const base = { enabled: true, from: 20 * 60, readyBy: 6 * 60, hoursMs: 2 * HOUR } as const;
const days = daysOf("2026-03-09", "2026-03-11");
/** 2.00 until midnight, then 1.50. */
const prices = points(days, (i) => (i < 48 ? 2 : 1.5), { unit: "hour" });
const nightPlan = (spec: Partial<PlanSpec>, list = prices) => {
  using world = new PlansOnDisk({
    definitions: [definitionOf({ ...base, kind: "window", ...spec } as PlanSpec)],
    timeline: timelineOf(list),
  });
  return world.at(NOW);
};

test.each([
  [{ perKwh: 0.5 }, "scheduled", "scheduled"],
  [{ perKwh: 0.51 }, "waiting", "waiting_for_saving"],
  [{ percent: 25 }, "scheduled", "scheduled"],
  [{ percent: 26 }, "waiting", "waiting_for_saving"],
] as const)("a plan that saves 0.50 of 2.00 with min_saving %o is %s", (minSaving, state, code) => {
  for (const kind of ["window", "slots"] as const)
    expect(nightPlan({ kind, minSaving })).toMatchObject({ state, reason: { code } });
});

test("the reason has the prices that were compared", () => {
  expect(nightPlan({ minSaving: { percent: 30 } }).reason.text).toBe(
    "1.50 DKK/kWh instead of 2.00 DKK/kWh from 20:00 saves less than the wanted 30 %",
  );
});

test("a plan that waits for its saving runs after prices have changed, and a begun run goes on", () => {
  using world = new PlansOnDisk({
    definitions: [definitionOf({ ...base, kind: "slots", minSaving: { perKwh: 0.6 } })],
    timeline: timelineOf(prices),
  });
  expect(world.at(NOW).runs).toEqual([]);
  world.world.timeline = timelineOf(prices.map((point, i) => ({ ...point, price: i < 48 ? 2 : 1.3 })));
  const [run] = world.at(NOW).runs;
  const start = run?.start ?? 0;
  world.at(start);
  world.world.timeline = timelineOf(prices);
  expect(world.at(start + 15 * 60_000)).toMatchObject({ on: true, state: "running" });
});

test("while prices of the window are missing, the plan waits for them", () => {
  const morning = at("2026-03-10T09:00:00Z");
  using world = new PlansOnDisk({
    definitions: [definitionOf({ ...base, kind: "window", from: 8 * 60, readyBy: 7 * 60, minSaving: { perKwh: 1 } })],
    timeline: timelineOf(prices.slice(0, 48)),
  });
  expect(world.at(morning).reason.code).toBe("waiting_for_prices");
});

test("a plan runs exactly if its published prices save enough", () => {
  const anyPrices = fc.array(fc.integer({ min: -100, max: 300 }), { minLength: 72, maxLength: 72 });
  fc.assert(
    fc.property(
      anyPrices,
      fc.integer({ min: 0, max: 150 }),
      fc.constantFrom("window", "slots"),
      (list, least, kind) => {
        const drawn = points(days, (i) => (list[i] ?? 0) / 100, { unit: "hour" });
        const free = nightPlan({ kind }, drawn);
        const plan = nightPlan({ kind, minSaving: { perKwh: least / 100 } }, drawn);
        const start = runPrice(drawn, { start: OPENS, end: OPENS + 2 * HOUR }, "all") ?? 0;
        const saved = start - (free.meanPrice ?? 0);
        expect(free.savingPerKwh.againstWindowStart).toBeCloseTo(saved, 9);
        expect(plan.runs.length > 0).toBe(saved >= least / 100 - 1e-9);
        if (plan.runs.length > 0) expect(plan.runs).toEqual(free.runs);
      },
    ),
    { seed: 3, numRuns: 60 },
  );
});

test("the configuration accepts an amount or a percentage, not with max_gap", () => {
  const read = (more: object) =>
    planSchema.safeParse({ name: "Battery", home: "home", kind: "slots", hours: 2, ...more }).success;
  // The Home Assistant app passes numbers as text.
  expect([0.2, "0.2", "10%"].map((min_saving) => read({ min_saving }))).toEqual([true, true, true]);
  expect([read({ min_saving: "ten" }), read({ min_saving: -1 }), read({ min_saving: 1, max_gap: 3 })]).toEqual([
    false,
    false,
    false,
  ]);
});
