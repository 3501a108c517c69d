/**
 * The shelf: what was asked, and what came, by series and chunk.
 *
 * A chunk that is there was asked as a whole; it may be empty. Rows are kept as the service sent them. Content that is
 * the same writes nothing.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Calendar } from "../core/calendar.ts";
import { decodeRows, encodeRows } from "../core/columns.ts";
import type { EpochMs, Interval } from "../core/interval.ts";
import {
  chunksOf,
  chunkUnitOf,
  type Envelope,
  type Row,
  rowStart,
  type SeriesKey,
  seriesName,
  tiles,
} from "../core/series.ts";
import type { ChunkState, SeriesState } from "../core/timetable.ts";
import { transaction } from "./database.ts";

/** What an answer changed. */
export interface ShelfChange {
  readonly changed: boolean;
  /** Rows whose instants lie outside what was asked; they are not kept. */
  readonly strayRows: number;
}

interface SeriesRecord {
  readonly id: number;
  envelope: string;
  /** State by chunk start, null until somebody wants to know it. Bounded by the retention of the history. */
  readonly chunks: Map<EpochMs, ChunkState | null>;
}

export class Shelf {
  readonly #database: DatabaseSync;
  readonly #calendar: Calendar;
  readonly #series = new Map<string, SeriesRecord>();
  readonly #read: StatementSync;
  readonly #readRange: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;

  constructor(database: DatabaseSync, calendar: Calendar) {
    this.#database = database;
    this.#calendar = calendar;
    this.#read = database.prepare("select rows from chunk where start_ms = ? and series_id = ?");
    this.#readRange = database.prepare(
      "select start_ms, rows from chunk where start_ms >= ? and start_ms < ? and series_id = ? order by start_ms",
    );
    this.#insert = database.prepare("insert into chunk (start_ms, series_id, rows) values (?, ?, ?)");
    this.#update = database.prepare("update chunk set rows = ? where start_ms = ? and series_id = ?");
  }

  /**
   * Stores an answer for the whole chunks of `range`.
   * A row replaces the stored row of the same start; stored rows that the answer lacks stay: an answer that is short
   * for a while must not undo a fuller one. A `latest` series is replaced as a whole.
   */
  store(key: SeriesKey, range: Interval, rows: readonly Row[], envelope: Envelope): ShelfChange {
    return transaction(this.#database, () => this.storeWithin(key, range, rows, envelope));
  }

  /** As `store`, inside a transaction of the caller's. */
  storeWithin(key: SeriesKey, range: Interval, rows: readonly Row[], envelope: Envelope): ShelfChange {
    const record = this.#recordOf(key);
    let changed = this.#storeEnvelope(record, envelope);
    if (chunkUnitOf(key.unit) === null) {
      return { changed: this.#storeChunk(key, record, range, rows) || changed, strayRows: 0 };
    }
    let kept = 0;
    for (const chunk of chunksOf(key.unit, range, this.#calendar)) {
      const inside = rows.filter((row) => {
        const start = rowStart(row);
        return start !== null && start >= chunk.start && start < chunk.end;
      });
      kept += inside.length;
      changed = this.#storeChunk(key, record, chunk, inside) || changed;
    }
    return { changed, strayRows: rows.length - kept };
  }

  /** The rows of a series that start inside `range`. Shape: ascending, sparse. */
  rows(key: SeriesKey, range: Interval): Row[] {
    const found: Row[] = [];
    for (const text of this.encodedChunks(key, range)) {
      for (const row of decodeRows(text)) {
        const start = rowStart(row);
        if (start !== null && start >= range.start && start < range.end) found.push(row);
      }
    }
    return found;
  }

  /** The rows of a `latest` series; null if it was never answered. */
  latest(key: SeriesKey): Row[] | null {
    const record = this.#known(key);
    const found = record && this.#read.get(0, record.id);
    return found ? decodeRows(String(found.rows)) : null;
  }

  /** The chunks that hold `range`, as they are stored. Shape: ascending; chunks never asked are left out. */
  encodedChunks(key: SeriesKey, range: Interval): string[] {
    const record = this.#known(key);
    if (!record) return [];
    const chunks = chunksOf(key.unit, range, this.#calendar);
    const from = chunks[0]?.start ?? range.start;
    return this.#readRange.all(from, range.end, record.id).map((found) => String(found.rows));
  }

  /** What came with the rows of a series: currency, VAT, zone; null if it was never answered. */
  envelope(key: SeriesKey): Envelope | null {
    const record = this.#known(key);
    return record ? (JSON.parse(record.envelope) as Envelope) : null;
  }

  /** Whether every chunk of `range` was asked. */
  covers(key: SeriesKey, range: Interval): boolean {
    const record = this.#known(key);
    return (
      record !== undefined && chunksOf(key.unit, range, this.#calendar).every((chunk) => record.chunks.has(chunk.start))
    );
  }

  /** What the timetable needs to know of a series, but for the time it was last answered. */
  stateOf(key: SeriesKey): Omit<SeriesState, "answeredAt"> {
    const record = this.#known(key);
    return {
      chunk: (start) => (record ? this.#chunkState(key, record, start) : null),
      newestGap: (within) => (record ? this.#newestGap(record, within) : within),
    };
  }

  /** The stored id of a series that was kept before; null for one that never was. */
  knownId(key: SeriesKey): number | null {
    return this.#known(key)?.id ?? null;
  }

  /** The stored id of a series, for the ledger; made on first use. */
  idOf(key: SeriesKey): number {
    return this.#recordOf(key).id;
  }

  #chunkState(key: SeriesKey, record: SeriesRecord, start: EpochMs): ChunkState | null {
    const known = record.chunks.get(start);
    if (known !== null) return known ?? null;
    const [chunk] = chunksOf(key.unit, { start, end: start + 1 }, this.#calendar);
    const found = this.#read.get(start, record.id);
    if (!chunk || !found) return null;
    const state = this.#stateOfRows(key, chunk, decodeRows(String(found.rows)));
    record.chunks.set(start, state);
    return state;
  }

  #newestGap(record: SeriesRecord, within: Interval): Interval | null {
    const days = this.#calendar.intervals("day", within);
    let end = days.length;
    while (end > 0 && record.chunks.has((days[end - 1] as Interval).start)) end--;
    let start = end;
    while (start > 0 && !record.chunks.has((days[start - 1] as Interval).start)) start--;
    const first = days[start];
    const last = days[end - 1];
    return first && last && end > start ? { start: first.start, end: last.end } : null;
  }

  #storeChunk(key: SeriesKey, record: SeriesRecord, chunk: Interval, rows: readonly Row[]): boolean {
    const found = this.#read.get(chunk.start, record.id);
    const stored = found ? String(found.rows) : null;
    const merged = stored === null || chunkUnitOf(key.unit) === null ? rows : mergeByStart(decodeRows(stored), rows);
    const text = encodeRows(merged);
    record.chunks.set(chunk.start, this.#stateOfRows(key, chunk, merged));
    if (text === stored) return false;
    if (stored === null) this.#insert.run(chunk.start, record.id, text);
    else this.#update.run(text, chunk.start, record.id);
    return true;
  }

  #storeEnvelope(record: SeriesRecord, envelope: Envelope): boolean {
    const text = JSON.stringify(envelope);
    if (text === record.envelope) return false;
    this.#database.prepare("update series set envelope = ? where id = ?").run(text, record.id);
    record.envelope = text;
    return true;
  }

  #stateOfRows(key: SeriesKey, chunk: Interval, rows: readonly Row[]): ChunkState {
    const complete = key.unit === "latest" || tiles(rows, key.unit, chunk, this.#calendar);
    return { complete, estimated: rows.some((row) => row.isEstimate === true) };
  }

  #known(key: SeriesKey): SeriesRecord | undefined {
    const name = seriesName(key);
    const known = this.#series.get(name);
    if (known) return known;
    const found = this.#database.prepare("select id, envelope from series where name = ?").get(name);
    if (!found) return undefined;
    const record: SeriesRecord = { id: Number(found.id), envelope: String(found.envelope), chunks: new Map() };
    this.#series.set(name, record);
    const starts = this.#database.prepare("select start_ms from chunk where series_id = ?").iterate(record.id);
    for (const row of starts) record.chunks.set(Number(row.start_ms), null);
    return record;
  }

  #recordOf(key: SeriesKey): SeriesRecord {
    const known = this.#known(key);
    if (known) return known;
    this.#database.prepare("insert into series (name) values (?)").run(seriesName(key));
    const record = this.#known(key);
    if (!record) throw new Error(`the series ${seriesName(key)} was stored and is not there`);
    return record;
  }
}

/** Both in ascending order of start; of two rows with the same start the newer one stays. */
function mergeByStart(stored: readonly Row[], newer: readonly Row[]): readonly Row[] {
  if (newer.length === 0) return stored;
  const byStart = new Map<EpochMs, Row>();
  for (const row of stored) byStart.set(rowStart(row) ?? 0, row);
  for (const row of newer) byStart.set(rowStart(row) ?? 0, row);
  return [...byStart].sort(([a], [b]) => a - b).map(([, row]) => row);
}
