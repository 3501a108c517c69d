import type { Calendar, CalendarUnit } from "../time/calendar.ts";
import type { EpochMs, Interval } from "../time/interval.ts";

/** Unit of a series. Of a `latest` one only the newest response counts: a forecast, the list of addresses. */
export type SeriesUnit = CalendarUnit | "latest";

/** Identifies one series in storage. `place` is an address id, a third-party place, or empty for a whole account. */
export interface SeriesKey {
  readonly account: string;
  readonly place: string;
  /** Id of the service operation that returns the series. */
  readonly operation: string;
  readonly unit: SeriesUnit;
}

/** Row as the service sent it, including unknown fields. */
export type Row = Readonly<Record<string, unknown>>;

/** Rows in the order of the response. */
export type Rows<Each = Row> = readonly Each[];

/** Fields of a response other than its rows and its range. */
export type Envelope = Readonly<Record<string, unknown>>;

/** Returns the text form of a key. Storage uses it as an identifier, so it must not change. */
export function seriesName(key: SeriesKey): string {
  return [key.account, key.place, key.operation, key.unit].map(encodeURIComponent).join("/");
}

/** Returns the parts of a key in the order of `seriesName`. Any other text gives a list whose length is not four. */
export function partsOfSeriesName(name: string): string[] {
  return name.split("/").map(decodeURIComponent);
}

/** Returns the unit of a series' chunks: the next larger one. Null for `latest`, which is one chunk. */
export function chunkUnitOf(unit: SeriesUnit): "day" | "month" | "year" | null {
  return ({ fifteenMinutes: "day", hour: "day", day: "month", month: "year", year: "year", latest: null } as const)[
    unit
  ];
}

/** All time: the one chunk of a `latest` series. */
export const WHOLE: Interval = { start: 0, end: Number.MAX_SAFE_INTEGER };

/** Returns the chunks that `range` touches. Shape: ascending, without gaps; `WHOLE` for a `latest` series. */
export function chunksOf(unit: SeriesUnit, range: Interval, calendar: Calendar): Interval[] {
  const chunkUnit = chunkUnitOf(unit);
  return chunkUnit ? calendar.intervals(chunkUnit, range) : [WHOLE];
}

/** Returns the starts of the chunks that `range` touches. Shape: ascending. */
export function chunkStarts(unit: SeriesUnit, range: Interval, calendar: Calendar): EpochMs[] {
  const chunkUnit = chunkUnitOf(unit);
  return chunkUnit ? calendar.boundaries(chunkUnit, range).slice(0, -1) : [WHOLE.start];
}

/** Returns the start of a row: `start` of series rows, `date` of price points. Null if it is missing or unreadable. */
export function rowStart(row: Row): EpochMs | null {
  return instantIn(row.start ?? row.date);
}

/** Returns the rows that start in `range`. Rows without a start are dropped. */
export function rowsWithin(rows: readonly Row[], range: Interval): Row[] {
  return rows.filter((row) => {
    const start = rowStart(row);
    return start !== null && start >= range.start && start < range.end;
  });
}

/** Returns the exclusive end of a row; null if it is missing or unreadable. */
export function rowEnd(row: Row): EpochMs | null {
  return instantIn(row.end);
}

/** Quarter-hours of a UTC day, as rows write them after the date. */
const QUARTERS = new Map(
  Array.from({ length: 96 }, (_, i) => new Date(i * 15 * 60_000)).map((time) => [
    `${time.toISOString().slice(10, 19)}Z`,
    time.getTime(),
  ]),
);
/** The date that was read last, because rows of a day follow each other. Parsing the whole text takes twice as long. */
let lastDate = { text: "", start: Number.NaN };

function instantIn(value: unknown): EpochMs | null {
  if (typeof value !== "string") return null;
  const date = value.slice(0, "2026-10-25".length);
  const sinceMidnight = QUARTERS.get(value.slice(date.length));
  if (sinceMidnight !== undefined && date !== lastDate.text)
    lastDate = { text: date, start: Date.parse(`${date}T00:00:00Z`) };
  const at = sinceMidnight === undefined ? Date.parse(value) : lastDate.start + sinceMidnight;
  return Number.isNaN(at) ? null : at;
}

/** Returns true if the rows cover `range` exactly: each unit once. Shape: rows in ascending order. */
export function tiles(rows: readonly Row[], unit: CalendarUnit, range: Interval, calendar: Calendar): boolean {
  const bounds = calendar.boundaries(unit, range);
  if (rows.length !== bounds.length - 1) return false;
  return rows.every((row, i) => rowStart(row) === bounds[i] && rowEnd(row) === bounds[i + 1]);
}
