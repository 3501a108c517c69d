import fc from "fast-check";
import { expect, test } from "vitest";
import {
  clipped,
  contains,
  formatInstant,
  type Interval,
  lengthOf,
  overlaps,
  QUARTER_MS,
  stepEnd,
  stepStart,
} from "../../../../src/core/time/interval.ts";

const intervals: fc.Arbitrary<Interval> = fc
  .tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 10 }))
  .map(([start, length]) => ({ start, end: start + length }));

test("an interval contains its start and not its end", () => {
  const interval = { start: 10, end: 20 };
  expect([9, 10, 19, 20].map((at) => contains(interval, at))).toEqual([false, true, true, false]);
});

test("two intervals overlap exactly if they share an instant", () => {
  fc.assert(
    fc.property(intervals, intervals, (a, b) => {
      const shared = Array.from({ length: 60 }, (_, at) => contains(a, at) && contains(b, at)).includes(true);
      expect(overlaps(a, b)).toBe(shared);
      expect(overlaps(b, a)).toBe(shared);
    }),
  );
});

test("a clipped interval has exactly the instants that both have", () => {
  fc.assert(
    fc.property(intervals, intervals, (a, b) => {
      const part = clipped(a, b);
      const shared = Array.from({ length: 60 }, (_, at) => at).filter((at) => contains(a, at) && contains(b, at));
      expect(part === null ? [] : shared.filter((at) => contains(part, at))).toEqual(shared);
      expect(part === null ? 0 : lengthOf([part])).toBe(shared.length);
    }),
  );
});

test("a step contains its start and not its end, also before 1970", () => {
  expect([-1, 0, 899_999].map((at) => [stepStart(at, QUARTER_MS), stepEnd(at, QUARTER_MS)])).toEqual([
    [-QUARTER_MS, 0],
    [0, QUARTER_MS],
    [0, QUARTER_MS],
  ]);
});

test.each([
  [0, "1970-01-01T00:00:00Z"],
  [Date.UTC(2026, 9, 25, 1), "2026-10-25T01:00:00Z"],
  [Date.UTC(2026, 9, 25, 1, 0, 0, 7), "2026-10-25T01:00:00.007Z"],
  [-1, "1969-12-31T23:59:59.999Z"],
])("formatInstant(%i) is %s", (at, text) => {
  expect(formatInstant(at)).toBe(text);
});
