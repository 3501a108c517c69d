/** Rows in the order of their starts, cut into chunks and put together again. */
import type { EpochMs, Interval } from "../core/interval.ts";
import { type Row, type Rows, rowStart } from "../core/series.ts";

/** A chunk, and the rows of an answer that start in it. */
export interface Filled {
  readonly chunk: Interval;
  readonly rows: readonly Row[];
}

/** Some of the chunks of an answer, to be stored in one transaction. */
export interface Batch {
  readonly filled: readonly Filled[];
  /** Rows outside all chunks, of those that were walked through for this batch. */
  readonly strayRows: number;
  readonly isLast: boolean;
}

/** Rows stored in one transaction: a millisecond of work, cold five; the weekly recheck of 14 days is one write. */
const ROWS_PER_BATCH = 350;
/** Chunks stored in one transaction where they hold few rows or none. */
const CHUNKS_PER_BATCH = 100;

/**
 * Cuts an answer into batches of whole chunks, in one walk that keeps no more rows than a batch has. Shape: `chunks`
 * ascending and tiling; each comes at least once, with its rows ascending, of two with the same start the later one.
 * Where rows come in no order at all, a chunk may come again with more of its rows.
 */
export function* batchesOf(rows: Rows, chunks: readonly Interval[]): Generator<Batch, void> {
  const untouched = new Set(chunks.keys());
  let waiting: Row[] = [];
  let most = ROWS_PER_BATCH;
  let strayRows = 0;
  const cut = () => {
    const found = rowsByChunk(waiting, chunks);
    strayRows += found.strayRows;
    for (const index of found.inside.keys()) untouched.delete(index);
    return found;
  };
  const batch = (inside: Iterable<readonly [number, readonly Row[]]>, isLast: boolean): Batch => {
    const filled = [...inside].map(([index, found]) => ({ chunk: chunks[index] as Interval, rows: found }));
    const before = strayRows;
    strayRows = 0;
    return { filled, strayRows: before, isLast };
  };
  for (const row of rows) {
    if (waiting.push(row) <= most) continue;
    const { inside, newest } = cut();
    // More rows of this one may come.
    waiting = inside.get(newest) ?? [];
    inside.delete(newest);
    most = Math.max(ROWS_PER_BATCH, 2 * waiting.length);
    if (inside.size > 0) yield batch(inside, false);
  }
  const last = [...cut().inside, ...[...untouched].map((index) => [index, []] as const)];
  for (let from = 0; from < last.length; from += CHUNKS_PER_BATCH) {
    const to = from + CHUNKS_PER_BATCH;
    yield batch(last.slice(from, to), to >= last.length);
  }
}

/** Rows by the index of their chunk. `newest` is the chunk of the last of them, -1 for none. */
function rowsByChunk(
  rows: readonly Row[],
  chunks: readonly Interval[],
): { readonly inside: Map<number, Row[]>; readonly newest: number; readonly strayRows: number } {
  const inside = new Map<number, Row[]>();
  const last = new Map<number, EpochMs>();
  const disordered = new Set<number>();
  let strayRows = 0;
  let index = 0;
  let newest = -1;
  for (const row of rows) {
    const start = rowStart(row);
    index = start === null ? -1 : indexOf(chunks, start, index);
    if (start === null || index < 0) {
      strayRows++;
      index = 0;
      continue;
    }
    if (start <= (last.get(index) ?? Number.NEGATIVE_INFINITY)) disordered.add(index);
    last.set(index, start);
    const found = inside.get(index);
    if (found) found.push(row);
    else inside.set(index, [row]);
    newest = index;
  }
  for (const each of disordered) inside.set(each, mergeByStart([], inside.get(each) ?? []));
  return { inside, newest, strayRows };
}

/** Puts two lists of rows together. Shape: the answer ascends; of rows with the same start the newest stays. */
export function mergeByStart(stored: readonly Row[], newer: readonly Row[]): Row[] {
  const byStart = new Map<EpochMs, Row>();
  for (const row of stored) byStart.set(rowStart(row) ?? 0, row);
  for (const row of newer) byStart.set(rowStart(row) ?? 0, row);
  return [...byStart].sort(([a], [b]) => a - b).map(([, row]) => row);
}

/** The chunk that holds an instant, or -1. The one at `guess` or the next is looked at first: rows come in order. */
function indexOf(chunks: readonly Interval[], at: EpochMs, guess: number): number {
  for (const index of [guess, guess + 1]) {
    const chunk = chunks[index];
    if (chunk && at >= chunk.start && at < chunk.end) return index;
  }
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((chunks[middle] as Interval).start <= at) low = middle + 1;
    else high = middle;
  }
  const chunk = chunks[low - 1];
  return chunk && at < chunk.end ? low - 1 : -1;
}
