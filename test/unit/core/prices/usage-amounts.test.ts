import { describe, expect, test } from "vitest";
import { usageHours } from "../../../../src/core/prices/usage-amounts.ts";
import type { Row } from "../../../../src/core/series/series.ts";
import { formatInstant, HOUR_MS, type Interval } from "../../../../src/core/time/interval.ts";
import { calendar, dayOf } from "../../../support/home/price-days.ts";

function rowsOf(unit: "hour" | "fifteenMinutes", range: Interval, value: (index: number) => unknown): Row[] {
  return calendar.intervals(unit, range).map(({ start, end }, i) => ({
    start: formatInstant(start),
    end: formatInstant(end),
    energyKWh: value(i),
  }));
}

describe("usageHours", () => {
  test.each([
    ["2026-03-28", 24],
    ["2026-03-29", 23],
    ["2025-10-26", 25],
  ])("of %s returns %i hours, from hours and from quarters", (date, hours) => {
    const day = dayOf(date);
    const ofHours = usageHours(
      rowsOf("hour", day, (i) => i),
      "consumption",
    );
    const ofQuarters = usageHours(
      rowsOf("fifteenMinutes", day, (i) => Math.floor(i / 4) / 4),
      "consumption",
    );
    expect(ofHours).toEqual(Array.from({ length: hours }, (_, i) => ({ start: day.start + i * HOUR_MS, value: i })));
    expect(ofQuarters).toEqual(ofHours);
  });

  test.each([
    ["is longer than an hour", 0, 2],
    ["has no length", 0, 0],
    ["ends before it starts", 1, 0.5],
    ["crosses a full hour", 0.5, 1.5],
  ])("usageHours does not count a row that %s", (_, start, end) => {
    const at = (hour: number) => formatInstant(dayOf("2026-03-10").start + hour * HOUR_MS);
    const row = { start: at(start), end: at(end), energyKWh: 1 };
    expect(usageHours([row, { start: at(2), end: at(3), energyKWh: 2 }], "consumption")).toHaveLength(1);
  });

  test("usageHours omits an hour with a missing quarter or without a number", () => {
    const day = dayOf("2026-03-10");
    const quarters = rowsOf("fifteenMinutes", day, () => 0.25).filter((_, i) => i !== 6);
    expect(usageHours(quarters, "consumption")).toHaveLength(23);
    const hours = rowsOf("hour", day, (i) => (i === 3 ? null : 1));
    expect(usageHours(hours, "consumption").map(({ start }) => start)).not.toContain(day.start + 3 * HOUR_MS);
  });

  test("usageHours omits a row that is longer than an hour or has no end", () => {
    const day = dayOf("2026-03-10");
    const rows = [
      { start: formatInstant(day.start), end: formatInstant(day.end), energyKWh: 24 },
      { start: formatInstant(day.start), energyKWh: 1 },
    ];
    expect(usageHours(rows, "consumption")).toEqual([]);
  });
});
