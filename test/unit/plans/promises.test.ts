/** Promises of plans that a stored decision breaks: the plan is OFF, or ON with `when_lost: on`, and that is a problem. */
import { expect, test } from "vitest";
import { InvariantError } from "../../../src/core/invariant.ts";
import type { PlanDefinition } from "../../../src/core/planning/model/plan-definition.ts";
import type { PlanSpec } from "../../../src/core/planning/model/plan-spec.ts";
import { checkPlan } from "../../../src/core/planning/plan-promises.ts";
import type { PlanRecord, PlanRun } from "../../../src/core/planning/plan-record.ts";
import { UNDECIDED } from "../../../src/core/planning/plan-state-machine.ts";
import { takeBrokenPromises } from "../../support/daemon/broken-promises.ts";
import { at, calendar, daysOf, points, timelineOf } from "../../support/home/price-days.ts";
import { PlansOnDisk } from "../../support/plans/plans-on-disk.ts";
import { definitionOf, HOUR } from "../../support/plans/shown-plans.ts";

/** 18:00 local time. */
const NOW = at("2026-03-10T17:00:00Z");
const timeline = timelineOf(points(daysOf("2026-03-09", "2026-03-11"), (i) => 1 + Math.abs((i % 96) / 4 - 3) / 10));
const base = { enabled: true, hoursMs: 2 * HOUR } as const;
const night: PlanSpec = { ...base, kind: "slots", from: 20 * 60, readyBy: 7 * 60 };
/** Not between 4 and 5 o'clock. */
const guarded: PlanSpec = { ...night, never: [{ from: 4 * 60, until: 5 * 60 }] };
const heater: PlanSpec = { ...night, whenLost: "on" };
const run = (start: string, end: string): PlanRun => ({ start: at(start), end: at(end), basis: "prices" });

/** Decides a plan, changes what is stored, and decides it again after a restart. */
function brokenBy(spec: PlanSpec, change: Edit) {
  const world = new PlansOnDisk({ definitions: [definitionOf(spec)], timeline });
  expect(world.at(NOW).state).toBe("scheduled");
  world.edit("washer", change);
  return world;
}

type Edit = (record: PlanRecord) => Partial<PlanRecord>;
const planned = (start: string, end: string) => (): Partial<PlanRecord> => ({ planned: [run(start, end)] });
const aYear = { ...run("2026-03-10T16:00:00Z", "2027-03-10T16:00:00Z"), settled: false };
const IN_WINDOW = "a planned run lies in the window that it was decided for";
const EDITS: readonly [promise: string, spec: PlanSpec, change: Edit][] = [
  [IN_WINDOW, night, planned("2026-03-10T17:30:00Z", "2026-03-10T18:30:00Z")],
  [IN_WINDOW, night, planned("2026-03-10T17:00:00Z", "2026-03-10T18:00:00Z")],
  ["a planned run is outside never", guarded, planned("2026-03-11T03:00:00Z", "2026-03-11T04:00:00Z")],
  ["a run ends", night, () => ({ startedRuns: [aYear] })],
];

test.each(EDITS)("%s: otherwise the plan is OFF, is planned again, and is a problem", (promise, spec, change) => {
  using world = brokenBy(spec, change);
  const plan = world.at(NOW);
  expect([plan.on, plan.runs]).toEqual([false, []]);
  const detail = `invariant: ${promise} (plan washer, elbro 1.0.0)`;
  expect(world.problems.list()).toMatchObject([{ code: "promise_broken", subject: "promise of plan washer", detail }]);
  expect(world.at(NOW + HOUR / 4).state).toBe("scheduled");
  expect(takeBrokenPromises()).toEqual([detail]);
});

test("a plan with when_lost: on is ON after a broken promise", () => {
  using world = brokenBy(heater, planned("2026-03-10T17:00:00Z", "2026-03-10T18:00:00Z"));
  expect(world.at(NOW).on).toBe(true);
  expect(world.plans.wanted("washer", null)).toMatchObject({ on: true, lost: "on" });
  expect(takeBrokenPromises()).toHaveLength(1);
});

const member = (id: string, spec: PlanSpec, watts: number): PlanDefinition => ({
  ...{ ...definitionOf(spec, id), power: { group: "house", limitWatts: 5_000, watts, priority: 1 } },
});

test("of two planned runs that do not fit into their group one is left out", () => {
  using world = new PlansOnDisk({ definitions: [member("a", night, 3_000), member("b", night, 3_000)], timeline });
  const { runs } = world.at(NOW, "a");
  world.edit("b", () => ({ planned: runs.map(({ start, end }) => ({ start, end, basis: "prices" })) }));
  const leftAt = (now: number) => {
    world.decide(now);
    return world.plans.snapshots.map((plan) => plan.runs.length > 0);
  };
  expect([leftAt(NOW), leftAt(NOW + HOUR / 4)]).toEqual([
    [false, true],
    [true, true],
  ]);
  expect(takeBrokenPromises()).toEqual([
    "invariant: a planned run fits under the limit of its group (plan a, elbro 1.0.0)",
  ]);
});

test("a plan that stays ON without prices does not add to a group that a fallback fills", () => {
  const keeps: PlanSpec = { ...base, kind: "below", maxPrice: 100, whenLost: "keep" };
  const falls: PlanSpec = { ...night, from: 0, readyBy: 0, fallback: [{ from: 19 * 60, until: 21 * 60 }] };
  const known = { ...timeline, points: timeline.points.filter(({ end }) => end <= NOW + HOUR) };
  using world = new PlansOnDisk({
    definitions: [member("keeps", keeps, 3_000), member("falls", falls, 3_000)],
    timeline: known,
  });
  const on = () => world.plans.snapshots.filter((plan) => plan.on).map(({ definition }) => definition.id);
  world.until(NOW, NOW + HOUR / 2, "keeps");
  expect(on()).toEqual(["keeps"]);
  world.until(NOW + HOUR / 2, NOW + HOUR, "keeps");
  expect(on()).toEqual(["falls"]);
  expect(takeBrokenPromises()).toEqual(["invariant: a group is under its limit (plan keeps, elbro 1.0.0)"]);
});

const ofGroup = ["boiler", "dryer"].map((id) => member(id, { ...night, from: 0, readyBy: 0, whenLost: "on" }, 2_000));
const freezer: PlanSpec = { ...base, kind: "avoid", from: 0, readyBy: 0, maxGapMs: HOUR, whenLost: "on" };
const fallback = [{ from: 18 * 60, until: 20 * 60 }];
test.each<[string, readonly PlanDefinition[]]>([
  ["a plan", [definitionOf({ ...night, from: 0, readyBy: 0, whenLost: "on" })]],
  ["each plan of a group", ofGroup],
  ["the plan of a freezer", [definitionOf(freezer)]],
  ["a plan with fallback hours", [definitionOf({ ...night, from: 0, readyBy: 0, fallback, whenLost: "on" })]],
])("%s follows when_lost while its home is awaited, and is not ON when it is gone", (_, definitions) => {
  using world = new PlansOnDisk({ definitions, timeline });
  const seenAt = (now: number) => {
    world.decide(now);
    return world.plans.snapshots.map(({ on, reason: { code }, nextStart, definition: { id } }) => {
      return { on, code, nextStart: nextStart !== null, lost: world.plans.wanted(id, null)?.lost };
    });
  };
  world.decide(NOW);
  for (const { id } of definitions) world.plans.commands.act(id, "run_now", NOW);
  const listed = seenAt(NOW);
  expect(listed).toEqual(definitions.map(() => expect.objectContaining({ on: true, lost: undefined })));
  world.world.home = "awaited";
  const awaited = { on: true, code: "unknown_home", lost: "on" };
  expect(seenAt(NOW + HOUR / 4)).toEqual(definitions.map(() => expect.objectContaining(awaited)));
  world.world.home = "listed";
  expect(seenAt(NOW + HOUR / 4)).toEqual(listed);
  world.world.home = "gone";
  const gone = definitions.map(() => ({ on: false, code: "unknown_home", nextStart: false, lost: "on" }));
  for (const later of [HOUR / 2, HOUR, 30 * HOUR]) expect(seenAt(NOW + later)).toEqual(gone);
  world.restart();
  expect(seenAt(NOW + 30 * HOUR)).toEqual(gone);
});

test("an ON without a run that ends it breaks a promise, unless the plan rests or is ON without prices", () => {
  const limits = { calendar, crowded: [] };
  const check = (spec: PlanSpec) => () =>
    checkPlan({ definition: definitionOf(spec), spec, advance: { ...UNDECIDED, on: true } }, limits);
  expect(check(night)).toThrow(new InvariantError("invariant: an ON has a run that ends it"));
  expect(check(heater)).not.toThrow();
});
