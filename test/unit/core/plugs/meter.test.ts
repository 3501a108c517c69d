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
    ["a reset counts from 0 when a second reading agrees", [812.4, 0.3, 0.5], 0.5],
    ["a reset counts all of an appliance that was off first", [812.4, 0, 0, 0, 0.2, 0.2], 0.2],
    ["a device that was replaced by a used one counts from its second reading", [812.4, 5_000, 5_000.2], 0.2],
    ["a drop does not count before a second reading", [812.4, 0.3], 0],
    ["a counter restored from an older value does not count twice", [812.4, 812.1, 812.2, 812.6], 0.5],
    ["a jump that no appliance can cause is ignored", [0, 812.4], 0],
    ["a negative counter is ignored", [5, -1, 5.1], 0.1],
    ["one wrong reading counts nothing", [5.05, 0, 5.1], 0.05],
    ["one impossibly high reading counts nothing", [5.05, 812, 5.1], 0.05],
    ["several zeros in a row count nothing", [30, 0, 0, 0, 30.1], 0.1],
    ["zeros between all readings count nothing", [30, 0, 30.1, 0, 30.2, 0, 30.3], 0.3],
    ["two wrong readings that do not agree count nothing", [30, 4, 0, 30.1], 0.1],
  ])("%s", (_name, readings, expected) => {
    for (const apartMs of [MINUTE_MS, QUARTER_MS, HOUR_MS]) {
      const used = energyOf(readings.map((kwh, i) => [i * apartMs, counter(kwh)]));
      expect(kwhOf(used)).toBeCloseTo(expected, 9);
    }
  });

  test("the reading that the next one contradicts is returned, once", () => {
    let state: MeterState = UNMEASURED;
    const refused = [30, 0, 0, 30.1, 30.2, 0.1, 0.2].map((kwh, i) => {
      const step = metered(state, counter(kwh), T0 + i * MINUTE_MS);
      state = step.state;
      return step.refusedKwh;
    });
    expect(refused).toEqual([undefined, undefined, undefined, 0, undefined, undefined, undefined]);
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

/** A true counter in Wh. `wrong`: a value that it reports once between two true ones. `reset`: it starts again at 0. */
const trueStep = fc.record({
  minutes: fc.integer({ min: 1, max: 6 * 60 }),
  wh: fc.integer({ min: 1, max: 2_000 }),
  wrong: fc.option(fc.constantFrom(0, 0.3, 0.9, 1e6), { freq: 2 }),
  reset: fc.boolean(),
});

test("property: wrong readings add nothing, and resets lose nothing", () => {
  fc.assert(
    fc.property(fc.array(trueStep, { maxLength: 60 }), (steps) => {
      let [afterMs, kwh, used] = [0, 100, 0];
      const events: Event[] = [[0, counter(kwh)]];
      for (const { minutes, wh, wrong, reset } of steps) {
        const grown = () => Math.min(wh / 1_000, minutes / 60);
        // A wrong reading comes after two true ones: the second proves that the counter is as it says.
        for (let i = 0; i < 2; i++) {
          // A counter that is reset before it has grown cannot be told from one that was restored.
          if (reset && i === 0 && kwh > 10) kwh = 0;
          [afterMs, kwh, used] = [afterMs + minutes * MINUTE_MS, kwh + grown(), used + grown()];
          events.push([afterMs, counter(kwh)]);
        }
        // A factor of the true value, or a value that no appliance reaches.
        afterMs += MINUTE_MS;
        if (wrong !== null) events.push([afterMs, counter(wrong < 1 ? wrong * kwh : wrong)]);
      }
      events.push([afterMs + MINUTE_MS, counter(kwh)]);
      expect(kwhOf(energyOf(events))).toBeCloseTo(used, 6);
    }),
    { seed: 5, numRuns: 500 },
  );
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
