import { describe, expect, test } from "vitest";
import { sumOfWhole, usagePeriods } from "../../../../src/core/prices/usage-periods.ts";
import { formatInstant } from "../../../../src/core/time/interval.ts";
import { calendar, daysOf } from "../../../support/home/price-days.ts";

const range = daysOf("2026-10-24", "2026-11-01");
const rows = calendar
  .intervals("hour", range)
  .map(({ start, end }) => ({ start: formatInstant(start), end: formatInstant(end), energyKWh: 1, isEstimate: false }));

describe("usagePeriods", () => {
  test("usagePeriods adds up days; the day of the autumn clock change has 25 hours", () => {
    const days = usagePeriods([rows], { operation: "consumption", unit: "day", range }, calendar);
    expect(days.map(({ value }) => value)).toEqual([24, 25, 24, 24, 24, 24, 24, 24, 24]);
  });

  test("usagePeriods adds up months, without a month that started before the range", () => {
    const whole = { start: calendar.startOf("month", range.start), end: range.end };
    const months = usagePeriods([rows], { operation: "consumption", unit: "month", range: whole }, calendar);
    expect(months.map(({ value, hours }) => [value, hours])).toEqual([
      [24 * 7 + 25, 24 * 7 + 25],
      [24, 24],
    ]);
    const cut = usagePeriods([rows], { operation: "consumption", unit: "month", range }, calendar);
    expect(cut.map(({ value }) => value)).toEqual([24]);
  });

  test("usagePeriods leaves out rows outside of the range, and those without a start or an amount", () => {
    const day = daysOf("2026-10-26", "2026-10-26");
    const odd = [
      { start: "never", energyKWh: 9 },
      { start: formatInstant(day.start), energyKWh: "9" },
      { start: formatInstant(day.start), energyKWh: null },
    ];
    const given = { operation: "consumption", unit: "day", range: day } as const;
    expect(usagePeriods([[...odd, ...rows]], given, calendar)).toMatchObject([{ value: 24, hours: 24 }]);
  });

  test("usagePeriods returns null for a day without rows, and marks a day with an estimate", () => {
    const some = rows.slice(0, 2).map((row) => ({ ...row, isEstimate: true }));
    const [first, second] = usagePeriods([some, []], { operation: "consumption", unit: "day", range }, calendar);
    expect([first, second]).toMatchObject([
      { value: 2, hours: 2, estimate: true },
      { value: null, hours: 0, estimate: false },
    ]);
  });

  test("sumOfWhole is null if more than 3 % of the hours are unknown", () => {
    const sumWithout = (hours: number) =>
      sumOfWhole(usagePeriods([rows.slice(hours)], { operation: "consumption", unit: "day", range }, calendar), range);
    expect([0, 6, 7, rows.length].map(sumWithout)).toEqual([217, 211, null, null]);
  });
});
