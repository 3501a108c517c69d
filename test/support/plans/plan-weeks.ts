/** Plans over 672 intervals of real prices, for benches of the solver. */

import type { PlanSolution, PlanSpec, PlanWindow } from "../../../src/core/planning/model/plan-spec.ts";
import { solvePlan } from "../../../src/core/planning/solve-plan.ts";
import type { PricePoint, Timeline } from "../../../src/core/prices/timeline.ts";
import { type EpochMs, HOUR_MS, MINUTE_MS, QUARTER_MS } from "../../../src/core/time/interval.ts";
import { at, calendar, timelineOf } from "../home/price-days.ts";
import { realPoints, withGaps } from "./plan-days.ts";

export interface WeekCase {
  readonly spec: PlanSpec;
  /** Name of the plan in tables. */
  readonly plan: string;
  readonly window: PlanWindow;
  readonly stepMs: number;
  readonly timeline: Timeline;
}

/** Start of quarter-hourly prices at the market, and start of the hourly prices. */
const FIRST_QUARTERS = at("2025-09-30T22:00:00Z");
const FIRST_HOURS = at("2025-03-01T23:00:00Z");
const WEEKS = 26;
const MONTHS = 7;

/** Number of weeks of which one, the second, has gaps. */
const GAPS_EACH = 5;

const base = { enabled: true } as const;

/** Every constraint at once: runs and pauses of at least 1 h, OFF for at most 30 h. */
const slots = {
  ...base,
  kind: "slots",
  hoursMs: 24 * HOUR_MS,
  minRunMs: HOUR_MS,
  minPauseMs: HOUR_MS,
  maxGapMs: 30 * HOUR_MS,
} as const;

/** Plans by name, for a week of quarters. */
export const weekPlans: Readonly<Record<string, PlanSpec>> = {
  "96 in runs of an hour": slots,
  "160 in long runs": { ...slots, hoursMs: 40 * HOUR_MS, minRunMs: 90 * MINUTE_MS, maxGapMs: 16 * HOUR_MS },
  "336 with short gaps": { ...slots, hoursMs: 84 * HOUR_MS, maxGapMs: 12 * HOUR_MS },
  "48 below a price": { ...slots, hoursMs: 12 * HOUR_MS, maxGapMs: 60 * HOUR_MS, maxPrice: 0.9 },
  "96 anywhere": { ...base, kind: "slots", hoursMs: 24 * HOUR_MS },
  "all but 120": { ...base, kind: "avoid", hoursMs: 30 * HOUR_MS, maxGapMs: 2 * HOUR_MS },
  "while cheap": { ...base, kind: "below", maxPrice: 0.6, minRunMs: HOUR_MS, minPauseMs: HOUR_MS },
  "one run of a profile": { ...base, kind: "window", hoursMs: 4 * HOUR_MS, profile: [2, 1, 1, 3] },
};

/** Returns the plan for the same number of intervals of one hour. */
function inHours(spec: PlanSpec): PlanSpec {
  const longer = Object.entries(spec).map(([key, value]) => [key, key.endsWith("Ms") ? Number(value) * 4 : value]);
  return Object.fromEntries(longer) as PlanSpec;
}

/**
 * Returns 26 weeks of quarters, of which a fifth have gaps, and seven periods of 28 days of hours, with every plan.
 */
export function weekCases(): WeekCase[] {
  const points = realPoints();
  const weeks = Array.from({ length: WEEKS }, (_, week) => {
    const given = week % GAPS_EACH === 1 ? withGaps(points, week) : points;
    return casesFrom(calendar.add("day", FIRST_QUARTERS, 7 * week), 7, QUARTER_MS, given);
  });
  const months = Array.from({ length: MONTHS }, (_, month) =>
    casesFrom(calendar.add("day", FIRST_HOURS, 28 * month), 28, HOUR_MS, points),
  );
  return [...weeks, ...months].flat();
}

function casesFrom(start: EpochMs, days: number, stepMs: number, points: readonly PricePoint[]): WeekCase[] {
  const end = calendar.add("day", start, days);
  const window = { start, end, until: end };
  const timeline = timelineOf(points.filter((point) => point.end > start && point.start < end));
  return Object.entries(weekPlans).map(([plan, spec]) => {
    const own = stepMs === QUARTER_MS ? spec : inHours(spec);
    return { spec: own, plan, window, stepMs, timeline };
  });
}

export function solveWeek({ spec, window, timeline }: WeekCase): PlanSolution {
  return solvePlan(spec, timeline, window, { now: window.start, calendar });
}
