import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { PlanSpec } from "../../../../src/core/planning/model/plan-spec.ts";
import { at, daysOf, points, timelineOf } from "../../../support/home/price-days.ts";
import { PlansOnDisk } from "../../../support/plans/plans-on-disk.ts";
import { definitionOf, HOUR } from "../../../support/plans/shown-plans.ts";

/** 12:30 local time. */
const HALF_PAST = at("2026-03-10T11:30:00Z");
const NOON = at("2026-03-10T11:00:00Z");
const base = { enabled: true } as const;
const hourly = (priceAt: (hour: number) => number) =>
  timelineOf(points(daysOf("2026-03-10", "2026-03-10"), (i) => priceAt(i % 24), { unit: "hour" }));
const worldOf = (spec: PlanSpec, priceAt: (hour: number) => number) =>
  new PlansOnDisk({ definitions: [definitionOf(spec)], timeline: hourly(priceAt) });

test("a plan that is added within an hour uses the rest of the hour", () => {
  const cheapNow = (hour: number) => (hour === 12 ? 0.5 : 2);
  for (const kind of ["window", "slots"] as const) {
    using world = worldOf({ ...base, kind, hoursMs: HOUR / 2 }, cheapNow);
    expect(world.at(HALF_PAST).runs).toMatchObject([{ start: HALF_PAST, end: HALF_PAST + HOUR / 2, begun: true }]);
  }
  using below = worldOf({ ...base, kind: "below", maxPrice: 1 }, cheapNow);
  expect(below.at(HALF_PAST).on).toBe(true);
});

test("an avoid plan that is added within an hour is OFF only if the hour is among the most expensive", () => {
  const avoid: PlanSpec = { ...base, kind: "avoid", hoursMs: 2 * HOUR, from: 12 * 60, readyBy: 0 };
  using cheap = worldOf(avoid, (hour) => hour);
  expect(cheap.at(HALF_PAST).on).toBe(true);
  expect(cheap.until(HALF_PAST, NOON + HOUR).on).toBe(true);
  using expensive = worldOf(avoid, (hour) => -hour);
  expect(expensive.at(HALF_PAST).on).toBe(false);
});

test("max_gap of slots holds from the first second of a plan, whenever it is added", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 470 }), fc.constantFrom(2, 3, 5), (minutes, gapHours) => {
      const now = NOON + minutes * 60_000;
      const spec: PlanSpec = {
        ...base,
        kind: "slots",
        hoursMs: 4 * HOUR,
        maxGapMs: gapHours * HOUR,
        minRunMs: HOUR / 4,
      };
      using world = new PlansOnDisk({ definitions: [definitionOf(spec)], timeline: hourly((hour) => -hour) });
      const [first] = world.at(now).runs;
      // The day began more than max_gap ago, so it runs at once: in the next quarter at the latest.
      expect((first?.start ?? Number.POSITIVE_INFINITY) - now).toBeLessThanOrEqual(HOUR / 4);
    }),
    { seed: 3, numRuns: 40 },
  );
});

test("hourly prices are used in quarters if the window or max_gap ends within an hour", () => {
  const spec: PlanSpec = { ...base, kind: "slots", hoursMs: HOUR, from: 20 * 60 + 30, readyBy: 22 * 60 + 30 };
  using late = worldOf(spec, (hour) => -hour);
  expect(late.at(NOON).runs.at(-1)?.end).toBe(at("2026-03-10T21:30:00Z"));
  const often: PlanSpec = {
    ...base,
    kind: "slots",
    hoursMs: 2 * HOUR,
    maxGapMs: 1.5 * HOUR,
    from: 12 * 60,
    readyBy: 18 * 60,
  };
  using gaps = worldOf(often, (hour) => hour);
  const edges = [NOON, ...gaps.at(NOON).runs.flatMap(({ start, end }) => [start, end]), NOON + 6 * HOUR];
  const off = edges.flatMap((edge, i) => (i % 2 === 1 ? [edge - (edges[i - 1] ?? 0)] : []));
  expect(Math.max(...off)).toBe(1.5 * HOUR);
});
