import { describe, expect, test } from "vitest";
import { HOUR_MS, QUARTER_MS } from "../../../src/core/time/interval.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";
import { inventMarket } from "../../../src/simulator/market/invented-market.ts";
import { type Market, spotPricesOn } from "../../../src/simulator/market/market.ts";

const calendar = serviceCalendar();
const market = inventMarket(1, calendar);
const year = calendar.intervals("day", { start: Date.UTC(2025, 0, 1), end: Date.UTC(2025, 11, 31) });

function meanBetween(from: number, to: number): number {
  const prices = year.flatMap((day) =>
    market.spotOn("DK1", day).filter(({ start }) => {
      const hour = calendar.minuteOfDay(start) / 60;
      return from <= hour && hour < to;
    }),
  );
  return prices.reduce((sum, { pricePerKwh }) => sum + pricePerKwh, 0) / prices.length;
}

describe("the generated market", () => {
  test("the generated market has the same prices for the same seed, and different ones for another seed or region", () => {
    const [day] = year.slice(40);
    if (!day) throw new Error("no day");
    expect(inventMarket(1, calendar).spotOn("DK1", day)).toEqual(market.spotOn("DK1", day));
    expect(inventMarket(2, calendar).spotOn("DK1", day)).not.toEqual(market.spotOn("DK1", day));
    expect(market.spotOn("SE3", day)).not.toEqual(market.spotOn("DK1", day));
  });

  test("the generated market has a morning and an evening peak above midday and night", () => {
    const [night, morning, midday, evening] = [
      meanBetween(1, 5),
      meanBetween(7, 9),
      meanBetween(11, 15),
      meanBetween(17, 20),
    ];
    expect(morning).toBeGreaterThan(night + 0.1);
    expect(morning).toBeGreaterThan(midday + 0.1);
    expect(evening).toBeGreaterThan(morning);
    // The sun makes up for the day's demand, except below clouds.
    expect(midday).toBeLessThan(night + 0.1);
  });

  test("the generated market is negative in 1 to 15 % of the quarters, and has no extreme prices", () => {
    const prices = year.flatMap((day) => market.spotOn("DK1", day).map(({ pricePerKwh }) => pricePerKwh));
    const negative = prices.filter((price) => price < 0).length / prices.length;
    expect(negative).toBeGreaterThan(0.01);
    expect(negative).toBeLessThan(0.15);
    expect(Math.max(...prices)).toBeLessThan(3);
    expect(Math.min(...prices)).toBeGreaterThan(-1);
  });

  test("the generated market has no prices before its first year", () => {
    expect(market.spotOn("DK1", calendar.day(Date.UTC(2010, 4, 5)))).toEqual([]);
  });
});

describe("spot prices by resolution", () => {
  const day = calendar.day(Date.UTC(2025, 9, 26));
  const marketOf = (lengthMs: number, prices: readonly number[]): Market => ({
    spotOn: () =>
      prices.map((pricePerKwh, i) => ({
        start: day.start + i * lengthMs,
        end: day.start + (i + 1) * lengthMs,
        pricePerKwh,
      })),
  });

  test("an hour is the mean of its quarters", () => {
    const hours = spotPricesOn(marketOf(QUARTER_MS, [0.1, 0.2, 0.4, -0.1, 1, 1, 1, 1]), "DK1", day, "hour");
    expect(hours).toEqual([
      { start: day.start, end: day.start + HOUR_MS, pricePerKwh: 0.15 },
      { start: day.start + HOUR_MS, end: day.start + 2 * HOUR_MS, pricePerKwh: 1 },
    ]);
  });

  test.each([[[0, 1, 2]], [[1, 2, 3]], [[0, 2, 3]], [[0, 5, 6, 7]]])(
    "an hour with a missing quarter is omitted: only quarters %j",
    (known) => {
      const quarters = Array.from({ length: 8 }, (_, quarter) => quarter);
      const whole = marketOf(QUARTER_MS, quarters).spotOn("DK1", day);
      const market: Market = { spotOn: () => whole.filter((_, quarter) => known.includes(quarter)) };
      expect(spotPricesOn(market, "DK1", day, "hour")).toEqual([]);
    },
  );

  test("the quarters of an hourly market equal their hour", () => {
    const quarters = spotPricesOn(marketOf(HOUR_MS, [0.1, 0.5]), "DK1", day, "fifteenMinutes");
    expect(quarters.map(({ pricePerKwh }) => pricePerKwh)).toEqual([0.1, 0.1, 0.1, 0.1, 0.5, 0.5, 0.5, 0.5]);
    expect(quarters[1]?.start).toBe(day.start + QUARTER_MS);
  });
});
