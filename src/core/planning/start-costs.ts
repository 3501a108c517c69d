/** Cost of a plan's hours in one run, by start time. */

import type { PricePoint } from "../prices/timeline.ts";
import { type EpochMs, HOUR_MS, type Interval, QUARTER_MS, stepEnd } from "../time/interval.ts";
import { hasHours, type PlanSpec, profileOf } from "./model/plan-spec.ts";
import { runPrice } from "./plan-savings.ts";

/** A possible run and its cost. */
export interface StartCost extends Interval {
  /** Weighted by the profile. Unit: currency per kWh. */
  readonly meanPrice: number;
  /** Null if the plan has no energy. Unit: currency. */
  readonly cost: number | null;
  /** True if one of its prices is an estimate. */
  readonly estimate: boolean;
}

/** Maximum time ahead of a start. Estimates of later days are not accurate. */
const MAX_AHEAD_MS = 48 * HOUR_MS;

/** Returns the cost of a start now and in each later quarter with prices, whatever its window; null without hours. */
export function startCosts(spec: PlanSpec, points: readonly PricePoint[], now: EpochMs): StartCost[] | null {
  if (!hasHours(spec)) return null;
  const profile = profileOf(spec);
  const next = stepEnd(now, QUARTER_MS);
  const count = Math.ceil(MAX_AHEAD_MS / QUARTER_MS);
  const starts = [now, ...Array.from({ length: count }, (_, i) => next + i * QUARTER_MS)];
  return starts.flatMap((start) => {
    const run = { start, end: start + spec.hoursMs };
    const meanPrice = runPrice(points, run, "all", profile);
    if (meanPrice === null) return [];
    const estimate = runPrice(points, run, "confirmed", profile) === null;
    return { ...run, meanPrice, cost: spec.kwh === undefined ? null : spec.kwh * meanPrice, estimate };
  });
}
