/** Rows in the order of their starts, cut into chunks and put together again. */
import type { EpochMs, Interval } from "../core/interval.ts";
import { type Row, rowStart } from "../core/series.ts";

/** Rows stored in one transaction: a millisecond of work, cold five; the weekly recheck of 14 days is one write. */
export const ROWS_PER_SLICE = 350;
/** Chunks stored in one transaction where they hold few rows or none. */
const CHUNKS_PER_SLICE = 100;

/**
 * Cuts rows into chunks in one pass. Shape: `chunks` ascending and tiling; the rows of a chunk come out ascending, of
 * two with the same start the later one. Rows outside all chunks, or without a start, are counted and left out.
 */
export function rowsByChunk(
  rows: readonly Row[],
  chunks: readonly Interval[],
): { readonly inside: readonly (readonly Row[])[]; readonly strayRows: number } {
  const inside = chunks.map((): Row[] => []);
  const disordered = new Set<number>();
  let strayRows = 0;
  let index = 0;
  const last = chunks.map(() => Number.NEGATIVE_INFINITY);
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
    inside[index]?.push(row);
  }
  return { inside: inside.map((found, i) => (disordered.has(i) ? mergeByStart([], found) : found)), strayRows };
}

/** Puts two lists of rows together. Shape: the answer ascends; of rows with the same start the newest stays. */
export function mergeByStart(stored: readonly Row[], newer: readonly Row[]): readonly Row[] {
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

/** The end of the slice of chunks that begins at `from`: at least one chunk, and few enough rows. */
export function endOfSlice(inside: readonly (readonly Row[])[], from: number): number {
  let rows = inside[from]?.length ?? 0;
  let to = from + 1;
  while (to < inside.length && to - from < CHUNKS_PER_SLICE) {
    rows += inside[to]?.length ?? 0;
    if (rows > ROWS_PER_SLICE) break;
    to++;
  }
  return to;
}
