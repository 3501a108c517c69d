/** Rows in the order of their starts, cut into chunks and put together again. */

import { type Row, rowStart } from "../core/series/series.ts";
import type { EpochMs, Interval } from "../core/time/interval.ts";

/** A chunk, and the rows of an answer that start in it. */
export interface Filled {
  readonly chunk: Interval;
  readonly rows: readonly Row[];
}

/** Rows stored in one transaction: a millisecond of work, cold five; the weekly recheck of 14 days is one write. */
const ROWS_PER_BATCH = 350;
/** Chunks stored in one transaction where they hold few rows or none. */
const CHUNKS_PER_BATCH = 100;

/**
 * Cuts an answer into chunks. Shape: `chunks` ascending and tiling; each comes once, in their order, with its rows
 * ascending, of two with the same start the later one. `strayRows` counts the rows outside all chunks.
 */
export function cutIntoChunks(
  rows: readonly Row[],
  chunks: readonly Interval[],
): { readonly filled: readonly Filled[]; readonly strayRows: number } {
  const filled = chunks.map((chunk) => ({ chunk, rows: [] as Row[] }));
  const last = chunks.map(() => Number.NEGATIVE_INFINITY);
  const disordered = new Set<number>();
  let strayRows = 0;
  let index = 0;
  for (const row of rows) {
    const start = rowStart(row);
    index = start === null ? -1 : indexOf(chunks, start, index);
    if (start === null || index < 0) {
      strayRows++;
      index = 0;
      continue;
    }
    if (start <= (last[index] ?? 0)) disordered.add(index);
    last[index] = start;
    filled[index]?.rows.push(row);
  }
  const sorted = filled.map((each, i) => (disordered.has(i) ? { ...each, rows: mergeByStart([], each.rows) } : each));
  return { filled: sorted, strayRows };
}

/** Groups chunks so that each group can be stored in one transaction. */
export function batchesOf(filled: readonly Filled[]): Filled[][] {
  const batches: Filled[][] = [];
  let batch: Filled[] = [];
  let count = 0;
  for (const each of filled) {
    if (batch.length === CHUNKS_PER_BATCH || (batch.length > 0 && count + each.rows.length > ROWS_PER_BATCH)) {
      batches.push(batch);
      batch = [];
      count = 0;
    }
    batch.push(each);
    count += each.rows.length;
  }
  return batch.length > 0 ? [...batches, batch] : batches;
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
