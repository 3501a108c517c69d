/** Removes rows of a series that cannot all be true. */
import { type Row, rowEnd, rowStart } from "../../core/series/series.ts";
import type { EpochMs, Interval } from "../../core/time/interval.ts";

/**
 * Returns the end of a row that starts after `reached`, which is that of the row before; null if the rows are out of
 * order and have to be compared. A row without a start changes nothing.
 */
export function reachedAfter(row: unknown, reached: EpochMs): EpochMs | null {
  const start = rowStart(row as Row);
  if (start === null) return reached;
  const end = rowEnd(row as Row) ?? start + 1;
  return start < reached || end <= start ? null : end;
}

interface Placed extends Interval {
  readonly index: number;
  readonly row: Row;
}

/**
 * Returns the rows without those that end before they start, overlap, or state different values for one start. Of two
 * rows that overlap, the one of an unusual length is dropped; if both are usual, both are dropped, because it is unknown
 * which one is right. An exact repetition stays. Rows without a start are not compared. `dropped` is called with each
 * index. Shape: rows in any order; the result is `rows` itself if nothing was dropped.
 */
export function withoutContradictions<Each>(
  rows: readonly Each[],
  dropped: (index: number, why: string) => void,
): readonly Each[] {
  const reasons = new Map<number, string>();
  const placed: Placed[] = [];
  for (const [index, row] of rows.entries()) {
    const start = rowStart(row as Row);
    if (start === null) continue;
    const end = rowEnd(row as Row);
    if (end !== null && end <= start) reasons.set(index, "expected an end after its start");
    else placed.push({ index, row: row as Row, start, end: end ?? start });
  }
  for (const crowd of overlapping(placed)) {
    const usual = usualLength(placed);
    const odd = crowd.filter(({ start, end }) => end - start !== usual);
    const rest = crowd.filter(({ start, end }) => end - start === usual);
    const wrong = rest.length > 0 ? [...odd, ...overlapping(rest).flat()] : crowd;
    for (const { index, start } of wrong)
      reasons.set(index, `contradicts another row at ${new Date(start).toISOString()}`);
  }
  if (reasons.size === 0) return rows;
  for (const [index, why] of [...reasons].sort(([a], [b]) => a - b)) dropped(index, why);
  return rows.filter((_, index) => !reasons.has(index));
}

/** Returns the groups of rows that overlap or have the same start, except exact repetitions. */
function overlapping(placed: readonly Placed[]): Placed[][] {
  const isAscending = placed.every(({ start }, i) => start > (placed[i - 1]?.start ?? Number.NEGATIVE_INFINITY));
  const sorted = isAscending ? placed : placed.toSorted((a, b) => a.start - b.start);
  const groups: Placed[][] = [];
  let group: Placed[] = [];
  let reached: EpochMs = Number.NEGATIVE_INFINITY;
  const finish = () => {
    const [first, ...others] = group;
    if (first && others.some(({ row }) => JSON.stringify(row) !== JSON.stringify(first.row))) groups.push(group);
  };
  for (const each of sorted) {
    if (each.start < reached || each.start === group[0]?.start) group.push(each);
    else {
      finish();
      group = [each];
    }
    reached = Math.max(reached, each.end);
  }
  finish();
  return groups;
}

/** Returns the most frequent length of a row. Unit: ms. */
function usualLength(placed: readonly Placed[]): number {
  const counts = new Map<number, number>();
  for (const { start, end } of placed) counts.set(end - start, (counts.get(end - start) ?? 0) + 1);
  return [...counts].reduce((most, each) => (each[1] > most[1] ? each : most), [0, 0])[0];
}
