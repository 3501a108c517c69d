/** Selects the days of a usage series to request again: missing days, estimates, and days that may be corrected. */
import type { Calendar } from "../time/calendar.ts";
import { DAY_MS, type EpochMs } from "../time/interval.ts";
import { nextSlot, type SlotClock, slotOn, slots } from "../time/schedule-slots.ts";
import { type FetchScheduleInput, isKnown, type SeriesState } from "./fetch-types.ts";

/** Days for which missing data and estimates are requested again every morning. */
export const USAGE_DAYS = 7;
/**
 * Rechecks on Sundays: days up to `days` ago are requested again every `weeks` weeks. Readings arrive and are corrected
 * for up to three months, later ones more rarely. The last one goes four weeks further, so that each day is requested
 * once after these months. A Sunday has one request for each series, whatever the number of days.
 */
const RECHECKS = [
  { days: 92 + 28, weeks: 4 },
  { days: 42, weeks: 2 },
  { days: 14, weeks: 1 },
] as const;
/** Local time of the rechecks on Sundays, in minutes since midnight. */
const RECHECK_MINUTE = 12 * 60;

/** Returns the starts of the days that may be requested again, and of today. Shape: ascending. */
export function usageDaysUntil(today: EpochMs, calendar: Calendar): EpochMs[] {
  return calendar.boundaries("day", { start: calendar.add("day", today, -RECHECKS[0].days), end: today });
}

/**
 * Returns the first day to request again and its due time; null if all days are final until the next recheck. `reach`:
 * result of `usageDaysUntil`.
 */
export function usageCandidate(
  input: Pick<FetchScheduleInput, "now" | "calendar" | "offsetMs">,
  state: SeriesState,
  reach: readonly EpochMs[],
): { start: EpochMs; dueAt: EpochMs } | null {
  const { calendar, now } = input;
  const [yesterday, today] = reach.slice(-2) as [EpochMs, EpochMs];
  const days = recentDays(state, calendar, today);
  const open = days.find(({ isOpen }) => isOpen)?.start ?? null;
  const askedAt = state.askedAt(yesterday);
  const isNew = state.answeredAt === null || days.every(({ isAsked }) => !isAsked);
  if (askedAt === null && isNew) return { start: open ?? yesterday, dueAt: now };
  const recheck = sundayRecheck(input, state, reach);
  if (recheck) return recheck;
  if (open === null) return null;
  // Yesterday's slots were for the day before yesterday.
  const after = Math.max(askedAt ?? today, today);
  return {
    start: days.find(({ isFinal }) => !isFinal)?.start ?? open,
    dueAt: nextSlot(input, after, state.chunk(yesterday)?.complete ? slots.estimates : slots.usage),
  };
}

/** Returns the first day to request again on Sundays and its due time; null if that is done. `reach`: as above. */
export function sundayRecheck(
  input: Pick<FetchScheduleInput, "now" | "calendar" | "offsetMs">,
  state: SeriesState,
  reach: readonly EpochMs[],
): { start: EpochMs; dueAt: EpochMs } | null {
  for (const { days: count, weeks } of RECHECKS) {
    const dueAt = lastRecheck(input, reach.at(-1) ?? input.now, weeks);
    if (dueAt > input.now) continue;
    // A request that was given up is repeated that day, at its regular times; then the recheck is over.
    const isOver = input.now >= dueAt + DAY_MS;
    const timeOf = isOver ? state.askedAt : (state.receivedAt ?? state.askedAt);
    const start = reach.slice(-1 - count, -1).find((day) => isBefore(timeOf(day), dueAt));
    if (start === undefined) continue;
    const askedAt = state.askedAt(start) ?? 0;
    return { start, dueAt: askedAt < dueAt ? dueAt : nextSlot(input, askedAt, slots.usage) };
  }
  return null;
}

/** Returns the latest recheck that takes place every `weeks` weeks; on a Sunday it may still be in the future. */
function lastRecheck(input: SlotClock, today: EpochMs, weeks: number): EpochMs {
  // 1970 began on a Thursday, so Sundays are the days 3, 10, 17, …
  const date = Math.floor((today + input.calendar.offsetAt(today)) / DAY_MS);
  const since = (date - 3) % (7 * weeks);
  return slotOn(input, input.calendar.add("day", today, -since), RECHECK_MINUTE);
}

function isBefore(at: EpochMs | null, recheckAt: EpochMs): boolean {
  return at !== null && at < recheckAt;
}

/** Returns the days that are requested every morning, oldest first. */
function recentDays(state: SeriesState, calendar: Calendar, today: EpochMs) {
  return Array.from({ length: USAGE_DAYS }, (_, i) => {
    const back = USAGE_DAYS - i;
    const start = calendar.add("day", today, -back);
    const chunk = state.chunk(start);
    const isAsked = isKnown(chunk, state.askedAt(start), calendar.add("day", start, 1));
    // A request that is due anyway includes the days that are not final.
    const isFinal = chunk?.complete === true && !chunk.estimated;
    // A request is due for a day that is unknown or estimated, and for yesterday if it is incomplete.
    return { start, isAsked, isFinal, isOpen: !isAsked || chunk?.estimated === true || (!isFinal && back === 1) };
  });
}
