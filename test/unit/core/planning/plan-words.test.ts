import { describe, expect, test } from "vitest";
import type { PlanSpec, SlotsPlan, WindowPlan } from "../../../../src/core/planning/model/plan-spec.ts";
import { runNow, stop } from "../../../../src/core/planning/plan-commands.ts";
import { newRecord } from "../../../../src/core/planning/plan-record.ts";
import type { PlanAdvance } from "../../../../src/core/planning/plan-state-machine.ts";
import { energyOf } from "../../../../src/core/planning/snapshot/plan-savings.ts";
import { planSnapshot } from "../../../../src/core/planning/snapshot/plan-snapshot.ts";
import { at, daysOf, points, timelineOf } from "../../../support/home/price-days.ts";
import { live, nightPrices, OPENS, slots, step, timesOf, washer, wordsOf } from "../../../support/plans/plan-life.ts";
import { definitionOf } from "../../../support/plans/shown-plans.ts";

const HOUR = 3_600_000;
const AFTERNOON = OPENS - 5 * HOUR;

function shown(advance: PlanAdvance, spec: PlanSpec, now: number) {
  const month = {
    start: 0,
    runs: 0,
    hours: 0,
    cost: null,
    saving: { againstNow: null, againstWindowStart: null, againstMean: null },
  };
  const history = { month, monthBefore: month, lastRun: null };
  const reason = { code: "scheduled", text: "" } as const;
  return planSnapshot({
    definition: definitionOf(spec),
    spec,
    advance,
    reason,
    currency: "DKK",
    history,
    refused: null,
    now,
  });
}

describe("savings name their baseline", () => {
  test("the saving against now is negative if a start now is cheaper", () => {
    // 0.2 in the afternoon, 2.2 when the window opens, 0.5 at night.
    const cheapNow = nightPrices().map((point) => (point.start < OPENS ? { ...point, price: 0.2 } : point));
    const advance = step({ now: AFTERNOON, timeline: timelineOf(cheapNow) });
    const { savingPerKwh } = shown(advance, washer, AFTERNOON);
    expect(savingPerKwh.againstNow).toBeCloseTo(0.2 - 0.5);
    expect(savingPerKwh.againstWindowStart).toBeCloseTo(2.225 - 0.5);
    expect(wordsOf(advance, AFTERNOON)).toContain("on average instead of 2.23 DKK/kWh from 22:00");
  });

  test("the saving against now is null once the occurrence has begun", () => {
    const now = at("2026-03-11T01:00:00Z");
    const { savingPerKwh } = shown(live({ now: AFTERNOON }, now), washer, now);
    expect([savingPerKwh.againstNow, savingPerKwh.againstWindowStart]).toEqual([null, expect.closeTo(1.725)]);
  });

  test.each<PlanSpec>([
    { kind: "below", maxPrice: 1, kwh: 4, enabled: true },
    { kind: "avoid", hoursMs: 4 * HOUR, kwh: 4, enabled: true },
  ])("$kind uses kwh of a whole occurrence and reports money", (spec) => {
    const start = at("2026-03-09T23:00:00Z");
    const { cost, meanPrice, saving } = shown(step({ now: start, spec }), spec, start);
    expect(cost).toBeCloseTo(4 * (meanPrice ?? 0));
    expect(saving.againstMean).toBeGreaterThan(0);
    const over = live({ now: start, spec }, start + 24 * HOUR - 1);
    const last = step({ now: start + 24 * HOUR, spec, memory: over.memory });
    const finished = [...last.finished];
    expect(finished.every(({ kwh }) => kwh !== null && kwh > 0)).toBe(true);
  });
});

describe("a plan waits for tomorrow's prices, and reports it", () => {
  test("if other plans of its group use all of the known time", () => {
    // The README's dryer: after the dishwasher, which has the last hours of today.
    const dryer: WindowPlan = { ...washer, hoursMs: 1.5 * HOUR, from: 19 * 60, readyBy: 9 * 60 };
    const midnight = at("2026-03-10T23:00:00Z");
    const now = at("2026-03-10T09:00:00Z");
    const advance = step({
      now,
      spec: dryer,
      timeline: timelineOf(nightPrices("2026-03-10")),
      blocked: [{ start: midnight - 2 * HOUR, end: midnight }],
      after: { kind: "from", at: midnight + HOUR / 4 },
    });
    expect([advance.state, wordsOf(advance, now, dryer)]).toEqual([
      "waiting",
      "waits for the prices from Wed 00:00 on",
    ]);
  });

  test("if all known prices are above max_price", () => {
    const spec: SlotsPlan = { ...(slots as SlotsPlan), maxPrice: 1 };
    const advance = step({ now: at("2026-03-10T09:00:00Z"), spec, timeline: timelineOf(nightPrices("2026-03-10")) });
    expect(advance.state).toBe("waiting");
  });
});

describe("times", () => {
  test("the repeated hour in autumn has A, then B", () => {
    const spec: WindowPlan = { ...washer, hoursMs: HOUR / 2 };
    const [first, change] = [at("2026-10-25T00:45:00Z"), at("2026-10-25T01:00:00Z")];
    const prices = points(daysOf("2026-10-22", "2026-10-26"), () => 2).map((point) =>
      point.start === first || point.start === change ? { ...point, price: 0.1 } : point,
    );
    const running = live({ now: first - 3 * HOUR, spec, timeline: timelineOf(prices) }, first);
    expect(wordsOf(running, first, spec)).toMatch(/^runs until 02:15 B: 02:45 A-02:15 B, 0.10 DKK\/kWh on average/);
  });

  test("times after midnight include the day", () => {
    expect(wordsOf(step({ now: AFTERNOON }), AFTERNOON)).toMatch(/^Wed 02:00-04:00, /);
    const late = nightPrices().map((point) => ({
      ...point,
      price: Math.abs(point.start - at("2026-03-10T22:00:00Z")) <= HOUR ? 0 : 1,
    }));
    expect(wordsOf(step({ now: AFTERNOON, timeline: timelineOf(late) }), AFTERNOON)).toMatch(/^22:00-00:00, /);
    const over = { ...washer, hoursMs: 3 * HOUR };
    expect(wordsOf(step({ now: AFTERNOON, spec: over, timeline: timelineOf(late) }), AFTERNOON)).toMatch(
      /^22:00-Wed 01:00, /,
    );
  });
});

test("stop after a manual run does not skip the next occurrence", () => {
  const planned = step({ now: AFTERNOON });
  const begun = runNow(washer, planned.memory, AFTERNOON);
  if (begun.kind === "refused") throw new Error(begun.why);
  const now = AFTERNOON + HOUR / 4;
  const stopped = stop(step({ now: AFTERNOON, memory: begun.memory }).memory, now, washer);
  if (stopped.kind === "refused") throw new Error(stopped.why);
  const after = step({ now, memory: stopped.memory });
  expect([after.state, after.on, after.memory?.planned.length]).toEqual(["scheduled", false, 1]);
  const night = live({ now, memory: after.memory }, at("2026-03-11T01:30:00Z"));
  expect(night.state).toBe("running");
});

test("a plan that is added in the evening shows its next occurrence", () => {
  const spec: SlotsPlan = { ...(slots as SlotsPlan), hoursMs: 4 * HOUR, from: 0, readyBy: 0 };
  const evening = at("2026-03-10T21:00:00Z");
  const advance = step({ now: evening, spec });
  expect([advance.state, timesOf(advance.memory)[0]]).toEqual(["scheduled", "23:00-03:00"]);
  expect(step({ now: evening + HOUR, spec, memory: advance.memory }).memory).toBe(advance.memory);
  const shorter = step({ now: evening + HOUR / 2, spec: { ...spec, hoursMs: HOUR }, memory: advance.memory });
  expect(timesOf(shorter.memory)).toEqual(["21:30-22:30"]);
});

test("with a max_gap within an hour, avoid uses quarters; other lengths are rounded up to whole prices", () => {
  const midnight = at("2026-03-09T23:00:00Z");
  const spec: PlanSpec = { kind: "avoid", hoursMs: 2.5 * HOUR, maxGapMs: 1.9 * HOUR, enabled: true };
  const { memory } = live({ now: midnight, spec }, midnight + 10 * HOUR);
  const runs = [...(memory?.startedRuns ?? []), ...(memory?.planned ?? [])];
  const on = runs.reduce((sum, run) => sum + run.end - run.start, 0);
  expect((24 * HOUR - on) / HOUR).toBe(2.5);
  const longer = step({ now: AFTERNOON, spec: { ...washer, hoursMs: 1.5 * HOUR } });
  expect(timesOf(longer.memory)).toEqual(["01:00-03:00"]);
});

test.each(["below", "avoid"] as const)("an occurrence of %s distributes its kwh over all its runs", (kind) => {
  const spec = { kind, kwh: 4, hoursMs: 3_600_000, enabled: true };
  const run = { start: 0, end: 7_200_000, basis: "prices", settled: false } as const;
  const record = { ...newRecord({ start: 0, end: 86_400_000, until: 86_400_000 }, 0, []), startedRuns: [run] };
  expect(energyOf(spec, { start: 0, end: 3_600_000 }, record)).toBe(2);
});
