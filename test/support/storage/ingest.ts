/** Data that the ingesting child stores and its parent checks. */

import type { Row, SeriesKey } from "../../../src/core/series/series.ts";
import type { Interval } from "../../../src/core/time/interval.ts";
import { dayOf, rowsOf } from "./store-on-disk.ts";

/** The only series. */
export const ingested: SeriesKey = { account: "consumer", place: "home", operation: "prices", unit: "fifteenMinutes" };
/** Twelve days that contain a clock change. The response is stored in several chunks. */
export const ingestedRange: Interval = { start: dayOf("2026-10-20").start, end: dayOf("2026-10-31").end };

/** Returns the response of a round. Every price equals the round, so a stored price identifies its response. */
export function answerOf(round: number): Row[] {
  return rowsOf("fifteenMinutes", ingestedRange, () => round);
}
