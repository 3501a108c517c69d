import { describe, expect, test } from "vitest";
import type { PlanSpec } from "../../../../src/core/planning/model/plan-spec.ts";
import { startCosts } from "../../../../src/core/planning/start-costs.ts";
import { HOUR_MS } from "../../../../src/core/time/interval.ts";
import { at, dayOf, points } from "../../../support/home/price-days.ts";

const DAY = dayOf("2026-03-10");
/** Prices of 1 from midnight to noon, then 2. */
const prices = points(DAY, (i) => (i < 12 ? 1 : 2), { unit: "hour" });
const washer: PlanSpec = { kind: "window", hoursMs: 2 * HOUR_MS, kwh: 3, useForecast: false, enabled: true };

describe("startCosts", () => {
  test("startCosts returns a start now and at each quarter hour, as long as the whole run has prices", () => {
    const now = at("2026-03-10T08:05:00Z");
    const starts = startCosts(washer, prices, now) ?? [];
    expect(starts[0]).toMatchObject({ start: now, end: now + 2 * HOUR_MS, meanPrice: 1, cost: 3 });
    expect(starts[1]?.start).toBe(at("2026-03-10T08:15:00Z"));
    expect(starts.at(-1)?.end).toBe(DAY.end);
    // Noon in Denmark is the middle of this run.
    expect(starts.find(({ start }) => start === at("2026-03-10T10:00:00Z"))?.cost).toBeCloseTo(4.5);
  });

  test("startCosts weights prices by the profile", () => {
    const starts = startCosts({ ...washer, profile: [3, 1] }, prices, at("2026-03-10T10:00:00Z")) ?? [];
    expect(starts[0]?.meanPrice).toBeCloseTo(1.25);
  });

  test("startCosts marks estimates, and returns no cost without the energy", () => {
    const { kwh: _, ...unknown } = washer;
    const guessed = prices.map((point) => ({ ...point, estimate: point.price === 2 }));
    const starts = startCosts(unknown, guessed, at("2026-03-10T08:00:00Z")) ?? [];
    expect(starts[0]).toMatchObject({ cost: null, estimate: false });
    expect(starts.at(-1)).toMatchObject({ estimate: true });
  });

  test("startCosts returns null for a plan without a number of hours", () => {
    expect(startCosts({ kind: "below", maxPrice: 1, useForecast: false, enabled: true }, prices, DAY.start)).toBe(null);
  });
});
