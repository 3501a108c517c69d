/** Occurrences of plans: their windows and fallback hours. */
import type { Calendar } from "../../time/calendar.ts";
import { clipped, DAY_MS, type EpochMs, HOUR_MS, type Interval } from "../../time/interval.ts";
import { readLocalTime } from "./local-time.ts";
import {
  type Away,
  hasHours,
  type LocalSpan,
  type PlanSpec,
  type PlanWindow,
  type Weekday,
  weekdays,
} from "./plan-spec.ts";

/** A plan with `days` has a window within a week, or a week later if its window falls into the skipped hour in spring. */
const SEARCHED_DAYS = 15;

/** Monday, 5 January 1970, before which there are no prices. */
const A_MONDAY = Date.UTC(1970, 0, 5);

/** At least two local days of any length. */
const DAYS_BEFORE_MS = 2 * DAY_MS + HOUR_MS;

/**
 * Returns the first occurrence that ends after `now`: the current one or the next one. A time that is skipped in spring is
 * the moment of the clock change; of a time that comes twice in autumn, the first counts. Null if `days` or all windows
 * are empty.
 */
export function horizonOf(spec: PlanSpec, now: EpochMs, calendar: Calendar): PlanWindow | null {
  if (spec.once) return now < spec.once.end ? { ...spec.once, until: spec.once.end } : null;
  const opens = spec.from ?? spec.readyBy ?? 0;
  const closes = spec.readyBy ?? opens;
  const { withinDays = 1 } = spec;
  let day = calendar.startOf("day", now - DAYS_BEFORE_MS - (withinDays - 1) * DAY_MS);
  for (let i = 0; i < SEARCHED_DAYS + withinDays; i++, day = calendar.add("day", day, 1)) {
    const days = Math.floor((day + calendar.offsetAt(day) - A_MONDAY) / DAY_MS);
    if (days % withinDays !== 0) continue;
    const window = spanOn(calendar, day, { from: opens, until: closes }, withinDays);
    const named = spec.from === undefined && spec.readyBy !== undefined ? window.end : window.start;
    if (window.end <= now || window.end <= window.start) continue;
    if (spec.days && !spec.days.includes(weekdayOf(calendar, named))) continue;
    return { ...window, until: lookedAtUntil(spec, window, calendar) };
  }
  return null;
}

/** Returns the occurrence to plan: that of `horizonOf`, or the next one if a new plan lacks time for its hours. */
export function roundAt(spec: PlanSpec, known: Interval | null, now: EpochMs, calendar: Calendar): PlanWindow | null {
  const window = horizonOf(spec, now, calendar);
  if (!window || !hasHours(spec) || now <= window.start || (known && known.start < window.end)) return window;
  return window.end - now < spec.hoursMs ? horizonOf(spec, window.end, calendar) : window;
}

/** Returns spans of local time inside a window. Shape: ascending, apart. */
export function spansIn(spans: readonly LocalSpan[], window: Interval, calendar: Calendar): Interval[] {
  const runs: Interval[] = [];
  for (const { from, until } of spans) {
    let day = calendar.add("day", calendar.startOf("day", window.start), -1);
    for (; day < window.end; day = calendar.add("day", day, 1)) {
      const run = clipped(spanOn(calendar, day, { from, until }), window);
      if (run) runs.push(run);
    }
  }
  return mergeRuns(runs);
}

/** Returns when a plan is never ON in a window, at any price. */
export function neverIn({ never }: PlanSpec, { start, until }: PlanWindow, calendar: Calendar): Interval[] {
  return never ? spansIn(never, { start, end: until }, calendar) : [];
}

/** Returns the time of a holiday; null for dates that do not exist, and without a holiday. */
export function awayTime(away: Away | null | undefined, calendar: Calendar): Interval | null {
  const [start, end] = [away?.from, away?.until].map((text) => momentOf(text ?? "", calendar));
  return start && end && start < end ? { start, end } : null;
}

function momentOf(text: string, calendar: Calendar): EpochMs | null {
  const [date = "", time = "00:00"] = text.split("T");
  const [day, minute] = [calendar.dateStart(date), readLocalTime(time)];
  return day === null || minute === null ? null : calendar.timeOnDay(day, minute);
}

/** Sorts runs and joins those that touch or overlap. Shape: ascending, apart. */
export function mergeRuns(runs: readonly Interval[]): Interval[] {
  const merged: Interval[] = [];
  for (const { start, end } of [...runs].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && start <= last.end) merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else merged.push({ start, end });
  }
  return merged;
}

/** Returns a span of local time over `days` days that starts on `day`. It ends a day later if `until` is at or before `from`. */
function spanOn(calendar: Calendar, day: EpochMs, { from, until }: LocalSpan, days = 1): Interval {
  const last = calendar.add("day", day, until > from ? days - 1 : days);
  return { start: calendar.timeOnDay(day, from), end: calendar.timeOnDay(last, until) };
}

/** Returns the end of the prices to use. A run of `below` may continue past midnight, so it uses the next day too. */
function lookedAtUntil(spec: PlanSpec, window: Interval, calendar: Calendar): EpochMs {
  const wholeDays = spec.from === undefined && spec.readyBy === undefined;
  return spec.kind === "below" && wholeDays && !spec.days ? calendar.add("day", window.end, 1) : window.end;
}

/** Returns the local day of the week. */
export function weekdayOf(calendar: Calendar, at: EpochMs): Weekday {
  const daysSinceMonday = (new Date(at + calendar.offsetAt(at)).getUTCDay() + 6) % 7;
  return weekdays[daysSinceMonday] ?? "mon";
}
