import { type Row, rowStart } from "../series/series.ts";
import type { Calendar } from "../time/calendar.ts";
import { contains, type EpochMs, HOUR_MS, type Interval } from "../time/interval.ts";
import { type CheapestHours, cheapestHours } from "./cheapest.ts";
import { type Color, colors, isCheap, type Level, type LevelThresholds, levelOf, REFERENCE_DAYS } from "./level.ts";
import { meanPrice, type PricePoint, pointsIn } from "./timeline.ts";

/** A place of the third-party interface as everything that shows it knows it. */
export interface Place {
  /** A stable slug, free of the homes' slugs: both stand at the same level of the topics. */
  readonly id: string;
  readonly name: string;
  /** As it is configured; null for a place that is named by its address or coordinates. */
  readonly region: string | null;
  /** The service names no currency for a place. */
  readonly currency: string;
}

/** A third-party price. Unit: the place's currency per kWh. */
export interface PlacePoint extends Interval {
  /** All charges in where they are known, else the spot price alone. */
  readonly price: number;
  readonly spot: number;
  readonly charges: number | null;
  readonly color: Color | null;
}

/** What is true of a place at one moment. */
export interface PlaceSnapshot {
  readonly place: Place;
  readonly now: EpochMs;
  readonly current: PlacePoint | null;
  readonly next: PlacePoint | null;
  /** The present interval and all after it. */
  readonly upcoming: readonly PlacePoint[];
  /** The price now against the mean of the last three days, as far as they are known; else of all that is known. */
  readonly level: Level | null;
  readonly cheap: boolean | null;
  /** Among the prices from now on. Shape: by hours, ascending; lengths that fit nowhere are left out. */
  readonly cheapest: readonly CheapestHours[];
  readonly hasCharges: boolean;
  readonly hasColor: boolean;
  readonly nextChangeAt: EpochMs | null;
}

/**
 * Reads third-party price rows. A row has a start only: it holds until the next one, but no longer than the shortest
 * step between rows and never over an hour, so that a gap stays a gap.
 * Shape: any order in, ascending out; rows without an instant or number are left out, of equal starts the last stays.
 * Source: service interface, part 2.5.
 */
export function placePoints(rows: readonly Row[]): PlacePoint[] {
  const byStart = new Map<EpochMs, Row>();
  for (const row of rows) {
    const start = rowStart(row);
    if (start !== null && typeof row.price === "number") byStart.set(start, row);
  }
  const sorted = [...byStart].sort(([a], [b]) => a - b);
  const step = sorted.reduce((least, [start], i) => Math.min(least, start - (sorted[i - 1]?.[0] ?? -HOUR_MS)), HOUR_MS);
  return sorted.map(([start, row]) => pointOf(row, start, start + step));
}

function pointOf(row: Row, start: EpochMs, end: EpochMs): PlacePoint {
  const price = Number(row.price);
  const charges = typeof row.charges === "number" ? row.charges : null;
  const color = colors.find((known) => known === row.color) ?? null;
  return { start, end, price, spot: price - (charges ?? 0), charges, color };
}

/** What a place's snapshot is made from. */
export interface PlacePrices {
  readonly place: Place;
  /** Shape: ascending, apart, as `placePoints` gives them; those of the last days before where they are known. */
  readonly points: readonly PlacePoint[];
  readonly now: EpochMs;
  readonly calendar: Calendar;
  readonly thresholds?: LevelThresholds | undefined;
}

/** What a place's prices say at `now`. */
export function placeSnapshot({ place, points, now, calendar, thresholds }: PlacePrices): PlaceSnapshot {
  const upcoming = points.filter((point) => point.end > now);
  const [first] = upcoming;
  const current = first && contains(first, now) ? first : null;
  const next = (current ? upcoming[1] : first) ?? null;
  const priced = points.map(({ start, end, price }): PricePoint => ({ start, end, price, estimate: false }));
  const reference = meanPrice(pointsIn(priced, daysBefore(now, calendar))) ?? meanPrice(priced);
  const level = current && reference !== null ? levelOf(current.price, reference, thresholds) : null;
  return {
    place,
    now,
    current,
    next,
    upcoming,
    level,
    cheap: level && isCheap(level),
    cheapest: cheapestHours(priced, now),
    hasCharges: points.some((point) => point.charges !== null),
    hasColor: points.some((point) => point.color !== null),
    nextChangeAt: current?.end ?? next?.start ?? null,
  };
}

function daysBefore(now: EpochMs, calendar: Calendar): Interval {
  const today = calendar.startOf("day", now);
  return { start: calendar.add("day", today, -REFERENCE_DAYS), end: today };
}

/** The currency of a price region, by the country its name begins with; kroner of Denmark where it says nothing. */
export function currencyOfRegion(region: string): string {
  const countries: Readonly<Record<string, string>> = { DK: "DKK", SE: "SEK", NO: "NOK" };
  return countries[region.slice(0, 2).toUpperCase()] ?? "DKK";
}
