import { expect, test } from "vitest";
import { homeSnapshot } from "../../../../src/core/prices/home-snapshot.ts";
import { Happenings } from "../../../../src/mqtt/homeassistant/happenings.ts";
import { at, calendar, dayOf, daysOf, HOME, points, timelineOf } from "../../../support/home/price-days.ts";
import { planOf, WASHER } from "../../../support/plans/shown-plans.ts";

const NOON = at("2026-03-10T11:00:00Z");

test("tomorrow's prices and negative prices are one event each, also after midnight and never at the start", () => {
  const happenings = new Happenings(calendar);
  const seen = (until: "2026-03-10" | "2026-03-11", now: number) => {
    const list = points(daysOf("2026-03-10", until), (i) => (i === 30 ? -0.2 : 1), { unit: "hour" });
    return happenings.ofHome(homeSnapshot({ home: HOME, timeline: timelineOf(list), now, calendar }));
  };
  expect(seen("2026-03-10", NOON)).toEqual([]);
  expect(seen("2026-03-11", NOON + 1)).toEqual([
    { event_type: "tomorrow_available", date: "2026-03-11", mean: expect.closeTo((23 - 0.2) / 24) },
    { event_type: "negative_prices", date: "2026-03-11", least: -0.2 },
  ]);
  expect(seen("2026-03-11", NOON + 2)).toEqual([]);
  expect(seen("2026-03-11", dayOf("2026-03-11").start)).toEqual([]);
  const restarted = new Happenings(calendar);
  const list = points(daysOf("2026-03-10", "2026-03-11"), () => -1, { unit: "hour" });
  expect(restarted.ofHome(homeSnapshot({ home: HOME, timeline: timelineOf(list), now: NOON, calendar }))).toEqual([]);
});

test("a plan starts, ends, cannot run and becomes firm", () => {
  const happenings = new Happenings(calendar);
  const plan = planOf(WASHER);
  const typesAfter = (changes: Partial<typeof plan>) =>
    happenings.ofPlan({ ...plan, ...changes }).map(({ event_type }) => event_type);
  expect(typesAfter({ on: false, state: "scheduled" })).toEqual([]);
  expect(typesAfter({ on: true, state: "running" })).toEqual(["plan_started"]);
  expect(typesAfter({ on: true, state: "running" })).toEqual([]);
  expect(typesAfter({ on: false, state: "impossible" })).toEqual(["plan_ended", "plan_cannot_run"]);
  expect(typesAfter({ on: false, state: "no_prices" })).toEqual([]);
  expect(typesAfter({ on: false, provisional: true })).toEqual([]);
  expect(typesAfter({ on: false, provisional: false })).toEqual(["plan_firm"]);
  expect(happenings.ofPlan({ ...plan, on: true })[0]).toMatchObject({ code: plan.reason.code });
});
