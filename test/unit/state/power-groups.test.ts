import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { PlanDefinition } from "../../../src/core/planning/model/plan-definition.ts";
import type { PlanSpec } from "../../../src/core/planning/model/plan-spec.ts";
import { planActions } from "../../../src/core/planning/plan-commands.ts";
import { at, daysOf, points, timelineOf } from "../../support/home/price-days.ts";
import { PlansOnDisk } from "../../support/plans/plans-on-disk.ts";
import { definitionOf, HOUR } from "../../support/plans/shown-plans.ts";

const NOW = at("2026-03-10T17:00:00Z");
const prices = (seed: number) =>
  points(daysOf("2026-03-07", "2026-03-13"), (i) => 1 + Math.sin((i + seed) / 4) + ((i * seed) % 7) / 10, {
    unit: "hour",
  });

const base = { useForecast: false, enabled: true } as const;
const night = { ...base, from: 18 * 60, readyBy: 7 * 60 } as const;

function member(id: string, spec: PlanSpec, watts: number, priority = 100, limitWatts = 11_000): PlanDefinition {
  return { ...definitionOf(spec, id), power: { group: "house", limitWatts, watts, priority } };
}

const car = member("car", { ...night, kind: "slots", hoursMs: 4 * HOUR }, 7_400, 1);
/** Fits together with the car, but not with the freezer. */
const heater = member("heater", { ...night, kind: "slots", hoursMs: 4 * HOUR }, 3_200, 2);
const dryer = member("dryer", { ...night, kind: "window", hoursMs: 2 * HOUR }, 2_500);
const floor = member("floor", { ...base, kind: "below", percent: 40 }, 2_000);
const freezer = member("freezer", { ...base, kind: "avoid", hoursMs: 4 * HOUR, maxGapMs: 2 * HOUR }, 500);

/** Returns the power of all plans that are ON at a time. */
function drawnAt({ plans }: PlansOnDisk, now: number): number {
  return plans.at(now).plans.reduce((sum, { on, definition }) => sum + (on ? (definition.power?.watts ?? 0) : 0), 0);
}

test("a group over three days, with changing prices, commands and restarts, never exceeds its limit", () => {
  const moments = fc.array(
    fc.record({
      minutes: fc.integer({ min: 1, max: 600 }),
      plan: fc.constantFrom("car", "heater", "dryer", "floor", "freezer"),
      what: fc.constantFrom("restart", "prices", "hours", ...planActions),
    }),
    { minLength: 3, maxLength: 8 },
  );
  fc.assert(
    fc.property(fc.nat({ max: 50 }), moments, (seed, steps) => {
      using world = new PlansOnDisk({
        definitions: [car, heater, dryer, floor, freezer],
        timeline: timelineOf(prices(seed)),
      });
      let now = NOW;
      const live = (to: number) => {
        for (let { until } = world.plans.at(now); now < to; { until } = world.plans.at(now)) {
          now = Math.min(to, until ?? to);
          expect(drawnAt(world, now)).toBeLessThanOrEqual(11_000);
        }
      };
      for (const { minutes, plan, what } of steps) {
        live(now + minutes * 60_000);
        if (what === "restart") world.restart();
        else if (what === "prices") world.world.timeline = timelineOf(prices(seed + minutes));
        else if (what === "hours") world.plans.command(["home", plan, "hours", "set"], String(1 + (minutes % 6)), now);
        else world.plans.act(plan, what, now);
      }
      live(now + 24 * HOUR);
    }),
    { numRuns: Number(process.env.RUNS ?? 8) },
  );
}, 900_000);

test("plans that fit together run in their cheapest hours; others move at the lowest additional cost", () => {
  const priceOf = (i: number) => [5, 1, 1, 2, 2, 3, 3, 3][i % 8] ?? 5;
  const timeline = timelineOf(points(daysOf("2026-03-07", "2026-03-12"), priceOf, { unit: "hour" }));
  const two = { ...night, kind: "slots", hoursMs: 2 * HOUR, from: 0, readyBy: 8 * 60 } as const;
  using world = new PlansOnDisk({
    definitions: [member("heater", two, 6_000), member("car", two, 11_000)],
    timeline,
  });
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
  expect(world.plans.act("car", "run_now", afternoon)).toEqual({ kind: "done" });
  expect(world.plans.act("heater", "run_now", afternoon)).toEqual({ kind: "done" });
  expect(world.plans.act("dryer", "run_now", afternoon)).toMatchObject({ kind: "refused", why: "power_limit" });
});
