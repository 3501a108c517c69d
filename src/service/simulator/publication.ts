import type { Calendar, LocalDate } from "../../core/time/calendar.ts";
import { DAY_MS, type EpochMs, type Interval, MINUTE_MS } from "../../core/time/interval.ts";
import { createNoise, type Noise } from "./noise.ts";

/** A test's own word on how late the prices of a local day are, in minutes after 13:00; undefined leaves it to the seed. */
export type PublicationDelay = (pricesOf: LocalDate) => number | undefined;

const AUCTION_MINUTE = 13 * 60;
/** On an ordinary day the prices come within these minutes around 13:00. */
const ORDINARY_DELAY = { from: -3, to: 12 } as const;
/** One day in twelve or so they come hours late. */
const LATE_SHARE = 0.08;
const LATE_DELAY = { from: 60, to: 360 } as const;
/** A delay of a test may keep prices back for days; further back every day is taken as published. */
const MAX_DAYS_BACK = 8;

/** When the prices of a local day become public: about 13:00 the day before, sometimes late. */
export class Publication {
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

  /** The instant at which the prices of a local day are there for everyone. */
  publishedAt(day: Interval): EpochMs {
    const dayBefore = this.#calendar.add("day", day.start, -1);
    const index = Math.round(day.start / DAY_MS);
    const range = this.#isLate(index) < LATE_SHARE ? LATE_DELAY : ORDINARY_DELAY;
    const seeded = range.from + this.#chance(index) * (range.to - range.from);
    const delayMinutes = this.#delay(this.#calendar.dateOf(day.start)) ?? seeded;
    return this.#calendar.timeOnDay(dayBefore, AUCTION_MINUTE) + Math.round(delayMinutes * MINUTE_MS);
  }

  /** The end of the last local day whose prices are public, and of none after an unpublished one. */
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
