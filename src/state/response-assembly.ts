/** Puts answers for the LAN together from an envelope and rows. */

import { rowsWithin } from "../core/series/series.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { type BodyOf, type OperationId, operationOf, type ParamsOf } from "../service/contract/operations.ts";
import { putTogether, rangeOf, takeApart } from "../service/contract/series-mapping.ts";
import { textOfRows } from "../storage/chunk-text.ts";
import type { Found } from "./stored-answer.ts";

/** An answer that was asked for and could not be kept. */
export interface Unkept<Id extends OperationId> {
  readonly operation: Id;
  /** What the LAN wants, and what the service was asked for it. */
  readonly wanted: ParamsOf<Id>;
  readonly asked: ParamsOf<Id>;
  readonly body: BodyOf<Id>;
  readonly at: EpochMs;
}

/** The same as if it were in storage, for who wanted it; null where it is only a part of that. */
export function foundIn<Id extends OperationId>({ operation, wanted, asked, body, at }: Unkept<Id>): Found | null {
  const range = rangeOf(operation, wanted);
  const whole = rangeOf(operation, asked);
  if (range.start < whole.start || range.end > whole.end) return null;
  const { rows, envelope } = takeApart(operation, body);
  const inside = operationOf(operation).range ? rowsWithin([...rows], range) : [...rows];
  const read = () => putTogether(operation, wanted, envelope, [Buffer.from(textOfRows(inside))]);
  // Versions of the series store are above zero.
  return { version: -at, answeredAt: at, fresh: true, read };
}
