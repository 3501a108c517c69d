/** Instant: ms since 1970-01-01T00:00:00Z. Data is indexed by instant, never by hour of day. */
export type EpochMs = number;

/** Half-open time span: `start` is included, `end` is not. Unit: epoch ms; `start < end`. */
export type Interval = { readonly start: EpochMs; readonly end: EpochMs };

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

/** Returns the part of an interval inside another one; null if they do not overlap. */
export function clipped({ start, end }: Interval, within: Interval): Interval | null {
  const part = { start: Math.max(start, within.start), end: Math.min(end, within.end) };
  return part.start < part.end ? part : null;
}

/** Returns the parts of an interval outside `others`. Shape: ascending. */
export function without(interval: Interval, others: readonly Interval[]): Interval[] {
  let left: Interval[] = [{ start: interval.start, end: interval.end }];
  for (const other of others)
    left = left.flatMap((piece) => {
      const before = clipped(piece, { start: Number.NEGATIVE_INFINITY, end: other.start });
      const after = clipped(piece, { start: other.end, end: Number.POSITIVE_INFINITY });
      return [before ?? [], after ?? []].flat();
    });
  return left;
}

/** Returns the total length of intervals that do not overlap. Unit: ms. */
export function lengthOf(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** Returns the start of the UTC step that contains `at`: of a quarter of an hour, an hour, or a UTC day. */
export function stepStart(at: EpochMs, stepMs: number): EpochMs {
  return Math.floor(at / stepMs) * stepMs;
}

/** Returns the end of that step. */
export function stepEnd(at: EpochMs, stepMs: number): EpochMs {
  return stepStart(at, stepMs) + stepMs;
}

/** The last result of `utcDate`: successive rows have the same date, and `toISOString` takes a microsecond. */
let last = { start: Number.NaN, date: "" };
/** Ends of the results of `formatInstant`, by the minute of the UTC day. */
const times: string[] = [];

/** Returns the UTC date of an instant, as in `formatInstant`. */
export function utcDate(at: EpochMs): string {
  const start = stepStart(at, DAY_MS);
  if (start !== last.start) last = { start, date: new Date(at).toISOString().slice(0, -"T00:00:00.000Z".length) };
  return last.date;
}

/** Formats an instant in RFC 3339, UTC, with `Z`. Milliseconds are written only if they are not zero. */
export function formatInstant(at: EpochMs): string {
  if (at % MINUTE_MS !== 0) return formatSecond(at);
  const minute = (at - stepStart(at, DAY_MS)) / MINUTE_MS;
  times[minute] ??= formatSecond(at).slice(-"T00:00:00Z".length);
  return utcDate(at) + times[minute];
}

function formatSecond(at: EpochMs): string {
  const iso = new Date(at).toISOString();
  return at % SECOND_MS === 0 ? `${iso.slice(0, -".000Z".length)}Z` : iso;
}
