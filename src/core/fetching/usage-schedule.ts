/** Which days of a series of use are to be asked again: what is missing, what is an estimate, what may be corrected. */
import type { Calendar } from "../time/calendar.ts";
import type { EpochMs } from "../time/interval.ts";
import { nextSlot, type SlotClock, slotOn, slots } from "../time/schedule-slots.ts";
import type { FetchScheduleInput, SeriesState } from "./fetch-types.ts";

/** Missing days and estimates are asked again for this many days; later corrections come with the weekly recheck. */
export const USAGE_DAYS = 7;
const RECHECK_DAYS = 14;
/** The local time of the recheck on Sundays. */
const RECHECK_MINUTE = 12 * 60;

/** From which day on a series of use is to be asked again, and when; null while all of it is final. */
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
  // The times of yesterday were for the day before it.
  const after = Math.max(asked ?? today, today);
  return {
    start: open,
    dueAt: nextSlot(input, after, state.chunk(yesterday)?.complete ? slots.estimates : slots.usage),
  };
}

/** The recheck of this week, which may be still to come today. */
function lastRecheck(input: SlotClock, today: EpochMs): EpochMs {
  const weekday = new Date(today + input.calendar.offsetAt(today)).getUTCDay();
  return slotOn(input, input.calendar.add("day", today, -weekday), RECHECK_MINUTE);
}

/** Whether some day of the recheck was last asked before it. */
function wasAskedBefore(recheckAt: EpochMs, state: SeriesState, calendar: Calendar, today: EpochMs): boolean {
  for (let back = RECHECK_DAYS; back > 0; back--) {
    const asked = state.askedAt(calendar.add("day", today, -back));
    if (asked !== null && asked < recheckAt) return true;
  }
  return false;
}

/** Whether none of the last days was ever asked. */
function isUnknown(state: SeriesState, calendar: Calendar, today: EpochMs): boolean {
  for (let back = USAGE_DAYS; back > 0; back--) if (state.chunk(calendar.add("day", today, -back))) return false;
  return true;
}

/** The oldest of the last days that is missing, incomplete or estimated; null if all are final. */
function oldestOpenDay(state: SeriesState, calendar: Calendar, today: EpochMs): EpochMs | null {
  for (let back = USAGE_DAYS; back > 0; back--) {
    const start = calendar.add("day", today, -back);
    const chunk = state.chunk(start);
    if (!chunk || chunk.estimated || (!chunk.complete && back === 1)) return start;
  }
  return null;
}
