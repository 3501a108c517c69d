/** Generated prices of whole local days, for tests of code that uses a timeline. */

import type { Home } from "../../../src/core/prices/home-snapshot.ts";
import type { PricePoint, Timeline } from "../../../src/core/prices/timeline.ts";
import type { EpochMs, Interval } from "../../../src/core/time/interval.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";

export const calendar = serviceCalendar();

export const HOME: Home = {
  id: "home",
  name: "Home",
  account: "consumer",
  addressId: "6f1c0a52-7c86-4f0e-9d0e-000000000001",
  resolution: "fifteenMinutes",
};

/** Returns the instant of an ISO 8601 text. */
export function at(text: string): EpochMs {
  return Date.parse(text);
}

/** Returns the local day that contains noon UTC of a date. */
export function dayOf(date: string): Interval {
  return calendar.day(at(`${date}T12:00:00Z`));
}

/** Returns the local days from one date to another, both included, as one interval. */
export function daysOf(first: string, last: string): Interval {
  return { start: dayOf(first).start, end: dayOf(last).end };
}

/** Returns a price for every interval of `range`. `priceOf` receives the interval's index. */
export function points(
  range: Interval,
  priceOf: (index: number) => number,
  { unit = "fifteenMinutes", estimate = false }: { unit?: "hour" | "fifteenMinutes"; estimate?: boolean } = {},
): PricePoint[] {
  return calendar.intervals(unit, range).map((interval, i) => ({ ...interval, price: priceOf(i), estimate }));
}

export function timelineOf(list: readonly PricePoint[]): Timeline {
  return { points: list, currency: "DKK", vatIncluded: true };
}
