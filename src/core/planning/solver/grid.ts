/** The remaining window of a plan as a grid of equal steps, on which all kinds are solved. */

import { indexAfter, type PricePoint } from "../../prices/timeline.ts";
import { type EpochMs, HOUR_MS, type Interval, MINUTE_MS, QUARTER_MS } from "../../time/interval.ts";
import type { PlanContext, PlanWindow } from "../model/plan-spec.ts";
import { mergeRuns } from "../model/plan-windows.ts";

/** Factor from currency per kWh to whole numbers, whose sums are exact. Prices that differ by less are equal. */
export const PRICE_SCALE = 1e7;

/** A step that began less than this ago counts as whole, so that a plan made at its start can use it. */
const LATE_START_MS = MINUTE_MS;

/** Limits of the step length, which is the shortest price interval; `usual` without prices. */
const STEP_MS = { min: 5 * MINUTE_MS, max: HOUR_MS, usual: QUARTER_MS } as const;

/** Maximum steps of a grid: half a year of hours, two weeks of the shortest steps. */
const MAX_STEPS = 4_096;

export type PlanGrid = Readonly<ReturnType<typeof gridOf>>;

/** Returns the grid of the remaining window, in quarters if its ends or `maxGapMs` are parts of prices. Shape: `points` sorted; grids without steps or prices are possible. */
export function gridOf(points: readonly PricePoint[], window: PlanWindow, context: PlanContext, maxGapMs = 0) {
  const left = { start: Math.max(window.start, context.now - LATE_START_MS), end: window.until };
  const first = firstReaching(points, left.start);
  const anchor = points[first]?.start ?? 0;
  const priceMs = stepIn(stepOf(points, first, left.end), anchor, context.now);
  const isPart = [window.start, window.end].some((at) => (at - anchor) % priceMs !== 0) || maxGapMs % priceMs !== 0;
  const stepMs = isPart ? Math.min(priceMs, QUARTER_MS) : priceMs;
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
    /** The prices that may be used. */
    points,
    ...pricesOf(points, span, stepMs),
    /** 1 for steps in which other plans run, or that are too early. */
    blocked,
    /** 1 for steps of fixed runs, extended to whole steps. */
    forced: marks(fixed, span, stepMs),
    /** State before the first step. */
    past: pastOf(fixed, window.start, start),
  };
}

/** Returns a duration in whole steps, rounded up: a plan gets at least its hours. */
export function stepsUp(durationMs: number, stepMs: number): number {
  return Math.max(0, Math.ceil(durationMs / stepMs));
}

/** Returns the first time in [from, to) without a usable price; null if none exists. Shape: `points` sorted. */
export function missingIn(points: readonly PricePoint[], from: EpochMs, to: EpochMs): Interval | null {
  let at = from;
  for (let i = firstReaching(points, from); at < to; i++) {
    const point = points[i];
    if (!point || point.start > at) return { start: at, end: Math.min(point?.start ?? to, to) };
    at = point.end;
  }
  return null;
}

/** Returns the interval of the steps [from, to). */
export function spanOf({ start, stepMs }: PlanGrid, from: number, to: number): Interval {
  return { start: start + from * stepMs, end: start + to * stepMs };
}

/** Returns the index of the first point that ends after `at`. */
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

/** Returns a quarter of an hour within an hour that has begun, so that the rest of the hour can be used; otherwise `stepMs`. */
function stepIn(stepMs: number, anchor: EpochMs, now: EpochMs): number {
  return now - anchor > LATE_START_MS && now < anchor + stepMs ? Math.min(stepMs, QUARTER_MS) : stepMs;
}

/** Returns the mean price of each step by time, times `PRICE_SCALE`; NaN if prices do not cover the whole step. */
export function pricesOf(points: readonly PricePoint[], { start, end }: Interval, stepMs: number) {
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

/** Returns 1 for each step that overlaps an interval. */
function marks(intervals: readonly Interval[], span: Interval, stepMs: number): Uint8Array {
  const marked = new Uint8Array((span.end - span.start) / stepMs);
  for (const { start, end } of intervals) {
    const from = Math.max(0, Math.floor((start - span.start) / stepMs));
    const to = Math.max(0, Math.ceil((end - span.start) / stepMs));
    if (end > start) marked.fill(1, from, to);
  }
  return marked;
}

function pastOf(fixed: readonly Interval[], windowStart: EpochMs, gridStart: EpochMs) {
  const begun = fixed.filter((run) => run.start < gridStart);
  const last = begun.at(-1) ?? null;
  const inWindow = begun.map((run) => Math.min(run.end, gridStart) - Math.max(run.start, windowStart));
  return {
    /** Time ON inside the window. */
    usedMs: inWindow.reduce((sum, ms) => sum + Math.max(0, ms), 0),
    /** End of the last run, at most the start of the grid; null if there was none. */
    lastEnd: last && Math.min(last.end, gridStart),
    /** How long the run that reaches the start of the grid has been ON; 0 if none exists. */
    runningMs: last && last.end >= gridStart ? gridStart - last.start : 0,
    /** True if that run continues at the start of the grid. */
    inProgress: last !== null && last.end > gridStart,
  };
}
