/**
 * What the sun on the roof is worth for a plan. A home with export gets less for a kWh than it pays, so an hour with surplus is
 * cheaper than its price. How much surplus an hour has is what it had on the last days.
 */
import { pointAt, type Timeline } from "../prices/timeline.ts";
import type { Calendar } from "../time/calendar.ts";
import { clipped, HOUR_MS, type Interval, overlaps } from "../time/interval.ts";

/** Energy of a home in one hour. Unit: kWh. */
export interface HomeHour extends Interval {
  readonly imported: number;
  readonly exported: number;
}

/** A run with its power. Unit: kW. */
export interface PoweredRun extends Interval {
  readonly kw: number;
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

/**
 * Returns prices as a plan of `kw` pays them if each day were one of the last days: the export price for what the roof has
 * left, otherwise the price. `others`: runs of plans that use the surplus first, so that each kWh counts once.
 * Shape: the points of `timeline`; unchanged where the export price or the surplus is unknown or not cheaper.
 */
export function sunPrices(
  timeline: Timeline,
  exported: Timeline | null,
  { surplus, kw, others, calendar }: SunOptions,
): Timeline {
  const points = timeline.points.map((point) => {
    const sold = pointAt(exported?.points ?? [], point.start);
    if (!sold || sold.price >= point.price) return point;
    const share = sunShare(point, { surplus, kw, others, calendar });
    return share === 0 ? point : { ...point, price: point.price - share * (point.price - sold.price) };
  });
  return { ...timeline, points };
}

export interface SunOptions {
  readonly surplus: UsualSurplus;
  readonly kw: number;
  readonly others: readonly PoweredRun[];
  readonly calendar: Calendar;
}

/** Returns the expected share of a plan's energy that the roof covers, 0 to 1. */
export function sunShare(span: Interval, { surplus, kw, others, calendar }: SunOptions): number {
  const days = surplus.get(Math.floor(calendar.minuteOfDay(span.start) / MINUTES)) ?? [];
  if (days.length < MIN_DAYS || kw <= 0) return 0;
  const near = others.filter((run) => overlaps(run, span));
  const takenKw = near.length > 0 ? energyIn(span, near) / ((span.end - span.start) / HOUR_MS) : 0;
  const covered = days.map((kwh) => Math.min(1, Math.max(0, kwh - takenKw) / kw));
  return covered.reduce((sum, share) => sum + share, 0) / days.length;
}

/** Returns the energy of runs within a span. Unit: kWh. */
function energyIn(span: Interval, runs: readonly PoweredRun[]): number {
  return runs.reduce((sum, { kw, ...run }) => {
    const part = clipped(run, span);
    return part ? sum + (kw * (part.end - part.start)) / HOUR_MS : sum;
  }, 0);
}
