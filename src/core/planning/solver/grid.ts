/** What is left of a plan's window, in steps of equal length: the ground that every kind is solved on. */

import { indexAfter, type PricePoint } from "../../prices/timeline.ts";
import { type EpochMs, HOUR_MS, type Interval, MINUTE_MS, QUARTER_MS } from "../../time/interval.ts";
import type { PlanContext, PlanWindow } from "../model/plan-spec.ts";
import { mergeRuns } from "../model/plan-windows.ts";

/**
 * Prices are solved as whole numbers, so many to one currency unit per kWh: sums are then exact, and whether two choices
 * cost the same does not depend on the order of adding. Prices that differ by less are the same price.
 */
export const PRICE_SCALE = 1e7;

/** A step counts as whole while less than this of it has passed: a plan made on the edge may begin on the edge. */
const LATE_START_MS = MINUTE_MS;

/** Steps are the shortest price intervals, but not shorter and not longer than these; without any, the usual ones. */
const STEP_MS = { min: 5 * MINUTE_MS, max: HOUR_MS, usual: QUARTER_MS } as const;

/** The steps of a grid end here, whatever is asked: half a year of hours, two weeks of the shortest steps. */
const MAX_STEPS = 4_096;

/** What has been before the first step. */
export interface PlanPast {
  /** ON inside the window. */
  readonly usedMs: number;
  /** Runs that have begun in the window. */
  readonly runs: number;
  /** When the last run ended, at the latest the grid's start; null where none has been. */
  readonly lastEnd: EpochMs | null;
  /** How long the run that reaches the grid's start has been ON; 0 where none reaches it. */
  readonly runningMs: number;
  /** Whether that run goes on at the grid's start. */
  readonly inProgress: boolean;
}

export interface PlanGrid extends Interval {
  readonly stepMs: number;
  readonly count: number;
  /** Unit: `PRICE_SCALE`ths; NaN where there is none. */
  readonly prices: Float64Array;
  /** 1 where the price is an estimate. */
  readonly estimates: Uint8Array;
  /** 1 where others run, or where it is too early. */
  readonly blocked: Uint8Array;
  /** 1 where a fixed run is; it is widened to whole steps. */
  readonly forced: Uint8Array;
  readonly past: PlanPast;
  /** The points that may be planned on. */
  readonly points: readonly PricePoint[];
}

/** The grid of what is left of a window. Shape: `points` sorted; it may have no step, and no step may have a price. */
export function gridOf(points: readonly PricePoint[], window: PlanWindow, context: PlanContext): PlanGrid {
  const left = { start: Math.max(window.start, context.now - LATE_START_MS), end: window.until };
  const first = firstReaching(points, left.start);
  const stepMs = context.stepMs ?? stepOf(points, first, left.end);
  const anchor = points[first]?.start ?? 0;
  const start = anchor + Math.ceil((left.start - anchor) / stepMs) * stepMs;
  const count = Math.min(MAX_STEPS, Math.max(0, Math.floor((left.end - start) / stepMs)));
  const span = { start, end: start + count * stepMs };
  const fixed = mergeRuns(context.fixed ?? []);
  const blocked = marks(context.blocked ?? [], span, stepMs);
  const early = Math.ceil(((context.earliestStart ?? start) - start) / stepMs);
  if (early > 0) blocked.fill(1, 0, early);
  return {
    ...span,
    stepMs,
    count,
    points,
    ...pricesOf(points, span, stepMs),
    blocked,
    forced: marks(fixed, span, stepMs),
    past: pastOf(fixed, window.start, start),
  };
}

/** A duration in whole steps, rounded up: a plan gets at least what it asks for. */
export function stepsUp(durationMs: number, stepMs: number): number {
  return Math.max(0, Math.ceil(durationMs / stepMs));
}

/** The first time in [from, to) without a price that may be planned on; null where there is none. Shape: `points` sorted. */
export function missingIn(points: readonly PricePoint[], from: EpochMs, to: EpochMs): Interval | null {
  let at = from;
  for (let i = firstReaching(points, from); at < to; i++) {
    const point = points[i];
    if (!point || point.start > at) return { start: at, end: Math.min(point?.start ?? to, to) };
    at = point.end;
  }
  return null;
}

/** The instants of a stretch of steps. */
export function spanOf({ start, stepMs }: PlanGrid, from: number, to: number): Interval {
  return { start: start + from * stepMs, end: start + to * stepMs };
}

/** The index of the first point that ends after `at`. */
function firstReaching(points: readonly PricePoint[], at: EpochMs): number {
  const present = indexAfter(points, at) - 1;
  return (points[present]?.end ?? Number.NEGATIVE_INFINITY) > at ? present : present + 1;
}

function stepOf(points: readonly PricePoint[], first: number, end: EpochMs): number {
  if ((points[first]?.start ?? end) >= end) return STEP_MS.usual;
  let shortest: number = STEP_MS.max;
  for (let i = first; i < points.length; i++) {
    const point = points[i];
    if (!point || point.start >= end) break;
    shortest = Math.min(shortest, point.end - point.start);
  }
  return Math.max(shortest, STEP_MS.min);
}

/** The mean price of every step, by time; a step that prices do not cover from end to end has none. */
export function pricesOf(
  points: readonly PricePoint[],
  { start, end }: Interval,
  stepMs: number,
): Pick<PlanGrid, "prices" | "estimates"> {
  const count = (end - start) / stepMs;
  const prices = new Float64Array(count);
  const estimates = new Uint8Array(count);
  const covered = new Float64Array(count);
  for (let i = firstReaching(points, start); i < points.length; i++) {
    const point = points[i];
    if (!point || point.start >= end) break;
    let at = Math.max(point.start, start);
    const until = Math.min(point.end, end);
    for (let step = Math.floor((at - start) / stepMs); at < until; step++) {
      const next = Math.min(until, start + (step + 1) * stepMs);
      prices[step] = (prices[step] ?? 0) + point.price * (next - at);
      covered[step] = (covered[step] ?? 0) + next - at;
      if (point.estimate) estimates[step] = 1;
      at = next;
    }
  }
  for (let step = 0; step < count; step++) {
    prices[step] = covered[step] === stepMs ? Math.round(((prices[step] ?? 0) / stepMs) * PRICE_SCALE) + 0 : Number.NaN;
  }
  return { prices, estimates };
}

/** 1 for every step that one of the intervals touches. */
function marks(intervals: readonly Interval[], span: Interval, stepMs: number): Uint8Array {
  const marked = new Uint8Array((span.end - span.start) / stepMs);
  for (const { start, end } of intervals) {
    const from = Math.max(0, Math.floor((start - span.start) / stepMs));
    const to = Math.max(0, Math.ceil((end - span.start) / stepMs));
    if (end > start) marked.fill(1, from, to);
  }
  return marked;
}

function pastOf(fixed: readonly Interval[], windowStart: EpochMs, gridStart: EpochMs): PlanPast {
  let usedMs = 0;
  let runs = 0;
  let last: Interval | null = null;
  for (const run of fixed) {
    if (run.start >= gridStart) break;
    last = run;
    const inWindow = Math.min(run.end, gridStart) - Math.max(run.start, windowStart);
    usedMs += Math.max(0, inWindow);
    if (run.start >= windowStart) runs++;
  }
  const reaches = last !== null && last.end >= gridStart;
  return {
    usedMs,
    runs,
    lastEnd: last && Math.min(last.end, gridStart),
    runningMs: last && reaches ? gridStart - last.start : 0,
    inProgress: last !== null && last.end > gridStart,
  };
}
