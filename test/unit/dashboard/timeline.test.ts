import { describe, expect, test } from "vitest";
import { HOUR_MS } from "../../../src/core/time/interval.ts";
import { comingHours, covers, figuresOf, outlook, type ShownPoint } from "../../../src/dashboard/timeline.ts";
import { addedUp, MEASURES, totalOf } from "../../../src/dashboard/use/energy.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";

const MIDNIGHT = Date.parse("2026-06-01T22:00:00Z");
const QUARTER = HOUR_MS / 4;
const calendar = serviceCalendar();

/** Returns prices of consecutive hours; null is a gap. */
function hours(prices: readonly (number | null)[], from = MIDNIGHT, estimate = false): ShownPoint[] {
  return prices.flatMap((price, i) => {
    const start = from + i * HOUR_MS;
    const level = (price ?? 0) < 1 ? "cheap" : (price ?? 0) < 2 ? "normal" : "expensive";
    return price === null ? [] : [{ start, end: start + HOUR_MS, price, level, estimate }];
  });
}

describe("outlook", () => {
  test("outlook returns the next change of level with its mean price", () => {
    expect(outlook(hours([1.5, 1.5, 0.5, 0.7, 1.5]), MIDNIGHT)).toEqual({
      kind: "cheaper",
      level: "cheap",
      at: MIDNIGHT + 2 * HOUR_MS,
      until: MIDNIGHT + 4 * HOUR_MS,
      mean: 0.6,
      estimate: false,
    });
    expect(outlook(hours([1.5, 3]), MIDNIGHT)).toMatchObject({ kind: "dearer", level: "expensive" });
  });

  test("outlook ignores a change of 15 min", () => {
    const end = MIDNIGHT + HOUR_MS + QUARTER;
    const blip = hours([3], MIDNIGHT + HOUR_MS).map((hour) => ({ ...hour, end }));
    const points = [...hours([1.5]), ...blip, ...hours([1.5, 0.5], end)];
    expect(outlook(points, MIDNIGHT)).toMatchObject({ kind: "cheaper", at: end + HOUR_MS });
  });

  test("outlook returns the end of the current level, and null without a current price", () => {
    expect(outlook(hours([1.5, 1.6]), MIDNIGHT)).toMatchObject({ kind: "stays", until: MIDNIGHT + 2 * HOUR_MS });
    expect(outlook(hours([1.5]), MIDNIGHT - 1)).toBeNull();
    expect(outlook([], MIDNIGHT)).toBeNull();
  });

  test("outlook marks a result that depends on estimates", () => {
    const points = [...hours([1.5]), ...hours([0.5], MIDNIGHT + HOUR_MS, true)];
    expect(outlook(points, MIDNIGHT)).toMatchObject({ kind: "cheaper", estimate: true });
  });
});

test("comingHours includes hours without prices", () => {
  const coming = comingHours(hours([1, null, 0.5]), MIDNIGHT + QUARTER, 4);
  expect(coming.map(({ mean }) => mean)).toEqual([1, null, 0.5, null]);
  expect(coming.map(({ level }) => level)).toEqual(["normal", null, "cheap", null]);
});

test("covers returns true only for a day of confirmed prices without gaps", () => {
  const day = { start: MIDNIGHT, end: MIDNIGHT + 3 * HOUR_MS };
  expect(covers(hours([1, 1, 1]), day)).toBe(true);
  expect(covers(hours([1, null, 1]), day)).toBe(false);
  expect(covers(hours([1, 1]), day)).toBe(false);
  expect(covers(hours([1, 1, 1], MIDNIGHT, true), day)).toBe(false);
});

test("figuresOf weights the mean by time, and returns null without prices", () => {
  const quarter = hours([6], MIDNIGHT + HOUR_MS).map((hour) => ({ ...hour, end: hour.start + QUARTER }));
  expect(figuresOf([...hours([1]), ...quarter])).toEqual({ least: 1, most: 6, mean: 2 });
  expect(figuresOf([])).toBeNull();
});

describe("energy by local units", () => {
  const dayStart = calendar.startOf("day", Date.parse("2026-10-25T10:00:00Z"));
  const dayEnd = calendar.add("day", dayStart, 1);
  const iso = (at: number) => new Date(at).toISOString();
  const answer = (kwh: (i: number) => number | null) => ({
    data: Array.from({ length: 25 }, (_, i) => ({
      start: iso(dayStart + i * HOUR_MS),
      end: iso(dayStart + (i + 1) * HOUR_MS),
      energyKWh: kwh(i),
      isEstimate: i === 3,
    })),
  });
  const range = { from: dayStart, to: dayEnd, unit: "day" as const, until: dayEnd };

  test("energy by local units does not count a gap as zero, and returns the number of missing hours", () => {
    const rows = answer((i) => (i < 2 ? null : 1)).data;
    expect(addedUp(rows, MEASURES.consumption, range, calendar)).toMatchObject([{ value: 23, missing: 2 }]);
    expect(
      addedUp(rows, MEASURES.consumption, { ...range, unit: "hour" }, calendar)
        .slice(0, 3)
        .map((bar: { value: number | null }) => bar.value),
    ).toEqual([null, null, 1]);
    expect(totalOf(addedUp([], MEASURES.consumption, { ...range, unit: "hour" }, calendar))).toEqual({
      value: null,
      missing: 25,
      estimate: false,
    });
  });

  test("energy by local units does not count future hours as missing", () => {
    const rows = answer((i) => (i < 5 ? 1 : null)).data;
    expect(addedUp(rows, MEASURES.consumption, { ...range, until: dayStart + 5 * HOUR_MS }, calendar)).toMatchObject([
      { missing: 0 },
    ]);
  });
});
