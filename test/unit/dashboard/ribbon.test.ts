import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../src/core/time/interval.ts";
import { percentIn, ribbonRange, shadesOf, windowsIn } from "../../../src/dashboard/plans/ribbon.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";

const calendar = serviceCalendar();
const NOW = Date.parse("2026-03-10T14:20:00Z");
const HOUR = Date.parse("2026-03-10T14:00:00Z");
const END = Date.parse("2026-03-11T23:00:00Z");
const range = { start: HOUR, end: END };
const price = (start: number, hours: number, level: "cheap" | "normal" = "cheap") => ({
  ...{ start, end: start + hours * HOUR_MS, price: 1, estimate: false, level },
});
const setting = (value: string | null) => ({ value, changed: false, file: value });
const between = (from: string | null, readyBy: string | null) => ({
  settings: { from: setting(from), ready_by: setting(readyBy), max_price: setting(null), enabled: setting(null) },
});
const times = (intervals: readonly { start: number; end: number }[]) =>
  intervals.map(({ start, end }) => `${new Date(start).toISOString()}/${new Date(end).toISOString()}`);

describe("the range of the ribbons", () => {
  test("goes from the current hour to the end of tomorrow", () => {
    expect(ribbonRange([price(HOUR, 48)], NOW, calendar)).toEqual(range);
  });
  test("ends with the known prices if they end tomorrow", () => {
    expect(ribbonRange([price(HOUR, 24)], NOW, calendar)).toEqual({ start: HOUR, end: HOUR + DAY_MS });
  });
  test("is the same without prices", () => {
    expect(ribbonRange([], NOW, calendar)).toEqual(range);
  });
});

test("shades have the level of each price, and nothing where no price is known", () => {
  const shades = shadesOf([price(HOUR, 11), price(HOUR + 22 * HOUR_MS, 11, "normal")], range);
  expect(shades).toBe(
    "linear-gradient(to right, var(--cheap) 0.00% 33.33%, transparent 33.33% 66.67%, var(--normal) 66.67% 100.00%)",
  );
});

test("a position outside of the range is its nearest end", () => {
  expect([HOUR - 1, HOUR, END, END + 1].map((at) => percentIn(range, at))).toEqual([0, 0, 100, 100]);
});

describe("the windows of a plan", () => {
  test("over midnight belong to two days", () => {
    expect(times(windowsIn(between("20:00", "07:00"), range, calendar))).toEqual([
      "2026-03-10T19:00:00.000Z/2026-03-11T06:00:00.000Z",
      "2026-03-11T19:00:00.000Z/2026-03-12T06:00:00.000Z",
    ]);
  });
  test("within a day are one for each day", () => {
    expect(times(windowsIn(between("10:00", "17:00"), range, calendar))).toEqual([
      "2026-03-10T09:00:00.000Z/2026-03-10T16:00:00.000Z",
      "2026-03-11T09:00:00.000Z/2026-03-11T16:00:00.000Z",
    ]);
  });
  test("with only an end, from one end to the next", () => {
    const [first, ...others] = windowsIn(between(null, "07:00"), range, calendar);
    expect(others.map(({ start }, i) => start - ([first, ...others][i]?.end ?? 0))).toEqual([0]);
  });
  test("without times, the whole range", () => {
    expect(windowsIn(between(null, null), range, calendar)).toEqual([range]);
  });
});
