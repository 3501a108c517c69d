import type { Calendar, CalendarUnit } from "../time/calendar.ts";
import type { EpochMs, Interval } from "../time/interval.ts";

/** `latest` marks a series of which only the newest answer counts, such as a forecast or the list of addresses. */
export type SeriesUnit = CalendarUnit | "latest";

/** Names one series in storage. `place` is an address id, a third-party place, or empty for a whole account. */
export interface SeriesKey {
  readonly account: string;
  readonly place: string;
  /** Id of the service's operation that answers with it. */
  readonly operation: string;
  readonly unit: SeriesUnit;
}

/** A row as the service sent it: unknown fields included. */
export type Row = Readonly<Record<string, unknown>>;

/** Rows in the order of their answer. */
export type Rows<Each = Row> = readonly Each[];

/** Everything of an answer but its rows and its range. */
export type Envelope = Readonly<Record<string, unknown>>;

/** The text form of a key, stable across restarts: the series store stores it. */
export function seriesName(key: SeriesKey): string {
  return [key.account, key.place, key.operation, key.unit].map(encodeURIComponent).join("/");
}

/** The texts of a key in the order in which `seriesName` wrote them. Shape: other than four for what is not its text. */
export function partsOfSeriesName(name: string): string[] {
  return name.split("/").map(decodeURIComponent);
}

/**
 * The unit in which a series is cut into chunks: the next larger one of the calendar.
 * Days hold hours and quarter-hours, months hold days, years hold months and themselves; `latest` stands in one chunk.
 */
export function chunkUnitOf(unit: SeriesUnit): "day" | "month" | "year" | null {
  switch (unit) {
    case "fifteenMinutes":
    case "hour":
      return "day";
    case "day":
      return "month";
    case "month":
    case "year":
      return "year";
    case "latest":
      return null;
  }
}

/** The whole of time, as the one chunk of a series that is not cut. */
export const WHOLE: Interval = { start: 0, end: Number.MAX_SAFE_INTEGER };

/** The chunks of a series that `range` touches. Shape: ascending, tiling; one chunk for a series that is not cut. */
export function chunksOf(unit: SeriesUnit, range: Interval, calendar: Calendar): Interval[] {
  const chunkUnit = chunkUnitOf(unit);
  return chunkUnit ? calendar.intervals(chunkUnit, range) : [WHOLE];
}

/** The starts of the chunks that `range` touches. Shape: ascending. */
export function chunkStarts(unit: SeriesUnit, range: Interval, calendar: Calendar): EpochMs[] {
  const chunkUnit = chunkUnitOf(unit);
  return chunkUnit ? calendar.boundaries(chunkUnit, range).slice(0, -1) : [WHOLE.start];
}

/** The start of a row; null where it has none that can be read. Source: `start` of series rows, `date` of price points. */
export function rowStart(row: Row): EpochMs | null {
  return instantIn(row.start ?? row.date);
}

/** The rows that start inside a range; those without a start are not. */
export function rowsWithin(rows: readonly Row[], range: Interval): Row[] {
  return rows.filter((row) => {
    const start = rowStart(row);
    return start !== null && start >= range.start && start < range.end;
  });
}

/** The exclusive end of a row; null where it has none that can be read. */
export function rowEnd(row: Row): EpochMs | null {
  return instantIn(row.end);
}

function instantIn(value: unknown): EpochMs | null {
  if (typeof value !== "string") return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : at;
}

/**
 * Whether rows tile an interval of the calendar exactly: every unit once, none missing, none doubled.
 * Shape: rows in ascending order.
 */
export function tiles(rows: readonly Row[], unit: CalendarUnit, range: Interval, calendar: Calendar): boolean {
  const bounds = calendar.boundaries(unit, range);
  if (rows.length !== bounds.length - 1) return false;
  return rows.every((row, i) => rowStart(row) === bounds[i] && rowEnd(row) === bounds[i + 1]);
}
