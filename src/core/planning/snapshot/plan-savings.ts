/** Cost of runs, and of the same energy at other times. */

import { indexAfter, type PricePoint } from "../../prices/timeline.ts";
import { type EpochMs, HOUR_MS, type Interval, lengthOf } from "../../time/interval.ts";
import { hasHours, type PlanSpec, profileOf } from "../model/plan-spec.ts";
import type { PlanBasis, PlanRecord, PlanRun } from "../plan-record.ts";

/** A finished run. Prices are means in currency per kWh; null if they are not all confirmed. */
export interface FinishedRun extends Interval {
  readonly basis: PlanBasis;
  readonly meanPrice: number | null;
  /** Price of the same hours in one run from the start of the window. */
  readonly windowStartPrice: number | null;
  /** Mean price of the window. */
  readonly windowPrice: number | null;
  /** Null if the plan has no energy. */
  readonly kwh: number | null;
  /** As the plugs of the plan measured it; absent or null if they did not. */
  readonly measured?: MeasuredRun | null;
}

/** Energy of a run as measured. */
export interface MeasuredRun {
  readonly kwh: number;
  /** At the prices of its quarter-hours; null if one of them was unknown. Unit: currency. */
  readonly cost: number | null;
}

/** Prices to use: confirmed ones only, or estimates too. */
export type PricesUsed = "confirmed" | "all";

/** Returns the mean price of a run, weighted by its profile; null if a part has no price. Shape: `points` sorted. */
export function runPrice(
  points: readonly PricePoint[],
  run: Interval,
  used: PricesUsed,
  profile: readonly number[] = [1],
): number | null {
  const total = profile.reduce((sum, power) => sum + power, 0);
  const part = (run.end - run.start) / profile.length;
  if (part <= 0 || total <= 0) return null;
  let sum = 0;
  for (const [i, power] of profile.entries()) {
    const start = run.start + i * part;
    const mean = flatPrice(points, { start, end: start + part }, used);
    if (mean === null) return null;
    sum += (power / total) * mean;
  }
  return sum;
}

function flatPrice(points: readonly PricePoint[], { start, end }: Interval, used: PricesUsed): number | null {
  let sum = 0;
  let reached = start;
  for (let i = Math.max(0, indexAfter(points, start) - 1); i < points.length && reached < end; i++) {
    const point = points[i] as PricePoint;
    if (point.end <= reached) continue;
    if (point.start > reached || (used === "confirmed" && point.estimate)) return null;
    const until = Math.min(point.end, end);
    sum += point.price * (until - reached);
    reached = until;
  }
  return reached < end ? null : sum / (end - start);
}

/** Returns the finished runs that are not stored yet, and the record in which they are marked as stored. */
export function settleRuns(
  memory: PlanRecord,
  spec: PlanSpec,
  points: readonly PricePoint[],
  now: EpochMs,
): { readonly memory: PlanRecord; readonly finished: readonly FinishedRun[] } {
  const over = memory.startedRuns.filter((run) => !run.settled && run.end <= now);
  if (over.length === 0) return { memory, finished: [] };
  const runs = over.map((run) => finishedRun(run, memory, spec, points));
  const last = now >= memory.window.end;
  const finished = runs.filter((run) => last || (run.meanPrice !== null && run.windowPrice !== null));
  const settled = new Set(finished.map((run) => run.start));
  const startedRuns = memory.startedRuns.map((run) => (settled.has(run.start) ? { ...run, settled: true } : run));
  return finished.length === 0 ? { memory, finished } : { memory: { ...memory, startedRuns }, finished };
}

/** Prices with which a round is compared: the same for all its plannings and runs. Unit: currency per kWh; null if unknown. */
export interface Baselines {
  /** When the window opened, or when the plan was first seen in it. */
  readonly opensAt: EpochMs;
  /** Price of the plan's hours in one run from `opensAt`. */
  readonly windowStart: number | null;
  /** Mean price from `opensAt` to the end of the window. */
  readonly mean: number | null;
}

/** Returns the baselines of a round. */
export function baselinesOf(
  { window, since }: Pick<PlanRecord, "window" | "since">,
  spec: PlanSpec,
  points: readonly PricePoint[],
  used: PricesUsed,
): Baselines {
  const opensAt = Math.max(window.start, since);
  const whole = { start: opensAt, end: window.end };
  const mean = runPrice(points, whole, used);
  if (!hasHours(spec)) return { opensAt, windowStart: mean, mean };
  const run = { start: opensAt, end: opensAt + spec.hoursMs };
  return { opensAt, windowStart: runPrice(points, run, used, profileOf(spec)), mean };
}

function finishedRun(run: PlanRun, memory: PlanRecord, spec: PlanSpec, points: readonly PricePoint[]): FinishedRun {
  const { start, end, basis } = run;
  // A manual run can begin before the window and end after it.
  const window = {
    ...memory.window,
    start: Math.min(memory.window.start, start),
    end: Math.max(memory.window.end, end),
  };
  const round = { window, since: Math.min(memory.since, start) };
  const isManual = start < Math.max(memory.window.start, memory.since) || end > memory.window.end;
  const { windowStart, mean } = baselinesOf(isManual ? round : memory, spec, points, "confirmed");
  const meanPrice = runPrice(points, run, "confirmed", profileOf(spec));
  return {
    start,
    end,
    basis,
    meanPrice,
    windowStartPrice: windowStart,
    windowPrice: mean,
    kwh: energyOf(spec, run, memory),
  };
}

/**
 * Returns the energy of a run; null if the plan has none. Hours that are rounded up to whole steps use no more energy than
 * the plan's hours. With `up_to`, further hours use the same power. Without hours, all runs together use its energy.
 */
export function energyOf(
  spec: PlanSpec,
  run: Interval & { readonly basis?: PlanBasis },
  { startedRuns, planned }: Pick<PlanRecord, "startedRuns" | "planned">,
): number | null {
  const all = [...startedRuns, ...planned];
  const counted = hasHours(spec) ? all.filter(({ basis }) => basis !== "manual") : all;
  const totalMs = lengthOf(counted);
  const isMore = run.basis === "manual" || (spec.kind === "slots" && spec.upToMs !== undefined);
  const wholeMs = !hasHours(spec) ? totalMs : isMore ? spec.hoursMs : Math.max(spec.hoursMs, totalMs);
  if (isMore && spec.kind === "slots" && spec.energyKw) return (spec.energyKw * (run.end - run.start)) / HOUR_MS;
  return spec.kwh === undefined || wholeMs === 0 ? null : (spec.kwh * (run.end - run.start)) / wholeMs;
}
