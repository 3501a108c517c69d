/** Stored data for a request of the LAN. */
import { rowsWithin } from "../core/series/series.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { type BodyOf, type OperationId, operationOf, type ParamsOf } from "../service/contract/operations.ts";
import { aroundRows, rangeOf, takeApart } from "../service/contract/series-mapping.ts";
import { textOfRows } from "../storage/series/chunk-text.ts";

/** Source of the body of a response. */
export interface AnswerSource {
  /** Changes with every change of the series. */
  readonly version: number | string;
  /** Returns the whole body in UTF-8. */
  readonly read: () => Buffer;
}

/** Stored data for a request. */
export interface Found extends AnswerSource {
  /** When the service last answered the oldest part of it. */
  readonly answeredAt: EpochMs;
  /** Whether it may be returned without asking the service again. */
  readonly fresh: boolean;
}

/** An answer of the service that could not be stored. */
export interface UnstoredAnswer<Id extends OperationId> {
  readonly operation: Id;
  /** Parameters of the LAN's request, and of the request to the service. */
  readonly wanted: ParamsOf<Id>;
  readonly sent: ParamsOf<Id>;
  readonly body: BodyOf<Id>;
  readonly at: EpochMs;
}

/** Returns the answer as if it were stored; null if it covers only a part of the LAN's request. */
export function foundIn<Id extends OperationId>({
  operation,
  wanted,
  sent,
  body,
  at,
}: UnstoredAnswer<Id>): Found | null {
  const range = rangeOf(operation, wanted);
  const whole = rangeOf(operation, sent);
  if (range.start < whole.start || range.end > whole.end) return null;
  const { rows, envelope } = takeApart(operation, body);
  const inside = operationOf(operation).range ? rowsWithin([...rows], range) : [...rows];
  const read = () => Buffer.from(aroundRows(operation, wanted, envelope).join(textOfRows(inside)));
  // Negative, because versions of the series store are positive.
  return { version: -at, answeredAt: at, fresh: true, read };
}
