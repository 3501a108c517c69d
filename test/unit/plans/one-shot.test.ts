import { describe, expect, test } from "vitest";
import { textIn } from "../../../src/core/language/text.ts";
import type { PlanDefinition } from "../../../src/core/planning/model/plan-definition.ts";
import { at, daysOf, points, timelineOf } from "../../support/home/price-days.ts";
import { PlansOnDisk } from "../../support/plans/plans-on-disk.ts";
import { definitionOf, HOUR, WASHER } from "../../support/plans/shown-plans.ts";

const NOW = at("2026-03-10T09:00:00Z");
const prices = [3, 3, 2, 1, 1, 2, 3, 3, 0, 0, 0];
const timeline = timelineOf(
  points({ start: NOW, end: NOW + 11 * HOUR }, (i) => prices[i] ?? 3, { unit: "hour" }).concat(
    points({ start: NOW + 11 * HOUR, end: daysOf("2026-03-11", "2026-03-11").end }, () => 5, { unit: "hour" }),
  ),
);
const washer: PlanDefinition = definitionOf({ ...WASHER, hoursMs: 2 * HOUR });

describe("a one-time plan", () => {
  test("a one-time plan runs in the cheapest 2 hours within the next 8, and is deleted afterwards", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    world.at(NOW);
    expect(world.plans.once({ once: true, home: "home", hours: 2, within: 8 }, NOW)).toEqual({
      kind: "done",
      plan: "once",
    });
    expect(world.at(NOW, "once").runs).toMatchObject([{ start: NOW + 3 * HOUR, end: NOW + 5 * HOUR }]);
    world.until(NOW, NOW + 4 * HOUR, "once");
    world.restart();
    expect(world.at(NOW + 4 * HOUR, "once")).toMatchObject({ on: true, state: "running" });
    expect(world.until(NOW + 4 * HOUR, NOW + 6 * HOUR, "once").state).toBe("done");
    world.until(NOW + 6 * HOUR, NOW + 8 * HOUR);
    expect(world.plans.ids).toEqual(["washer"]);
    world.restart();
    expect(world.plans.ids).toEqual(["washer"]);
  });

  test("for the appliance of a plan applies to all plugs that follow that plan", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    world.at(NOW);
    expect(world.plans.commands.take(["home", "washer", "once", "set"], "6", NOW)).toMatchObject({ kind: "done" });
    world.until(NOW, NOW + 3 * HOUR);
    expect(world.plans.wantedByAny(["washer"], null)).toMatchObject({
      on: true,
      until: NOW + 5 * HOUR,
      reason: expect.stringMatching(/^Washer once: /),
    });
  });

  test("a one-time plan is created with JSON over MQTT; an invalid one is rejected with a reason", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    world.at(NOW);
    const ask = (payload: string) => world.plans.onceAt(["home"], payload, NOW);
    expect(ask('{"name": "Dryer", "hours": 1, "within": "3h"}')).toEqual({ kind: "done", plan: "dryer" });
    const reasons = [
      "2 hours",
      '{"hours": 9, "within": 8}',
      '{"hours": 1, "from": "07:00"}',
      '{"plan": "car"}',
      '{"home": "cabin", "hours": 1}',
      '{"hours": 1, "kind": "below"}',
      '{"hours": 1, "within": 99}',
      '{"hours": 1, "colour": "red"}',
    ];
    const said = reasons.map((payload) => {
      const done = ask(payload);
      return done.kind === "refused" && textIn("en", done.reason);
    });
    expect(said).toEqual([
      expect.stringMatching(/^expected JSON/),
      expect.stringMatching(/^hours: expected at most the 8 h/),
      "from: cannot be used in a one-time plan",
      'plan: unknown plan "car"',
      expect.stringMatching(/^home: /),
      expect.stringMatching(/^hours: is for plans of kind/),
      expect.stringMatching(/^within: expected hours above 0, at most 48/),
      "colour: is not a setting of a plan",
    ]);
  });

  test("a one-time plan is limited to eight at the same time", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    world.at(NOW);
    for (let i = 0; i < 8; i++) expect(world.plans.once({ plan: "washer" }, NOW).kind).toBe("done");
    expect(world.plans.once({ plan: "washer" }, NOW)).toMatchObject({ kind: "refused", why: "too_many" });
  });
});

test("a plug with two plans is ON while one of them wants it, and the reason names that plan", () => {
  const early = {
    ...definitionOf({ ...WASHER, from: 10 * 60, readyBy: 12 * 60, hoursMs: 2 * HOUR }, "early"),
    name: "Early",
  };
  const late = { ...definitionOf({ ...WASHER, from: 14 * 60, readyBy: 15 * 60, hoursMs: HOUR }, "late"), name: "Late" };
  using world = new PlansOnDisk({ definitions: [early, late], timeline });
  world.until(NOW, NOW + HOUR, "early");
  const wanted = () => world.plans.wantedByAny(["early", "late"], null);
  expect(wanted()).toMatchObject({ on: true, until: NOW + 2 * HOUR, reason: expect.stringMatching(/^Early: runs/) });
  world.until(NOW + HOUR, NOW + 3 * HOUR, "early");
  expect(wanted()).toMatchObject({ on: false, until: NOW + 4 * HOUR });
  expect(wanted()?.reason).toMatch(/^Early: .*; Late: /);
});

test("a plug with two plans may be switched off only as long as the shorter max_gap of them", () => {
  const avoid = (id: string, maxGapMs: number) =>
    definitionOf({ kind: "avoid", hoursMs: HOUR, maxGapMs, enabled: true }, id);
  const definitions = [avoid("freezer", 2 * HOUR), avoid("fridge", 3 * HOUR), definitionOf(WASHER)];
  using world = new PlansOnDisk({ definitions, timeline });
  world.at(NOW);
  expect(world.plans.wantedByAny(["washer", "fridge", "freezer"], null)?.maxOffMs).toBe(2 * HOUR);
});

test("a plan with an energy setting runs as long as its power requires, and changes with the energy", () => {
  const car = definitionOf({ ...WASHER, kind: "slots", kwh: 22, energyKw: 11, hoursMs: 2 * HOUR }, "car");
  using world = new PlansOnDisk({ definitions: [car], timeline });
  const hours = () => world.at(NOW, "car").runs.reduce((sum, { start, end }) => sum + end - start, 0) / HOUR;
  expect([hours(), world.at(NOW, "car").settings.energy?.value, world.at(NOW, "car").settings.hours]).toEqual([
    2,
    22,
    undefined,
  ]);
  expect(world.plans.commands.take(["home", "car", "energy", "set"], "33", NOW)).toEqual({ kind: "done" });
  expect([hours(), world.at(NOW, "car").settings.energy]).toEqual([3, { value: 33, changed: true, file: 22 }]);
  expect(world.plans.commands.take(["home", "car", "energy", "set"], "200", NOW)).toMatchObject({ kind: "refused" });
  expect(world.plans.commands.take(["home", "car", "hours", "set"], "1", NOW)).toMatchObject({
    why: "unknown_setting",
  });
});

test("a plan on the export price is ON while the price is below 0, and reports an unknown price", () => {
  const curtail = definitionOf({ kind: "below", price: "export", maxPrice: 0, enabled: true }, "curtail");
  const exported = timelineOf(timeline.points.map((point) => ({ ...point, price: point.price === 1 ? -0.1 : 0.2 })));
  using world = new PlansOnDisk({ definitions: [curtail], timeline, exportTimeline: exported });
  expect(world.at(NOW, "curtail").runs).toMatchObject([{ start: NOW + 3 * HOUR, end: NOW + 5 * HOUR }]);
  world.restart({ exportTimeline: null });
  expect(world.at(NOW, "curtail")).toMatchObject({
    on: false,
    state: "impossible",
    reason: { code: "no_export_price" },
  });
});
