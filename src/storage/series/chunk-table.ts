/** Table of chunks: the rows as text and two flags, by series and start. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ChunkState } from "../../core/fetching/fetch-types.ts";
import { type EpochMs, MINUTE_MS } from "../../core/time/interval.ts";
import { chunkDigest, deflateText, inflateJoined, inflateTexts, uncompressed } from "./chunk-text.ts";

/** Stored chunk. `text` is the result of `textOfRows`. */
export type StoredChunk = { readonly text: string; readonly state: ChunkState };

type SoundRow = { readonly start: EpochMs; readonly state: ChunkState; readonly deflated: Uint8Array };

const MAX_SERIES = 2 ** 20;

/** Access to the chunk table. A damaged chunk counts as never stored: it is requested again and replaced. */
export class ChunkTable {
  readonly #read: StatementSync;
  readonly #all: StatementSync;
  readonly #readDigests: StatementSync;
  readonly #write: StatementSync;
  readonly #delete: StatementSync;
  readonly #onDamaged: (seriesId: number, start: EpochMs) => void;
  /** Keys of damaged chunks found since the start. Bounded by the chunks of the history. */
  readonly #damaged = new Set<number>();

  /** Calls `onDamaged` once for each damaged chunk found, until it is replaced. */
  constructor(database: DatabaseSync, onDamaged: (seriesId: number, start: EpochMs) => void) {
    this.#onDamaged = onDamaged;
    // A damaged integer may exceed the safe range, which node:sqlite cannot read. The requested key and a real number
    // can always be read.
    const columns = "complete = 1, estimated = 1, digest + 0.0, rows";
    // One statement for a year takes 0.15 ms, one per day 0.43 ms. `cross join` keeps the order.
    this.#read = database.prepare(
      `select asked.value, ${columns} from json_each(?) as asked cross join chunk on chunk.key = asked.value`,
    );
    this.#all = database.prepare(`select key + 0.0, ${columns} from chunk`);
    for (const statement of [this.#read, this.#all]) statement.setReturnArrays(true);
    this.#readDigests = database.prepare(
      "select asked.value, digest + 0.0 as digest from json_each(?) as asked cross join chunk on chunk.key = asked.value order by chunk.key",
    );
    this.#write = database.prepare(
      `insert into chunk (key, complete, estimated, digest, rows) values (?, ?, ?, ?, ?)
       on conflict (key) do update set
         complete = excluded.complete, estimated = excluded.estimated, digest = excluded.digest, rows = excluded.rows`,
    );
    this.#delete = database.prepare(
      "delete from chunk where key in (select key from chunk where key >= ? and key < ? order by key limit ?)",
    );
  }

  /** Returns the texts of chunks in UTF-8. Shape: same order; missing and damaged chunks are omitted. */
  texts(seriesId: number, starts: readonly EpochMs[]): Map<EpochMs, Buffer> {
    const rows = this.#soundRows(seriesId, starts);
    const texts = new Map<EpochMs, Buffer>();
    for (const [i, text] of textsIn(rows).entries()) {
      const { start } = rows[i] as SoundRow;
      if (text) texts.set(start, text);
      else this.#noteDamaged(seriesId, start);
    }
    return texts;
  }

  /**
   * Returns `around[0]`, the parts joined by commas, and `around[1]`, in UTF-8. A part is the start of a stored chunk,
   * or a text; missing and damaged chunks are omitted.
   */
  joined(seriesId: number, parts: readonly (EpochMs | string)[], around: readonly [string, string]): Buffer {
    const starts = parts.filter((part) => typeof part === "number");
    const stored = new Map(this.#soundRows(seriesId, starts).map(({ start, deflated }) => [start, deflated]));
    const deflated = parts.map((part) => (typeof part === "string" ? uncompressed(part) : stored.get(part)));
    try {
      return inflateJoined(
        deflated.filter((each) => each !== undefined),
        around,
      );
    } catch {
      const texts = this.texts(seriesId, starts);
      const readable = parts.map((part) => (typeof part === "string" ? part : (texts.get(part)?.toString() ?? "")));
      return Buffer.from(around.join(readable.filter((text) => text !== "").join(",")));
    }
  }

  /** Yields the chunks with these keys, inflated on demand, without missing and damaged ones. Shape: same order. */
  *withKeys(
    keys: readonly number[],
  ): Generator<{ readonly key: number; readonly seriesId: number; readonly text: string }> {
    for (const row of this.#read.all(JSON.stringify(keys)) as unknown as unknown[][]) {
      const key = Number(row[0]);
      const sound = soundRowOf(row);
      const text = sound && textsIn([sound])[0];
      if (!text) continue;
      yield { key, seriesId: key - Math.floor(key / MAX_SERIES) * MAX_SERIES, text: text.toString() };
    }
  }

  /** Returns the flags of the chunks with these starts; missing and damaged chunks are omitted. */
  states(seriesId: number, starts: readonly EpochMs[]): Map<EpochMs, ChunkState> {
    return new Map(this.#soundRows(seriesId, starts).map(({ start, state }) => [start, state]));
  }

  /** Counts the damaged chunks. Reads all chunks. */
  countDamaged(): number {
    let count = 0;
    for (const row of this.#all.iterate() as unknown as Iterable<unknown[]>) {
      const sound = soundRowOf(row);
      if (sound === null || !textsIn([sound])[0]) count++;
    }
    return count;
  }

  /** Returns the digests of chunks; a different digest means different content. Shape: ascending by start. */
  digests(seriesId: number, starts: readonly EpochMs[]): Map<EpochMs, number> {
    const rows = this.#readDigests.all(JSON.stringify(starts.map((start) => keyOf(seriesId, start))));
    return new Map(rows.map(({ value, digest }) => [startOf(Number(value)), Number(digest)]));
  }

  write(seriesId: number, start: EpochMs, { text, state }: StoredChunk): void {
    const key = keyOf(seriesId, start);
    const deflated = deflateText(text);
    this.#write.run(key, state.complete ? 1 : 0, state.estimated ? 1 : 0, chunkDigest(key, state, deflated), deflated);
    this.#damaged.delete(key);
  }

  delete(seriesId: number, start: EpochMs): void {
    const key = keyOf(seriesId, start);
    this.#delete.run(key, key + 1, 1);
  }

  /** Deletes the oldest chunks that start before an instant, at most `most`. Returns their number. */
  deleteBefore(before: EpochMs, most: number): number {
    // Chunks of `latest` series start at 0 and stay, because they hold the newest response.
    const count = Number(this.#delete.run(MAX_SERIES, keyOf(0, before), most).changes);
    // A damaged chunk that still exists is reported again when it is next read.
    if (count > 0) this.#damaged.clear();
    return count;
  }

  #soundRows(seriesId: number, starts: readonly EpochMs[]): SoundRow[] {
    const keys = JSON.stringify(starts.map((start) => keyOf(seriesId, start)));
    return (this.#read.all(keys) as unknown as unknown[][]).flatMap((row) => {
      const sound = soundRowOf(row);
      if (sound) return [sound];
      this.#noteDamaged(seriesId, startOf(Number(row[0])));
      return [];
    });
  }

  #noteDamaged(seriesId: number, start: EpochMs): void {
    const key = keyOf(seriesId, start);
    if (this.#damaged.has(key)) return;
    this.#damaged.add(key);
    this.#onDamaged(seriesId, start);
  }
}

/** Converts a row of the table; null if its digest is wrong. */
function soundRowOf([key, complete, estimated, digest, deflated]: readonly unknown[]): SoundRow | null {
  const state = { complete: complete === 1, estimated: estimated === 1 };
  if (!(deflated instanceof Uint8Array) || digest !== chunkDigest(Number(key), state, deflated)) return null;
  return { start: startOf(Number(key)), state, deflated };
}

/** Returns the text of each row; null for a row that cannot be inflated. */
function textsIn(rows: readonly SoundRow[]): (Buffer | null)[] {
  try {
    return inflateTexts(rows.map(({ deflated }) => deflated));
  } catch {
    // One at a time, to find the damaged one.
    return rows.length === 1 ? [null] : rows.flatMap((row) => textsIn([row]));
  }
}

/** Returns the key of a chunk. Throws RangeError for a start between minutes or a too large id. */
function keyOf(seriesId: number, start: EpochMs): number {
  if (start % MINUTE_MS !== 0 || seriesId >= MAX_SERIES)
    throw new RangeError(`a chunk of series ${seriesId} that starts at ${start} cannot be kept`);
  return (start / MINUTE_MS) * MAX_SERIES + seriesId;
}

function startOf(key: number): EpochMs {
  return Math.floor(key / MAX_SERIES) * MINUTE_MS;
}
