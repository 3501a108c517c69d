/** The table of chunks: one text and two flags by series and start. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { CHUNK_SEPARATOR, isPlain } from "../core/columns.ts";
import type { ChunkState } from "../core/fetch-types.ts";
import { type EpochMs, MINUTE_MS } from "../core/interval.ts";

/** A chunk as it is kept. `text` is what `encodeRows` wrote. */
export interface StoredChunk {
  readonly text: string;
  readonly state: ChunkState;
}

/** Series that a key has room for. */
const MOST_SERIES = 2 ** 20;
/** Shapes kept once; a service that names its fields at random has them written out beside the rows. */
const MOST_SHAPES = 500;

export class Chunks {
  readonly #read: StatementSync;
  readonly #readText: StatementSync;
  readonly #readStates: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #insertShape: StatementSync;
  readonly #readShapes: StatementSync;
  readonly #delete: StatementSync;
  /** Ids by names; empty until the first chunk. Bounded by MOST_SHAPES. */
  readonly #shapes = new Map<string, number>();

  constructor(database: DatabaseSync) {
    // The names of the fields stand before the rows, in one text: put together here, it would be copied once more.
    const text = "iif(shape_id is null, rows, names || char(10) || rows)";
    const withNames = "left join shape on shape.id = chunk.shape_id";
    this.#read = database.prepare(`select ${text} as text, complete, estimated from chunk ${withNames} where key = ?`);
    // A year is read by one statement: 0.15 ms against 0.43 ms for a statement a day. `cross join` keeps the order.
    const byKeys = "from json_each(?) as asked cross join chunk on chunk.key = asked.value";
    this.#readStates = database.prepare(`select start_ms, complete, estimated ${byKeys}`);
    const inOne = `group_concat(${text}, char(${CHUNK_SEPARATOR.charCodeAt(0)})) as text`;
    this.#readText = database.prepare(
      `select ${inOne}, count(shape_id) > count(names) as is_lost ${byKeys} ${withNames}`,
    );
    this.#readStates.setReturnArrays(true);
    this.#insert = database.prepare(
      "insert into chunk (shape_id, rows, complete, estimated, key) values (?, ?, ?, ?, ?)",
    );
    this.#update = database.prepare(
      "update chunk set shape_id = ?, rows = ?, complete = ?, estimated = ? where key = ?",
    );
    this.#insertShape = database.prepare("insert into shape (names) values (?)");
    this.#readShapes = database.prepare("select id, names from shape");
    this.#delete = database.prepare(
      "delete from chunk where key in (select key from chunk where key >= ? and key < ? order by key limit ?)",
    );
  }

  /** A chunk; null if it was never stored. */
  read(seriesId: number, start: EpochMs): StoredChunk | null {
    const found = this.#read.get(keyOf(seriesId, start));
    if (!found) return null;
    return {
      text: textIn(found.text),
      state: { complete: found.complete === 1, estimated: found.estimated === 1 },
    };
  }

  /**
   * The texts of the chunks with these starts, in one with `CHUNK_SEPARATOR` between them: hundreds would be garbage, and
   * take longer. Shape: in their order; chunks never stored are left out.
   */
  text(seriesId: number, starts: readonly EpochMs[]): string {
    const found = this.#readText.get(keysOf(seriesId, starts));
    return textIn(found?.is_lost ? null : (found?.text ?? ""));
  }

  /** What is known of the chunks with these starts, without their rows; chunks never stored are not there. */
  states(seriesId: number, starts: readonly EpochMs[]): Map<EpochMs, ChunkState> {
    const found = this.#readStates.all(keysOf(seriesId, starts)) as unknown as unknown[][];
    return new Map(
      found.map(([start, complete, estimated]) => [
        Number(start),
        { complete: complete === 1, estimated: estimated === 1 },
      ]),
    );
  }

  insert(seriesId: number, start: EpochMs, chunk: StoredChunk): void {
    this.#insert.run(...this.#valuesOf(chunk), keyOf(seriesId, start));
  }

  update(seriesId: number, start: EpochMs, chunk: StoredChunk): void {
    this.#update.run(...this.#valuesOf(chunk), keyOf(seriesId, start));
  }

  /** Deletes the oldest chunks that start before an instant, at most so many. Gives back how many. */
  deleteBefore(before: EpochMs, most: number): number {
    // Chunks that stand for all of time start at 0 and stay: they hold the newest answer, or a row a year.
    return Number(this.#delete.run(MOST_SERIES, keyOf(0, before), most).changes);
  }

  /** Forgets what it knows of the tables: a transaction was rolled back. */
  forget(): void {
    this.#shapes.clear();
  }

  #valuesOf({ text, state }: StoredChunk): [number | null, string, number, number] {
    const flags: [number, number] = [state.complete ? 1 : 0, state.estimated ? 1 : 0];
    if (isPlain(text)) return [null, text, ...flags];
    const end = text.indexOf("\n");
    const shape = this.#shapeOf(text.slice(0, end));
    return [shape, shape === null ? text : text.slice(end + 1), ...flags];
  }

  #shapeOf(names: string): number | null {
    if (!this.#shapes.has(names)) this.#load();
    const known = this.#shapes.get(names);
    if (known !== undefined) return known;
    if (this.#shapes.size >= MOST_SHAPES) return null;
    const shape = Number(this.#insertShape.run(names).lastInsertRowid);
    this.#shapes.set(names, shape);
    return shape;
  }

  #load(): void {
    for (const { id, names } of this.#readShapes.iterate()) this.#shapes.set(String(names), Number(id));
  }
}

/** A text as it was read. Errors: throws where its names are not in the database. */
function textIn(text: unknown): string {
  if (typeof text !== "string") throw new Error("a chunk has a shape that is not in the database");
  return text;
}

/** The keys of chunks. Shape: a JSON array. */
function keysOf(seriesId: number, starts: readonly EpochMs[]): string {
  return JSON.stringify(starts.map((start) => keyOf(seriesId, start)));
}

/** Errors: throws where the start is not a whole minute or the id has no room: neither can be found again. */
function keyOf(seriesId: number, start: EpochMs): number {
  if (start % MINUTE_MS !== 0 || seriesId >= MOST_SERIES)
    throw new RangeError(`a chunk of series ${seriesId} that starts at ${start} cannot be kept`);
  return (start / MINUTE_MS) * MOST_SERIES + seriesId;
}
