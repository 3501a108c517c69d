import * as fc from "fast-check";
import { expect, test } from "vitest";
import { planDefinitions } from "../../../src/config/plan-list.ts";
import { planSchema } from "../../../src/config/schema/plan-schema.ts";
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
const says = (payload: string, retained = false) => ({ topic: TOPIC, payload, retained });
const worldOf = () => new PlansOnDisk({ definitions: definition ? [definition] : [], timeline });
const lengthOf = (runs: readonly { readonly start: number; readonly end: number }[]) =>
  runs.reduce((sum, { start, end }) => sum + end - start, 0) / HOUR;

test("a battery gets the hours from its charge to the target", () => {
  using world = worldOf();
  world.at(NOW, "car");
  expect(world.plans.chargeTopics).toEqual([TOPIC]);
  world.plans.chargeIs(says("60"), NOW);
  // 20 % of 50 kWh at 10 kW.
  expect(lengthOf(world.plans.snapshot("car")?.runs ?? [])).toBe(1);
  expect(world.plans.snapshot("car")).toMatchObject({ on: false, state: "scheduled" });
});

test("a battery below the minimum is charged at once, and the rest in the cheapest hours", () => {
  using world = worldOf();
  world.plans.chargeIs(says("20"), NOW);
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

test.each([
  // The target of 80 % needs what it needs. 1.25 h are at most 1.05 DKK/kWh, and 15 % more are 0.75 h.
  ["20", "running", 3, "runs until 18:30 at any price"],
  ["60", "scheduled", 1.25, "Wed 02:30-03:45"],
  ["80", "scheduled", 0.75, "Wed 02:45-03:30"],
  ["95", "done", 0, "the battery has its target of 95 %"],
] as const)(
  "with up_to 95%% a battery at %s %% is %s, and charged above its target only while it is cheap",
  (payload, state, hours, words) => {
    const definitions = planDefinitions([planSchema.parse({ ...entry, up_to: "95%", cheap_below: 1.05 })]);
    using world = new PlansOnDisk({ definitions, timeline });
    world.plans.chargeIs(says(payload), NOW);
    const plan = world.at(NOW, "car");
    expect([plan.state, lengthOf(plan.runs)]).toEqual([state, hours]);
    expect(plan.reason.text).toContain(words);
    expect(plan.cost === null).toBe(hours === 0);
  },
);

test("up_to of a battery is a percentage from its target on, and of no other plan", () => {
  const isRead = (more: object) => planSchema.safeParse({ ...entry, cheap_below: 1, ...more }).success;
  expect(["95%", "80 %", "70%", "6", 6].map((up_to) => isRead({ up_to }))).toEqual([true, true, false, false, false]);
  expect(isRead({ soc: undefined, hours: 2, up_to: "95%" })).toBe(false);
});

const UNKNOWN = ["unavailable", "unknown", "", "none", "n/a", "101", "-1", "1e2", "NaN", "null", "{}", "soc: 80"];

test.each(UNKNOWN)(
  "after %j a plan takes neither an empty nor a full battery, says so, and is a problem",
  (payload) => {
    using world = worldOf();
    world.plans.chargeIs(says("80"), NOW);
    expect(world.at(NOW, "car").runs).toEqual([]);
    world.restart();
    world.plans.chargeIs(says(payload, true), NOW);
    const plan = world.at(NOW, "car");
    // From empty to the minimum of 30 % are an hour and a half; before it was an hour at once, then four hours in all.
    expect([lengthOf(plan.runs), plan.on, plan.reason.code]).toEqual([1.5, false, "scheduled"]);
    expect(plan.reason.text).toMatch(/; planned for 1.5 h, because the charge of the battery is unknown$/);
    const detail = `its topic reported "${payload}" instead of a percentage`;
    expect(world.problems.list()).toMatchObject([{ code: "charge_unknown", subject: "charge of plan car", detail }]);
    world.plans.chargeIs(says("80 %"), NOW);
    expect(world.plans.snapshot("car")?.reason).toEqual({
      code: "charged",
      text: "the battery has its target of 80 %",
    });
    expect(world.problems.list()).toEqual([]);
  },
);

test("a charge of before a restart counts for a day, also if the broker repeats it", () => {
  using world = worldOf();
  world.plans.chargeIs(says("80,5"), NOW);
  const isUnknown = [1, 23, 25, 80].map((hours) => {
    world.restart();
    world.plans.chargeIs(says("80.5", true), NOW + hours * HOUR);
    return world.at(NOW + hours * HOUR, "car").reason.code !== "charged";
  });
  expect(isUnknown).toEqual([false, false, true, true]);
  expect(world.problems.list()).toMatchObject([{ detail: "the last charge, 80.5 %, was reported Tue 18:00" }]);
});

test("with an unknown charge a plan takes the mean of its last seven rounds", () => {
  using world = worldOf();
  const days = daysOf("2026-03-01", "2026-03-12");
  world.world.timeline = timelineOf(points(days, (i) => 1 + Math.abs((i % 96) / 4 - 3) / 10));
  const opens = at("2026-03-02T16:00:00Z");
  for (const day of [0, 1, 2, 3]) {
    world.plans.chargeIs(says(day < 2 ? "40" : "60"), opens + day * 24 * HOUR);
    world.until(opens + day * 24 * HOUR, opens + (day * 24 + 15) * HOUR, "car");
  }
  world.plans.chargeIs(says("unavailable"), opens + 96 * HOUR);
  // Two rounds of two hours, and two of one hour.
  expect(lengthOf(world.at(opens + 96 * HOUR, "car").runs)).toBe(1.5);
});

test("without a minimum or earlier rounds an unknown charge plans nothing and says so; a full battery needs nothing", () => {
  const soc = { ...entry.soc, minimum: 0 };
  const [own] = planDefinitions([planSchema.parse({ ...entry, soc })]);
  using world = new PlansOnDisk({ definitions: own ? [own] : [], timeline });
  expect(world.at(NOW, "car")).toMatchObject({
    ...{ state: "waiting", on: false, runs: [] },
    reason: { code: "charge_unknown", text: "the charge of the battery is unknown, so nothing is planned" },
  });
  expect(world.problems.list()).toMatchObject([{ detail: "its topic has not reported a charge" }]);
  world.plans.chargeIs(says("85.5"), NOW);
  expect(world.plans.snapshot("car")).toMatchObject({ state: "done", runs: [], on: false });
});

test("the run ends when the target is reached, and its energy stays counted", () => {
  using world = worldOf();
  world.plans.chargeIs(says("40"), NOW);
  const start = world.at(NOW, "car").nextStart ?? 0;
  world.until(NOW, start + HOUR, "car");
  world.plans.chargeIs(says("80"), start + HOUR);
  const done = world.plans.snapshot("car");
  expect(done).toMatchObject({ on: false, state: "done", reason: { code: "done" } });
  expect(done?.cost).toBeCloseTo((done?.meanPrice ?? 0) * 10, 6);
});

test("target and minimum can be changed at run time", () => {
  using world = worldOf();
  world.plans.chargeIs(says("50"), NOW);
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
      const report = () => world.plans.chargeIs(says(percent.toFixed(1)), now);
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

test("the configuration needs kw, and no hours", () => {
  const read = (more: object) => planSchema.safeParse({ ...entry, ...more }).success;
  expect(read({})).toBe(true);
  expect([read({ kw: undefined }), read({ hours: 3 }), read({ kwh: 10 }), read({ kind: "window" })]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
