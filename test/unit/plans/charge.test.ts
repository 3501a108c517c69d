import * as fc from "fast-check";
import { expect, test } from "vitest";
import { planDefinitions } from "../../../src/config/plan-list.ts";
import { planSchema } from "../../../src/config/plan-schema.ts";
import { readCharge } from "../../../src/core/planning/charge.ts";
import { at, daysOf, points, timelineOf } from "../../support/home/price-days.ts";
import { PlansOnDisk } from "../../support/plans/plans-on-disk.ts";
import { HOUR } from "../../support/plans/shown-plans.ts";

/** 18:00 local time; the window opens at 17:00. */
const NOW = at("2026-03-10T17:00:00Z");
const TOPIC = "car/soc";
const entry = {
  ...{ name: "Car", home: "home", kind: "slots", kw: 10, from: "17:00", ready_by: "07:00" },
  soc: { topic: TOPIC, capacity_kwh: 50, target: 80, minimum: 30 },
};
const [definition] = planDefinitions([planSchema.parse(entry)]);
/** Cheapest from 02:00 on. */
const timeline = timelineOf(points(daysOf("2026-03-09", "2026-03-11"), (i) => 1 + Math.abs((i % 96) / 4 - 3) / 10));
const worldOf = () => new PlansOnDisk({ definitions: definition ? [definition] : [], timeline });
const lengthOf = (runs: readonly { readonly start: number; readonly end: number }[]) =>
  runs.reduce((sum, { start, end }) => sum + end - start, 0) / HOUR;

test("a battery gets the hours from its charge to the target", () => {
  using world = worldOf();
  world.at(NOW, "car");
  expect(world.plans.chargeTopics).toEqual([TOPIC]);
  expect(world.plans.chargeIs(TOPIC, "60", NOW)).toBe(true);
  // 20 % of 50 kWh at 10 kW.
  expect(lengthOf(world.plans.snapshot("car")?.runs ?? [])).toBe(1);
  expect(world.plans.snapshot("car")).toMatchObject({ on: false, state: "scheduled" });
});

test("a battery below the minimum is charged at once, and the rest in the cheapest hours", () => {
  using world = worldOf();
  world.plans.chargeIs(TOPIC, "20", NOW);
  const plan = world.at(NOW, "car");
  // 10 % at once are half an hour, 60 % in all are three hours.
  expect(plan.runs[0]).toMatchObject({ start: NOW, end: NOW + HOUR / 2, basis: "at_once", begun: true });
  expect(plan.reason).toEqual({
    code: "running_at_once",
    text: "runs until 18:30 at any price, because the battery is below its minimum of 30 %",
  });
  expect(lengthOf(plan.runs)).toBeGreaterThanOrEqual(3);
  expect(lengthOf(plan.runs)).toBeLessThanOrEqual(3.25);
  expect(world.until(NOW, NOW + HOUR, "car").on).toBe(false);
});

test("an unknown charge counts as empty, without a run at once; a full battery needs nothing", () => {
  using world = worldOf();
  expect(lengthOf(world.at(NOW, "car").runs)).toBe(4);
  expect(world.plans.snapshot("car")?.on).toBe(false);
  world.plans.chargeIs(TOPIC, "85.5", NOW);
  expect(world.plans.snapshot("car")).toMatchObject({ state: "done", runs: [], on: false });
  expect(world.plans.snapshot("car")?.reason).toEqual({ code: "charged", text: "the battery has its target of 80 %" });
});

test("the run ends when the target is reached, and its energy stays counted", () => {
  using world = worldOf();
  world.plans.chargeIs(TOPIC, "40", NOW);
  const start = world.at(NOW, "car").nextStart ?? 0;
  world.until(NOW, start + HOUR, "car");
  world.plans.chargeIs(TOPIC, "80", start + HOUR);
  const done = world.plans.snapshot("car");
  expect(done).toMatchObject({ on: false, state: "done", reason: { code: "done" } });
  expect(done?.cost).toBeCloseTo((done?.meanPrice ?? 0) * 10, 6);
});

test("target and minimum can be changed at run time", () => {
  using world = worldOf();
  world.plans.chargeIs(TOPIC, "50", NOW);
  const set = (name: string, text: string) => world.plans.commands.take(["home", "car", name, "set"], text, NOW).kind;
  world.at(NOW, "car");
  expect(set("soc_target", "100")).toBe("done");
  expect(lengthOf(world.plans.snapshot("car")?.runs ?? [])).toBe(2.5);
  expect(set("soc_minimum", "60")).toBe("done");
  expect(world.plans.snapshot("car")).toMatchObject({ on: true, reason: { code: "running_at_once" } });
  expect([set("soc_target", "101"), set("hours", "3"), set("energy", "10")]).toEqual(["refused", "refused", "refused"]);
});

test("whatever the reports, a battery that charges as planned gets its target, and never more than a step above it", () => {
  const anyReports = fc.array(fc.integer({ min: 5, max: 240 }), { minLength: 0, maxLength: 8 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 }), anyReports, fc.nat(40), (first, waits, seed) => {
      const list = points(daysOf("2026-03-09", "2026-03-11"), (i) => 1 + Math.sin(i * (1 + seed)));
      using world = new PlansOnDisk({
        definitions: definition ? [definition] : [],
        timeline: timelineOf(list),
        results: false,
      });
      const opens = at("2026-03-10T16:00:00Z");
      const closes = at("2026-03-11T06:00:00Z");
      let percent = first;
      let now = opens;
      const live = (to: number) => {
        while (now < to) {
          const until = Math.min(to, world.decide(now));
          if (world.plans.snapshot("car")?.on) percent += ((until - now) / HOUR) * 20;
          now = until;
        }
      };
      const report = () => world.plans.chargeIs(TOPIC, percent.toFixed(1), now);
      report();
      for (const minutes of waits) {
        live(Math.min(closes, now + minutes * 60_000));
        report();
      }
      live(closes);
      expect(percent).toBeGreaterThanOrEqual(Math.max(first, 80) - 0.2);
      // Hours are rounded up to whole steps after each part of the run.
      expect(percent).toBeLessThanOrEqual(Math.max(first, 80) + 25);
    }),
    { seed: 3, numRuns: 40 },
  );
});

test("only plain percentages are a charge", () => {
  expect(["0", "100", " 63.5 "].map(readCharge)).toEqual([0, 100, 63.5]);
  expect(["", "unknown", "101", "-1", "1e2", "63 %"].map(readCharge)).toEqual([null, null, null, null, null, null]);
});

test("the configuration needs kw, and no hours", () => {
  const read = (more: object) => planSchema.safeParse({ ...entry, ...more }).success;
  expect(read({})).toBe(true);
  expect([read({ kw: undefined }), read({ hours: 3 }), read({ energy: 10 }), read({ kind: "window" })]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
