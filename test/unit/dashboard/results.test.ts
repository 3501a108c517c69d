import { describe, expect, test } from "vitest";
import type { ResultMonth } from "../../../src/api/house/results.ts";
import { groupedByPlan } from "../../../src/dashboard/results/saving-bars.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";

const calendar = serviceCalendar();
describe("bars of savings", () => {
  const monthOf = (plan: string, saved: number | null, start = "2026-02-28T23:00:00Z"): ResultMonth => ({
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
