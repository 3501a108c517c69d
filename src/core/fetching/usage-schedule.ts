/** Selects the days of a usage series to request again: missing days, estimates, and days that may be corrected. */
import type { Calendar } from "../time/calendar.ts";
import type { EpochMs } from "../time/interval.ts";
import { nextSlot, type SlotClock, slotOn, slots } from "../time/schedule-slots.ts";
import type { FetchScheduleInput, SeriesState } from "./fetch-types.ts";

/** Days for which missing data and estimates are requested again. The weekly recheck finds later corrections. */
export const USAGE_DAYS = 7;
const RECHECK_DAYS = 14;
/** Local time of the recheck on Sundays, in minutes since midnight. */
const RECHECK_MINUTE = 12 * 60;

/** Returns the first day to request again and its due time; null if all days are final. */
export function usageCandidate(
  input: Pick<FetchScheduleInput, "now" | "calendar" | "offsetMs">,
  state: SeriesState,
  today: EpochMs,
): { start: EpochMs; dueAt: EpochMs } | null {
  const { calendar, now } = input;
  const yesterday = calendar.add("day", today, -1);
  const open = oldestOpenDay(state, calendar, today);
  const asked = state.askedAt(yesterday);
  if (asked === null && (state.answeredAt === null || isUnknown(state, calendar, today)))
    return { start: open ?? yesterday, dueAt: now };
  const recheckAt = lastRecheck(input, today);
  if (recheckAt <= now && wasAskedBefore(recheckAt, state, calendar, today))
    return { start: calendar.add("day", today, -RECHECK_DAYS), dueAt: recheckAt };
  if (open === null) return null;
  // Yesterday's slots were for the day before yesterday.
  const after = Math.max(asked ?? today, today);
  return {
    start: open,
    dueAt: nextSlot(input, after, state.chunk(yesterday)?.complete ? slots.estimates : slots.usage),
  };
}

/** Returns this week's recheck; on a Sunday it may still be in the future. */
function lastRecheck(input: SlotClock, today: EpochMs): EpochMs {
  const weekday = new Date(today + input.calendar.offsetAt(today)).getUTCDay();
  return slotOn(input, input.calendar.add("day", today, -weekday), RECHECK_MINUTE);
}

/** Returns true if a day of the recheck was last requested before it. */
function wasAskedBefore(recheckAt: EpochMs, state: SeriesState, calendar: Calendar, today: EpochMs): boolean {
  for (let back = RECHECK_DAYS; back > 0; back--) {
    const asked = state.askedAt(calendar.add("day", today, -back));
    if (asked !== null && asked < recheckAt) return true;
  }
  return false;
}

/** Returns true if none of the last days was ever requested. */
function isUnknown(state: SeriesState, calendar: Calendar, today: EpochMs): boolean {
  for (let back = USAGE_DAYS; back > 0; back--) if (state.chunk(calendar.add("day", today, -back))) return false;
  return true;
}

/**
 * Returns the oldest of the last days that is missing or estimated, or yesterday if it is incomplete; null if all are
 * final.
 */
function oldestOpenDay(state: SeriesState, calendar: Calendar, today: EpochMs): EpochMs | null {
  for (let back = USAGE_DAYS; back > 0; back--) {
    const start = calendar.add("day", today, -back);
    const chunk = state.chunk(start);
    if (!chunk || chunk.estimated || (!chunk.complete && back === 1)) return start;
  }
  return null;
}
