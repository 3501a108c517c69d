/** Selects the days of a usage series to request again: missing days, estimates, and days that may be corrected. */
import type { Calendar } from "../time/calendar.ts";
import type { EpochMs } from "../time/interval.ts";
import { nextSlot, type SlotClock, slotOn, slots } from "../time/schedule-slots.ts";
import { type FetchScheduleInput, isKnown, type SeriesState } from "./fetch-types.ts";

/** Days for which missing data and estimates are requested again every morning. */
export const USAGE_DAYS = 7;
/**
 * Days of the weekly recheck: readings arrive and are corrected for up to three months. It is one request for each
 * series, whatever the number of days.
 */
const RECHECK_DAYS = 92;
/** Local time of the recheck on Sundays, in minutes since midnight. */
const RECHECK_MINUTE = 12 * 60;

/** Returns the first day to request again and its due time; null if all days are final until the next recheck. */
export function usageCandidate(
  input: Pick<FetchScheduleInput, "now" | "calendar" | "offsetMs">,
  state: SeriesState,
  today: EpochMs,
): { start: EpochMs; dueAt: EpochMs } | null {
  const { calendar, now } = input;
  const yesterday = calendar.add("day", today, -1);
  const days = recentDays(state, calendar, today);
  const open = days.find(({ isOpen }) => isOpen)?.start ?? null;
  const asked = state.askedAt(yesterday);
  const isNew = state.answeredAt === null || days.every(({ isAsked }) => !isAsked);
  if (asked === null && isNew) return { start: open ?? yesterday, dueAt: now };
  const recheckAt = lastRecheck(input, today);
  const recheckFrom = recheckAt <= now ? firstRechecked(recheckAt, state, calendar, today) : null;
  if (recheckFrom !== null) return { start: recheckFrom, dueAt: recheckAt };
  if (open === null) return null;
  // Yesterday's slots were for the day before yesterday.
  const after = Math.max(asked ?? today, today);
  return {
    start: days.find(({ isFinal }) => !isFinal)?.start ?? open,
    dueAt: nextSlot(input, after, state.chunk(yesterday)?.complete ? slots.estimates : slots.usage),
  };
}

/** Returns this week's recheck; on a Sunday it may still be in the future. */
function lastRecheck(input: SlotClock, today: EpochMs): EpochMs {
  const weekday = new Date(today + input.calendar.offsetAt(today)).getUTCDay();
  return slotOn(input, input.calendar.add("day", today, -weekday), RECHECK_MINUTE);
}

/**
 * Returns the oldest stored day of the recheck if one of its days was last requested before it; null if it is done.
 */
function firstRechecked(recheckAt: EpochMs, state: SeriesState, calendar: Calendar, today: EpochMs): EpochMs | null {
  let first: EpochMs | null = null;
  for (let back = RECHECK_DAYS; back > 0; back--) {
    const day = calendar.add("day", today, -back);
    if (state.chunk(day) !== null) first ??= day;
    const asked = state.askedAt(day);
    if (asked !== null && asked < recheckAt) return first ?? day;
  }
  return null;
}

/** State of one of the last days. */
interface RecentDay {
  readonly start: EpochMs;
  readonly isAsked: boolean;
  /** True if a request is due for it: it is unknown or estimated, or it is yesterday and incomplete. */
  readonly isOpen: boolean;
  /** True if its data is complete and not estimated. A request that is due anyway includes the others. */
  readonly isFinal: boolean;
}

/** Returns the days that are requested every morning, oldest first. */
function recentDays(state: SeriesState, calendar: Calendar, today: EpochMs): RecentDay[] {
  return Array.from({ length: USAGE_DAYS }, (_, i) => {
    const back = USAGE_DAYS - i;
    const start = calendar.add("day", today, -back);
    const chunk = state.chunk(start);
    const isAsked = isKnown(chunk, state.askedAt(start), calendar.add("day", start, 1));
    const isFinal = chunk?.complete === true && !chunk.estimated;
    return { start, isAsked, isFinal, isOpen: !isAsked || chunk?.estimated === true || (!isFinal && back === 1) };
  });
}
