import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  colorOf,
  countBelow,
  DEFAULT_THRESHOLDS,
  isCheap,
  levelOf,
  levels,
  MIN_REFERENCE,
  percentileOf,
} from "../../../../src/core/prices/level.ts";

const price = fc.double({ min: -20, max: 20, noNaN: true });
const mean = fc.double({ min: -5, max: 10, noNaN: true });
const thresholds = fc
  .uniqueArray(fc.integer({ min: 0, max: 400 }), { minLength: 4, maxLength: 4 })
  .map((list) => list.sort((a, b) => a - b).map((percent) => percent / 100))
  .map(([veryCheap = 0, cheap = 0, normal = 0, expensive = 0]) => ({ veryCheap, cheap, normal, expensive }));
const orderOf = (...given: Parameters<typeof levelOf>) => levels.indexOf(levelOf(...given));

describe("levelOf", () => {
  test.each([
    [0.6, "very_cheap"],
    [0.6001, "cheap"],
    [0.9, "cheap"],
    [0.9001, "normal"],
    [1, "normal"],
    [1.1499, "normal"],
    [1.15, "expensive"],
    [1.3999, "expensive"],
    [1.4, "very_expensive"],
  ] as const)("at a mean of 1, a price of %f is %s", (given, level) => {
    expect(levelOf(given, 1)).toBe(level);
  });

  test("never gives a higher price a cheaper level, for any mean and thresholds", () => {
    fc.assert(
      fc.property(price, price, mean, thresholds, (a, b, reference, given) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(orderOf(low, reference, given)).toBeLessThanOrEqual(orderOf(high, reference, given));
      }),
    );
  });

  test("never gives a price a more expensive level at a higher mean", () => {
    fc.assert(
      fc.property(price, mean, mean, (given, a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(orderOf(given, high)).toBeLessThanOrEqual(orderOf(given, low));
      }),
    );
  });

  test("levelOf depends only on the ratio to the mean well above zero, so that the currency does not matter", () => {
    const ratio = fc.integer({ min: 0, max: 300 }).filter((percent) => ![60, 90, 115, 140].includes(percent));
    fc.assert(
      fc.property(
        ratio,
        fc.integer({ min: 0, max: 6 }),
        fc.double({ min: MIN_REFERENCE, max: 10, noNaN: true }),
        (percent, power, reference) => {
          const scale = 2 ** power;
          const given = (percent / 100) * reference;
          expect(levelOf(given * scale, reference * scale)).toBe(levelOf(given, reference));
        },
      ),
    );
  });

  test("levelOf is very cheap for zero and negative prices at any mean", () => {
    fc.assert(
      fc.property(fc.double({ min: -20, max: 0, noNaN: true }), mean, (given, reference) => {
        expect(levelOf(given, reference)).toBe("very_cheap");
      }),
    );
  });

  test("levelOf uses a mean of at least 0.05", () => {
    for (const reference of [0.049, 0.001, 0, -0.3]) {
      expect(levelOf(0.002, reference)).toBe("very_cheap");
      expect(levelOf(0.04, reference)).toBe("cheap");
      expect(levelOf(0.05, reference)).toBe("normal");
      expect(levelOf(0.06, reference)).toBe("expensive");
      expect(levelOf(1, reference)).toBe("very_expensive");
    }
  });

  test("levelOf uses configured thresholds", () => {
    const own = { ...DEFAULT_THRESHOLDS, cheap: 1 };
    expect(levelOf(1, 1)).toBe("normal");
    expect(levelOf(1, 1, own)).toBe("cheap");
  });
});

test("cheap levels are green, normal is yellow, expensive levels are red", () => {
  expect(levels.map(colorOf)).toEqual(["green", "green", "yellow", "red", "red"]);
  expect(levels.map(isCheap)).toEqual([true, true, false, false, false]);
});

describe("rank and percentile", () => {
  const day = Array.from({ length: 96 }, (_, i) => [0.2, -0.1, 0.2, 0][i % 4] ?? 0);

  test("equal prices share the better rank; negative prices rank before zero", () => {
    expect([-0.1, 0, 0.2].map((given) => 1 + countBelow(given, day))).toEqual([1, 25, 49]);
  });

  test("the cheapest price has percentile 0; without prices the percentile is null", () => {
    expect([-0.1, 0, 0.2].map((given) => percentileOf(given, day))).toEqual([0, 25, 50]);
    expect(percentileOf(1, [])).toBeNull();
  });
});
