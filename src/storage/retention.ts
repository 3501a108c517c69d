/** Deletes old data in small steps. SQLite reuses the freed pages, so the file stops growing. */
import { CALENDAR_YEARS, type Calendar } from "../core/time/calendar.ts";
import { DAY_MS, type EpochMs, HOUR_MS } from "../core/time/interval.ts";
import type { RequestLog } from "./request-log.ts";
import type { SeriesStore } from "./series/series-store.ts";

/** Retention of attempts: the time in which the service corrects readings. */
export const MAX_REQUEST_AGE_MS: number = 90 * DAY_MS;
/** Rows deleted in one transaction: less than 1 ms of work. */
const ROWS_PER_STEP = 200;

/**
 * Deletes chunks that start more than `years` ago, and old attempts, and yields between steps. Uses the earlier of the
 * service's time and the clock, so that a wrong clock deletes nothing. Returns the numbers of rows.
 */
export function* deleteOld(
  parts: { readonly store: SeriesStore; readonly requestLog: RequestLog; readonly calendar: Calendar },
  years: number,
  clockNow: EpochMs = Number.POSITIVE_INFINITY,
): Generator<void, { readonly chunks: number; readonly attempts: number }> {
  const { store, requestLog, calendar } = parts;
  const serverNow = requestLog.serverTime();
  if (serverNow === null) return { chunks: 0, attempts: 0 };
  const now = Math.min(serverNow, clockNow);
  const before = historyStart(now, years, calendar);
  const chunks = yield* inSteps((most) => store.deleteBefore(before, most));
  const attempts = yield* inSteps((most) => requestLog.deleteBefore(now - MAX_REQUEST_AGE_MS, most));
  return { chunks, attempts };
}

/** Returns the start of the retained history: a 1 January, in the years of the calendar. */
export function historyStart(now: EpochMs, years: number, calendar: Calendar): EpochMs {
  const reaches = new Date(now).getUTCFullYear() - years > CALENDAR_YEARS.first;
  return reaches ? calendar.startOf("year", calendar.shift(now, "year", -years)) : calendar.startOf("year", HOUR_MS);
}

function* inSteps(step: (most: number) => number): Generator<void, number> {
  let deleted = 0;
  for (let count = step(ROWS_PER_STEP); count > 0; count = step(ROWS_PER_STEP)) {
    deleted += count;
    yield;
  }
  return deleted;
}
