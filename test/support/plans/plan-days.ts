/** Plans on days of real prices, for the comparison with a solver. */

import type { PlanSpec } from "../../../src/core/planning/model/plan-spec.ts";
import { horizonOf } from "../../../src/core/planning/model/plan-windows.ts";
import type { PricePoint } from "../../../src/core/prices/timeline.ts";
import { type EpochMs, HOUR_MS, type Interval, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { calendar } from "../home/price-days.ts";
import { haveRealPrices, readRealPrices } from "./real-prices.ts";

/**
 * Returns the spot prices of thirteen months, first hourly, then quarter-hourly; an empty list if they are not
 * installed.
 */
export function realPoints(): PricePoint[] {
  if (!haveRealPrices) return [];
  return readRealPrices().map(({ start, end, spotPerKwh }) => ({ start, end, price: spotPerKwh, estimate: false }));
}

/** Removes one hour in nine, to simulate gaps in the service's data. `phase` shifts the gaps. */
export function withGaps(points: readonly PricePoint[], phase: number): PricePoint[] {
  return points.filter((point) => Math.floor(point.start / HOUR_MS + phase) % 9 !== 0);
}

const base = { useForecast: true, enabled: true } as const;

/** Plans of every kind, with and without constraints, with windows by day and by night. */
export const dayPlans: readonly PlanSpec[] = [
  { ...base, kind: "window", hoursMs: 3 * HOUR_MS, profile: [3, 1, 1, 2] },
  { ...base, kind: "window", hoursMs: 2 * HOUR_MS, from: 20 * 60, readyBy: 7 * 60 },
  { ...base, kind: "slots", hoursMs: 5 * HOUR_MS },
  { ...base, kind: "slots", hoursMs: 6 * HOUR_MS, minRunMs: 2 * HOUR_MS, minPauseMs: HOUR_MS, maxGapMs: 6 * HOUR_MS },
  { ...base, kind: "slots", hoursMs: 4 * HOUR_MS, minRunMs: HOUR_MS, atMostRuns: 2, from: 18 * 60, readyBy: 9 * 60 },
  { ...base, kind: "slots", hoursMs: 8 * HOUR_MS, minRunMs: 30 * MINUTE_MS, minPauseMs: HOUR_MS, atMostRuns: 3 },
  { ...base, kind: "slots", hoursMs: 3 * HOUR_MS, maxGapMs: 7 * HOUR_MS, maxPrice: 0.8 },
  { ...base, kind: "below", maxPrice: 0.45, minRunMs: 2 * HOUR_MS, minPauseMs: 2 * HOUR_MS },
  { ...base, kind: "below", maxPrice: 0, minRunMs: HOUR_MS },
  { ...base, kind: "avoid", hoursMs: 6 * HOUR_MS, maxGapMs: 2 * HOUR_MS },
  { ...base, kind: "avoid", hoursMs: 4 * HOUR_MS, maxGapMs: 75 * MINUTE_MS, from: 12 * 60, readyBy: 11 * 60 },
];

/** Returns the plan's window around noon of a local day, and the prices near it. */
export function dayCase(spec: PlanSpec, day: Interval, points: readonly PricePoint[]) {
  const window = horizonOf(spec, day.start + 12 * HOUR_MS, calendar);
  if (!window) throw new RangeError("a plan that never comes");
  const near = points.filter((point) => point.end > window.start && point.start < window.until);
  const stepMs = Math.min(HOUR_MS, ...near.map((point) => point.end - point.start));
  return { window, points: near, stepMs };
}

/** Returns the starts of the local days that have prices for every plan's whole window, ascending. */
export function daysOfPrices(points: readonly PricePoint[]): EpochMs[] {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return [];
  const inner = { start: first.start + 48 * HOUR_MS, end: last.end - 72 * HOUR_MS };
  return calendar.boundaries("day", inner).slice(1);
}

/** Returns the days of clock changes, and the days with negative prices. */
export function oddDays(points: readonly PricePoint[]): { changes: EpochMs[]; negative: EpochMs[] } {
  const days = daysOfPrices(points);
  const below = new Set(points.filter((point) => point.price < 0).map((point) => calendar.startOf("day", point.start)));
  return {
    changes: days.filter((day) => calendar.add("day", day, 1) - day !== 24 * HOUR_MS),
    negative: days.filter((day) => below.has(day)),
  };
}
