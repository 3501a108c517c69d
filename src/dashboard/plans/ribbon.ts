/** What the ribbons of plans show: a range of time with the levels of its prices, the windows and the runs of a plan. */
import type { Calendar } from "../../core/time/calendar.ts";
import { HOUR_MS, type Interval } from "../../core/time/interval.ts";
import type { Plan } from "../store/answers.ts";
import type { ShownPoint } from "../timeline.ts";

const DAY_MINUTES = 1_440;

/** Returns the range from the current hour to the end of tomorrow, or to the last known price before it. */
export function ribbonRange(points: readonly ShownPoint[], now: number, calendar: Calendar): Interval {
  const start = Math.floor(now / HOUR_MS) * HOUR_MS;
  const end = calendar.add("day", now, 2);
  const known = points.at(-1)?.end ?? end;
  return { start, end: known > calendar.add("day", now, 1) ? Math.min(end, known) : end };
}

/** Returns the position of an instant in a range. Unit: percent. */
export function percentIn({ start, end }: Interval, at: number): number {
  return Math.min(100, Math.max(0, (100 * (at - start)) / (end - start)));
}

/** Returns the levels of the prices in a range as a background. Times without a price are transparent. */
export function shadesOf(points: readonly ShownPoint[], range: Interval): string {
  const stops: string[] = [];
  let reached = range.start;
  const add = (color: string, from: number, to: number) =>
    stops.push(`${color} ${percentIn(range, from).toFixed(2)}% ${percentIn(range, to).toFixed(2)}%`);
  for (const { start, end, level } of points) {
    if (end <= range.start || start >= range.end) continue;
    if (start > reached) add("transparent", reached, start);
    add(`var(--${level})`, start, end);
    reached = end;
  }
  if (reached < range.end) add("transparent", reached, range.end);
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

/** Returns the windows of a plan in a range: from `from` to `ready_by` of each day; the whole range without them. */
export function windowsIn({ settings }: Pick<Plan, "settings">, range: Interval, calendar: Calendar): Interval[] {
  const [from, readyBy] = [minutesOf(settings.from?.value), minutesOf(settings.ready_by?.value)];
  if (from === null && readyBy === null) return [range];
  const opens = from ?? readyBy ?? 0;
  const closes = readyBy ?? opens;
  const isNextDay = closes <= opens;
  const days = calendar.startsIn("day", { start: calendar.add("day", range.start, -1), end: range.end });
  return days
    .map((day) => ({
      start: calendar.timeOnDay(day, opens),
      end: calendar.timeOnDay(isNextDay ? calendar.add("day", day, 1) : day, closes),
    }))
    .filter(({ start, end }) => end > range.start && start < range.end);
}

function minutesOf(time: unknown): number | null {
  const [, hour, minute] = /^(\d\d):(\d\d)$/.exec(String(time)) ?? [];
  return hour === undefined || minute === undefined ? null : (Number(hour) * 60 + Number(minute)) % DAY_MINUTES;
}
