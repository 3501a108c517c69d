import { expect, test } from "vitest";
import { planSchema } from "../../../src/config/schema/plan-schema.ts";
import type { WindowPlan } from "../../../src/core/planning/model/plan-spec.ts";
import { HOUR_MS } from "../../../src/core/time/interval.ts";
import { at, calendar, dayOf, daysOf, points, timelineOf } from "../../support/home/price-days.ts";
import { PlansOnDisk, type PlansWorld } from "../../support/plans/plans-on-disk.ts";
import { definitionOf } from "../../support/plans/shown-plans.ts";

const NOW = at("2026-06-10T05:00:00Z");
const DAYS = daysOf("2026-06-07", "2026-06-10");
const WINDOW = { from: 8 * 60, readyBy: 20 * 60 };
const spec: WindowPlan = { kind: "window", hoursMs: 2 * HOUR_MS, kwh: 2, enabled: true, sun: true, ...WINDOW };
/** Surplus of 1 kW from 12:00 to 14:00 and 0.5 kW from 14:00 to 16:00. */
const meteredHours = calendar.intervals("hour", { start: dayOf("2026-05-27").start, end: DAYS.start }).map((hour) => {
  const clock = calendar.minuteOfDay(hour.start) / 60;
  return { ...hour, imported: 0.2, exported: clock < 12 || clock >= 16 ? 0 : clock < 14 ? 1.2 : 0.7 };
});
const world = (changes: Partial<PlansWorld> = {}) =>
  new PlansOnDisk({
    definitions: [definitionOf(spec, "first"), definitionOf(spec, "second")],
    timeline: timelineOf(points(DAYS, () => 2)),
    exportTimeline: timelineOf(points(DAYS, () => 0.5)),
    meteredHours,
    ...changes,
  });
const clockOf = (start = 0) => calendar.minuteOfDay(start) / 60;

test("each kWh of the roof counts for one plan, in the order of the plans, and the reason says how much", () => {
  using plans = world();
  const [first, second] = [plans.at(NOW, "first"), plans.at(NOW, "second")];
  expect([first, second].map(({ nextStart }) => clockOf(nextStart ?? 0))).toEqual([12, 14]);
  expect([first, second].map(({ meanPrice }) => meanPrice)).toEqual([0.5, 1.25]);
  expect(first.reason.text).toBe(
    "12:00-14:00, 0.50 DKK/kWh on average instead of 2.00 DKK/kWh from 08:00, 2.0 kWh probably from the roof",
  );
  expect(second.reason.text).toContain(", 1.0 kWh probably from the roof");
});

test.each([
  ["export", { meteredHours: [] }],
  ["a week of export", { meteredHours: meteredHours.slice(-6 * 24) }],
  ["export prices", { exportTimeline: null }],
])("without %s the sun changes nothing, and the reason says so", (_, changes) => {
  using plans = world(changes);
  const plan = plans.at(NOW, "first");
  expect([clockOf(plan.nextStart ?? 0), plan.meanPrice]).toEqual([8, 2]);
  expect(plan.reason.text).toBe("08:00-10:00, 2.00 DKK/kWh on average; the roof counts when a week of export is known");
});

test("what its plans used is added back: a day on which one ran has the same surplus", () => {
  const definitions = [definitionOf(spec, "first")];
  using plans = world({ definitions });
  plans.until(NOW, at("2026-06-10T21:30:00Z"), "first");
  // The plan used 1 of the 1 kW at 12:00 and 13:00. Without it, the day would have the least surplus.
  const ran = calendar.intervals("hour", dayOf("2026-06-10")).map((hour) => {
    const isRun = [12, 13].includes(clockOf(hour.start));
    return { ...hour, imported: 0.2, exported: isRun ? 0.2 : 0 };
  });
  const days = daysOf("2026-06-08", "2026-06-11");
  plans.restart({
    timeline: timelineOf(points(days, () => 2)),
    exportTimeline: timelineOf(points(days, () => 0.5)),
    meteredHours: [...meteredHours.slice(-6 * 24), ...ran],
  });
  expect(plans.at(at("2026-06-11T05:00:00Z"), "first").meanPrice).toBe(0.5);
});

test("the sun needs the energy of the plan, and is refused for other kinds", () => {
  const read = (entry: object) => planSchema.safeParse({ name: "Washer", home: "home", sun: true, ...entry }).success;
  expect(read({ kind: "window", hours: 2, kwh: 2 })).toBe(true);
  expect(read({ kind: "window", hours: 2 })).toBe(false);
  expect(read({ kind: "avoid", hours: 2, kwh: 2 })).toBe(false);
});
