import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY_MS, type Interval } from "../../../src/core/time/interval.ts";
import type { Aggregation } from "../../../src/service/contract/resources.ts";
import { demoHomes } from "../../../src/simulator/homes.ts";
import { costsRow, energyRow, type PricedHour, revenueRow, type Total, totals } from "../../../src/simulator/series.ts";
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

test("every row is one interval of its unit, ascending; an interval without a known hour is omitted", () => {
  const range = { start: NOW - 120 * DAY_MS, end: NOW };
  const hoursOn: HoursOn = (day) => world.hoursOn("consumption", danish, day, NOW);
  for (const unit of ["hour", "day", "month", "year"] as const) {
    const rows = totalsOf(range, unit, hoursOn);
    rows.forEach((row, i) => {
      expect(row).toMatchObject(calendar.expandOutward(unit, { start: row.start, end: row.start + 1 }));
      if (i > 0) expect(row.start).toBeGreaterThanOrEqual(rows[i - 1]?.end ?? Infinity);
    });
  }
  const days = totalsOf(range, "day", hoursOn);
  expect(days.length).toBeLessThan(120);
});

test("the rate is the revenue before fees per kWh, and null for zero energy", () => {
  const rows = totalsOf({ start: NOW - 400 * DAY_MS, end: NOW }, "hour", (day) =>
    world.hoursOn("solarExportRevenue", danish, day, NOW),
  ).map(revenueRow);
  expect(rows.length).toBeGreaterThan(9_000);
  for (const row of rows) {
    const identity = row.energyKWh === 0 ? null : (row.netRevenue + row.fixedFeesForInterval) / row.energyKWh;
    if (identity === null) expect(row.totalPricePerKWh).toBeNull();
    else expect(Math.abs((row.totalPricePerKWh ?? Infinity) - identity)).toBeLessThan(1e-6);
  }
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

test("rows contain kWh and currency units", () => {
  const total = { start: 0, end: 3_600_000, wh: 1_234, amountMicro: 2_468_000, feesMicro: 100_000, isEstimate: true };
  expect(energyRow(total)).toEqual({
    start: "1970-01-01T00:00:00Z",
    end: "1970-01-01T01:00:00Z",
    energyKWh: 1.234,
    isEstimate: true,
  });
  expect(costsRow(total)).toMatchObject({ totalPricePerKWh: 2, fixedFeesForInterval: 0.1, totalCost: 2.568 });
  expect(revenueRow(total)).toMatchObject({ totalPricePerKWh: 2, fixedFeesForInterval: 0.1, netRevenue: 2.368 });
});
