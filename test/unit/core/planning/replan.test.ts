import { describe, expect, test } from "vitest";
import { decideCircle, decidedSnapshot } from "../../../../src/core/planning/group/circle-decision.ts";
import { afterStateOf } from "../../../../src/core/planning/group/plan-dependencies.ts";
import type { PlanSpec } from "../../../../src/core/planning/model/plan-spec.ts";
import type { PlanRecord } from "../../../../src/core/planning/plan-record.ts";
import { UNDECIDED } from "../../../../src/core/planning/plan-state-machine.ts";
import type { Timeline } from "../../../../src/core/prices/timeline.ts";
import { without } from "../../../../src/core/time/interval.ts";
import { at, calendar, daysOf, points, timelineOf } from "../../../support/home/price-days.ts";
import { live, nightPrices, OPENS, slots, step, timesOf, washer, wordsOf } from "../../../support/plans/plan-life.ts";
import { definitionOf } from "../../../support/plans/shown-plans.ts";

const HOUR = 3_600_000;
const STARTS = at("2026-03-11T01:00:00Z");
const PLANNED = step({ now: OPENS }).memory;
const hour = (time: string, length = 1) => ({ start: at(time), end: at(time) + length * HOUR });

describe("a run that has not started is planned again", () => {
  test("when another plan of its group takes its time", () => {
    const moved = step({ now: OPENS + HOUR, memory: PLANNED, blocked: [hour("2026-03-11T01:00:00Z")] });
    expect(timesOf(moved.memory)).not.toEqual(timesOf(PLANNED));
    expect(moved.memory?.planned.every(({ start }) => start >= at("2026-03-11T02:00:00Z"))).toBe(true);
  });

  test("when the plan in `after` ends later", () => {
    const later = at("2026-03-11T02:30:00Z");
    const moved = step({ now: OPENS + HOUR, memory: PLANNED, after: { kind: "from", at: later } });
    expect(moved.memory?.planned[0]?.start).toBeGreaterThanOrEqual(later);
    expect(timesOf(moved.memory)).toHaveLength(1);
  });

  test("when its settings change", () => {
    const moved = step({ now: OPENS + HOUR, memory: PLANNED, spec: { ...washer, hoursMs: HOUR } });
    expect(timesOf(moved.memory)).toEqual(["01:00-02:00"]);
  });

  test("and a started run ends when its plan is disabled", () => {
    const running = step({ now: STARTS, memory: PLANNED });
    const off = step({ now: STARTS + 600_000, memory: running.memory, spec: { ...washer, enabled: false } });
    expect([off.state, off.running, off.nextChangeAt]).toEqual(["disabled", null, at("2026-03-11T06:00:00Z")]);
    expect(off.memory?.startedRuns).toMatchObject([{ end: STARTS + 600_000 }]);
  });

  test("around finished runs, so that no hour is planned twice", () => {
    const spec: PlanSpec = { ...slots, hoursMs: 4 * HOUR } as PlanSpec;
    const running = step({ now: STARTS, memory: step({ now: OPENS, spec }).memory, spec });
    const higher = timelineOf(nightPrices().map((point) => ({ ...point, price: point.price + 1 })));
    const again = step({ now: STARTS + 600_000, memory: running.memory, spec, timeline: higher });
    const runs = [...(again.memory?.startedRuns ?? []), ...(again.memory?.planned ?? [])].sort(
      (a, b) => a.start - b.start,
    );
    expect(runs.reduce((sum, run) => sum + run.end - run.start, 0)).toBe(4 * HOUR);
    expect(runs.every((run, i) => run.start >= (runs[i - 1]?.end ?? 0))).toBe(true);
  });

  test("in a new window after the finished runs, which still count", () => {
    const early: PlanSpec = { ...slots, from: 0, readyBy: 6 * 60, hoursMs: 3 * HOUR } as PlanSpec;
    const done = live({ now: at("2026-03-10T23:00:00Z"), spec: early }, at("2026-03-11T04:30:00Z"));
    const wider: PlanSpec = { ...early, from: 3 * 60, readyBy: 20 * 60 } as PlanSpec;
    const now = at("2026-03-11T05:00:00Z");
    const next = step({ now, memory: done.memory, spec: wider });
    expect(next.memory?.window.start).toBe(at("2026-03-11T02:00:00Z"));
    expect(next.memory?.planned.every(({ start }) => start >= now)).toBe(true);
  });
});

describe("a plan with only some of its prices", () => {
  test("a plan with only some of its prices does not start before the other prices are due, if it can wait", () => {
    const spec: PlanSpec = { ...washer, from: 8 * 60, readyBy: 8 * 60 };
    const today = timelineOf(
      nightPrices("2026-03-10").map((point, i) => ({ ...point, price: i % 24 === 10 ? 0.1 : 2 })),
    );
    const planned = step({ now: at("2026-03-10T07:00:00Z"), spec, timeline: today });
    expect(planned.state).toBe("scheduled");
    expect(planned.memory?.planned[0]?.start).toBeGreaterThanOrEqual(at("2026-03-10T13:00:00Z"));
  });

  describe("waits for the others until they are expected", () => {
    const MORNING = at("2026-03-10T07:00:00Z");
    /** Hourly prices of today, low from 10 to 12 o'clock, and estimates of tomorrow if they are given. */
    const pricesOf = (estimate?: number) =>
      timelineOf(
        nightPrices().flatMap((point, i) => {
          if (point.start < at("2026-03-10T23:00:00Z"))
            return { ...point, price: [10, 11].includes(i % 24) ? 0.9 : 2, estimate: false };
          return estimate === undefined ? [] : { ...point, price: estimate, estimate: true };
        }),
      );
    const day: PlanSpec = { ...slots, from: 8 * 60, readyBy: 8 * 60 } as PlanSpec;
    const planned = (spec: PlanSpec, timeline = pricesOf()) => step({ now: MORNING, spec, timeline });

    test("and says so, instead of naming a best price that is not the best known one", () => {
      const waiting = planned(day);
      expect(waiting.memory?.planned[0]?.start).toBeGreaterThanOrEqual(at("2026-03-10T13:00:00Z"));
      const words = wordsOf(waiting, MORNING, day);
      expect(words).toMatch(/^probably 14:00-16:00, .*; firm about 14:00$/);
    });

    test("and is planned again then", () => {
      const later = live({ now: MORNING, spec: day, timeline: pricesOf() }, at("2026-03-10T13:00:00Z"));
      expect(wordsOf(later, at("2026-03-10T13:00:00Z"), day)).not.toContain("probably");
    });

    test("but not longer than max_gap", () => {
      const often: PlanSpec = { ...day, hoursMs: 6 * HOUR, maxGapMs: 3 * HOUR } as PlanSpec;
      const { state, memory } = planned(often);
      const ends = [MORNING, ...(memory?.planned ?? []).map(({ end }) => end)];
      const starts = [...(memory?.planned ?? []).map(({ start }) => start), at("2026-03-10T23:00:00Z")];
      expect([state, ends.length]).toEqual(["partial", 5]);
      expect(Math.max(...starts.map((start, i) => start - (ends[i] ?? 0)))).toBeLessThanOrEqual(3 * HOUR);
      const seldom: PlanSpec = { ...day, readyBy: 2 * 60, hoursMs: 4 * HOUR, maxGapMs: 5 * HOUR } as PlanSpec;
      expect(planned(seldom).memory?.planned[0]?.start).toBeLessThanOrEqual(MORNING + 5 * HOUR);
    });

    test("but not if it loses hours of up_to", () => {
      const more: PlanSpec = { ...day, hoursMs: HOUR, upToMs: 4 * HOUR, cheapBelow: { maxPrice: 1 } } as PlanSpec;
      expect(timesOf(planned(more).memory)).toEqual(["09:00-11:00"]);
    });

    test.each([
      [0.5, true],
      [1.5, false],
    ])("and, with a forecast of %s instead of 0.9, only if that is less: %s", (estimate, waits) => {
      const { memory } = planned(day, pricesOf(estimate));
      expect(memory?.outcome.kind === "solved" && memory.outcome.waits !== undefined).toBe(waits);
      if (!waits) expect(timesOf(memory)).toEqual(["09:00-11:00"]);
    });
  });

  test("a plan with only some of its prices ends early enough for the plan after it, or takes the cheapest time if that is impossible", () => {
    const roomy = step({ now: OPENS, finishBy: at("2026-03-11T01:30:00Z") });
    expect(roomy.memory?.planned[0]?.end).toBeLessThanOrEqual(at("2026-03-11T01:30:00Z"));
    const cramped = step({ now: OPENS, finishBy: OPENS + HOUR });
    expect(timesOf(cramped.memory)).toEqual(["01:00-03:00"]);
  });

  test("a plan with only some of its prices does not start at an estimate in the current interval", () => {
    const cheapNow = nightPrices().map((point) => ({
      ...point,
      estimate: point.start >= OPENS,
      price: point.start === OPENS ? 0.01 : point.price,
    }));
    const spec: PlanSpec = { ...washer, hoursMs: HOUR };
    const planned = step({ now: OPENS, spec, timeline: timelineOf(cheapNow) });
    expect([planned.state, planned.running]).toEqual(["no_prices", null]);
  });
});

describe("a night plan before tomorrow's prices", () => {
  const spec = { ...slots, from: 17 * 60, hoursMs: 3 * HOUR } as PlanSpec;
  const today = timelineOf(nightPrices("2026-03-10"));
  const morning = at("2026-03-10T07:40:00Z");
  const context = { calendar, trusted: true, language: "en", graceUntil: 0, onBroken: () => {} } as const;
  const decidedAt = (now: number, timeline: Timeline) => {
    const pricesOf = () => ({ home: "listed" as const, timeline, lacksExport: false });
    const own = { definition: definitionOf(spec), spec, advance: UNDECIDED };
    const [slot] = decideCircle([own], { ...context, now, pricesOf });
    const history = { month: null, monthBefore: null, lastRun: null } as never;
    return slot && decidedSnapshot(slot, { ...context, now, pricesOf }, { history, refused: null });
  };

  test("is provisional: it will probably run in the usual cheap hours, not in the known expensive ones", () => {
    expect(decidedAt(morning, today)).toMatchObject({
      ...{ provisional: true, firmAt: at("2026-03-10T13:00:00Z"), nextStart: null, nextEnd: null },
      ...{ likelyStart: at("2026-03-10T23:00:00Z"), likelyEnd: at("2026-03-11T00:00:00Z") },
      reason: {
        code: "scheduled_on_estimates",
        text: expect.stringMatching(/^probably Wed 00:00-01:00, Wed 02:00-04:00, .*; firm about 14:00$/),
      },
    });
  });

  test("is firm with tomorrow's prices, and provisional while they are late", () => {
    const firm = decidedAt(at("2026-03-10T12:10:00Z"), timelineOf(nightPrices()));
    expect(firm).toMatchObject({ provisional: false, nextStart: at("2026-03-10T23:00:00Z"), likelyStart: null });
    const late = decidedAt(at("2026-03-10T15:00:00Z"), today);
    expect(late?.reason.text).toMatch(/^probably .*; the prices from Wed 00:00 on are late$/);
  });
});

describe("a run does not follow a missed start", () => {
  const found = at("2026-03-11T01:20:00Z");
  const notNow = (given: Partial<Parameters<typeof step>[0]>) => step({ now: found, memory: PLANNED, ...given });

  test("at estimates", () => {
    const cut = at("2026-03-11T02:00:00Z");
    const estimated = nightPrices().map((point) => ({ ...point, estimate: point.start >= cut }));
    const late = notNow({ timeline: timelineOf(estimated) });
    expect([late.running, late.memory?.planned[0]?.basis]).toEqual([null, "estimates"]);
  });

  test("above max_price", () => {
    const spec: PlanSpec = { ...washer, maxPrice: 0.6 };
    const late = step({ now: found, spec, memory: step({ now: OPENS, spec }).memory });
    expect([late.running, late.state]).toEqual([null, "impossible"]);
  });

  test("during a run of another plan of its group, or before the plan in `after` ends", () => {
    for (const given of [
      { blocked: [{ start: found - HOUR, end: found + HOUR }] },
      { after: { kind: "from", at: found + HOUR } as const },
    ]) {
      const late = notNow(given);
      expect([late.running, late.state]).toEqual([null, "scheduled"]);
      expect(late.memory?.planned[0]?.start).toBeGreaterThanOrEqual(found + HOUR - 20 * 60_000);
    }
  });
});

describe("fallback hours", () => {
  const spec = { ...slots, hoursMs: 2 * HOUR, fallback: [{ from: 2 * 60, until: 6 * 60 }] } as PlanSpec;

  test("fallback hours are not used by a plan that has all its hours", () => {
    const done = live({ now: STARTS, spec, memory: step({ now: OPENS, spec }).memory }, at("2026-03-11T03:00:00Z"));
    const later = step({ now: at("2026-03-11T03:30:00Z"), spec, memory: done.memory, timeline: null });
    expect([later.state, later.running, later.memory?.planned]).toEqual(["done", null, []]);
  });

  test("fallback hours do not overlap runs of the same group", () => {
    const blocked = [hour("2026-03-11T02:00:00Z")];
    const planned = step({ now: OPENS, spec, timeline: null, blocked });
    expect(timesOf(planned.memory)).toEqual(["01:00-02:00", "03:00-05:00"]);
  });

  test("fallback hours are used in a gap of the prices, even if other prices are known", () => {
    const gap = nightPrices().filter(({ start }) => start !== at("2026-03-11T03:00:00Z"));
    const expensive = gap.map((point) => ({ ...point, price: point.start > at("2026-03-11T03:00:00Z") ? 0.1 : 2 }));
    const planned = step({ now: OPENS, spec, timeline: timelineOf(expensive) });
    expect(planned.state).toBe("scheduled");
    const now = at("2026-03-11T03:05:00Z");
    const inGap = step({ now, spec, timeline: timelineOf(expensive), memory: planned.memory });
    expect([inGap.state, inGap.running?.basis]).toEqual(["fallback", "fallback"]);
  });
});

test("while the clock is not trusted, a plan waits, with and without a started run", () => {
  const running = step({ now: STARTS, memory: PLANNED });
  for (const memory of [PLANNED, running.memory])
    expect(step({ now: STARTS + 60_000, memory, trusted: false })).toMatchObject({ state: "waiting", running: null });
});

test("earlier runs are kept for at most a day", () => {
  const last = live({ now: at("2026-03-07T12:00:00Z") }, at("2026-03-11T12:00:00Z"));
  expect(last.memory?.before.length).toBeLessThanOrEqual(2);
});

test("the baseline window_start is the time of planning if the window was already open", () => {
  const since = at("2026-03-10T23:30:00Z");
  const done = live({ now: since }, at("2026-03-11T03:00:00Z"));
  expect(done.finished).toHaveLength(1);
  // From 00:30 local time for two hours: half an hour at 2.00, an hour at 2.01, half an hour at 0.50.
  expect(done.finished[0]?.windowStartPrice).toBeCloseTo((0.5 * 2 + 2.01 + 0.5 * 0.5) / 2);
});

test("a plan with `after` uses the last round of the other plan if that has begun its next one", () => {
  const next = live({ now: OPENS }, at("2026-03-11T07:00:00Z"));
  const other = { definition: definitionOf(washer), spec: washer, advance: next };
  const dryer = { ...definitionOf(washer, "dryer"), after: { plan: "washer", pauseMs: 600_000 } };
  const window = { start: at("2026-03-11T01:00:00Z"), end: at("2026-03-11T11:00:00Z"), until: 0 };
  expect(afterStateOf(dryer, window, other)).toEqual({ kind: "from", at: at("2026-03-11T03:10:00Z") });
});

test("without returns no empty intervals", () => {
  const all = { start: 0, end: 10 };
  expect(without(all, [{ start: 0, end: 4 }])).toEqual([{ start: 4, end: 10 }]);
  expect(without(all, [{ start: 6, end: 10 }])).toEqual([{ start: 0, end: 6 }]);
  expect(without(all, [{ start: 10, end: 12 }])).toEqual([all]);
  expect(without(all, [all])).toEqual([]);
});

test("new prices at the end of a window also reach a plan that shares its start and its prices with a shorter one", () => {
  const cheapAt = (hour: number) =>
    timelineOf(points(daysOf("2026-03-07", "2026-03-11"), (i) => (i % 24 === hour ? 0.5 : 2), { unit: "hour" }));
  const short: PlanSpec = { ...washer, hoursMs: HOUR, readyBy: 4 * 60 };
  const long: PlanSpec = { ...short, readyBy: 7 * 60 };
  const decided = (hour: number, before: readonly (PlanRecord | null)[]) => {
    const timeline = cheapAt(hour);
    return [short, long].map((spec, i) => step({ now: OPENS, spec, timeline, memory: before[i] ?? null }).memory);
  };
  const first = decided(5, []);
  expect(first.map(timesOf)[1]).toEqual(["04:00-05:00"]);
  expect(decided(6, first).map(timesOf)[1]).toEqual(["05:00-06:00"]);
});
