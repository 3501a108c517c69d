import fc from "fast-check";
import { expect, test } from "vitest";
import { implausiblePrices, pricesOfDay, usualPrices } from "../../../../src/core/prices/implausible.ts";
import type { PricePoint } from "../../../../src/core/prices/timeline.ts";
import { HOUR_MS } from "../../../../src/core/time/interval.ts";

const dayOf = (prices: readonly number[]): PricePoint[] =>
  prices.map((price, i) => ({ start: i * HOUR_MS, end: (i + 1) * HOUR_MS, price, estimate: false }));
const NORMAL = Array.from({ length: 24 }, (_, hour) => 1 + hour / 24);
const normalDays = (length: number) =>
  Array.from({ length }, () => pricesOfDay(dayOf(NORMAL))).flatMap((day) => day ?? []);
const USUAL = usualPrices(normalDays(60));
const countIn = (prices: readonly number[]) => USUAL && implausiblePrices(dayOf(prices), USUAL).length;

test.each([
  ["a normal day", NORMAL, 0],
  ["one row above 20 usual maxima", NORMAL.with(17, 1840), 1],
  ["a row of 19 usual maxima", NORMAL.with(17, 37), 0],
  ["a day in the hundredth of the currency", NORMAL.map((price) => price * 100), 24],
  ["a day per MWh", NORMAL.map((price) => price * 1000), 24],
  ["a hundredth", NORMAL.map((price) => price / 100), 24],
  ["a thousandth", NORMAL.map((price) => price / 1000), 24],
  ["a windy day until the evening", NORMAL.map((price, hour) => (hour < 18 ? 0.005 : price / 4)), 0],
  ["a day of zeros", NORMAL.map(() => 0), 0],
  ["a negative day", NORMAL.map((price) => -40 * price), 0],
] as const)("%s: %# implausible prices", (_name, prices, expected) => {
  expect(countIn(prices)).toBe(expected);
});

test("the rest of a day is compared with the whole day", () => {
  const night = dayOf([0.003, 0.002]);
  const [normal] = normalDays(1);
  const wrong = pricesOfDay(dayOf(NORMAL.map((price) => price / 500)));
  expect([normal, wrong].map((whole) => USUAL && whole && implausiblePrices(night, USUAL, whole).length)).toEqual([
    0, 2,
  ]);
});

test("prices between a tenth and ten times the usual ones are plausible", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.1, max: 10, noNaN: true }),
      (times) => countIn(NORMAL.map((price) => price * times)) === 0,
    ),
  );
});

test("nothing is known of what is usual from fewer than 14 days", () => {
  expect([pricesOfDay([]), usualPrices(normalDays(13))]).toEqual([null, null]);
  expect(usualPrices(normalDays(14))).toEqual({ maximum: 1 + 23 / 24, median: (1 + 11 / 24 + (1 + 12 / 24)) / 2 });
});
