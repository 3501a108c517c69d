/** The local clock times of the fetch schedule, and which of them comes next. */
import type { Calendar } from "./calendar.ts";
import { DAY_MS, type EpochMs } from "./interval.ts";

/** Times of the local day in minutes, ascending. */
export type Slots = readonly number[];

/** How an installation reads its slots: on the local clock, moved by its own few minutes. */
export interface SlotClock {
  readonly calendar: Calendar;
  /** Fixed for an installation, so that a thousand houses do not ask in the same second. Unit: ms, 0 to 8 minutes. */
  readonly offsetMs: number;
}

/**
 * Around the usual publication often, then patiently until the night. In the afternoon every twenty minutes: late
 * prices mostly come there, and a quarter of an hour after them is soon enough for three in four.
 */
const TOMORROW: Slots = [
  ...[782, 787, 792, 797, 812],
  ...everyMinutes(20, 832, 1032),
  ...[1062, 1092, 1152, 1230, 1410],
];

/** When each series may be asked until it has what is wanted. Source: design, quota. */
export const slots = {
  tomorrow: TOMORROW,
  /** The first is the last try of the evening before. From noon on one request asks for both days. */
  today: [5, 65, 215, 395, 575, 755, ...TOMORROW],
  usage: [7 * 60, 12 * 60, 18 * 60],
  usageLast: 18 * 60,
  /** When yesterday's use has come, and some of it is an estimate. */
  estimates: [7 * 60],
  forecast: everyMinutes(180, 20, 24 * 60 - 1),
  /** While today's prices are missing, the requests of the night and the morning go to them. */
  forecastWithoutToday: [20, 920, 1100, 1280],
  addresses: [4 * 60 + 10],
  /** A place's prices are spot prices and charges of the day: fewer times than a home's, for a smaller quota. */
  placeTomorrow: [782, 787, 797, 842, 902, 1022, 1202],
  placeToday: [20, 782, 787, 797, 842, 902, 1022, 1202],
  placeDaily: [5 * 60 + 10],
} as const satisfies Record<string, Slots | number>;

/** The first of the daily times after `after`. A time skipped in spring comes at the change, one that comes twice first. */
export function nextSlot({ calendar, offsetMs }: SlotClock, after: EpochMs, minutesOfDay: Slots): EpochMs {
  for (let day = calendar.startOf("day", after - offsetMs); ; day = calendar.add("day", day, 1)) {
    for (const minute of minutesOfDay) {
      const at = calendar.timeOnDay(day, minute) + offsetMs;
      if (at > after) return at;
    }
    if (day > after + 2 * DAY_MS) throw new RangeError("a timetable without times");
  }
}

/** One of the daily times, on the local day that begins at `day`. */
export function slotOn({ calendar, offsetMs }: SlotClock, day: EpochMs, minuteOfDay: number): EpochMs {
  return calendar.timeOnDay(day, minuteOfDay) + offsetMs;
}

function everyMinutes(step: number, first: number, last: number): number[] {
  const minutes: number[] = [];
  for (let minute = first; minute <= last; minute += step) minutes.push(minute);
  return minutes;
}
