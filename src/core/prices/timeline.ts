import { type Row, rowEnd, rowStart } from "../series/series.ts";
import { type EpochMs, HOUR_MS, type Interval, QUARTER_MS } from "../time/interval.ts";

/** A price that holds in one interval. Unit: currency per kWh, as the timeline says. */
export interface PricePoint extends Interval {
  readonly price: number;
  /** True for a forecast; a confirmed price is never an estimate. */
  readonly estimate: boolean;
  /** The part of the price that is variable charges; absent where the service does not say it as a number. */
  readonly variableCharges?: number;
}

/**
 * Prices of one home in time order: confirmed ones, then the forecast.
 * Shape: sorted by start, no overlap, gaps possible (a gap has no price).
 */
export interface Timeline {
  readonly points: readonly PricePoint[];
  readonly currency: string;
  readonly vatIncluded: boolean;
}

/** Reads price rows. Shape: ascending; a row without instants or number is left out: it is a gap, not a zero. */
export function pricePoints(rows: readonly Row[], estimate: boolean): PricePoint[] {
  const points: PricePoint[] = [];
  for (const row of rows) {
    const start = rowStart(row);
    const end = rowEnd(row);
    const price = row.totalPricePerKWh;
    if (start === null || end === null || end <= start || typeof price !== "number") continue;
    const charges = row.variableChargesPerKWh;
    points.push({ start, end, price, estimate, ...(typeof charges === "number" ? { variableCharges: charges } : {}) });
  }
  return points;
}

/**
 * Puts the forecast behind the confirmed prices: an estimate counts only where no confirmed price reaches. A forecast
 * hour of which the first quarters are confirmed keeps the rest.
 */
export function joinForecast(confirmed: readonly PricePoint[], forecast: readonly PricePoint[]): PricePoint[] {
  const reached = confirmed.at(-1)?.end ?? Number.NEGATIVE_INFINITY;
  const behind = forecast.filter((point) => point.end > reached);
  return [...confirmed, ...behind.map((point) => (point.start < reached ? { ...point, start: reached } : point))];
}

/** How many points start at or before `at`: the index of the first one after it. */
export function indexAfter(points: readonly PricePoint[], at: EpochMs): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((points[middle] as PricePoint).start <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The point that an instant is in; null in a gap. */
export function pointAt(points: readonly PricePoint[], at: EpochMs): PricePoint | null {
  const last = points[indexAfter(points, at) - 1];
  return last && at < last.end ? last : null;
}

/** The points that begin inside `range`. Shape: in order. */
export function pointsIn(points: readonly PricePoint[], range: Interval): readonly PricePoint[] {
  return points.slice(indexAfter(points, range.start - 1), indexAfter(points, range.end - 1));
}

/** Whether points cover a range from end to end; a short answer is not yet tomorrow's prices. */
export function tiled(points: readonly PricePoint[], range: Interval): boolean {
  let reached = range.start;
  for (const point of points) {
    if (point.start !== reached) return false;
    reached = point.end;
  }
  return reached === range.end && points.length > 0;
}

/** The mean price over the time that the points cover, each weighted by its length; null without points. */
export function meanPrice(points: readonly PricePoint[]): number | null {
  let sum = 0;
  let length = 0;
  for (const point of points) {
    sum += point.price * (point.end - point.start);
    length += point.end - point.start;
  }
  return length > 0 ? sum / length : null;
}

/** Fewer hours than this may be equal in their quarters by chance. */
const MIN_HOURS_TO_TELL = 20;

/**
 * Whether quarter-hour prices are hourly ones said four times: a plan by the quarter then gains nothing, and the owner
 * who asked for quarters may wonder. Shape: the points of a day; false for a day of hours, and for too few points.
 */
export function repeatsHours(points: readonly PricePoint[]): boolean {
  const prices = new Map<EpochMs, number>();
  let quarters = 0;
  for (const { start, end, price } of points) {
    if (end - start !== QUARTER_MS) return false;
    const hour = Math.floor(start / HOUR_MS);
    if ((prices.get(hour) ?? price) !== price) return false;
    prices.set(hour, price);
    quarters++;
  }
  return prices.size >= MIN_HOURS_TO_TELL && quarters > prices.size;
}
