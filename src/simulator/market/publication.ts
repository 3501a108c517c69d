import type { Calendar, LocalDate } from "../../core/time/calendar.ts";
import { DAY_MS, type EpochMs, type Interval, MINUTE_MS } from "../../core/time/interval.ts";
import { createNoise, type Noise } from "../noise.ts";

/** Publication time of a local day's prices, set by a test: minutes after 13:00; undefined uses the seed. */
export type PublicationDelay = (pricesOf: LocalDate) => number | undefined;

const AUCTION_MINUTE = 13 * 60;
/** Range of the usual delay, in minutes after 13:00. */
const ORDINARY_DELAY = { from: -3, to: 12 } as const;
/** Share of days with a delay of one to six hours. */
const LATE_SHARE = 0.08;
const LATE_DELAY = { from: 60, to: 360 } as const;
/** Maximum unpublished days: a test may delay prices for days, but earlier days count as published. */
const MAX_DAYS_BACK = 8;

/** Publication times of prices: about 13:00 on the day before, sometimes hours later. */
export class PublicationTimes {
  readonly #calendar: Calendar;
  readonly #delay: PublicationDelay;
  readonly #chance: Noise;
  readonly #isLate: Noise;

  constructor(seed: number, calendar: Calendar, delay: PublicationDelay = () => undefined) {
    this.#calendar = calendar;
    this.#delay = delay;
    this.#chance = createNoise(seed, "publication");
    this.#isLate = createNoise(seed, "late publication");
  }

  /** Returns when the prices of a local day are published. */
  publishedAt(day: Interval): EpochMs {
    const dayBefore = this.#calendar.add("day", day.start, -1);
    const index = Math.round(day.start / DAY_MS);
    const range = this.#isLate(index) < LATE_SHARE ? LATE_DELAY : ORDINARY_DELAY;
    const seeded = range.from + this.#chance(index) * (range.to - range.from);
    const delayMinutes = this.#delay(this.#calendar.dateOf(day.start)) ?? seeded;
    return this.#calendar.timeOnDay(dayBefore, AUCTION_MINUTE) + Math.round(delayMinutes * MINUTE_MS);
  }

  /** Returns the end of the last published day, counted back from tomorrow. */
  publishedUntil(now: EpochMs): EpochMs {
    let end = this.#calendar.add("day", this.#calendar.startOf("day", now), 2);
    for (let back = 0; back < MAX_DAYS_BACK; back++) {
      const start = this.#calendar.add("day", end, -1);
      if (this.publishedAt({ start, end }) <= now) return end;
      end = start;
    }
    return end;
  }
}
