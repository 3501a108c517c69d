/** Input of a plan's decision. */

import type { LevelThresholds } from "../prices/level.ts";
import { indexAfter, type PricePoint, pointAt, type Timeline } from "../prices/timeline.ts";
import type { Calendar } from "../time/calendar.ts";
import type { EpochMs, Interval } from "../time/interval.ts";
import type { PlanContext, PlanSolution, PlanSpec, PlanWindow } from "./model/plan-spec.ts";
import type { PlanRecord } from "./plan-record.ts";

/** Finds the best runs of a plan in its window. */
export type Solve = (spec: PlanSpec, timeline: Timeline, window: PlanWindow, context: PlanContext) => PlanSolution;

/** When a plan may start after its predecessor. */
export type AfterState =
  | { readonly kind: "free" }
  | { readonly kind: "from"; readonly at: EpochMs }
  /** The predecessor has no runs yet. `plan`: its name. */
  | { readonly kind: "waiting"; readonly plan: string };

export type PlanMachine = "absent" | "waits" | "done";

export interface PlanInput {
  readonly now: EpochMs;
  readonly spec: PlanSpec;
  /** Null for a plan that was never decided. */
  readonly memory: PlanRecord | null;
  readonly timeline: Timeline | null;
  readonly calendar: Calendar;
  readonly thresholds?: LevelThresholds;
  /** Runs of plans that may not run together with this one. Shape: any order. */
  readonly blocked: readonly Interval[];
  /** For a plan of a power group: fingerprint of the group's input, and `blocked` without the group. */
  readonly group?: { readonly token: string; readonly blocked: readonly Interval[] };
  /** Holidays of the plan and of its home, which are also in `blocked`; absent for a plan that takes no notice. */
  readonly away?: readonly Interval[];
  readonly after: AfterState;
  /** The machine of the plan, if its plug watches it: nothing to run, waiting to be run, or done. */
  readonly machine?: PlanMachine | undefined;
  /** Latest end that leaves its successors enough time; null without successors. */
  readonly finishBy: EpochMs | null;
  /** True if the clock is trusted. Otherwise nothing starts. */
  readonly trusted: boolean;
  /** Earliest start of fallback hours, because prices may still arrive after the daemon's start. */
  readonly graceUntil: EpochMs;
  readonly solve: Solve;
}

/** A later start counts as missed. The solver uses the same limit for a step that has begun. */
export const LATE_MS = 60_000;

/** Returns true if the current price is missing or an estimate. */
export function isUnpriced({ timeline, now }: Pick<PlanInput, "timeline" | "now">): boolean {
  const current = pointAt(timeline?.points ?? [], now);
  return current === null || current.estimate;
}

/** Returns the end of the confirmed prices that follow `at` without a gap; `at` if none exist. */
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

/** Local time by which the next day's prices have nearly always arrived. They are due at 13:00. */
const EXPECTED_MINUTE = 14 * 60;

/** Returns when the price of `at` is overdue. */
export function overdueAt(calendar: Calendar, at: EpochMs): EpochMs {
  const dayBefore = calendar.add("day", calendar.startOf("day", at), -1);
  return calendar.timeOnDay(dayBefore, EXPECTED_MINUTE);
}
