/** Everything that a plan's next step is decided from. */

import type { LevelThresholds } from "../prices/level.ts";
import { indexAfter, type PricePoint, type Timeline } from "../prices/timeline.ts";
import type { Calendar } from "../time/calendar.ts";
import type { EpochMs, Interval } from "../time/interval.ts";
import type { PlanContext, PlanSolution, PlanSpec, PlanWindow } from "./model/plan-spec.ts";
import type { PlanRecord } from "./plan-record.ts";

/** Finds the best a plan can do in its window. */
export type Solve = (spec: PlanSpec, timeline: Timeline, window: PlanWindow, context: PlanContext) => PlanSolution;

/** Where a plan stands to the one it comes after. */
export type AfterState =
  | { readonly kind: "free" }
  | { readonly kind: "from"; readonly at: EpochMs }
  /** The other has no runs yet; `plan` is its name. */
  | { readonly kind: "waiting"; readonly plan: string };

export interface PlanInput {
  readonly now: EpochMs;
  readonly spec: PlanSpec;
  /** Null for a plan that was never looked at. */
  readonly memory: PlanRecord | null;
  readonly timeline: Timeline | null;
  readonly calendar: Calendar;
  readonly thresholds?: LevelThresholds;
  /** Runs of plans that this one may not run next to. Shape: any order. */
  readonly blocked: readonly Interval[];
  /** For a plan of a power group: a name for what its hours were settled from, and what else it may not run with. */
  readonly group?: { readonly token: string; readonly blocked: readonly Interval[] };
  readonly after: AfterState;
  /** When everything should be over, so that the plans behind this one still get their hours. */
  readonly finishBy: EpochMs | null;
  /** Whether the clock can be right: nothing begins where it cannot. */
  readonly trusted: boolean;
  /** No fallback begins before: prices may still be on their way right after a start. */
  readonly graceUntil: EpochMs;
  readonly solve: Solve;
}

/** A start that is later than this was missed. The solver takes a step as begun by the same measure. */
export const LATE_MS = 60_000;

/** The price that holds at `at`; null in a gap. */
export function pointAt(points: readonly PricePoint[], at: EpochMs): PricePoint | null {
  const point = points[indexAfter(points, at) - 1];
  return point && at < point.end ? point : null;
}

/** Whether the price for now is missing or only estimated. */
export function isUnpriced({ timeline, now }: Pick<PlanInput, "timeline" | "now">): boolean {
  const current = pointAt(timeline?.points ?? [], now);
  return current === null || current.estimate;
}

/** The end of the confirmed prices that follow `at` without a gap; `at` where there are none. */
export function confirmedUntil(points: readonly PricePoint[], at: EpochMs): EpochMs {
  let reached = at;
  for (let i = Math.max(0, indexAfter(points, at) - 1); i < points.length; i++) {
    const point = points[i] as PricePoint;
    if (point.end <= reached) continue;
    if (point.start > reached || point.estimate) break;
    reached = point.end;
  }
  return reached;
}

/** Local time by which the prices of the next day are there on all but the worst days; they are due at 13:00. */
const EXPECTED_MINUTE = 14 * 60;

/** When the price of an instant should have been there. */
export function overdueAt(calendar: Calendar, at: EpochMs): EpochMs {
  const dayBefore = calendar.add("day", calendar.startOf("day", at), -1);
  return calendar.timeOnDay(dayBefore, EXPECTED_MINUTE);
}
