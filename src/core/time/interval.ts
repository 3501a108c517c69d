/** An instant: milliseconds since 1970-01-01T00:00:00Z. Everything inside elbro is indexed by instant, never by hour of day. */
export type EpochMs = number;

/** A half-open span of time: `start` belongs to it, `end` does not. Unit: epoch milliseconds; `start < end`. */
export interface Interval {
  readonly start: EpochMs;
  readonly end: EpochMs;
}

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const QUARTER_MS = 15 * MINUTE_MS;
export const HOUR_MS = 60 * MINUTE_MS;
/** 24 hours of elapsed time. A calendar day may have 23 or 25; ask the calendar for those. */
export const DAY_MS = 24 * HOUR_MS;

/** Whether `at` lies inside the half-open interval. */
export function contains(interval: Interval, at: EpochMs): boolean {
  return interval.start <= at && at < interval.end;
}

/** Whether the two half-open intervals share at least one instant. */
export function overlaps(a: Interval, b: Interval): boolean {
  return a.start < b.end && b.start < a.end;
}

/** An instant as the wire writes it: RFC 3339 in UTC with `Z`, whole seconds where they are whole. */
export function formatInstant(at: EpochMs): string {
  const iso = new Date(at).toISOString();
  return at % SECOND_MS === 0 ? `${iso.slice(0, 19)}Z` : iso;
}
