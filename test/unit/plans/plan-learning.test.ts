import { expect, test } from "vitest";
import { LEARNED_FROM } from "../../../src/core/planning/learned-course.ts";
import { planStatus } from "../../../src/core/planning/snapshot/plan-payload.ts";
import { DAY_MS, HOUR_MS, QUARTER_MS } from "../../../src/core/time/interval.ts";
import { PlanLearning } from "../../../src/plans/plan-learning.ts";
import { at, calendar, daysOf, points, timelineOf } from "../../support/home/price-days.ts";
import { PlansOnDisk } from "../../support/plans/plans-on-disk.ts";
import { definitionOf, HOUR, WASHER } from "../../support/plans/shown-plans.ts";
import { TestMemory } from "../../support/storage/test-memory.ts";

const NOW = at("2026-03-10T17:00:00Z");
/** 02:00 to 05:00 local time costs the least; of it, 02:00 is the cheapest hour. */
const timeline = timelineOf(
  points(daysOf("2026-03-07", "2026-03-20"), (i) => ({ 1: 1, 2: 0.2, 3: 0.5, 4: 0.5, 5: 0.21 })[i % 24] ?? 2, {
    unit: "hour",
  }),
);
const learner = { ...definitionOf({ ...WASHER, hoursMs: 2 * HOUR, kwh: 9 }), learns: true as const };

/** Stores the energy of a machine that heats in its last hour, for each run of three nights. */
function threeNights(world: PlansOnDisk): number {
  let now = NOW;
  for (let night = 1; night <= 3; night++) {
    world.until(now, NOW + night * DAY_MS - 2 * HOUR_MS);
    now = NOW + night * DAY_MS - 2 * HOUR_MS;
    const run = world.plans.results.detail(learner, now).runs[0];
    if (!run) throw new Error("the plan has not run");
    for (let i = 0; i < 8; i++) {
      const quarter = { plug: "plug", start: run.start + i * QUARTER_MS, measuredMs: QUARTER_MS, cost: null };
      world.energy.add([{ ...quarter, kwh: i < 4 ? 0 : 0.25 }]);
    }
    world.at(now);
  }
  return now;
}

test("after three measured runs the plan has their energy and course, so that the costly part meets the lowest price", () => {
  using world = new PlansOnDisk({ definitions: [learner], timeline, plugs: ["plug"] });
  const first = world.at(NOW);
  expect([first.learned ?? null, first.nextStart]).toEqual([null, at("2026-03-11T01:00:00Z")]);
  const now = threeNights(world);
  const learned = world.until(now, now + 3 * HOUR_MS);
  expect(planStatus(learned).learned).toEqual({ runs: 3, kwh: 1, profile: [0, 0, 0, 0, 1, 1, 1, 1] });
  // The second hour of the run is now the one that costs, so it begins an hour before the cheapest hour.
  expect([learned.nextStart, learned.cost]).toEqual([at("2026-03-14T00:00:00Z"), expect.closeTo(0.2, 9)]);
});

test("the runs of a plan with several in its window count as one", () => {
  const car = { ...definitionOf({ ...WASHER, kind: "slots", hoursMs: 2 * HOUR, kwh: 9 }), learns: true as const };
  // 02:00 and 05:00 local time cost the least.
  using world = new PlansOnDisk({ definitions: [car], timeline, plugs: ["plug"] });
  for (let night = 1; night <= 3; night++) {
    world.until(NOW + (night - 1) * DAY_MS, NOW + night * DAY_MS - 2 * HOUR_MS);
    const runs = world.plans.results.detail(car, NOW + night * DAY_MS).runs.slice(0, 2);
    expect(runs.length).toBe(2);
    for (const { start } of runs)
      for (let i = 0; i < 4; i++)
        world.energy.add([
          { plug: "plug", start: start + i * QUARTER_MS, measuredMs: QUARTER_MS, cost: null, kwh: 0.5 },
        ]);
  }
  expect(world.at(NOW + 3 * DAY_MS).learned).toMatchObject({ runs: 3, kwh: 4 });
});

test("what was learned can be forgotten, also across a restart", () => {
  using world = new PlansOnDisk({ definitions: [learner], timeline, plugs: ["plug"] });
  const now = threeNights(world);
  expect(world.plans.commands.act("washer", "forget_learned", now)).toEqual({ kind: "done" });
  world.restart({ plugs: ["plug"] });
  expect(world.at(now).learned).toBeNull();
});

test("a decision reads at most twice as many rounds as are learned from, the newest ones", () => {
  const nights = Array.from({ length: 80 }, (_, i) => at("2026-03-10T01:00:00Z") - i * DAY_MS);
  const read: number[] = [];
  const learning = new PlanLearning({
    store: { lastRuns: () => nights.map((start) => ({ start, end: start + HOUR_MS })) as never },
    memory: new TestMemory(),
    measured: {
      courses(_plan, [run]) {
        read.push(run?.start ?? 0);
        return [[0.5, 0.5, 0.5, 0.5]];
      },
    },
    calendar,
  });
  expect(learning.of("washer", learner.spec, NOW)).toMatchObject({ runs: LEARNED_FROM.most, kwh: 2 });
  expect(read).toEqual(nights.slice(0, 2 * LEARNED_FROM.most));
});
