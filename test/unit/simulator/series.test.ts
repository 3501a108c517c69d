import fc from "fast-check";
import { expect, test } from "vitest";
import type { Interval } from "../../../src/core/time/interval.ts";
import type { Aggregation } from "../../../src/service/contract/resources.ts";
import { demoHomes } from "../../../src/simulator/homes.ts";
import { type PricedHour, type Total, totals } from "../../../src/simulator/series.ts";
import { World } from "../../../src/simulator/world.ts";

const { danish } = demoHomes;
const world = new World({ seed: 1, homes: [danish], market: undefined, publicationDelay: undefined });
const { calendar } = world;
const NOW = Date.UTC(2026, 5, 10, 12);

type HoursOn = (day: Interval) => readonly PricedHour[];

function totalsOf(range: Interval, unit: Aggregation, hoursOn: HoursOn, now = NOW): Total[] {
  return totals(calendar.expandOutward(unit, range), unit, hoursOn, { calendar, now });
}

function sum(parts: readonly Total[], field: "wh" | "amountMicro" | "feesMicro"): number {
  return parts.reduce((total, part) => total + part[field], 0);
}

test("hours, days and months add up exactly to the year, for every series and time", () => {
  const moments = fc.integer({ min: Date.UTC(2022, 0, 2), max: Date.UTC(2027, 0, 1) });
  const series = fc.constantFrom("consumption", "solarExport", "consumptionCosts", "solarExportRevenue");
  fc.assert(
    fc.property(moments, moments, series, (at, now, name) => {
      const year = calendar.expandOutward("year", { start: at, end: at + 1 });
      const hoursOn: HoursOn = (day) => world.hoursOn(name, danish, day, now);
      const [whole, ...others] = totalsOf(year, "year", hoursOn, now);
      expect(others).toEqual([]);
      for (const unit of ["hour", "day", "month"] as const) {
        const parts = totalsOf(year, unit, hoursOn, now);
        for (const field of ["wh", "amountMicro", "feesMicro"] as const)
          expect(sum(parts, field)).toBe(whole?.[field] ?? 0);
        expect(parts.some(({ isEstimate }) => isEstimate)).toBe(whole?.isEstimate ?? false);
      }
    }),
    { numRuns: 15 },
  );
});

test("an exported hour earns the spot price minus the feed-in tariff, without VAT", () => {
  const day = calendar.day(Date.UTC(2026, 4, 20));
  const spot = new Map(world.prices.on("DK1", "hour", day).map(({ start, spotPerKwh }) => [start, spotPerKwh]));
  const earned = world.hoursOn("solarExportRevenue", danish, day, NOW).filter(({ wh }) => wh > 500);
  expect(earned.length).toBeGreaterThan(3);
  for (const { start, wh, amountMicro } of earned)
    expect(amountMicro / 1_000 / wh).toBeCloseTo((spot.get(start) ?? Infinity) - 0.0163, 5);
});

test("the fixed fees of a complete month equal its subscriptions", () => {
  const month = calendar.expandOutward("month", { start: Date.UTC(2025, 2, 15), end: Date.UTC(2025, 2, 16) });
  const hours = (month.end - month.start) / 3_600_000;
  const perHour =
    sum(
      totalsOf(month, "hour", (day) => world.hoursOn("consumptionCosts", danish, day, NOW)),
      "feesMicro",
    ) / totalsOf(month, "hour", (day) => world.hoursOn("consumptionCosts", danish, day, NOW)).length;
  expect((perHour * hours) / 1e6).toBeCloseTo((41.5 + 23.2) * 1.25, 2);
});
