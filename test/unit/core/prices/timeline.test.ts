import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  byPosition,
  indexAfter,
  joinForecast,
  meanPrice,
  type PricePoint,
  pointsIn,
  pricePoints,
  repeatsHours,
} from "../../../../src/core/prices/timeline.ts";
import { formatInstant, HOUR_MS, QUARTER_MS } from "../../../../src/core/time/interval.ts";

const MIDNIGHT = Date.UTC(2026, 0, 1);

function pointOf(start: number, end: number, price = 1, estimate = false): PricePoint {
  return { start: MIDNIGHT + start * HOUR_MS, end: MIDNIGHT + end * HOUR_MS, price, estimate };
}

/** Generates ascending points without overlap, with gaps. Unit: quarter hours from midnight. */
const timeline = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 0, max: 3 }),
      length: fc.integer({ min: 1, max: 4 }),
      price: fc.integer({ min: -9, max: 9 }),
    }),
  )
  .map((parts) => {
    let at = MIDNIGHT;
    return parts.map(({ gap, length, price }) => {
      const start = at + gap * QUARTER_MS;
      at = start + length * QUARTER_MS;
      return { start, end: at, price, estimate: false };
    });
  });
const moment = fc.integer({ min: -4, max: 80 }).map((quarter) => MIDNIGHT + quarter * QUARTER_MS);

describe("price rows", () => {
  const row = { start: formatInstant(MIDNIGHT), end: formatInstant(MIDNIGHT + HOUR_MS), totalPricePerKWh: 1.5 };

  test("become points; zero and negative prices are valid", () => {
    for (const price of [1.5, 0, -0.25])
      expect(pricePoints([{ ...row, totalPricePerKWh: price }], true)).toEqual([pointOf(0, 1, price, true)]);
  });

  test.each([
    ["no price", { ...row, totalPricePerKWh: null }],
    ["a text for a price", { ...row, totalPricePerKWh: "1.5" }],
    ["no start", { ...row, start: undefined }],
    ["no end", { ...row, end: "later" }],
    ["an end at its start", { ...row, end: row.start }],
  ])("with %s are a gap, not a zero", (_, broken) => {
    expect(pricePoints([broken], false)).toEqual([]);
  });

  test("keep their variable charges if these are a number", () => {
    expect(pricePoints([{ ...row, variableChargesPerKWh: 0.9 }], false)[0]?.variableCharges).toBe(0.9);
    expect(pricePoints([{ ...row, variableChargesPerKWh: null }], false)[0]).not.toHaveProperty("variableCharges");
  });
});

describe("the forecast", () => {
  const estimates = [0, 1, 2].map((hour) => pointOf(hour, hour + 1, 9, true));

  test("the forecast is used where there is no confirmed price", () => {
    const confirmed = [pointOf(0, 1), pointOf(1, 2)];
    expect(joinForecast(confirmed, estimates)).toEqual([...confirmed, estimates[2]]);
    expect(joinForecast([], estimates)).toEqual(estimates);
    expect(joinForecast(confirmed, [])).toEqual(confirmed);
  });

  test("the forecast keeps the rest of an hour whose first quarters are confirmed", () => {
    const confirmed = [pointOf(0, 1.25)];
    expect(joinForecast(confirmed, estimates)).toEqual([...confirmed, pointOf(1.25, 2, 9, true), estimates[2]]);
  });

  test("joined to any prices is ascending and does not overlap", () => {
    fc.assert(
      fc.property(timeline, timeline, (confirmed, forecast) => {
        const points = joinForecast(confirmed, forecast);
        expect(points.slice(0, confirmed.length)).toEqual(confirmed);
        for (const [i, point] of points.entries()) {
          expect(point.start).toBeLessThan(point.end);
          if (i > 0) expect(point.start).toBeGreaterThanOrEqual(points[i - 1]?.end ?? 0);
        }
      }),
    );
  });
});

describe("lookups", () => {
  test("pointsIn and indexAfter equal a linear search", () => {
    fc.assert(
      fc.property(timeline, moment, moment, (points, a, b) => {
        const [start, end] = [Math.min(a, b), Math.max(a, b)];
        expect(pointsIn(points, { start, end })).toEqual(points.filter((p) => p.start >= start && p.start < end));
        expect(indexAfter(points, a)).toBe(points.filter((p) => p.start <= a).length);
      }),
    );
  });

  test("meanPrice weights each price by its length; null for an empty list", () => {
    expect(meanPrice([])).toBeNull();
    expect(meanPrice([pointOf(0, 1, 4), pointOf(1, 1.25, -4)])).toBeCloseTo((4 - 1) / 1.25);
  });
});

test.each([
  ["quarters that repeat the hourly price", QUARTER_MS, 96, (i: number) => Math.floor(i / 4), true],
  ["one quarter that differs from its hour", QUARTER_MS, 96, (i: number) => (i === 50 ? 99 : Math.floor(i / 4)), false],
  ["hourly prices", HOUR_MS, 24, (i: number) => i, false],
  ["a few hours", QUARTER_MS, 40, () => 1, false],
])("repeatsHours of %s", (_, step, count, price, expected) => {
  const points = Array.from({ length: count }, (_, i) => {
    return { start: i * step, end: (i + 1) * step, price: price(i), estimate: false };
  });
  expect(repeatsHours(points)).toBe(expected);
});

test("prices by position have a step of the shortest interval and null where one is missing", () => {
  const day = { start: MIDNIGHT, end: MIDNIGHT + 24 * HOUR_MS };
  const quarters = [pointOf(0, 0.25, 1), pointOf(0.5, 0.75, 3), pointOf(1, 1.25, 5)];
  expect(byPosition(quarters, day)).toEqual([1, null, 3, null, 5]);
  expect(byPosition([pointOf(1, 2, 1), pointOf(3, 4, 2)], day)).toEqual([null, 1, null, 2]);
});
