/** Answers for the LAN put together: what stands around the rows, and the rows inside what was asked. */
import { type BodyOf, type OperationId, operationOf, type ParamsOf } from "./contract/operations.ts";
import { putTogether, rangeOf, takeApart } from "./contract/shelving.ts";
import { CHUNK_SEPARATOR, decodeRows, encodeRows, endOfChunk } from "./core/columns.ts";
import type { RowsText } from "./core/columns-json.ts";
import type { EpochMs, Interval } from "./core/interval.ts";
import { type Envelope, rowsWithin } from "./core/series.ts";
import type { Found } from "./server/mirror.ts";

/** Stands for the rows while an answer is put together; JSON text never has a line end. */
const ROWS_MARK = "\n";

/** An answer that was asked for and could not be kept. */
export interface Unkept<Id extends OperationId> {
  readonly operation: Id;
  /** What the LAN wants, and what the service was asked for it. */
  readonly wanted: ParamsOf<Id>;
  readonly asked: ParamsOf<Id>;
  readonly body: BodyOf<Id>;
  readonly at: EpochMs;
}

/** The same as if it were on the shelf, for who wanted it; null where it is only a part of that. */
export function foundIn<Id extends OperationId>({ operation, wanted, asked, body, at }: Unkept<Id>): Found | null {
  const range = rangeOf(operation, wanted);
  const whole = rangeOf(operation, asked);
  if (range.start < whole.start || range.end > whole.end) return null;
  const { rows, envelope } = takeApart(operation, body);
  const inside = operationOf(operation).range ? rowsWithin([...rows], range) : [...rows];
  const read = () => aroundRows(operation, wanted, envelope, encodeRows(inside));
  // Versions of the shelf are above zero.
  return { version: -at, answeredAt: at, fresh: true, read };
}

/** The text of an answer whose rows are there already. */
export function aroundRows<Id extends OperationId>(
  operation: Id,
  params: ParamsOf<Id>,
  envelope: Envelope,
  rows: string,
): RowsText {
  const [head = "", tail = ""] = putTogether(operation, params, envelope, ROWS_MARK).split(ROWS_MARK);
  return { head, rows, tail };
}

/** Chunks in one text that stand for `whole`, of the first and the last no more than the rows inside `range`. */
export function cutToRange(text: string, range: Interval, whole: Interval): string {
  const inside = (chunk: string) => encodeRows(rowsWithin(decodeRows(chunk), range));
  const last = text.lastIndexOf(CHUNK_SEPARATOR) + 1;
  const upToEnd = whole.end > range.end ? text.slice(0, last) + inside(text.slice(last)) : text;
  if (whole.start === range.start) return upToEnd;
  const first = endOfChunk(upToEnd, 0);
  return inside(upToEnd.slice(0, first)) + upToEnd.slice(first);
}
