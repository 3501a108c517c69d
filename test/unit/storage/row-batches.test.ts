import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY_MS, formatInstant, HOUR_MS } from "../../../src/core/time/interval.ts";
import { batchesOf, cutIntoChunks, type Filled } from "../../../src/storage/series/row-batches.ts";

const START = Date.UTC(2026, 2, 10);
const chunks = [0, 1, 2].map((i) => ({ start: START + i * DAY_MS, end: START + (i + 1) * DAY_MS }));
const start = fc.integer({ min: -6, max: 78 }).map((hour) => START + hour * HOUR_MS);

test("rows in any order are in the chunk that contains their start, ascending, the later of two; others are counted", () => {
  fc.assert(
    fc.property(fc.array(fc.option(start, { freq: 10 }), { maxLength: 40 }), (starts) => {
      const rows = starts.map((at, n) => ({ start: at === null ? "never" : formatInstant(at), n }));
      const isIn = (at: number | null, chunk: (typeof chunks)[number]) =>
        at !== null && chunk.start <= at && at < chunk.end;
      const { filled, strayRows } = cutIntoChunks(rows, chunks);
      expect(strayRows).toBe(starts.filter((at) => !chunks.some((chunk) => isIn(at, chunk))).length);
      for (const [i, chunk] of chunks.entries()) {
        const own = new Map(starts.flatMap((at, n) => (at !== null && isIn(at, chunk) ? [[at, n] as const] : [])));
        const expected = [...own].sort(([a], [b]) => a - b).map(([at, n]) => ({ start: formatInstant(at), n }));
        expect(filled[i]).toEqual({ chunk, rows: expected });
      }
    }),
    { numRuns: 300 },
  );
});

test("batches contain all chunks in order, and are as long as 100 chunks and 350 rows allow", () => {
  const sizes = fc.oneof(
    fc.array(fc.constantFrom(0, 1, 24, 96, 174, 350, 400), { maxLength: 40 }),
    fc.array(fc.constant(1), { minLength: 98, maxLength: 203 }),
  );
  fc.assert(
    fc.property(sizes, (counts) => {
      const filled = counts.map((count, i) => ({
        chunk: { start: i, end: i + 1 },
        rows: Array.from({ length: count }, () => ({})),
      }));
      const batches = batchesOf(filled);
      expect(batches.flat()).toEqual(filled);
      const rowsIn = (batch: readonly Filled[]) => batch.reduce((sum, { rows }) => sum + rows.length, 0);
      for (const [i, batch] of batches.entries()) {
        expect(batch.length).toBeLessThanOrEqual(100);
        if (batch.length > 1) expect(rowsIn(batch)).toBeLessThanOrEqual(350);
        const next = batches[i + 1]?.[0];
        if (next && batch.length < 100) expect(rowsIn([...batch, next])).toBeGreaterThan(350);
      }
    }),
    { numRuns: 200 },
  );
});
