/**
 * What the sun on the roof is worth for a plan. A home with export gets less for a kWh than it pays, so an hour with surplus is
 * cheaper than its price. How much surplus an hour has is what it had on the last days.
 */
import { type PricePoint, pointAt, type Timeline } from "../prices/timeline.ts";
import type { Calendar } from "../time/calendar.ts";
import { clipped, HOUR_MS, type Interval } from "../time/interval.ts";
import type { SpecFields } from "./model/plan-spec.ts";

/** Energy of a home in one hour. Unit: kWh. */
export interface HomeHour extends Interval {
  readonly imported: number;
  readonly exported: number;
}

/** A run with its power. Unit: kW. */
export interface PoweredRun extends Interval {
  readonly kw: number;
}

/** Returns the mean power of a plan while it runs; 0 if unknown. Unit: kW. */
export function kilowattsOf({ energyKw, kwh = 0, hoursMs = 0 }: SpecFields): number {
  return energyKw ?? (hoursMs > 0 ? (kwh * HOUR_MS) / hoursMs : 0);
}

/** Surplus of each hour of the local day on the last days. Shape: by hour, a value for each day. Unit: kWh, not negative. */
export type UsualSurplus = ReadonlyMap<number, readonly number[]>;

/** Days of the same hour without which nothing is expected. */
const MIN_DAYS = 7;
const MINUTES = 60;

/** Returns the surplus that the home would have had without the runs of its plans. An hour that is not stored is no value. */
export function usualSurplus(
  hours: readonly HomeHour[],
  runs: readonly PoweredRun[],
  calendar: Calendar,
): UsualSurplus {
  const surplus = new Map<number, number[]>();
  for (const hour of hours) {
    const hourOfDay = Math.floor(calendar.minuteOfDay(hour.start) / MINUTES);
    const own = surplus.get(hourOfDay) ?? [];
    own.push(Math.max(0, hour.exported - hour.imported + energyIn(hour, runs)));
    surplus.set(hourOfDay, own);
  }
  return surplus;
}

/** What a plan expects of the roof. */
export interface SunOptions {
  readonly surplus: UsualSurplus;
  /** Power of the plan. */
  readonly kw: number;
  /** Runs of plans that use the surplus first, so that each kWh counts once. */
  readonly others: readonly PoweredRun[];
  readonly calendar: Calendar;
}

/**
 * Returns prices as a plan pays them if each day were one of the last days: the export price for what the roof has left,
 * otherwise the price. Shape: the points of `timeline`; unchanged where the surplus is unknown or not worth less.
 */
export function sunPrices(timeline: Timeline, exported: Timeline, options: SunOptions): Timeline {
  return { ...timeline, points: timeline.points.map((point) => priced(point, exported, options)) };
}

function priced(point: PricePoint, exported: Timeline, options: SunOptions): PricePoint {
  const sold = pointAt(exported.points, point.start)?.price ?? point.price;
  const share = sold < point.price ? sunShare(point, options) : 0;
  return share > 0 ? { ...point, price: point.price - share * (point.price - sold), sunShare: share } : point;
}

/** Returns the expected share of a plan's energy that the roof covers, 0 to 1. */
export function sunShare(span: Interval, { surplus, kw, others, calendar }: SunOptions): number {
  const days = surplus.get(Math.floor(calendar.minuteOfDay(span.start) / MINUTES)) ?? [];
  if (days.length < MIN_DAYS || kw <= 0) return 0;
  const takenKw = energyIn(span, others) / ((span.end - span.start) / HOUR_MS);
  const covered = days.map((kwh) => Math.min(1, Math.max(0, kwh - takenKw) / kw));
  return covered.reduce((sum, share) => sum + share, 0) / days.length;
}

/** Returns the energy that runs of `kw` probably get from the roof. Unit: kWh. */
export function sunEnergy({ points }: Timeline, runs: readonly Interval[], kw: number): number {
  const own = runs.map((run) => ({ ...run, kw }));
  return points.reduce((sum, point) => sum + (point.sunShare ? point.sunShare * energyIn(point, own) : 0), 0);
}

/** Returns the energy of runs within a span. Unit: kWh. */
function energyIn(span: Interval, runs: readonly PoweredRun[]): number {
  return runs.reduce((sum, { kw, ...run }) => {
    const part = clipped(run, span);
    return part ? sum + (kw * (part.end - part.start)) / HOUR_MS : sum;
  }, 0);
}
