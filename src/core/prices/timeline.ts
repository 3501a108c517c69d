import { type Row, rowEnd, rowStart } from "../series/series.ts";
import { type EpochMs, HOUR_MS, type Interval, QUARTER_MS } from "../time/interval.ts";

/** Price of one interval. Unit: currency per kWh; the timeline names the currency. */
export interface PricePoint extends Interval {
  readonly price: number;
  /** True for a forecast, false for a confirmed price. */
  readonly estimate: boolean;
  /** Variable charges within the price; absent if the service does not state them as a number. */
  readonly variableCharges?: number;
  /** Share of a plan's energy that the roof probably covers, 0 to 1; absent without one. */
  readonly sunShare?: number;
}

/** Prices of one home: confirmed ones, then the forecast. Shape: sorted by start, not overlapping, gaps possible. */
export interface Timeline {
  readonly points: readonly PricePoint[];
  readonly currency: string;
  /** Null if the service does not state it. */
  readonly vatIncluded: boolean | null;
}

/** Reads price rows. Shape: ascending. A row without valid start, end or price is dropped: it is a gap, not a zero. */
export function pricePoints(rows: readonly Row[], estimate: boolean): PricePoint[] {
  const points: PricePoint[] = [];
  for (const row of rows) {
    const start = rowStart(row);
    const end = rowEnd(row);
    const price = row.totalPricePerKWh;
    if (start === null || end === null || end <= start || typeof price !== "number") continue;
    const charges = row.variableChargesPerKWh;
    const point = { start, end, price, estimate };
    points.push(typeof charges === "number" ? { ...point, variableCharges: charges } : point);
  }
  return points;
}

/** Appends the forecast after the last confirmed price. A partly confirmed hour keeps its remaining part. */
export function joinForecast(confirmed: readonly PricePoint[], forecast: readonly PricePoint[]): PricePoint[] {
  const reached = confirmed.at(-1)?.end ?? Number.NEGATIVE_INFINITY;
  const behind = forecast.filter((point) => point.end > reached);
  return [...confirmed, ...behind.map((point) => (point.start < reached ? { ...point, start: reached } : point))];
}

/** Returns the number of points that start at or before `at`, which is the index of the first later point. */
export function indexAfter(points: readonly Interval[], at: EpochMs): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((points[middle] as Interval).start <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the point that contains an instant; null in a gap. */
export function pointAt<Point extends Interval>(points: readonly Point[], at: EpochMs): Point | null {
  const last = points[indexAfter(points, at) - 1];
  return last && at < last.end ? last : null;
}

/** Returns the points that start in `range`. Shape: in order. */
export function pointsIn<Point extends Interval>(points: readonly Point[], range: Interval): readonly Point[] {
  return points.slice(indexAfter(points, range.start - 1), indexAfter(points, range.end - 1));
}

/** Returns the prices in steps from the start of the day to the last known one; null for a missing price. */
export function byPosition(points: readonly PricePoint[], day: Interval): (number | null)[] {
  const prices: (number | null)[] = [];
  if (tiled(points, day)) return points.map(({ price }) => price);
  const step = points.reduce((least, { start, end }) => Math.min(least, end - start), HOUR_MS);
  for (const { start, price } of points) {
    while (prices.length < Math.round((start - day.start) / step)) prices.push(null);
    prices.push(price);
  }
  return prices;
}

/** Returns true if points cover a range completely and without gaps. */
export function tiled(points: readonly Interval[], range: Interval): boolean {
  let reached = range.start;
  for (const point of points) {
    if (point.start !== reached) return false;
    reached = point.end;
  }
  return reached === range.end && points.length > 0;
}

/** Returns the mean price weighted by time; null without points. */
export function meanPrice(points: readonly PricePoint[]): number | null {
  let sum = 0;
  let length = 0;
  for (const point of points) {
    sum += point.price * (point.end - point.start);
    length += point.end - point.start;
  }
  return length > 0 ? sum / length : null;
}

/** Returns the median, the mean of the two middle values of an even number; null without values. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const above = sorted[Math.floor(sorted.length / 2)];
  const below = sorted[Math.ceil(sorted.length / 2) - 1];
  return above === undefined || below === undefined ? null : (above + below) / 2;
}

/** Minimum hours for the check, because a few hours may have equal quarter-hours by chance. */
const MIN_HOURS_TO_TELL = 20;

/** Returns true if a day's quarters only repeat hourly prices, so that plans gain nothing. False for under 20 hours. */
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
