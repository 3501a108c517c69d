import { describe, expect, test } from "vitest";
import type { SlotsPlan } from "../../../../src/core/planning/model/plan-spec.ts";
import { at, timelineOf } from "../../../support/home/price-days.ts";
import { costOf, live, nightPrices, OPENS, step, timesOf, washer, wordsOf } from "../../../support/plans/plan-life.ts";

const HOUR = 3_600_000;
const AFTERNOON = OPENS - 5 * HOUR;
const ENDS = at("2026-03-11T06:00:00Z");
const car: SlotsPlan = { kind: "slots", hoursMs: 4 * HOUR, from: 22 * 60, readyBy: 7 * 60, enabled: true };

describe("if only some hours are possible, a plan runs in", () => {
  const expensive: SlotsPlan = { ...car, maxPrice: 0.6, kwh: 8 };

  test("the hours at or below max_price; the reason contains the missing hours and their cause", () => {
    const planned = step({ now: AFTERNOON, spec: expensive });
    expect([planned.state, timesOf(planned.memory)]).toEqual(["partial", ["01:00-03:00"]]);
    expect(planned.memory?.outcome).toMatchObject({ shortfall: { missingMs: 2 * HOUR, reason: "max_price" } });
    expect(costOf(planned, expensive)).toBe(2);
    expect(wordsOf(planned, AFTERNOON, expensive)).toMatch(
      /^prices are above the maximum of 0.60 DKK\/kWh: 2 h missing of 4 h; /,
    );
    const running = live({ now: AFTERNOON, spec: expensive }, at("2026-03-11T01:30:00Z"));
    expect([running.state, running.on]).toEqual(["running", true]);
    const over = live({ now: AFTERNOON, spec: expensive }, at("2026-03-11T03:30:00Z"));
    expect([over.state, over.nextChangeAt]).toEqual(["partial", ENDS]);
  });

  test("the remaining time before ready_by", () => {
    const late = at("2026-03-11T04:00:00Z");
    const before = live({ now: AFTERNOON, spec: { ...car, hoursMs: HOUR } }, late);
    const found = step({ now: late, spec: { ...car, hoursMs: 6 * HOUR }, memory: before.memory });
    expect([found.state, timesOf(found.memory)]).toEqual(["running", ["01:00-02:00", "04:00-06:00"]]);
    expect(found.memory?.outcome).toMatchObject({ shortfall: { missingMs: 3 * HOUR, reason: "window_too_short" } });
  });

  test("whole steps, but the cost is that of the hours", () => {
    const late = at("2026-03-11T04:00:00Z");
    const before = live({ now: AFTERNOON, spec: { ...car, hoursMs: HOUR } }, late);
    const spec = { ...car, hoursMs: 3.4 * HOUR, kwh: 3.4 };
    const found = step({ now: late, spec, memory: before.memory });
    expect(found.memory?.outcome).toMatchObject({ shortfall: { missingMs: 0.4 * HOUR } });
    const { meanPrice = null } = found.memory?.outcome.kind === "solved" ? found.memory.outcome : {};
    expect(costOf(found, spec)).toBeCloseTo(3 * (meanPrice ?? 0));
  });

  test("no hour with `when_short: nothing` or of kind window", () => {
    const nothing = step({ now: AFTERNOON, spec: { ...expensive, whenShort: "nothing" } });
    expect([nothing.state, timesOf(nothing.memory)]).toEqual(["impossible", []]);
    const window = step({ now: AFTERNOON, spec: { ...washer, hoursMs: 4 * HOUR, maxPrice: 0.6 } });
    expect(window.state).toBe("impossible");
  });

  test("the hours with prices, once the other prices are overdue; until then it waits", () => {
    const timeline = timelineOf(nightPrices().filter(({ end }) => end <= OPENS + 2 * HOUR));
    const waiting = step({ now: at("2026-03-10T10:00:00Z"), spec: car, timeline });
    expect(waiting.state).toBe("waiting");
    const overdue = step({ now: at("2026-03-10T13:30:00Z"), spec: car, timeline, memory: waiting.memory });
    expect([overdue.state, timesOf(overdue.memory)]).toEqual(["partial", ["21:00-23:00"]]);
    const fallback = { ...car, fallback: [{ from: 120, until: 360 }] };
    expect(step({ now: at("2026-03-10T13:30:00Z"), spec: fallback, timeline }).state).toBe("fallback");
  });
});
