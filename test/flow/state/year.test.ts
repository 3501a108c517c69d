import { expect, test } from "vitest";
import { runDays } from "../../support/clock/year-in-fast-forward.ts";

// The whole year is `npm run lab -- year`. Here it is two weeks with the clock change of autumn in the middle.
test("two weeks with faults: no request is denied, tomorrow's prices are on time, requests are few", async () => {
  const figures = await runDays(Date.parse("2025-10-19T00:00:00Z"), 14, () => undefined);
  expect(figures.denied).toBe(0);
  // The faults withhold the prices of the other days.
  expect(figures.onTime).toBeGreaterThanOrEqual(0.7);
  // The first weeks fetch the history. The median of the year is 18.
  expect(figures.requestsMedian).toBeLessThanOrEqual(21);
  expect(figures.different).toEqual([]);
  expect(figures.compared).toBeGreaterThan(300);
  expect(figures.requestsMax).toBeLessThanOrEqual(45);
});
