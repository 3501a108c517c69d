/** Local clock times of the fetch schedule, and the search for the next one. */
import type { Calendar } from "./calendar.ts";
import { DAY_MS, type EpochMs, MINUTE_MS } from "./interval.ts";

/** Range of the random time offset of an installation, so that not all ask in the same second. */
export const MAX_OFFSET_MS: number = 8 * MINUTE_MS;

/** Minutes since local midnight, ascending. */
export type Slots = readonly number[];

/** Time zone and offset with which an installation reads its slots. */
export interface SlotClock {
  readonly calendar: Calendar;
  /** Offset of this installation, so that not all send in the same second. Unit: ms, 0 to 8 minutes. */
  readonly offsetMs: number;
}

/**
 * 13:02, 13:07, 13:12, 13:17 and 13:32, around the usual publication. Then every 20 minutes from 13:52 to 17:12, when
 * most late prices arrive. Then 17:42, 18:12, 19:12, 20:30 and 23:30.
 */
const TOMORROW: Slots = [
  ...[782, 787, 792, 797, 812],
  ...everyMinutes(20, 832, 1032),
  ...[1062, 1092, 1152, 1230, 1410],
];

const SHORT_TOMORROW: Slots = [...TOMORROW.slice(0, 5), 872, 932, 1032, 1152, 1410];
const FORECAST: Slots = everyMinutes(180, 380, 1280);

/** Request times per series, used until the wanted data is complete. Source: design, quota. */
export const slots = {
  tomorrow: TOMORROW,
  /** 00:05 is the last attempt of the previous evening. If tomorrow is missing too, one request covers both days. */
  today: [5, 65, 215, 395, 575, 755, ...TOMORROW],
  /** Used when a day has prices but not all, or implausible ones: at first often, then every hour or two. */
  shortToday: [395, 755, ...SHORT_TOMORROW],
  shortTomorrow: SHORT_TOMORROW,
  usage: [7 * 60, 12 * 60, 18 * 60],
  usageLast: 18 * 60,
  /** Used when yesterday's usage is complete but contains an estimate. */
  estimates: [7 * 60],
  /** Every three hours, but not in the night. At noon the forecast waits for tomorrow's prices, which it follows. */
  forecast: FORECAST.filter((minute) => minute !== 740),
  /** Used while tomorrow's prices are missing. */
  forecastBeforeTomorrow: FORECAST.map((minute) => (minute === 740 ? 830 : minute)),
  /** Used while today's prices are missing: none in the morning, so that the quota is left for the prices. */
  forecastWithoutToday: [920, 1100, 1280],
  /** Recheck of today's complete prices in the morning. */
  todayRecheck: 8 * 60 + 40,
  /** Recheck of complete prices. The forecast follows each request for tomorrow's prices, so it is due then too. */
  pricesRecheck: 21 * 60 + 20,
  addresses: [4 * 60 + 10],
  /** Prices of a place have fewer slots than those of a home, because the third-party interface has a smaller quota. */
  placeTomorrow: [782, 787, 797, 842, 902, 1022, 1202],
  placeRecheck: 1202,
  placeToday: [20, 782, 787, 797, 842, 902, 1022, 1202],
  placeDaily: [5 * 60 + 10],
} as const satisfies Record<string, Slots | number>;

/** Returns the first daily time after `after`. Of a repeated time the first counts. RangeError without times. */
export function nextSlot({ calendar, offsetMs }: SlotClock, after: EpochMs, minutesOfDay: Slots): EpochMs {
  for (let day = calendar.startOf("day", after - offsetMs); ; day = calendar.add("day", day, 1)) {
    for (const minute of minutesOfDay) {
      const at = calendar.timeOnDay(day, minute) + offsetMs;
      if (at > after) return at;
    }
    if (day > after + 2 * DAY_MS) throw new RangeError("a fetch schedule without times");
  }
}

/** Returns the instant of a daily time on the local day that starts at `day`. */
export function slotOn({ calendar, offsetMs }: SlotClock, day: EpochMs, minuteOfDay: number): EpochMs {
  return calendar.timeOnDay(day, minuteOfDay) + offsetMs;
}

function everyMinutes(step: number, first: number, last: number): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => first + i * step);
}
