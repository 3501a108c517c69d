/**
 * Series store: requested ranges and received rows, by series and chunk. A stored chunk was requested completely; it
 * may be empty. Unchanged content causes no write.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ChunkState, SeriesState } from "../../core/fetching/fetch-types.ts";
import {
  chunkStarts,
  chunksOf,
  chunkUnitOf,
  type Envelope,
  type Row,
  type Rows,
  rowEnd,
  rowStart,
  rowsWithin,
  type SeriesKey,
  seriesName,
  tiles,
  WHOLE,
} from "../../core/series/series.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import { type EpochMs, HOUR_MS, type Interval } from "../../core/time/interval.ts";
import { transaction, withDigest } from "../database.ts";
import { WriteGuard } from "../write-guard.ts";
import { ChunkTable } from "./chunk-table.ts";
import { rowsOfText, textOfRows } from "./chunk-text.ts";
import { batchesOf, cutIntoChunks, type Filled, mergeByStart } from "./row-batches.ts";

/** Effect of storing a response. */
export interface SeriesChange {
  readonly changed: boolean;
  /** Number of rows outside the requested range; they are not stored. */
  readonly strayRows: number;
}

interface SeriesRecord {
  readonly id: number;
  readonly key: SeriesKey;
  envelope: string | null;
  /** Changes with every stored change; unique among all series since the daemon started. */
  version: number;
  /** State by chunk start, null for a missing chunk. Bounded by the chunks of the history. */
  readonly chunks: Map<EpochMs, ChunkState | null>;
  /** Range in which every day is known, so that it need not be checked again; null if none is known. */
  whole: Interval | null;
  /** Newest gap by the range of the search. Bounded by MAX_GAPS. */
  readonly gaps: Map<string, Interval>;
}

/** Maximum remembered gaps: of the fetch schedule, of the back-fill's progress, and those of the day before. */
const MAX_GAPS = 4;

/** Days whose states are read at once. */
const DAYS_READ = 31;

/** How a response is merged with stored rows. */
interface Merging {
  /** An empty response of a `latest` series keeps stored rows that end after this. */
  readonly now: EpochMs;
  /** Starts of stored rows that the service has withdrawn. */
  readonly without: ReadonlySet<EpochMs>;
  /** False if a part of the response could not be read. Then a chunk is complete only if the response has all of it. */
  readonly isWhole: boolean;
}

/** A response of a series. */
export interface StoredResponse extends Partial<Merging> {
  readonly rows: Rows;
  readonly envelope: Envelope;
}

export class SeriesStore {
  readonly #database: DatabaseSync;
  readonly #calendar: Calendar;
  readonly #writing: WriteGuard;
  readonly #chunks: ChunkTable;
  readonly #find: StatementSync;
  /** Bounded by the series that were ever requested. */
  readonly #series = new Map<string, SeriesRecord>();
  /** Callbacks by operation. Bounded by the components that cache rows. */
  readonly #watchers = new Map<string, (key: SeriesKey) => void>();
  #changes = 0;

  constructor(database: DatabaseSync, calendar: Calendar, writing: WriteGuard = new WriteGuard(database)) {
    this.#database = withDigest(database);
    this.#calendar = calendar;
    this.#writing = writing;
    this.#find = this.#database.prepare(
      "select id, envelope, digest is digest(id, name, envelope) as sound from series where name = ?",
    );
    this.#chunks = new ChunkTable(database, (id, start) => this.#forgetDamaged(id, start));
  }

  /** Number of changes in storage. While it is unchanged, all rows read before are still valid. */
  get changes(): number {
    return this.#changes;
  }

  /** Calls `listener` for every series of an operation whose rows may have changed. It must not read them at once. */
  watch(operation: string, listener: (key: SeriesKey) => void): void {
    this.#watchers.set(operation, listener);
  }

  /** Returns the version of one series, which changes with its data; null if it was never stored. */
  versionOf(key: SeriesKey): number | null {
    return this.#known(key)?.version ?? null;
  }

  /**
   * Stores a response for whole chunks. A row replaces the stored one with the same start; others stay, because a short
   * response must not remove rows. A `latest` series is replaced as a whole.
   */
  store(key: SeriesKey, range: Interval, rows: Rows, envelope: Envelope): SeriesChange {
    const storing = this.storing(key, range, { rows, envelope }, () => undefined);
    for (let step = storing.next(); ; step = storing.next()) if (step.done) return step.value;
  }

  /**
   * Stores a response like `store`, each slice in a transaction, and yields between them. After a crash, the stored
   * part is a correct smaller response. `finish` runs in the last transaction.
   */
  *storing(
    key: SeriesKey,
    range: Interval,
    { rows, envelope, now = Number.POSITIVE_INFINITY, without = new Set(), isWhole = true }: StoredResponse,
    finish: () => void,
  ): Generator<void, SeriesChange> {
    const { filled, strayRows } = chunkUnitOf(key.unit)
      ? cutIntoChunks([...rows], chunksOf(key.unit, range, this.#calendar))
      : { filled: [{ chunk: WHOLE, rows: [...rows] }], strayRows: 0 };
    const batches = batchesOf(filled);
    const merging: Merging = { now, without, isWhole };
    let changed = false;
    for (const [i, batch] of batches.entries()) {
      const isLast = i === batches.length - 1;
      changed = this.#storeBatch({ key, envelope, ...merging }, batch, isLast ? finish : () => undefined) || changed;
      if (!isLast) yield;
    }
    return { changed, strayRows };
  }

  /** Returns the rows that start inside `range`. Shape: ascending, possibly with gaps. */
  rows(key: SeriesKey, range: Interval): Row[] {
    return rowsWithin(this.rowsByChunk(key, range).flat(), range);
  }

  /** Returns the rows of the chunks that `range` touches. Shape: ascending; missing chunks are omitted. */
  rowsByChunk(key: SeriesKey, range: Interval): Row[][] {
    return [...this.#texts(key, chunksOf(key.unit, range, this.#calendar)).values()].map(rowsOfText);
  }

  /** Returns the digests of stored chunks by start; another digest means other rows. Shape: ascending. */
  digests(key: SeriesKey, range: Interval): Map<EpochMs, number> {
    const id = this.knownId(key);
    return id === null ? new Map() : this.#chunks.digests(id, chunkStarts(key.unit, range, this.#calendar));
  }

  /** Returns the rows of a `latest` series; null if it was never answered. */
  latest(key: SeriesKey): Row[] | null {
    return this.rowsByChunk(key, WHOLE)[0] ?? null;
  }

  /** Returns the rows that start inside `range`, of a `latest` series all, as JSON in UTF-8 between two texts. */
  json(key: SeriesKey, range: Interval, around: readonly [string, string]): Buffer {
    const id = this.knownId(key);
    if (id === null) return Buffer.from(around.join(""));
    const isCut = chunkUnitOf(key.unit) !== null;
    const isPart = ({ start, end }: Interval) => isCut && (start < range.start || end > range.end);
    const parts = chunksOf(key.unit, range, this.#calendar).map((chunk) =>
      isPart(chunk) ? textOfRows(rowsWithin(this.rowsByChunk(key, chunk).flat(), range)) : chunk.start,
    );
    return this.#chunks.joined(id, parts, around);
  }

  /** Returns the other fields of the response: currency, VAT, zone; null if the series was never answered. */
  envelope(key: SeriesKey): Envelope | null {
    const text = this.#known(key)?.envelope ?? null;
    return text === null ? null : (JSON.parse(text) as Envelope);
  }

  /** Returns true if every chunk of `range` was requested. */
  covers(key: SeriesKey, range: Interval): boolean {
    const record = this.#known(key);
    if (!record) return false;
    const starts = chunkStarts(key.unit, range, this.#calendar);
    this.#learn(record, starts);
    return starts.every((start) => this.#chunkState(record, start) !== null);
  }

  /** Returns the stored state of a series, without the request times. */
  stateOf(key: SeriesKey): Pick<SeriesState, "chunk"> {
    const record = this.#known(key);
    return { chunk: (start) => (record ? this.#chunkState(record, start) : null) };
  }

  /**
   * Returns the newest part of `within` whose days are missing or not known; null if there is no gap. The result is
   * remembered until the series or `revision` changes, on which `isKnown` depends.
   */
  newestGap(
    key: SeriesKey,
    within: Interval,
    isKnown: (day: Interval, state: ChunkState) => boolean = () => true,
    revision = 0,
  ): Interval | null {
    const record = this.#known(key);
    if (!record) return within;
    const name = `${within.start} ${within.end} ${revision}`;
    const known = record.gaps.get(name);
    if (known !== undefined) return known;
    const { whole } = record;
    const joins = whole && whole.start <= within.start && within.start <= whole.end;
    const start = joins ? Math.min(whole.end, within.end) : within.start;
    const gap = this.#findNewestGap(record, { start, end: within.end }, isKnown);
    if (record.gaps.size === MAX_GAPS) record.gaps.clear();
    if (gap) record.gaps.set(name, gap);
    else record.whole = joins ? { start: whole.start, end: Math.max(whole.end, within.end) } : within;
    return gap;
  }

  /** Deletes the chunks of a series from the one that contains `from` on, so that they are requested again. */
  deleteFrom(key: SeriesKey, from: EpochMs, to: EpochMs): void {
    const record = this.#known(key);
    if (!record) return;
    for (const start of chunkStarts(key.unit, { start: from, end: to }, this.#calendar)) {
      this.#chunks.delete(record.id, start);
      record.chunks.set(start, null);
    }
    record.whole = null;
    this.#noteChange(record);
  }

  /** Keeps the stored rows of a series under a name that is not read, because new ones are in another currency. */
  setAside(key: SeriesKey, currency: string): void {
    const record = this.#known(key);
    if (!record) return;
    const name = `${encodeURIComponent(`${currency} ${record.id}`)}/${seriesName(key)}`;
    this.#database
      .prepare("update series set name = ?1, digest = digest(id, ?1, envelope) where id = ?2")
      .run(name, record.id);
    this.#noteChange(record);
    this.#series.delete(seriesName(key));
  }

  /** Returns the stored id of a series; null if it was never stored. */
  knownId(key: SeriesKey): number | null {
    return this.#known(key)?.id ?? null;
  }

  /** Returns the stored id of a series for the request log; creates it on first use. */
  idOf(key: SeriesKey): number {
    return this.#recordOf(key).id;
  }

  /** Deletes the oldest chunks that start before an instant, at most `most`. Returns their number. */
  deleteBefore(before: EpochMs, most: number): number {
    const count = this.#chunks.deleteBefore(before, most);
    if (count > 0)
      for (const record of this.#series.values()) {
        record.chunks.clear();
        record.whole = null;
        this.#noteChange(record);
      }
    return count;
  }

  #texts(key: SeriesKey, chunks: readonly Interval[]): Map<EpochMs, Buffer> {
    const id = this.knownId(key);
    return id === null ? new Map() : this.#chunks.texts(id, chunks.map(startOf));
  }

  /** Treats a damaged chunk as never requested, and invalidates rows read from it before. */
  #forgetDamaged(seriesId: number, start: EpochMs): void {
    let name = `series ${seriesId}`;
    for (const [known, record] of this.#series) {
      if (record.id !== seriesId) continue;
      name = decodeURIComponent(known);
      record.chunks.set(start, null);
      record.whole = null;
      this.#noteChange(record);
    }
    const from = start > 0 ? ` of ${new Date(start).toISOString().slice(0, 10)}` : "";
    this.#writing.damaged(`${name}${from}`, () => this.#chunks.delete(seriesId, start));
  }

  #storeBatch(
    { key, envelope, ...about }: { readonly key: SeriesKey; readonly envelope: Envelope } & Merging,
    batch: readonly Filled[],
    finish: () => void,
  ): boolean {
    try {
      return transaction(this.#database, () => {
        const record = this.#recordOf(key);
        let changed = this.#storeEnvelope(record, envelope);
        for (const filled of batch) changed = this.#storeChunk(record, filled, about) || changed;
        finish();
        return changed;
      });
    } catch (error) {
      // The cached records may contain changes that were rolled back.
      for (const record of this.#series.values()) this.#noteChange(record);
      this.#series.clear();
      this.#changes++;
      throw error;
    }
  }

  /** Returns the state of a chunk. The fetch schedule asks for day after day, so an unknown one is read with the next ones. */
  #chunkState(record: SeriesRecord, start: EpochMs): ChunkState | null {
    if (!record.chunks.has(start)) {
      const range = { start, end: this.#calendar.add("day", start, DAYS_READ) };
      this.#learn(record, chunkStarts(record.key.unit, range, this.#calendar));
    }
    return record.chunks.get(start) ?? null;
  }

  /** Loads the unknown states of several chunks with one query. */
  #learn(record: SeriesRecord, starts: readonly EpochMs[]): void {
    const unknown = starts.filter((start) => !record.chunks.has(start));
    if (unknown.length === 0) return;
    const states = this.#chunks.states(record.id, unknown);
    for (const start of unknown) record.chunks.set(start, states.get(start) ?? null);
  }

  /** Searches for the newest gap. It does not cache the states of a year, because the gap itself is cached. */
  #findNewestGap(
    record: SeriesRecord,
    within: Interval,
    isKnown: (day: Interval, state: ChunkState) => boolean,
  ): Interval | null {
    if (within.start >= within.end) return null;
    const days = this.#calendar.intervals("day", within);
    const states = this.#chunks.states(record.id, days.map(startOf));
    const isAsked = (day: Interval) => {
      const state = states.get(day.start);
      return state !== undefined && isKnown(day, state);
    };
    const end = days.findLastIndex((day) => !isAsked(day)) + 1;
    const gap = days.slice(days.slice(0, end).findLastIndex(isAsked) + 1, end);
    const [first, last] = [gap[0], gap.at(-1)];
    return first && last ? { start: first.start, end: last.end } : null;
  }

  #storeChunk(record: SeriesRecord, { chunk, rows: newer }: Filled, { now, without, isWhole }: Merging): boolean {
    const { key } = record;
    const before = this.#chunkState(record, chunk.start);
    const stored = this.#chunks.texts(record.id, [chunk.start]).get(chunk.start)?.toString();
    const newerText = textOfRows(newer);
    if (stored === newerText && before?.complete) return false;
    const lasting = stored === undefined ? [] : rowsOfText(stored).filter((row) => !without.has(rowStart(row) ?? -1));
    const rows = stored === undefined ? newer : this.#joined(key, lasting, newer, now);
    const text = rows === newer ? newerText : textOfRows(rows);
    const complete = key.unit === "latest" || tiles(isWhole ? rows : newer, key.unit, chunk, this.#calendar);
    if (stored === text && before?.complete === complete) return false;
    const state = { complete, estimated: rows.some((row) => row.isEstimate === true) };
    this.#chunks.write(record.id, chunk.start, { text, state });
    record.chunks.set(chunk.start, state);
    this.#noteChange(record);
    return true;
  }

  /**
   * Merges stored and new rows. In a `latest` series the new rows replace the stored ones. Stored prices that have not
   * ended stay if the response is empty, or if it is a third-party list that starts later.
   */
  #joined(key: SeriesKey, stored: readonly Row[], newer: readonly Row[], now: EpochMs): readonly Row[] {
    if (chunkUnitOf(key.unit) !== null) return mergeByStart(stored, newer);
    const from = newer.reduce((first, row) => Math.min(first, rowStart(row) ?? first), Number.POSITIVE_INFINITY);
    const lasting = stored.filter((row) => {
      const start = rowStart(row) ?? -HOUR_MS;
      const end = rowEnd(row) ?? start + HOUR_MS;
      return end > now && (newer.length === 0 || (rowEnd(row) === null && start < from));
    });
    return [...lasting, ...newer];
  }

  #storeEnvelope(record: SeriesRecord, envelope: Envelope): boolean {
    const text = JSON.stringify(envelope);
    if (text === record.envelope) return false;
    this.#database
      .prepare("update series set envelope = ?1, digest = digest(id, name, ?1) where id = ?2")
      .run(text, record.id);
    record.envelope = text;
    this.#noteChange(record);
    return true;
  }

  #known(key: SeriesKey): SeriesRecord | undefined {
    const known = this.#series.get(seriesName(key));
    if (known) return known;
    const name = seriesName(key);
    const found = this.#find.get(name);
    if (!found) return undefined;
    if (found.sound !== 1) {
      // It is unknown whether the id or the name is damaged. The chunks may belong to another series, so the series is
      // requested again.
      const putAside = this.#database.prepare("update series set name = 'damaged ' || id where name = ?");
      this.#writing.damaged(`${decodeURIComponent(name)}, all rows`, () => putAside.run(name));
      return undefined;
    }
    return this.#remember(key, Number(found.id), found.envelope === null ? null : String(found.envelope));
  }

  #remember(key: SeriesKey, id: number, envelope: string | null): SeriesRecord {
    const version = ++this.#changes;
    const record: SeriesRecord = { id, key, envelope, version, chunks: new Map(), whole: null, gaps: new Map() };
    this.#series.set(seriesName(key), record);
    return record;
  }

  #noteChange(record: SeriesRecord): void {
    record.version = ++this.#changes;
    record.gaps.clear();
    this.#watchers.get(record.key.operation)?.(record.key);
  }

  #recordOf(key: SeriesKey): SeriesRecord {
    const known = this.#known(key);
    if (known) return known;
    const name = seriesName(key);
    // One statement: a power cut between two would leave a row without a digest.
    const insert = this.#database.prepare(
      `insert into series (id, name, digest) select next, ?1, digest(next, ?1, null)
       from (select coalesce(max(id), 0) + 1 as next from series)`,
    );
    const { lastInsertRowid: id } = insert.run(name);
    return this.#remember(key, Number(id), null);
  }
}

function startOf({ start }: Interval): EpochMs {
  return start;
}
