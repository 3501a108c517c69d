import { describe, expect, test } from "vitest";
import { haveRealPrices } from "../../support/plans/real-prices.ts";
import { runWeek, weekTable } from "../../support/plans/week-of-plans.ts";

describe.skipIf(!haveRealPrices)("real prices (../shared/data; skipped if it is absent)", () => {
  test.each([
    ["around the 23-hour day", "2025-03-28T12:00:00Z"],
    ["around the 25-hour day", "2025-10-24T12:00:00Z"],
  ])("three appliances %s get their hours every day, and cost no more than an immediate start", async (_name, from) => {
    const days = 3;
    const figures = await runWeek(Date.parse(from), days);
    const hours = Object.fromEntries(figures.sums.map((sum) => [sum.plan, sum.hours]));
    expect(hours, weekTable(figures).join("\n")).toEqual({
      dishwasher: 2 * days,
      car: 4 * days,
      water_heater: 3 * days,
    });
    for (const { cost, naive } of figures.sums) expect(cost).toBeLessThanOrEqual(naive + 1e-9);
  });
});
