import * as fc from "fast-check";
import { expect, test } from "vitest";
import { planSchema } from "../../../src/config/schema/plan-schema.ts";
import type { PlanSpec } from "../../../src/core/planning/model/plan-spec.ts";
import { horizonOf } from "../../../src/core/planning/model/plan-windows.ts";
import { at, calendar, daysOf, points, timelineOf } from "../../support/home/price-days.ts";
import { PlansOnDisk } from "../../support/plans/plans-on-disk.ts";
import { definitionOf, HOUR } from "../../support/plans/shown-plans.ts";

/** A Monday, 10:00 local time. */
const MONDAY = at("2026-03-09T09:00:00Z");
const weekly: PlanSpec = { kind: "slots", hoursMs: 3 * HOUR, withinDays: 7, enabled: true };
const DAY = 24 * HOUR;
/** Hourly prices of 14 days; `cheap` is the index of the cheapest day. */
const timelineWith = (cheap: number, confirmedDays: number, knownDays = 14) =>
  timelineOf(
    points(daysOf("2026-03-09", "2026-03-22"), (i) => (Math.floor(i / 24) === cheap ? 0.5 : 1) + (i % 24) / 100, {
      unit: "hour",
    })
      .slice(0, knownDays * 24)
      .map((point, i) => ({ ...point, estimate: i >= confirmedDays * 24 })),
  );

test("a weekly plan waits for the best day of the forecast, and runs there once its prices are confirmed", () => {
  using world = new PlansOnDisk({ definitions: [definitionOf(weekly)], timeline: timelineWith(3, 1) });
  expect(world.at(MONDAY)).toMatchObject({
    ...{ state: "scheduled", nextStart: null, nextEnd: null, provisional: true },
    ...{ likelyStart: at("2026-03-11T23:00:00Z"), likelyEnd: at("2026-03-12T02:00:00Z") },
  });
  world.world.timeline = timelineWith(3, 5);
  const done = world.until(MONDAY, at("2026-03-13T09:00:00Z"));
  expect(done).toMatchObject({ state: "done", nextStart: null });
  expect(done.runs.map(({ start }) => start)).toEqual([at("2026-03-11T23:00:00Z")]);
  world.world.timeline = timelineWith(10, 14);
  expect(world.at(at("2026-03-16T09:00:00Z")).nextStart).toBe(at("2026-03-18T23:00:00Z"));
});

test("without a forecast it takes the best of the known days", () => {
  using world = new PlansOnDisk({ definitions: [definitionOf(weekly)], timeline: timelineWith(5, 2, 2) });
  const plan = world.at(MONDAY);
  expect(plan).toMatchObject({ state: "scheduled", nextStart: at("2026-03-09T23:00:00Z") });
});

test("rounds of several days follow each other without a gap, from and to the times of the plan, also over a clock change", () => {
  const anyMinute = fc.option(fc.integer({ min: 0, max: 1439 }), { nil: undefined });
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 7 }),
      anyMinute,
      fc.integer({ min: 0, max: 400 }),
      (withinDays, from, day) => {
        const spec = { ...weekly, withinDays, ...(from === undefined ? {} : { from }) };
        const now = at("2026-01-01T12:00:00Z") + day * DAY;
        const window = horizonOf(spec, now, calendar);
        const next = window && horizonOf(spec, window.end, calendar);
        expect(window && window.start <= now && now < window.end).toBe(true);
        expect(next?.start).toBe(window?.end);
        expect(calendar.minuteOfDay(window?.start ?? 0)).toBe(from ?? 0);
        const days = ((window?.end ?? 0) - (window?.start ?? 0)) / DAY;
        expect(Math.abs(days - withinDays)).toBeLessThan(1 / 20);
      },
    ),
    { seed: 3, numRuns: 200, examples: [[7, 150, 87]] },
  );
});

test("the configuration accepts 2d to 7d, not with days", () => {
  const read = (more: object) =>
    planSchema.safeParse({ name: "Tank", home: "home", kind: "slots", hours: 3, ...more }).success;
  expect([read({ within: "2d" }), read({ within: "7d" })]).toEqual([true, true]);
  expect([read({ within: "8d" }), read({ within: 7 }), read({ within: "7d", days: ["mon"] })]).toEqual([
    false,
    false,
    false,
  ]);
  expect(read({ within: "7d", kind: "below", hours: undefined, cheap_below: "20%" })).toBe(false);
});
