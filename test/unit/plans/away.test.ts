import * as fc from "fast-check";
import { expect, test } from "vitest";
import { planSchema } from "../../../src/config/schema/plan-schema.ts";
import type { PlanSpec } from "../../../src/core/planning/model/plan-spec.ts";
import { at, daysOf, points, timelineOf } from "../../support/home/price-days.ts";
import { PlansOnDisk } from "../../support/plans/plans-on-disk.ts";
import { definitionOf, HOUR } from "../../support/plans/shown-plans.ts";

/** 13:00 local time. */
const NOW = at("2026-03-10T12:00:00Z");
const base = { enabled: true } as const;
const washer: PlanSpec = { ...base, kind: "window", hoursMs: 2 * HOUR, from: 14 * 60, readyBy: 23 * 60 };
/** Lowest at 20:00. */
const timeline = timelineOf(
  points(daysOf("2026-03-08", "2026-03-13"), (i) => Math.abs((i % 24) - 20), { unit: "hour" }),
);
const worldOf = (spec: PlanSpec) => new PlansOnDisk({ definitions: [definitionOf(spec)], timeline });

test("a plan does not run while it is away, and its reason says until when", () => {
  using world = worldOf({ ...washer, away: { from: "2026-03-09", until: "2026-03-12" } });
  expect(world.at(NOW)).toMatchObject({ on: false, state: "skipped", runs: [], nextStart: null });
  expect(world.at(NOW).reason).toEqual({ code: "away", text: "away until Wed 00:00" });
  const back = world.until(NOW, at("2026-03-12T08:00:00Z"));
  expect(back).toMatchObject({ state: "scheduled", nextStart: at("2026-03-12T18:00:00Z") });
});

test("a holiday with times leaves the hours before and after it", () => {
  using world = worldOf({ ...washer, away: { from: "2026-03-10T20:00", until: "2026-03-10T22:00" } });
  expect(world.at(NOW).nextStart).toBe(at("2026-03-10T17:00:00Z"));
});

test("a holiday of the house stops all its plans but those of kind avoid, and survives a restart", () => {
  const heat: PlanSpec = { ...base, kind: "avoid", hoursMs: 3 * HOUR };
  using world = new PlansOnDisk({ definitions: [definitionOf(washer), definitionOf(heat, "heat")], timeline });
  const heated = world.at(NOW, "heat").runs;
  expect(world.plans.holidays.set("home", "2026-03-10/2026-03-14", NOW)).toEqual({ kind: "done" });
  expect(world.plans.snapshot("washer")).toMatchObject({ state: "skipped", runs: [], reason: { code: "away" } });
  expect(world.plans.snapshot("heat")?.runs).toEqual(heated);
  world.restart();
  expect(world.at(NOW).reason.code).toBe("away");
  expect(world.plans.holidays.of("home")).toEqual({ from: "2026-03-10", until: "2026-03-14" });
  expect(world.plans.holidays.set("home", "", NOW)).toEqual({ kind: "done" });
  expect(world.plans.snapshot("washer")?.state).toBe("scheduled");
});

test("a begun run goes on into the holiday, and run now works during it", () => {
  using world = worldOf(washer);
  const start = world.at(NOW).nextStart ?? 0;
  world.until(NOW, start + HOUR);
  world.plans.holidays.set("home", "2026-03-10/2026-03-12", start + HOUR);
  expect(world.plans.snapshot("washer")).toMatchObject({ on: true, state: "running" });
  using idle = worldOf({ ...washer, away: { from: "2026-03-10", until: "2026-03-12" } });
  idle.at(NOW);
  expect(idle.plans.commands.act("washer", "run_now", NOW)).toEqual({ kind: "done" });
  expect(idle.at(NOW).on).toBe(true);
});

test.each(["tomorrow", "2026-02-30/2026-03-01", "2026-03-12/2026-03-10", "2026-03-10"])(
  "the holiday %s is refused and changes nothing",
  (text) => {
    using world = worldOf(washer);
    world.at(NOW);
    expect(world.plans.holidays.set("home", text, NOW)).toMatchObject({ kind: "refused", why: "unreadable_setting" });
    expect(world.plans.commands.take(["home", "washer", "away", "set"], text, NOW)).toMatchObject({ kind: "refused" });
    expect(world.plans.snapshot("washer")?.state).toBe("scheduled");
  },
);

test("no plan with hours starts in a holiday, whatever its kind, times and prices", () => {
  const anySpec = fc.oneof(
    fc.record({ kind: fc.constant("window" as const), hoursMs: fc.integer({ min: 1, max: 6 }).map((n) => n * HOUR) }),
    fc.record({ kind: fc.constant("slots" as const), hoursMs: fc.integer({ min: 1, max: 9 }).map((n) => n * HOUR) }),
    fc.record({ kind: fc.constant("below" as const), percent: fc.constantFrom(20, 50) }),
  );
  const anyHour = fc.integer({ min: 0, max: 40 });
  fc.assert(
    fc.property(anySpec, anyHour, fc.integer({ min: 1, max: 30 }), fc.nat(30), (spec, first, length, seed) => {
      const local = (hours: number) => new Date(NOW + (hours + 1) * HOUR).toISOString().slice(0, 16);
      const away = { from: local(first), until: local(first + length) };
      const list = points(daysOf("2026-03-08", "2026-03-13"), (i) => 1 + Math.sin((i * (seed + 1)) / 5), {
        unit: "hour",
      });
      using world = new PlansOnDisk({
        definitions: [definitionOf({ ...base, ...spec, away } as PlanSpec)],
        timeline: timelineOf(list),
        results: false,
      });
      for (let now = NOW; now < NOW + 48 * HOUR; ) {
        const until = world.decide(now);
        const { runs = [] } = world.plans.snapshot("washer") ?? {};
        for (const run of runs)
          expect(run.start >= NOW + (first + length) * HOUR || run.end <= NOW + first * HOUR).toBe(true);
        now = Math.max(until, now + HOUR / 4);
      }
    }),
    { seed: 3, numRuns: 30 },
  );
});

test("the configuration reads two dates, not for avoid", () => {
  const read = (away: unknown, kind = "window") => {
    const reading = planSchema.safeParse({ name: "A", home: "home", kind, hours: 1, away });
    return reading.success;
  };
  expect(read({ from: "2026-07-01", until: "2026-07-15T14:00" })).toBe(true);
  expect([
    read({ from: "2026-07-15", until: "2026-07-01" }),
    read({ from: "2026-02-30", until: "2026-07-01" }),
  ]).toEqual([false, false]);
  expect([read("2026-07-01"), read({ from: "2026-07-01", until: "2026-07-15" }, "avoid")]).toEqual([false, false]);
});
