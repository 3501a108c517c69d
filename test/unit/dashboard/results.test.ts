import { describe, expect, test } from "vitest";
import type { ResultMonth } from "../../../src/api/house/results.ts";
import { type ChartBar, stackOf } from "../../../src/dashboard/chart/chart-view.ts";
import { groupedByPlan } from "../../../src/dashboard/results/saving-bars.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";

const calendar = serviceCalendar();
describe("bars of savings", () => {
  const monthOf = (plan: string, saved: number | null, start = "2026-02-28T23:00:00Z"): ResultMonth => ({
    ...{ plan, name: plan.toUpperCase(), home: "home", currency: "DKK", start, runs: 2, hours: 6, cost: 3 },
    ...{ against_now: null, against_window_start: saved, against_mean: 1 },
  });
  const endsOf = (bars: readonly ChartBar[]) =>
    bars
      .flatMap(stackOf)
      .map(({ low, high }) => `${low} ${high}`)
      .join();
  const known = [..."abcdefg"].map((id) => ({ id }));
  const options = { now: Date.parse("2026-03-20T10:00:00Z"), calendar, otherName: "Others", known };

  test("bars of savings are stacked in their month, the largest saving first, each plan in a colour of its own", () => {
    const { bars, plans } = groupedByPlan([monthOf("a", 1), monthOf("b", 5)], "window_start", options);
    expect(plans.map(({ name, kind }) => `${name} ${kind}`).join()).toBe("B plan-2,A plan-1");
    expect(bars).toMatchObject([{ value: 6, stack: [{ name: "B" }, { name: "A" }] }]);
    expect(endsOf(bars)).toBe("0 5,5 6");
    const { bars: lost } = groupedByPlan(
      [monthOf("a", -1), monthOf("b", 5), monthOf("c", -2)],
      "window_start",
      options,
    );
    expect(endsOf(lost)).toBe("0 5,-1 0,-3 -1");
  });

  test("omit a missing amount and what is over a year ago, and use the amounts of the chosen baseline", () => {
    const months = [monthOf("a", null), monthOf("b", 5), monthOf("c", 1, "2025-02-28T23:00:00Z")];
    expect(groupedByPlan(months, "window_start", options).bars[0]?.stack).toHaveLength(1);
    expect(groupedByPlan(months, "mean", options).bars.map(({ value }) => value)).toEqual([2]);
  });

  test("combine plans for which no colour is left", () => {
    const months = ["a", "b", "c", "d", "e", "f", "g"].map((plan, i) => monthOf(plan, 10 - i));
    const { plans, bars } = groupedByPlan(months, "window_start", options);
    expect(plans.map(({ name, saved }) => `${name} ${saved}`).join()).toBe("A 10,B 9,C 8,D 7,E 6,Others 9");
    expect(bars.at(-1)?.stack.at(-1)).toMatchObject({ runs: 4, cost: 6, kind: "gap" });
  });
});
