import { type Row, rowStart } from "../series/series.ts";
import type { Calendar } from "../time/calendar.ts";
import { contains, type EpochMs, HOUR_MS, type Interval } from "../time/interval.ts";
import { cheapestHours } from "./cheapest.ts";
import { type Color, colors, isCheap, type LevelThresholds, levelOf } from "./level.ts";
import { daysBefore } from "./price-comparison.ts";
import { meanPrice, type PricePoint, pointsIn } from "./timeline.ts";

/** Place of the third-party interface, as all outputs identify it. */
export interface Place {
  /** Stable slug, different from all homes' slugs, because both are used at the same topic level. */
  readonly id: string;
  readonly name: string;
  /** Configured region; null for a place configured by address or coordinates. */
  readonly region: string | null;
  /** Currency; the service does not return one for a place. */
  readonly currency: string;
}

/** Third-party price. Unit: the place's currency per kWh. */
export interface PlacePoint extends Interval {
  /** Price with all charges if they are known, otherwise the spot price. */
  readonly price: number;
  readonly spot: number;
  readonly charges: number | null;
  readonly color: Color | null;
}

/**
 * Reads third-party price rows. Rows have only a start; each ends after the shortest step between two rows, at most 1
 * h, so that gaps stay gaps. Rows without a valid start or price are dropped; of equal starts the last row counts.
 * Shape: input in any order, result ascending. Source: service interface, part 2.5.
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

/** Input of a place's snapshot. */
export interface PlacePrices {
  readonly place: Place;
  /** Shape: ascending, not overlapping, as from `placePoints`; includes the last days if they are known. */
  readonly points: readonly PlacePoint[];
  readonly now: EpochMs;
  readonly calendar: Calendar;
  readonly thresholds?: LevelThresholds | undefined;
}

/** State of a place's prices at one instant. */
export type PlaceSnapshot = Readonly<ReturnType<typeof placeSnapshot>>;

/** Returns the state of a place's prices at `now`. */
export function placeSnapshot({ place, points, now, calendar, thresholds }: PlacePrices) {
  const upcoming = points.filter((point) => point.end > now);
  const [first] = upcoming;
  const current = first && contains(first, now) ? first : null;
  const next = (current ? upcoming[1] : first) ?? null;
  const priced = points.map(({ start, end, price }): PricePoint => ({ start, end, price, estimate: false }));
  const lastDays = daysBefore(calendar.startOf("day", now), calendar);
  const reference = meanPrice(pointsIn(priced, lastDays)) ?? meanPrice(priced);
  const level = current && reference !== null ? levelOf(current.price, reference, thresholds) : null;
  return {
    place,
    now,
    current,
    next,
    /** Current interval and all later ones. */
    upcoming,
    /** Level compared with a mean: of the known prices of the last three days; without these, of all known prices. */
    level,
    cheap: level && isCheap(level),
    /** Cheapest windows of the prices from now on. Shape: by hours, ascending; lengths that do not fit are omitted. */
    cheapest: cheapestHours(priced, now),
    hasCharges: points.some((point) => point.charges !== null),
    hasColor: points.some((point) => point.color !== null),
    nextChangeAt: current?.end ?? next?.start ?? null,
  };
}

/** Returns the currency of a price region from its country prefix; DKK if the prefix is unknown. */
export function currencyOfRegion(region: string): string {
  const countries: Readonly<Record<string, string>> = { DK: "DKK", SE: "SEK", NO: "NOK" };
  return countries[region.slice(0, 2).toUpperCase()] ?? "DKK";
}
