/** What the ingesting child stores, and its parent looks for. */

import type { Row, SeriesKey } from "../../../src/core/series/series.ts";
import type { Interval } from "../../../src/core/time/interval.ts";
import { dayOf, rowsOf } from "./store-on-disk.ts";

/** The only series. */
export const ingested: SeriesKey = { account: "consumer", place: "home", operation: "prices", unit: "fifteenMinutes" };
/** Twelve days with a clock change in them: an answer of four slices. */
export const ingestedRange: Interval = { start: dayOf("2026-10-20").start, end: dayOf("2026-10-31").end };

/** The answer of a round: every price is the round, so that what is stored says which answer it came from. */
export function answerOf(round: number): Row[] {
  return rowsOf("fifteenMinutes", ingestedRange, () => round);
}
