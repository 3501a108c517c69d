import { expect, test } from "vitest";
import { planSchema } from "../../../src/config/schema/plan-schema.ts";
import type { PlanSpec } from "../../../src/core/planning/model/plan-spec.ts";
import { trialMistakes } from "../../../src/core/planning/plan-trial.ts";
import { at, daysOf, points, timelineOf } from "../../support/home/price-days.ts";
import { PlansOnDisk } from "../../support/plans/plans-on-disk.ts";
import { definitionOf, HOUR } from "../../support/plans/shown-plans.ts";

/** 18:00 local time. */
const NOW = at("2026-03-10T17:00:00Z");
const base = { enabled: true, never: [{ from: 17 * 60, until: 21 * 60 }] } as const;
/** The lower the price, the later in the evening; the lowest at 20:00. */
const timeline = timelineOf(
  points(daysOf("2026-03-09", "2026-03-11"), (i) => Math.abs((i % 24) - 20), { unit: "hour" }),
);
const localHours = (spec: PlanSpec, given: { now?: number; prices?: typeof timeline | null } = {}) => {
  const { now = NOW, prices = timeline } = given;
  using world = new PlansOnDisk({ definitions: [definitionOf(spec)], timeline: prices });
  return world.at(now).runs.map(({ start, end }) => [(start / HOUR + 1) % 24, (end / HOUR + 1) % 24]);
};

test("a plan never runs in its excluded hours, whatever the price", () => {
  const evening = { ...base, from: 14 * 60, readyBy: 23 * 60 } as const;
  expect(localHours({ ...evening, kind: "window", hoursMs: 2 * HOUR })).toEqual([[21, 23]]);
  expect(localHours({ ...evening, kind: "slots", hoursMs: HOUR })).toEqual([[21, 22]]);
  expect(localHours({ ...evening, kind: "below", maxPrice: 3 })).toEqual([[21, 23]]);
  const twice = [...evening.never, { from: 22 * 60, until: 23 * 60 }];
  expect(localHours({ ...evening, kind: "slots", hoursMs: 2 * HOUR, never: twice })).toEqual([[21, 22]]);
  const { never: _, ...open } = evening;
  expect(localHours({ ...open, kind: "slots", hoursMs: HOUR })).toEqual([[20, 21]]);
});

test("fallback hours leave out the excluded hours", () => {
  const fallback = [{ from: 20 * 60, until: 22 * 60 }];
  const spec: PlanSpec = { ...base, kind: "window", hoursMs: HOUR, fallback };
  expect(localHours(spec, { prices: null })).toEqual([[21, 22]]);
});

test("run now works in the excluded hours", () => {
  using world = new PlansOnDisk({ definitions: [definitionOf({ ...base, kind: "window", hoursMs: HOUR })], timeline });
  world.at(NOW);
  expect(world.plans.commands.act("washer", "run_now", NOW)).toEqual({ kind: "done" });
  expect(world.at(NOW).on).toBe(true);
});

test("excluded hours that leave too little time are a mistake, and the configuration accepts a span or a list", () => {
  const spec: PlanSpec = { ...base, kind: "window", hoursMs: 5 * HOUR, from: 14 * 60, readyBy: 23 * 60 };
  expect(trialMistakes(spec)).toMatchObject([{ setting: "never" }]);
  expect(trialMistakes({ ...spec, hoursMs: 3 * HOUR })).toEqual([]);
  const read = (never: unknown) =>
    planSchema.safeParse({ name: "Dryer", home: "home", kind: "window", hours: 1, never }).success;
  expect([read("17:00-21:00"), read(["17:00-21:00", "05:00-06:00"]), read("17-21"), read(["17:00"])]).toEqual([
    ...[true, true, false, false],
  ]);
});
