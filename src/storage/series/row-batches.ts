/** Splits rows into chunks and merges them by start. */

import { type Row, rowStart } from "../../core/series/series.ts";
import { contains, type EpochMs, type Interval } from "../../core/time/interval.ts";

/** Chunk and the rows of a response that start in it. */
export type Filled = { readonly chunk: Interval; readonly rows: readonly Row[] };

/** Rows stored in one transaction: 1 ms of work, 5 ms with a cold cache. The weekly recheck of 14 days is one write. */
const ROWS_PER_BATCH = 350;
/** Chunks stored in one transaction if they hold few rows or none. */
const CHUNKS_PER_BATCH = 100;

/**
 * Splits rows into `chunks`, which are ascending without gaps. Shape: all chunks, rows ascending. Of two rows with the
 * same start the later one counts.
 */
export function cutIntoChunks(
  rows: readonly Row[],
  chunks: readonly Interval[],
): { readonly filled: readonly Filled[]; readonly strayRows: number } {
  const rowsOf = chunks.map((): Row[] => []);
  let strayRows = 0;
  let index = 0;
  let last = Number.NEGATIVE_INFINITY;
  let isAscending = true;
  for (const row of rows) {
    const start = rowStart(row) ?? Number.NaN;
    index = chunkAround(chunks, start, index);
    const chunk = chunks[index];
    if (!chunk || !contains(chunk, start)) {
      strayRows++;
      continue;
    }
    rowsOf[index]?.push(row);
    isAscending &&= start > last;
    last = start;
  }
  // The service sends rows in order. Sorting a year of them would take 6 MB of memory.
  const inOrder = (each: Row[]) => (isAscending ? each : mergeByStart([], each));
  return { filled: chunks.map((chunk, i) => ({ chunk, rows: inOrder(rowsOf[i] ?? []) })), strayRows };
}

/** Returns the index of the chunk that contains `at`, or of the nearest one. Searches from `near`. */
function chunkAround(chunks: readonly Interval[], at: EpochMs, near: number): number {
  let index = near;
  while (at >= (chunks[index + 1]?.start ?? Number.POSITIVE_INFINITY)) index++;
  while (at < (chunks[index]?.start ?? Number.NEGATIVE_INFINITY) && index > 0) index--;
  return index;
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

/** Merges two lists of rows. Shape: ascending; of rows with the same start the newer one counts. */
export function mergeByStart(stored: readonly Row[], newer: readonly Row[]): Row[] {
  const byStart = new Map([...stored, ...newer].map((row) => [rowStart(row) ?? 0, row]));
  return [...byStart].sort(([a], [b]) => a - b).map(([, row]) => row);
}
