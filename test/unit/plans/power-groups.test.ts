import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { PlanDefinition } from "../../../src/core/planning/model/plan-definition.ts";
import type { PlanSpec } from "../../../src/core/planning/model/plan-spec.ts";
import type { Interval } from "../../../src/core/time/interval.ts";
import { at, calendar, daysOf, points, timelineOf } from "../../support/home/price-days.ts";
import { anyGroupLife, type GroupLife, overloadsOf } from "../../support/plans/group-life.ts";
import { realPoints } from "../../support/plans/plan-days.ts";
import { PlansOnDisk } from "../../support/plans/plans-on-disk.ts";
import { haveRealPrices } from "../../support/plans/real-prices.ts";
import { definitionOf, HOUR } from "../../support/plans/shown-plans.ts";

const NOW = at("2026-03-10T17:00:00Z");
const prices = (seed: number) =>
  points(daysOf("2026-03-07", "2026-03-13"), (i) => 1 + Math.sin((i + seed) / 4) + ((i * seed) % 7) / 10, {
    unit: "hour",
  });

const base = { enabled: true } as const;
const night = { ...base, from: 18 * 60, readyBy: 7 * 60 } as const;

function member(id: string, spec: PlanSpec, watts: number, priority = 100, limitWatts = 11_000): PlanDefinition {
  return { ...definitionOf(spec, id), power: { group: "house", limitWatts, watts, priority } };
}

const car = member("car", { ...night, kind: "slots", hoursMs: 4 * HOUR }, 7_400, 1);
const heater = member("heater", { ...night, kind: "slots", hoursMs: 4 * HOUR }, 3_200, 2);
const dryer = member("dryer", { ...night, kind: "window", hoursMs: 2 * HOUR }, 2_500);

/** Returns the power of all plans that are ON at a time. */
function drawnAt(world: PlansOnDisk, now: number): number {
  world.decide(now);
  return world.plans.snapshots.reduce((sum, { on, definition }) => sum + (on ? (definition.power?.watts ?? 0) : 0), 0);
}

test("in 40 random days with restarts, new prices, commands and clock changes, a group never exceeds its limit", () => {
  const isWithin = (life: GroupLife) => {
    expect(overloadsOf(life)).toEqual([]);
  };
  fc.assert(fc.property(anyGroupLife, isWithin), { numRuns: 40 });
});

test("plans that fit together run in their cheapest hours; others move at the lowest additional cost", () => {
  const priceOf = (i: number) => [5, 1, 1, 2, 2, 3, 3, 3][i % 8] ?? 5;
  const timeline = timelineOf(points(daysOf("2026-03-07", "2026-03-12"), priceOf, { unit: "hour" }));
  const two = { ...night, kind: "slots", hoursMs: 2 * HOUR, from: 0, readyBy: 8 * 60 } as const;
  using world = new PlansOnDisk({ definitions: [member("heater", two, 6_000), member("car", two, 11_000)], timeline });
  const hours = (id: string) =>
    world.at(NOW, id).runs.map(({ start, end }) => [new Date(start).getUTCHours(), (end - start) / HOUR]);
  // Local midnight is 23:00 UTC: the hours at price 1 are 00 and 01 UTC. Moving the car costs more.
  expect(hours("car")).toEqual([[0, 2]]);
  expect(hours("heater")).toEqual([[2, 2]]);
});

test("a decision stays unchanged after a restart and as time passes", () => {
  using world = new PlansOnDisk({ definitions: [car, heater, dryer], timeline: timelineOf(prices(3)) });
  world.at(NOW, "car");
  const runs = () =>
    ["car", "heater", "dryer"].map((id) => world.at(NOW + HOUR / 2, id).runs.map(({ start, end }) => [start, end]));
  const before = runs();
  world.restart();
  expect(runs()).toEqual(before);
});

test("priority decides if the limit cannot be met", () => {
  const spec = { ...base, kind: "window", hoursMs: 8 * HOUR, from: 20 * 60, readyBy: 6 * 60 } as const;
  const first = member("first", spec, 8_000, 2);
  const second = member("second", spec, 8_000, 1);
  using world = new PlansOnDisk({ definitions: [first, second], timeline: timelineOf(prices(1)) });
  expect([world.at(NOW, "second").state, world.at(NOW, "first").state]).toEqual(["scheduled", "impossible"]);
});

test("run_now is rejected if it exceeds the limit; otherwise planned runs move", () => {
  using world = new PlansOnDisk({ definitions: [car, heater, dryer], timeline: timelineOf(prices(2)) });
  const afternoon = NOW - 3 * HOUR;
  world.at(afternoon, "car");
  expect(world.plans.commands.act("car", "run_now", afternoon)).toEqual({ kind: "done" });
  expect(world.plans.commands.act("heater", "run_now", afternoon)).toEqual({ kind: "done" });
  expect(world.plans.commands.act("dryer", "run_now", afternoon)).toMatchObject({
    kind: "refused",
    why: "power_limit",
  });
});

/** Lives through 20 nights of real prices. Returns the hours that each plan was ON, by night. */
function hoursOfNights(definitions: readonly PlanDefinition[], limitWatts: number): Record<string, number>[] {
  const all = realPoints().flatMap((point) =>
    point.start > at("2026-01-09T00:00:00Z") && point.start < at("2026-02-03T00:00:00Z")
      ? [{ ...point, price: 1 + point.price * 1.25 }]
      : [],
  );
  const knownAt = (now: number) => {
    const day = calendar.startOf("day", now);
    const until = calendar.add("day", day, now < calendar.timeOnDay(day, 13 * 60) ? 1 : 2);
    return timelineOf(all.filter(({ start, end }) => end > day - 24 * HOUR && start < until));
  };
  let now = at("2026-01-11T11:00:00Z");
  using world = new PlansOnDisk({ definitions, timeline: knownAt(now) });
  return Array.from({ length: 20 }, () => {
    const hours: Record<string, number> = {};
    const noon = calendar.add("day", calendar.startOf("day", now), 1) + 12 * HOUR;
    while (now < noon) {
      world.world.timeline = knownAt(now);
      const next = Math.min(world.decide(now), noon, (Math.floor(now / HOUR) + 1) * HOUR);
      const on = world.plans.snapshots.filter((plan) => plan.on);
      expect(on.reduce((sum, { definition }) => sum + (definition.power?.watts ?? 0), 0)).toBeLessThanOrEqual(
        limitWatts,
      );
      for (const { definition } of on) hours[definition.id] = (hours[definition.id] ?? 0) + (next - now) / HOUR;
      now = next;
    }
    return hours;
  });
}

const boiler = member("boiler", { ...base, kind: "below", percent: 50 }, 3_000, 100, 5_000);
const wash = (id: string, watts: number, limitWatts: number) =>
  member(id, { ...base, kind: "window", hoursMs: 2 * HOUR, from: 22 * 60, readyBy: 6 * 60 }, watts, 1, limitWatts);

test.skipIf(!haveRealPrices)("a dryer of priority 1 runs in each of 20 nights, next to a boiler of kind below", () => {
  const nights = hoursOfNights([boiler, wash("dryer", 2_500, 5_000)], 5_000);
  expect(nights.map(({ dryer }) => dryer)).toEqual(nights.map(() => 2));
  expect(Math.min(...nights.map(({ boiler = 0 }) => boiler))).toBeGreaterThan(6);
});

test.skipIf(!haveRealPrices)(
  "a washer of priority 1 runs in each of 20 nights, next to a floor that is always cheap enough",
  () => {
    const floor = member("floor", { ...base, kind: "below", maxPrice: 100 }, 2_000, 100, 3_000);
    const nights = hoursOfNights([floor, wash("washer", 2_200, 3_000)], 3_000);
    expect(nights.map(({ washer }) => washer)).toEqual(nights.map(() => 2));
    expect(Math.min(...nights.map((hours) => hours.floor ?? 0))).toBeGreaterThan(20);
  },
);

test("a plan that does not fit next to the reserved power of an avoid plan never runs, and run_now is rejected", () => {
  const cold = member("cold", { ...base, kind: "avoid", hoursMs: 4 * HOUR }, 2_000, 100, 5_000);
  const scooter = member("scooter", { ...night, kind: "slots", hoursMs: 2 * HOUR }, 3_700, 1, 5_000);
  using world = new PlansOnDisk({ definitions: [cold, scooter], timeline: timelineOf(prices(2)) });
  expect(world.at(NOW, "scooter").state).toBe("impossible");
  expect(world.plans.commands.act("scooter", "run_now", NOW)).toMatchObject({ kind: "refused", why: "power_limit" });
  for (let now = NOW; now < NOW + 14 * HOUR; ) {
    now = Math.min(world.decide(now), now + HOUR);
    expect(drawnAt(world, now)).toBeLessThanOrEqual(5_000);
  }
});

test("a due run does not begin if a plan that comes first in its group has taken its time", () => {
  const spec = { ...night, kind: "window", hoursMs: 2 * HOUR } as const;
  const definitions = [member("high", spec, 8_000, 1), member("low", spec, 8_000, 2)];
  using world = new PlansOnDisk({ definitions, timeline: timelineOf(prices(1)) });
  const due = world.at(NOW, "low").runs[0]?.start ?? 0;
  // New prices at the moment of the start: now is the cheapest time.
  const isNow = ({ start }: Interval) => start >= due && start < due + 2 * HOUR;
  world.world.timeline = timelineOf(prices(1).map((point) => (isNow(point) ? { ...point, price: -9 } : point)));
  expect(world.at(due, "high").runs[0]?.start).toBe(due);
  expect([world.at(due, "high").on, world.at(due, "low").on]).toEqual([true, false]);
});

test("a preview changes nothing, and leaves power to plans that come first", () => {
  const definitions = [boiler, wash("dryer", 2_500, 5_000)];
  using world = new PlansOnDisk({ definitions, timeline: timelineOf(prices(4)) });
  const shown = () => {
    world.decide(NOW);
    return JSON.stringify(world.plans.snapshots);
  };
  const before = shown();
  const first = member("first", { ...night, kind: "window", hoursMs: 3 * HOUR }, 3_000, 1, 5_000);
  const asked = world.plans.preview({ ...first, id: "dryer2" }, NOW);
  expect(asked?.state).toBe("scheduled");
  expect(shown()).toBe(before);
});
