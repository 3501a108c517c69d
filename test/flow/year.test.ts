import { expect, test } from "vitest";
import { runDays } from "../support/daemon/year-in-fast-forward.ts";

// The whole year is `npm run year`; here three weeks of it with the clock change of autumn in the middle.
test("three weeks with faults: nothing denied, tomorrow on time, few requests", async () => {
  const figures = await runDays(Date.parse("2025-10-15T00:00:00Z"), 21, () => undefined);
  expect(figures.denied).toBe(0);
  expect(figures.onTime).toBeGreaterThanOrEqual(0.8);
  expect(figures.requestsMedian).toBeLessThanOrEqual(20);
  expect(figures.requestsMax).toBeLessThanOrEqual(45);
});
