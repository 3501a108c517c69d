/** Instant: ms since 1970-01-01T00:00:00Z. Data is indexed by instant, never by hour of day. */
export type EpochMs = number;

/** Half-open time span: `start` is included, `end` is not. Unit: epoch ms; `start < end`. */
export interface Interval {
  readonly start: EpochMs;
  readonly end: EpochMs;
}

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const QUARTER_MS = 15 * MINUTE_MS;
export const HOUR_MS = 60 * MINUTE_MS;
/** 24 hours of elapsed time. A calendar day may have 23 or 25 hours: use `Calendar` for those. */
export const DAY_MS = 24 * HOUR_MS;

/** Returns true if `at` is inside the half-open interval. */
export function contains(interval: Interval, at: EpochMs): boolean {
  return interval.start <= at && at < interval.end;
}

/** Returns true if the two half-open intervals share at least one instant. */
export function overlaps(a: Interval, b: Interval): boolean {
  return a.start < b.end && b.start < a.end;
}

/** Formats an instant in RFC 3339, UTC, with `Z`. Milliseconds are written only if they are not zero. */
export function formatInstant(at: EpochMs): string {
  const iso = new Date(at).toISOString();
  return at % SECOND_MS === 0 ? `${iso.slice(0, 19)}Z` : iso;
}
