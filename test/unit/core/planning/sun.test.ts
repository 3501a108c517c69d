import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sunPrices, sunShare, usualSurplus } from "../../../../src/core/planning/sun.ts";
import { HOUR_MS } from "../../../../src/core/time/interval.ts";
import { calendar, dayOf, daysOf, points, timelineOf } from "../../../support/home/price-days.ts";

/** Ten days with a clock change, and the day after them. */
const HOURS = calendar.intervals("hour", daysOf("2026-03-22", "2026-03-31"));
const NEXT = dayOf("2026-04-01");
const noon = { start: NEXT.start + 12 * HOUR_MS, end: NEXT.start + 13 * HOUR_MS };
const kilowatts = fc.integer({ min: 0, max: 80 }).map((tenths) => tenths / 10);
const anyHome = fc.record({
  roof: fc.array(kilowatts, { minLength: HOURS.length, maxLength: HOURS.length }),
  base: kilowatts,
  runs: fc.array(
    fc.record({ from: fc.nat({ max: HOURS.length - 1 }), hours: fc.integer({ min: 1, max: 5 }), kw: kilowatts }),
    {
      maxLength: 6,
    },
  ),
});

/** Returns the surplus that elbro finds from what the meter counts while the plans run. */
function metered({ roof, base, runs }: typeof anyHome extends fc.Arbitrary<infer Home> ? Home : never) {
  const ran = runs.map(({ from, hours, kw }) => {
    const start = HOURS[from]?.start ?? 0;
    return { start, end: start + hours * HOUR_MS, kw };
  });
  const hours = HOURS.map((hour, i) => {
    const used = ran.reduce((sum, run) => sum + (run.start <= hour.start && hour.start < run.end ? run.kw : 0), 0);
    const net = (roof[i] ?? 0) - base - used;
    return { ...hour, imported: Math.max(0, -net), exported: Math.max(0, net) };
  });
  return usualSurplus(hours, ran, calendar);
}

test("what plans used is added back: the surplus is the same whatever they ran", () => {
  fc.assert(
    fc.property(anyHome, (home) => {
      const [found, idle] = [metered(home), metered({ ...home, runs: [] })];
      for (const [hour, days] of idle)
        for (const [i, kwh] of days.entries()) expect(found.get(hour)?.[i]).toBeCloseTo(kwh, 9);
    }),
    { numRuns: 100 },
  );
});

test("prices with the sun lie between the export price and the price, and only estimate what was there", () => {
  fc.assert(
    fc.property(anyHome, kilowatts, fc.integer({ min: -5, max: 30 }), (home, kw, sold) => {
      const timeline = timelineOf(points(NEXT, (i) => 1 + (i % 7) / 10));
      const exported = timelineOf(points(NEXT, () => sold / 10));
      const made = sunPrices(timeline, exported, { surplus: metered(home), kw, others: [], calendar });
      for (const [i, { price, start, end }] of made.points.entries()) {
        const full = timeline.points[i]?.price ?? 0;
        expect(price).toBeLessThanOrEqual(full);
        expect(price).toBeGreaterThanOrEqual(Math.min(full, sold / 10) - 1e-9);
        expect({ start, end }).toEqual({ start: timeline.points[i]?.start, end: timeline.points[i]?.end });
      }
    }),
    { numRuns: 100 },
  );
});

test("each kWh counts for one plan: plans one after the other get at most the mean surplus", () => {
  fc.assert(
    fc.property(anyHome, fc.array(kilowatts, { minLength: 1, maxLength: 4 }), (home, powers) => {
      const surplus = metered(home);
      const days = surplus.get(12) ?? [];
      const mean = days.reduce((sum, kwh) => sum + kwh, 0) / days.length;
      const counted = powers.map((kw, i) => {
        const others = powers.slice(0, i).map((each) => ({ ...noon, kw: each }));
        return kw * sunShare(noon, { surplus, kw, others, calendar });
      });
      expect(counted.reduce((sum, kwh) => sum + kwh, 0)).toBeLessThanOrEqual(mean + 1e-9);
    }),
    { numRuns: 100 },
  );
});

test("nothing is expected from less than seven days, and without export prices", () => {
  const hours = HOURS.map((hour) => ({ ...hour, imported: 0, exported: 2 }));
  const options = { kw: 2, others: [], calendar };
  const [week, short] = [hours, hours.slice(0, 6 * 24 - 1)].map((some) => usualSurplus(some, [], calendar));
  expect(sunShare(noon, { ...options, surplus: week ?? new Map() })).toBe(1);
  expect(sunShare(noon, { ...options, surplus: short ?? new Map() })).toBe(0);
  const timeline = timelineOf(points(NEXT, () => 2));
  expect(sunPrices(timeline, null, { ...options, surplus: week ?? new Map() })).toEqual(timeline);
});
