import { describe, expect, test } from "vitest";
import type { MonthAnswer } from "../../../src/api/results.ts";
import { changeOf, comparedSpans, spanOf } from "../../../src/dashboard/results/compare-periods.ts";
import { groupedByPlan } from "../../../src/dashboard/results/saving-bars.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";

const calendar = serviceCalendar();
const datesOf = ({ from, to }: { from: number; to: number }) =>
  [from, to].map((at) => {
    const { year, month, day } = calendar.fieldsOf(at);
    return `${year}-${month}-${day}`;
  });

describe("compared periods", () => {
  const now = Date.parse("2026-03-20T10:00:00Z");

  test.each([
    ["month_before", ["2026-3-1", "2026-3-20"], ["2026-2-1", "2026-2-20"], true],
    ["month_last_year", ["2026-3-1", "2026-3-20"], ["2025-3-1", "2025-3-20"], true],
    ["last_month", ["2026-2-1", "2026-3-1"], ["2026-1-1", "2026-2-1"], false],
    ["year", ["2026-1-1", "2026-3-20"], ["2025-1-1", "2025-3-20"], true],
  ] as const)("%s", (pair, first, second, isCut) => {
    const found = comparedSpans(pair, now, calendar);
    expect([datesOf(found.first), datesOf(found.second), found.isCut]).toEqual([first, second, isCut]);
  });

  test("on the first of a month, the two last complete months are compared", () => {
    const found = comparedSpans("month_before", Date.parse("2026-04-01T08:00:00Z"), calendar);
    expect([datesOf(found.first), datesOf(found.second), found.isCut]).toEqual([
      ["2026-3-1", "2026-4-1"],
      ["2026-2-1", "2026-3-1"],
      false,
    ]);
  });

  test("the end of the second period is limited to a shorter month", () => {
    const found = comparedSpans("month_before", Date.parse("2026-03-31T08:00:00Z"), calendar);
    expect(datesOf(found.second)).toEqual(["2026-2-1", "2026-3-1"]);
  });

  test("dates are inclusive, and null if they are in the wrong order", () => {
    expect(datesOf(spanOf({ from: "2026-03-28", to: "2026-03-29" }, calendar) ?? { from: 0, to: 0 })).toEqual([
      "2026-3-28",
      "2026-3-30",
    ]);
    expect(spanOf({ from: "2026-03-02", to: "2026-03-01" }, calendar)).toBe(null);
  });
});

describe("the change between two periods", () => {
  test.each([
    ["a percentage of an ordinary value", 110, 100, { kind: "share", by: 0.1 }],
    ["an amount where the later value is negative", -4, 3.5, { kind: "amount", by: -7.5 }],
    ["an amount where the earlier value is negative", 3, -1, { kind: "amount", by: 4 }],
    ["an amount where the earlier value is near zero", 3, 0.25, { kind: "amount", by: 2.75 }],
    ["none where the values are nearly the same", 100.1, 100, { kind: "none", by: 0 }],
  ] as const)("is %s", (_name, first, second, change) => {
    expect(changeOf(first, second)).toEqual(change);
  });
});

describe("bars of savings", () => {
  const monthOf = (plan: string, saved: number | null, start = "2026-02-28T23:00:00Z"): MonthAnswer => ({
    ...{ plan, name: plan.toUpperCase(), home: "home", currency: "DKK", start, runs: 2, hours: 6, cost: 3 },
    ...{ against_now: null, against_window_start: saved, against_mean: 1 },
  });
  const options = { now: Date.parse("2026-03-20T10:00:00Z"), calendar, otherName: "Others" };

  test("bars of savings are next to each other in their month, the largest saving first", () => {
    const { bars, plans, saved } = groupedByPlan([monthOf("a", 1), monthOf("b", 5)], "window_start", options);
    expect(plans.map(({ name, kind }) => [name, kind])).toEqual([
      ["B", "series-1"],
      ["A", "series-2"],
    ]);
    expect(saved).toBe(6);
    expect((bars[0]?.end ?? 0) <= (bars[1]?.start ?? 0)).toBe(true);
    expect(calendar.fieldsOf(bars[1]?.end ?? 0).month).toBe(3);
  });

  test("omit a missing amount, and use the amounts of the chosen baseline", () => {
    const months = [monthOf("a", null), monthOf("b", 5)];
    expect(groupedByPlan(months, "window_start", options).bars).toHaveLength(1);
    expect(groupedByPlan(months, "mean", options).bars.map(({ value }) => value)).toEqual([1, 1]);
  });

  test("combine plans for which no colour is left", () => {
    const months = ["a", "b", "c", "d", "e", "f", "g"].map((plan, i) => monthOf(plan, 10 - i));
    const { plans, bars } = groupedByPlan(months, "window_start", options);
    expect(plans.map(({ name, saved }) => [name, saved])).toEqual([
      ["A", 10],
      ["B", 9],
      ["C", 8],
      ["D", 7],
      ["Others", 15],
    ]);
    expect(bars.at(-1)).toMatchObject({ runs: 6, cost: 9 });
  });

  test("omit months that are more than twelve months ago", () => {
    expect(groupedByPlan([monthOf("a", 1, "2025-02-28T23:00:00Z")], "window_start", options).bars).toEqual([]);
  });
});
