/** Plans whose plugs watch a machine: `starts_when` and `ends_when`. */
import { expect, test } from "vitest";
import { at, daysOf, points, timelineOf } from "../../support/home/price-days.ts";
import { PlansOnDisk } from "../../support/plans/plans-on-disk.ts";
import { definitionOf, HOUR, WASHER } from "../../support/plans/shown-plans.ts";

const MINUTE = 60_000;
const NOW = at("2026-03-10T17:00:00Z");
/** Cheapest from 02:00 to 05:00 local time. */
const timeline = timelineOf(
  points(daysOf("2026-03-07", "2026-03-11"), (i) => 1 + Math.abs(((i + 8) % 24) - 11) / 10, { unit: "hour" }),
);
/** Within the window. */
const EVENING = at("2026-03-10T21:30:00Z");
const STARTS = at("2026-03-11T01:00:00Z");
const washer = definitionOf(WASHER);

test("a run is over when its machine is done: the rest does not run, also after a restart, and the run is short", () => {
  using world = new PlansOnDisk({ definitions: [washer], timeline });
  world.until(NOW, STARTS + HOUR);
  world.plans.machineIs("washer", "done", STARTS + HOUR + MINUTE);
  expect(world.at(STARTS + HOUR + MINUTE)).toMatchObject({ on: false, state: "done", reason: { code: "done" } });
  world.plans.machineIs("washer", undefined, null);
  world.restart();
  const after = world.until(STARTS + HOUR + 2 * MINUTE, STARTS + 3 * HOUR);
  expect([after.on, after.runs.map(({ start, end }) => [start, end])]).toEqual([
    false,
    [[STARTS, STARTS + HOUR + MINUTE]],
  ]);
});

test("a machine that is done before its plan runs ends nothing", () => {
  using world = new PlansOnDisk({ definitions: [washer], timeline });
  world.plans.machineIs("washer", "done", null);
  expect(world.at(NOW)).toMatchObject({ state: "scheduled", nextStart: STARTS });
});

test("a plan without a started machine plans nothing; once it was started, it runs at the cheapest time", () => {
  using world = new PlansOnDisk({ definitions: [washer], timeline });
  world.plans.machineIs("washer", "absent", null);
  const idle = world.at(EVENING);
  expect([idle.state, idle.reason, idle.runs]).toEqual([
    "waiting",
    { code: "waiting_for_machine", text: "waits until the machine is started" },
    [],
  ]);
  expect(world.plans.takesMachine("washer", EVENING)).toBe(true);
  const { decisions } = world;
  world.plans.machineIs("washer", "waits", EVENING + MINUTE);
  expect([world.decisions - decisions, world.plans.snapshot("washer")?.nextStart]).toEqual([1, STARTS]);
  world.plans.machineIs("washer", "waits", EVENING + MINUTE);
  expect(world.decisions - decisions).toBe(1);
  expect(world.until(EVENING + MINUTE, STARTS + MINUTE)).toMatchObject({ on: true });
});

test("a plan takes no machine that it cannot run: before its window, after its run, or while it is disabled", () => {
  using world = new PlansOnDisk({ definitions: [washer], timeline });
  const taken = (now: number) => {
    world.at(now);
    return world.plans.takesMachine("washer", now);
  };
  expect(taken(NOW)).toBe(false);
  world.plans.commands.take(["home", "washer", "enabled", "set"], "OFF", EVENING);
  expect(taken(EVENING)).toBe(false);
  world.plans.commands.take(["home", "washer", "enabled", "set"], "ON", EVENING);
  expect([taken(EVENING), world.plans.takesMachine("other", EVENING)]).toEqual([true, false]);
  world.until(EVENING, STARTS + HOUR);
  expect(taken(STARTS + HOUR)).toBe(false);
});
