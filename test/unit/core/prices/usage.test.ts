import { describe, expect, test } from "vitest";
import {
  NO_USAGE,
  packDays,
  unpackDays,
  usageDays,
  usageFigures,
  usageRange,
} from "../../../../src/core/prices/usage.ts";
import type { Row } from "../../../../src/core/series/series.ts";
import { formatInstant, type Interval } from "../../../../src/core/time/interval.ts";
import { usageMessages } from "../../../../src/mqtt/topics/usage-topics.ts";
import { fullUsage, usageOf } from "../../../support/home/home-cases.ts";
import { at, calendar, dayOf } from "../../../support/home/price-days.ts";

const NOW = at("2026-03-10T13:07:00Z");

/** Returns the hour rows of a day. */
function chunk(day: Interval, fields: (hour: number) => Row): Row[] {
  return calendar
    .intervals("hour", day)
    .map(({ start, end }, hour) => ({ start: formatInstant(start), end: formatInstant(end), ...fields(hour) }));
}

const energy = (energyKWh: number | null) => () => ({ energyKWh, isEstimate: false });

describe("usageDays", () => {
  test.each([
    ["2026-03-10", 24],
    ["2026-03-29", 23],
    ["2026-10-25", 25],
  ])("of %s is complete with %i hours", (date, hours) => {
    const [day] = usageDays([chunk(dayOf(date), energy(0.5))], "consumption", calendar);
    expect(day).toEqual({ ...dayOf(date), date, value: hours / 2, hours, complete: true, estimate: false });
  });

  test("usageDays counts a day of which only one hour is known, as incomplete", () => {
    const rows = chunk(dayOf("2026-03-09"), energy(2)).slice(0, 1);
    expect(usageDays([rows], "consumption", calendar)).toMatchObject([{ value: 2, hours: 1, complete: false }]);
  });

  test("usageDays marks a day with a missing hour as incomplete and does not count zero for it", () => {
    const rows = chunk(dayOf("2026-03-09"), (hour) => ({ energyKWh: hour === 5 ? null : 1, isEstimate: false }));
    expect(usageDays([rows], "consumption", calendar)).toMatchObject([{ value: 23, hours: 23, complete: false }]);
  });

  test("usageDays omits a day without numbers or rows", () => {
    const chunks = [chunk(dayOf("2026-03-09"), energy(null)), []];
    expect(usageDays(chunks, "consumption", calendar)).toEqual([]);
  });

  test("usageDays includes a day of zeros", () => {
    expect(usageDays([chunk(dayOf("2026-03-09"), energy(0))], "solarExport", calendar)).toMatchObject([
      { value: 0, complete: true },
    ]);
  });

  test("usageDays marks a day as an estimate if any of its hours is one", () => {
    const some = chunk(dayOf("2026-03-08"), (hour) => ({ energyKWh: 1, isEstimate: hour > 20 }));
    const all = chunk(dayOf("2026-03-09"), () => ({ energyKWh: 1, isEstimate: true }));
    expect(usageDays([some, all], "consumption", calendar).map(({ estimate }) => estimate)).toEqual([true, true]);
  });

  test("unpackDays returns what packDays got: short, long, incomplete, estimated and negative days", () => {
    const days = ["2026-03-29", "2026-10-25", "2026-03-10"].flatMap((date, i) => {
      const whole = chunk(dayOf(date), (hour) => ({ energyKWh: (hour - 12) / 7, isEstimate: i === 1 }));
      return usageDays([whole, whole.slice(0, 3)], "consumption", calendar);
    });
    expect(days).toHaveLength(6);
    expect(unpackDays(packDays(days), calendar)).toEqual(days);
  });

  test("usageDays accepts rows with different fields", () => {
    const rows = [
      { start: "2026-03-08T23:00:00Z", end: "2026-03-09T00:00:00Z", energyKWh: 1 },
      { start: "2026-03-09T00:00:00Z", end: "2026-03-09T01:00:00Z", energyKWh: 2, isEstimate: true },
    ];
    expect(usageDays([rows], "consumption", calendar)).toMatchObject([
      { date: "2026-03-09", value: 3, hours: 2, complete: false, estimate: true },
    ]);
  });
});

describe("the amount of a row", () => {
  const day = dayOf("2026-03-09");
  const row = { energyKWh: 2, totalPricePerKWh: 1.5, fixedFeesForInterval: 0.25 };

  test.each([
    ["under its usual name", { ...row, totalCost: 3 }, undefined, 72],
    ["under a name of the configuration", { ...row, totalCost: 3, cost: 4 }, "cost", 96],
    ["under an unknown name: rate x energy + fees", row, undefined, 78],
    [
      "without energy there is no rate, the fees remain",
      { ...row, energyKWh: 0, totalPricePerKWh: null },
      undefined,
      6,
    ],
  ] as const)("of costs: %s", (_what, fields, field, value) => {
    expect(usageDays([chunk(day, () => fields)], "consumptionCosts", calendar, field)[0]?.value).toBeCloseTo(value, 9);
  });

  test("of costs without values is unknown", () => {
    expect(usageDays([chunk(day, () => ({ energyKWh: 1 }))], "consumptionCosts", calendar)).toEqual([]);
  });

  test("of revenue is the remainder after fees, which may be negative", () => {
    const rows = chunk(day, () => ({ energyKWh: 0, netRevenue: -0.01 }));
    expect(usageDays([rows], "solarExportRevenue", calendar)[0]?.value).toBeCloseTo(-0.24, 9);
  });
});

describe("usageFigures", () => {
  test("usageFigures sums month and year to date over the known days", () => {
    const figures = usageFigures(
      usageOf("2026-02-27", "2026-03-09", () => 2),
      "kWh",
      NOW,
      calendar,
    );
    expect(figures.monthToDate).toMatchObject({
      start: at("2026-02-28T23:00:00Z"),
      end: at("2026-03-09T23:00:00Z"),
      value: 18,
      days: 9,
      daysPassed: 9,
    });
    expect(figures.yearToDate).toMatchObject({
      start: at("2025-12-31T23:00:00Z"),
      value: 22,
      days: 11,
      daysPassed: 68,
    });
    expect([figures.yesterday?.date, figures.lastCompleteDay?.date]).toEqual(["2026-03-09", "2026-03-09"]);
  });

  test("usageFigures returns null for yesterday if it is incomplete, and the last complete day", () => {
    const days = usageOf("2026-03-01", "2026-03-08", () => 2);
    const late = days.map((day) => (day.date === "2026-03-08" ? { ...day, complete: false, hours: 20 } : day));
    const figures = usageFigures(late, "kWh", NOW, calendar);
    expect([figures.yesterday, figures.lastCompleteDay?.date]).toEqual([null, "2026-03-07"]);
    expect(figures.monthToDate).toMatchObject({ value: 16, days: 8, end: at("2026-03-08T23:00:00Z") });
  });

  test("on the first of a month returns null for the month, and the last complete day of the old month", () => {
    const figures = usageFigures(
      usageOf("2026-02-20", "2026-02-28", () => 2),
      "kWh",
      at("2026-03-01T09:00:00Z"),
      calendar,
    );
    expect(figures.monthToDate).toBeNull();
    expect(figures.lastCompleteDay?.date).toBe("2026-02-28");
  });

  test.each([
    ["2026-01-20T09:00:00Z", "2025-12-01"],
    ["2026-03-20T09:00:00Z", "2026-01-01"],
    ["2026-01-03T09:00:00Z", "2025-01-01"],
  ])("at %s reads the days since %s: a year, and the month before", (now, first) => {
    expect(usageRange(at(now), calendar).start).toBe(dayOf(first).start);
  });

  test("in January returns the last complete day of last year, and a new year to date", () => {
    const now = at("2026-01-01T09:00:00Z");
    expect(usageRange(now, calendar).start).toBeLessThan(dayOf("2025-12-10").start);
    const figures = usageFigures(
      usageOf("2025-12-20", "2025-12-31", () => 2),
      "kWh",
      now,
      calendar,
    );
    expect([figures.yearToDate, figures.lastCompleteDay?.date]).toEqual([null, "2025-12-31"]);
  });

  test.each([
    ["2026-02-28T12:00:00Z", "2026-02-27", "2026-02", 27, "2026-01", "2026"],
    // The month has ended; its last day is not known yet.
    ["2026-03-01T04:00:00Z", "2026-02-27", "2026-02", 27, "2026-01", "2026"],
    // The last day is known and counts before the new month starts.
    ["2026-03-01T09:00:00Z", "2026-02-28", "2026-02", 28, "2026-01", "2026"],
    ["2026-03-02T09:00:00Z", "2026-03-01", "2026-03", 1, "2026-02", "2026"],
    ["2026-01-01T09:00:00Z", "2025-12-31", "2025-12", 31, "2025-11", "2025"],
    ["2026-01-02T09:00:00Z", "2026-01-01", "2026-01", 1, "2025-12", "2026"],
    // The month ended in summer time. Its last day is not known yet.
    ["2026-04-01T03:00:00Z", "2026-03-30", "2026-03", 30, "2026-02", "2026"],
  ])(
    "at %s, known until %s, returns month %s with %i days, previous month %s and year %s",
    (now, last, month, days, before, year) => {
      const range = usageRange(at(now), calendar);
      const known = usageOf(calendar.dateOf(range.start), last, () => 2);
      const figures = usageFigures(known, "kWh", at(now), calendar);
      expect(figures.month).toMatchObject({ start: dayOf(`${month}-01`).start, days, value: days * 2 });
      expect(figures.previousMonth).toMatchObject({ start: dayOf(`${before}-01`).start });
      expect(figures.previousMonth?.days).toBe(figures.previousMonth?.daysPassed);
      expect(figures.previousMonth?.end).toBe(figures.month?.start);
      expect(figures.year).toMatchObject({ start: dayOf(`${year}-01-01`).start });
      expect(figures.year?.daysPassed).toBe(figures.year?.days);
    },
  );

  test("usageFigures keeps the old month until its last day is known, for at most a week", () => {
    const known = usageOf("2026-02-01", "2026-03-09", () => 2).filter(({ date }) => date !== "2026-02-28");
    const monthAt = (now: string) => usageFigures(known, "kWh", at(now), calendar).month;
    expect(monthAt("2026-03-03T09:00:00Z")).toMatchObject({ start: dayOf("2026-02-01").start, value: 54, days: 27 });
    expect(monthAt("2026-03-07T22:59:00Z")).toMatchObject({ start: dayOf("2026-02-01").start });
    expect(monthAt("2026-03-07T23:00:00Z")).toMatchObject({ start: dayOf("2026-03-01").start, days: 9 });
  });

  test("usageFigures does not wait for a month without readings", () => {
    const known = [...usageOf("2026-01-01", "2026-01-31", () => 2), ...usageOf("2026-03-01", "2026-03-02", () => 3)];
    const figures = usageFigures(known, "kWh", at("2026-03-03T09:00:00Z"), calendar);
    expect(figures.month).toMatchObject({ start: dayOf("2026-03-01").start, value: 6 });
    expect(figures.previousMonth).toBeNull();
  });

  test("usageFigures returns null for the month after a week without readings, not the old month", () => {
    const known = usageOf("2026-02-01", "2026-02-28", () => 2);
    const figures = usageFigures(known, "kWh", at("2026-03-08T09:00:00Z"), calendar);
    expect(figures.month).toBeNull();
    expect(figures.previousMonth).toMatchObject({ value: 56 });
    expect(usageFigures(known, "kWh", at("2026-04-02T09:00:00Z"), calendar).month).toBeNull();
  });

  test("usageFigures returns null instead of zero without data", () => {
    expect(usageFigures([], "kWh", NOW, calendar)).toEqual({
      unit: "kWh",
      yesterday: null,
      lastCompleteDay: null,
      monthToDate: null,
      yearToDate: null,
      month: null,
      previousMonth: null,
      year: null,
    });
  });
});

describe("usageMessages", () => {
  test("usageMessages returns four topics with their figures", () => {
    const messages = usageMessages("elbro", "home", fullUsage());
    expect(messages.map(({ topic }) => topic)).toEqual(
      ["consumption", "costs", "export", "revenue"].map((name) => `elbro/home/${name}`),
    );
    expect(JSON.parse(messages[1]?.payload ?? "")).toMatchObject({
      unit: "DKK",
      yesterday: { date: "2026-03-09", complete: true, estimate: false },
      last_complete_day: { date: "2026-03-09" },
      month_to_date: { start: "2026-02-28T23:00:00Z", days: 9, days_passed: 9 },
      year_to_date: { start: "2025-12-31T23:00:00Z", days: 23 },
      month: { start: "2026-02-28T23:00:00Z", days: 9 },
      previous_month: { start: "2026-01-31T23:00:00Z", end: "2026-02-28T23:00:00Z" },
      year: { start: "2025-12-31T23:00:00Z", days: 23 },
    });
  });

  test("usageMessages returns no topic for a series without a response", () => {
    expect(usageMessages("elbro", "home", NO_USAGE)).toEqual([]);
  });
});
