/** Energy from readings: counters with resets and gaps, and power alone. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Measured,
  type MeterState,
  metered,
  meterSwitched,
  UNMEASURED,
  type UsedEnergy,
} from "../../../../src/core/plugs/meter.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, QUARTER_MS } from "../../../../src/core/time/interval.ts";

const T0 = Date.UTC(2026, 2, 10, 12);
type Event = readonly [afterMs: number, what: Measured | "on" | "off"];

/** Returns the energy of events at times after T0. */
function energyOf(events: readonly Event[]): UsedEnergy[] {
  let state: MeterState = UNMEASURED;
  return events.flatMap(([afterMs, what]) => {
    const now = T0 + afterMs;
    const step = typeof what === "string" ? meterSwitched(state, what === "on", now) : metered(state, what, now);
    state = step.state;
    return step.used;
  });
}

const kwhOf = (used: readonly UsedEnergy[]) => used.reduce((sum, { kwh }) => sum + kwh, 0);
const counter = (counterKwh: number) => ({ counterKwh });

describe("a counter", () => {
  test("the energy between two readings is their difference, in parts within quarter-hours", () => {
    const used = energyOf([
      [0, counter(100)],
      [30 * MINUTE_MS, counter(101)],
    ]);
    expect(used).toEqual([
      { start: T0, end: T0 + QUARTER_MS, kwh: 0.5 },
      { start: T0 + QUARTER_MS, end: T0 + 2 * QUARTER_MS, kwh: 0.5 },
    ]);
  });

  test("the energy was used while the plug was ON: a late reading does not move it past the end of a run", () => {
    const used = energyOf([
      [0, counter(100)],
      [5 * MINUTE_MS, "on"],
      [15 * MINUTE_MS, "off"],
      [20 * MINUTE_MS, counter(100.5)],
    ]);
    expect(used).toEqual([{ start: T0 + 5 * MINUTE_MS, end: T0 + 15 * MINUTE_MS, kwh: 0.5 }]);
  });

  test.each([
    ["a reset counts from 0", 812.4, 0.3, 0.3],
    ["a counter restored from an older value does not count twice", 812.4, 812.1, 0],
    ["a jump that no appliance can cause is ignored", 0, 812.4, 0],
    ["a negative counter is ignored", 5, -1, 0],
  ])("%s", (_name, before, after, expected) => {
    const used = energyOf([
      [0, counter(before)],
      [QUARTER_MS, counter(after)],
    ]);
    expect(kwhOf(used)).toBeCloseTo(expected, 9);
  });

  test("a gap of a day is covered by its counter, a gap of a month is not counted", () => {
    const over = (gapMs: number) =>
      kwhOf(
        energyOf([
          [0, counter(1)],
          [gapMs, counter(9)],
        ]),
      );
    expect([over(DAY_MS), over(30 * DAY_MS)]).toEqual([expect.closeTo(8, 9), 0]);
  });

  test("two readings at the same time lose nothing", () => {
    const used = energyOf([
      [0, counter(1)],
      [0, counter(1.2)],
      [QUARTER_MS, counter(1.5)],
    ]);
    expect(kwhOf(used)).toBeCloseTo(0.5, 9);
  });

  test("property: without resets the sum is the last reading minus the first, whatever the times and switches", () => {
    const step = fc.tuple(
      fc.integer({ min: 1, max: 6 * 60 }),
      fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.constantFrom("on" as const, "off" as const)),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let [afterMs, kwh] = [0, 500];
        const events = steps.map(([minutes, what]): Event => {
          afterMs += minutes * MINUTE_MS;
          if (typeof what === "string") return [afterMs, what];
          kwh += Math.min(what / 1_000, minutes / 60);
          return [afterMs, counter(kwh)];
        });
        const used = energyOf([[0, counter(500)], ...events]);
        expect(kwhOf(used)).toBeCloseTo(kwh - 500, 6);
        for (const { start, end } of used)
          expect(Math.floor(start / QUARTER_MS)).toBe(Math.floor((end - 1) / QUARTER_MS));
      }),
      { seed: 3, numRuns: 300 },
    );
  });
});

describe("power alone", () => {
  test("holds until the next reading, and ends when the plug is switched OFF", () => {
    const used = energyOf([
      [0, "on"],
      [0, { watts: 2_000 }],
      [30 * MINUTE_MS, { watts: 1_000 }],
      [HOUR_MS, "off"],
      [2 * HOUR_MS, { watts: 0 }],
    ]);
    expect(kwhOf(used)).toBeCloseTo(1.5, 9);
  });

  test.each([Number.NaN, 50_001, -50_001])("a reading of %d W is ignored", (watts) => {
    const used = energyOf([
      [0, { watts: 1_000 }],
      [40 * MINUTE_MS, { watts }],
      [5 * HOUR_MS, { watts: 0 }],
    ]);
    expect(kwhOf(used)).toBeCloseTo(1, 9);
  });

  test("holds at most an hour without a reading", () => {
    expect(
      kwhOf(
        energyOf([
          [0, { watts: 1_000 }],
          [5 * HOUR_MS, { watts: 1_000 }],
        ]),
      ),
    ).toBeCloseTo(1, 9);
  });

  test("does not count once the plug has shown a counter", () => {
    const used = energyOf([
      [0, { watts: 3_000, counterKwh: 1 }],
      [QUARTER_MS, { watts: 3_000 }],
      [2 * QUARTER_MS, { counterKwh: 1.1 }],
    ]);
    expect(kwhOf(used)).toBeCloseTo(0.1, 9);
  });
});
