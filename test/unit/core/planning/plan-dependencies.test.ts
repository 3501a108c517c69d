import { expect, test } from "vitest";
import { circlesOf } from "../../../../src/core/planning/group/plan-dependencies.ts";
import type { PlanDefinition } from "../../../../src/core/planning/model/plan-definition.ts";
import { at, daysOf, points, timelineOf } from "../../../support/home/price-days.ts";
import { PlansOnDisk } from "../../../support/plans/plans-on-disk.ts";
import { definitionOf, HOUR, WASHER } from "../../../support/plans/shown-plans.ts";

const NOW = at("2026-03-10T17:00:00Z");
/** Cheapest from 02:00 to 05:00 local time; every hour before and after is more expensive. */
const timeline = timelineOf(
  points(daysOf("2026-03-07", "2026-03-11"), (i) => 1 + Math.abs(((i + 8) % 24) - 11) / 10, { unit: "hour" }),
);

function runsOf(definitions: readonly PlanDefinition[], now = NOW): Record<string, string[]> {
  using world = new PlansOnDisk({ definitions, timeline, startedAt: now });
  world.decide(now);
  const time = (instant: number) => new Date(instant + HOUR).toISOString().slice(11, 16);
  return Object.fromEntries(
    world.plans.snapshots.map(({ definition, runs }) => [
      definition.id,
      runs.map(({ start, end }) => `${time(start)}-${time(end)}`),
    ]),
  );
}

const washer = definitionOf(WASHER);
const dryer = { ...definitionOf({ ...WASHER, hoursMs: 2 * HOUR }, "dryer"), name: "Dryer" };

test("without dependencies, each plan takes the cheapest hours", () => {
  expect(runsOf([washer, dryer])).toEqual({ washer: ["02:00-05:00"], dryer: ["02:00-04:00"] });
});

test("a plan with `after` starts after the other plan and the pause, in any order in the file", () => {
  const after = { ...dryer, after: { plan: "washer", pauseMs: HOUR / 4 } };
  const expected = { washer: ["01:45-04:45"], dryer: ["05:00-07:00"] };
  expect(runsOf([washer, after])).toEqual(expected);
  expect(runsOf([after, washer])).toEqual(expected);
});

test("a plan with `after` follows the last run of a partial plan", () => {
  const short = definitionOf({ ...WASHER, kind: "slots", maxPrice: 1.05 });
  const after = { ...dryer, after: { plan: "washer", pauseMs: 0 } };
  expect(runsOf([short, after])).toEqual({ washer: ["03:00-04:00"], dryer: ["04:00-06:00"] });
});

test("the first plan ends early enough for the second, even at a higher cost", () => {
  const long = { ...definitionOf({ ...WASHER, hoursMs: 5 * HOUR }, "dryer"), after: { plan: "washer", pauseMs: 0 } };
  expect(runsOf([washer, long])).toEqual({ washer: ["23:00-02:00"], dryer: ["02:00-07:00"] });
});

test("`after` a disabled plan has no effect", () => {
  const off = { ...washer, spec: { ...WASHER, enabled: false } };
  expect(runsOf([off, { ...dryer, after: { plan: "washer", pauseMs: 0 } }])).toEqual({
    washer: [],
    dryer: ["02:00-04:00"],
  });
});

test("circlesOf groups plans of one home, of one group or linked by `after`", () => {
  const power = { group: "shared", limitWatts: 1, watts: 1, priority: 1 };
  const plan = (id: string, home: string, more: Partial<PlanDefinition> = {}) =>
    ({ id, home, after: null, ...more }) as PlanDefinition;
  const plans = [
    plan("a", "one"),
    plan("b", "two"),
    plan("c", "three", { after: { plan: "b", pauseMs: 0 } as PlanDefinition["after"] }),
    plan("d", "four", { power }),
    plan("e", "one"),
    plan("f", "five", { power }),
    plan("g", "six"),
  ];
  expect(circlesOf(plans).map((circle) => circle.map(({ id }) => id))).toEqual([
    ["a", "e"],
    ["b", "c"],
    ["d", "f"],
    ["g"],
  ]);
});
