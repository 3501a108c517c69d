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
const nets = fc.array(kilowatts, { minLength: HOURS.length, maxLength: HOURS.length });
const run = fc.record({
  from: fc.nat({ max: HOURS.length - 6 }),
  hours: fc.integer({ min: 1, max: 5 }),
  kw: kilowatts,
});

test("the surplus is the same whatever plans ran, and each kWh of it makes one plan cheaper", () => {
  fc.assert(
    fc.property(nets, fc.array(run, { maxLength: 6 }), fc.array(kilowatts, { minLength: 1 }), (roof, runs, powers) => {
      const ran = runs.map(({ from, hours, kw }) => {
        const start = HOURS[from]?.start ?? 0;
        return { start, end: start + hours * HOUR_MS, kw };
      });
      const surplus = usualSurplus(
        HOURS.map((hour, i) => {
          const used = ran.reduce(
            (kw, each) => kw + (each.start <= hour.start && hour.start < each.end ? each.kw : 0),
            0,
          );
          const net = (roof[i] ?? 0) - 2 - used;
          return { ...hour, imported: Math.max(0, -net), exported: Math.max(0, net) };
        }),
        ran,
        calendar,
      );
      const noons = HOURS.flatMap(({ start }, i) =>
        calendar.minuteOfDay(start) === 12 * 60 ? [(roof[i] ?? 0) - 2] : [],
      );
      for (const [i, kwh] of noons.entries()) expect(surplus.get(12)?.[i]).toBeCloseTo(Math.max(0, kwh), 9);
      const counted = powers.map((kw, i) => {
        const others = powers.slice(0, i).map((each) => ({ ...noon, kw: each }));
        const options = { surplus, kw, others, calendar };
        const share = sunShare(noon, options);
        const [bought, sold] = [2, 0.5].map((price) => timelineOf(points(NEXT, () => price)));
        const point =
          bought && sold && sunPrices(bought, sold, options).points.find(({ start }) => start === noon.start);
        expect(point?.price).toBeCloseTo(2 - 1.5 * share, 9);
        return kw * share;
      });
      const mean = noons.reduce((sum, kwh) => sum + Math.max(0, kwh), 0) / noons.length;
      expect(counted.reduce((sum, kwh) => sum + kwh, 0)).toBeLessThanOrEqual(mean + 1e-9);
    }),
    { numRuns: 60 },
  );
});
