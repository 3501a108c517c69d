/** When a plan's occurrences are. */
import type { Calendar } from "../../time/calendar.ts";
import { DAY_MS, type EpochMs, HOUR_MS, type Interval } from "../../time/interval.ts";
import { type LocalMinute, type PlanSpec, type PlanWindow, type Weekday, weekdays } from "./plan-spec.ts";

/** A plan that names a day comes within a week; one that falls into an hour skipped in spring a week later. */
const SEARCHED_DAYS = 15;

/** Two local days of any length. */
const DAYS_BEFORE_MS = 2 * DAY_MS + HOUR_MS;

/**
 * The occurrence that `now` is in, else the next one: the first that ends after `now`. Its start may have passed.
 * A time skipped in spring is the moment of the change, one that comes twice in autumn the first. Null where `days` is
 * empty or the window always is.
 */
export function horizonOf(spec: PlanSpec, now: EpochMs, calendar: Calendar): PlanWindow | null {
  const opens = spec.from ?? spec.readyBy ?? 0;
  const closes = spec.readyBy ?? opens;
  let day = calendar.startOf("day", now - DAYS_BEFORE_MS);
  for (let i = 0; i < SEARCHED_DAYS; i++, day = calendar.add("day", day, 1)) {
    const window = spanOn(calendar, day, opens, closes);
    const named = spec.from === undefined && spec.readyBy !== undefined ? window.end : window.start;
    if (window.end <= now || window.end <= window.start) continue;
    if (spec.days && !spec.days.includes(weekdayOf(calendar, named))) continue;
    return { ...window, until: lookedAtUntil(spec, window, calendar) };
  }
  return null;
}

/**
 * The occurrence that a plan is to do: that of `horizonOf`, but the next where a new plan finds too little of it left for
 * its hours. `known`: the window that it is in already, or waits for.
 */
export function roundAt(spec: PlanSpec, known: Interval | null, now: EpochMs, calendar: Calendar): PlanWindow | null {
  const window = horizonOf(spec, now, calendar);
  const hasHours = spec.kind === "window" || spec.kind === "slots";
  if (!window || !hasHours || now <= window.start || (known && known.start < window.end)) return window;
  return window.end - now < spec.hoursMs ? horizonOf(spec, window.end, calendar) : window;
}

/** The plan's fixed hours inside a window, for when prices are missing. Shape: ascending, apart. */
export function fallbackRuns(spec: PlanSpec, window: Interval, calendar: Calendar): Interval[] {
  const runs: Interval[] = [];
  for (const { from, until } of spec.fallback ?? []) {
    let day = calendar.add("day", calendar.startOf("day", window.start), -1);
    for (; day < window.end; day = calendar.add("day", day, 1)) {
      const span = spanOn(calendar, day, from, until);
      const run = { start: Math.max(span.start, window.start), end: Math.min(span.end, window.end) };
      if (run.start < run.end) runs.push(run);
    }
  }
  return mergeRuns(runs);
}

/** Puts runs in order and joins those that touch or overlap. Shape: ascending, apart. */
export function mergeRuns(runs: readonly Interval[]): Interval[] {
  const merged: Interval[] = [];
  for (const { start, end } of [...runs].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && start <= last.end) merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else merged.push({ start, end });
  }
  return merged;
}

/** Local hours that begin on a day; those that end at or before their beginning end on the next day. */
function spanOn(calendar: Calendar, day: EpochMs, from: LocalMinute, until: LocalMinute): Interval {
  const last = until > from ? day : calendar.add("day", day, 1);
  return { start: calendar.timeOnDay(day, from), end: calendar.timeOnDay(last, until) };
}

/** A run of `below` may go on over midnight, so a plan of whole days sees the next day too. */
function lookedAtUntil(spec: PlanSpec, window: Interval, calendar: Calendar): EpochMs {
  const wholeDays = spec.from === undefined && spec.readyBy === undefined;
  return spec.kind === "below" && wholeDays && !spec.days ? calendar.add("day", window.end, 1) : window.end;
}

function weekdayOf(calendar: Calendar, at: EpochMs): Weekday {
  const daysSinceMonday = (new Date(at + calendar.offsetAt(at)).getUTCDay() + 6) % 7;
  return weekdays[daysSinceMonday] ?? "mon";
}
