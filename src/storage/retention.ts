/** Deletes what is older than the owner wants to keep, in small steps. Free pages are used again, so the file stops growing. */
import { CALENDAR_YEARS, type Calendar } from "../core/time/calendar.ts";
import { DAY_MS, type EpochMs, HOUR_MS } from "../core/time/interval.ts";
import type { RequestLog } from "./request-log.ts";
import type { SeriesStore } from "./series-store.ts";

/**
 * How long an attempt is kept. The rate limiter looks back a day, the fetch schedule a week, and what is given to the LAN
 * without asking is at most 30 days old; the rest is for the owner who wants to know what was asked.
 */
export const LEDGER_MS: number = 90 * DAY_MS;
/** Rows deleted in one transaction: under a millisecond of work. */
const ROWS_PER_STEP = 200;

/**
 * Deletes chunks that begin more than `years` ago, and attempts beyond their time. Yields between steps, so that the
 * caller may let others run. The years are counted from the earlier of the service's own time and the clock's: neither a
 * clock that stands in 2069 nor a damaged number deletes anything. Returns how many rows went.
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
  const attempts = yield* inSteps((most) => requestLog.deleteBefore(now - LEDGER_MS, most));
  return { chunks, attempts };
}

/**
 * Where the kept history begins: on a first of January, so that no month or year is kept by half, and never before the
 * calendar does.
 */
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
