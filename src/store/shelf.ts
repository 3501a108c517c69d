/**
 * The shelf: what was asked, and what came, by series and chunk.
 *
 * A chunk that is there was asked as a whole; it may be empty. Rows are kept as the service sent them. Content that is
 * the same writes nothing.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Calendar } from "../core/calendar.ts";
import { CHUNK_SEPARATOR, decodeRows, encodeRows } from "../core/columns.ts";
import type { ChunkState, SeriesState } from "../core/fetch-types.ts";
import type { EpochMs, Interval } from "../core/interval.ts";
import {
  chunkStarts,
  chunksOf,
  chunkUnitOf,
  type Envelope,
  type Row,
  type Rows,
  rowsWithin,
  type SeriesKey,
  seriesName,
  tiles,
  WHOLE,
} from "../core/series.ts";
import { Chunks } from "./chunks.ts";
import { transaction } from "./database.ts";
import { type Batch, batchesOf, mergeByStart } from "./row-order.ts";

/** What an answer changed. */
export interface ShelfChange {
  readonly changed: boolean;
  /** Rows whose instants lie outside what was asked; they are not kept. */
  readonly strayRows: number;
}

interface SeriesRecord {
  readonly id: number;
  envelope: string | null;
  /** Another with every change of what is kept; never one that any series had before in this run. */
  version: number;
  /** State by chunk start, null for one that is not there. Bounded by the chunks of a history. */
  readonly chunks: Map<EpochMs, ChunkState | null>;
}

export class Shelf {
  readonly #database: DatabaseSync;
  readonly #calendar: Calendar;
  readonly #chunks: Chunks;
  /** Bounded by the series that were ever asked. */
  readonly #series = new Map<string, SeriesRecord>();
  readonly #find: StatementSync;
  #changes = 0;

  constructor(database: DatabaseSync, calendar: Calendar) {
    this.#database = database;
    this.#calendar = calendar;
    this.#chunks = new Chunks(database);
    this.#find = database.prepare("select id, envelope from series where name = ?");
  }

  /** Counts what changed on the shelf: as long as it stays, everything read before is still so. */
  get changes(): number {
    return this.#changes;
  }

  /** Counts what changed in one series, as `changes` does; null for one that was never kept. */
  versionOf(key: SeriesKey): number | null {
    return this.#known(key)?.version ?? null;
  }

  /**
   * Stores an answer for `range`, which is made of whole chunks. The shape of the rows may be any.
   * A row replaces the stored row of the same start; stored rows that the answer lacks stay: an answer that is short
   * for a while must not undo a fuller one. A `latest` series is replaced as a whole.
   */
  store(key: SeriesKey, range: Interval, rows: Rows, envelope: Envelope): ShelfChange {
    const storing = this.storing(key, range, rows, envelope, () => undefined);
    for (let step = storing.next(); ; step = storing.next()) if (step.done) return step.value;
  }

  /**
   * As `store`, in slices: yields between them, so that the caller may let others run. Each slice is a transaction.
   * What is on the disk after a crash between two is a smaller answer, correct as it stands. `finish` runs inside the
   * last transaction.
   */
  *storing(
    key: SeriesKey,
    range: Interval,
    rows: Rows,
    envelope: Envelope,
    finish: () => void,
  ): Generator<void, ShelfChange> {
    const chunks = chunksOf(key.unit, range, this.#calendar);
    let changed = false;
    let strayRows = 0;
    for (const batch of chunkUnitOf(key.unit) ? batchesOf(rows, chunks) : wholeBatch(rows)) {
      changed = this.#storeBatch(key, envelope, batch, finish) || changed;
      strayRows += batch.strayRows;
      if (!batch.isLast) yield;
    }
    return { changed, strayRows };
  }

  /** The rows of a series that start inside `range`. Shape: ascending, sparse. */
  rows(key: SeriesKey, range: Interval): Row[] {
    return rowsWithin(this.encodedChunks(key, range).flatMap(decodeRows), range);
  }

  /** The rows of a `latest` series; null if it was never answered. */
  latest(key: SeriesKey): Row[] | null {
    const record = this.#known(key);
    const found = record && this.#chunks.read(record.id, 0);
    return found ? decodeRows(found.text) : null;
  }

  /** The chunks that hold `range`, as they are stored. Shape: ascending; chunks never asked are left out. */
  encodedChunks(key: SeriesKey, range: Interval): string[] {
    const text = this.encodedText(key, range);
    return text === "" ? [] : text.split(CHUNK_SEPARATOR);
  }

  /** The same in one text, with `CHUNK_SEPARATOR` between them. */
  encodedText(key: SeriesKey, range: Interval): string {
    const record = this.#known(key);
    return record ? this.#chunks.text(record.id, chunkStarts(key.unit, range, this.#calendar)) : "";
  }

  /** What came with the rows of a series: currency, VAT, zone; null if it was never answered. */
  envelope(key: SeriesKey): Envelope | null {
    const text = this.#known(key)?.envelope ?? null;
    return text === null ? null : (JSON.parse(text) as Envelope);
  }

  /** Whether every chunk of `range` was asked. */
  covers(key: SeriesKey, range: Interval): boolean {
    const record = this.#known(key);
    if (!record) return false;
    const starts = chunkStarts(key.unit, range, this.#calendar);
    this.#learn(record, starts);
    return starts.every((start) => this.#chunkState(record, start) !== null);
  }

  /** What the timetable needs to know of a series, but for the times it was asked. */
  stateOf(key: SeriesKey): Omit<SeriesState, "answeredAt" | "askedAt"> {
    const record = this.#known(key);
    return {
      chunk: (start) => (record ? this.#chunkState(record, start) : null),
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

  /** Deletes chunks that start before an instant, the oldest first, at most so many. Gives back how many. */
  deleteBefore(before: EpochMs, most: number): number {
    const count = this.#chunks.deleteBefore(before, most);
    if (count > 0)
      for (const record of this.#series.values()) {
        record.chunks.clear();
        this.#noteChange(record);
      }
    return count;
  }

  #storeBatch(key: SeriesKey, envelope: Envelope, { filled, isLast }: Batch, finish: () => void): boolean {
    try {
      return transaction(this.#database, () => {
        const record = this.#recordOf(key);
        let changed = this.#storeEnvelope(record, envelope);
        for (const { chunk, rows } of filled) changed = this.#storeChunk(key, record, chunk, rows) || changed;
        if (isLast) finish();
        return changed;
      });
    } catch (error) {
      // What is remembered may be what was rolled back.
      this.#series.clear();
      this.#changes++;
      this.#chunks.forget();
      throw error;
    }
  }

  #chunkState(record: SeriesRecord, start: EpochMs): ChunkState | null {
    const known = record.chunks.get(start);
    if (known !== undefined) return known;
    const state = this.#chunks.states(record.id, [start]).get(start) ?? null;
    record.chunks.set(start, state);
    return state;
  }

  /** Reads at once what is not known yet of chunks that are about to be looked at one by one. */
  #learn(record: SeriesRecord, starts: readonly EpochMs[]): void {
    const unknown = starts.filter((start) => !record.chunks.has(start));
    if (unknown.length === 0) return;
    const states = this.#chunks.states(record.id, unknown);
    for (const start of unknown) record.chunks.set(start, states.get(start) ?? null);
  }

  #newestGap(record: SeriesRecord, within: Interval): Interval | null {
    const days = this.#calendar.intervals("day", within);
    this.#learn(
      record,
      days.map(({ start }) => start),
    );
    const asked = (day: Interval | undefined) => day !== undefined && this.#chunkState(record, day.start) !== null;
    let end = days.length;
    while (end > 0 && asked(days[end - 1])) end--;
    let start = end;
    while (start > 0 && !asked(days[start - 1])) start--;
    const first = days[start];
    const last = days[end - 1];
    return first && last && end > start ? { start: first.start, end: last.end } : null;
  }

  #storeChunk(key: SeriesKey, record: SeriesRecord, chunk: Interval, newer: readonly Row[]): boolean {
    const stored = this.#chunks.read(record.id, chunk.start);
    const newerText = encodeRows(newer);
    if (stored?.text === newerText) return false;
    const cut = chunkUnitOf(key.unit) !== null;
    const rows = stored && cut ? mergeByStart(decodeRows(stored.text), newer) : newer;
    const text = rows === newer ? newerText : encodeRows(rows);
    if (stored?.text === text) return false;
    const complete = key.unit === "latest" || tiles(rows, key.unit, chunk, this.#calendar);
    const state = { complete, estimated: rows.some((row) => row.isEstimate === true) };
    if (stored) this.#chunks.update(record.id, chunk.start, { text, state });
    else this.#chunks.insert(record.id, chunk.start, { text, state });
    record.chunks.set(chunk.start, state);
    this.#noteChange(record);
    return true;
  }

  #storeEnvelope(record: SeriesRecord, envelope: Envelope): boolean {
    const text = JSON.stringify(envelope);
    if (text === record.envelope) return false;
    this.#database.prepare("update series set envelope = ? where id = ?").run(text, record.id);
    record.envelope = text;
    this.#noteChange(record);
    return true;
  }

  #known(key: SeriesKey): SeriesRecord | undefined {
    const name = seriesName(key);
    const known = this.#series.get(name);
    if (known) return known;
    const found = this.#find.get(name);
    if (!found) return undefined;
    const envelope = found.envelope === null ? null : String(found.envelope);
    const record: SeriesRecord = { id: Number(found.id), envelope, version: this.#changes, chunks: new Map() };
    this.#noteChange(record);
    this.#series.set(name, record);
    return record;
  }

  #noteChange(record: SeriesRecord): void {
    record.version = ++this.#changes;
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

/** All of an answer that is not cut. */
function wholeBatch(rows: Rows): Batch[] {
  return [{ filled: [{ chunk: WHOLE, rows: [...rows] }], strayRows: 0, isLast: true }];
}
