/** Days of every length, for the tests of price formats for other programs. */

import { exportTimeline } from "../../../src/core/prices/export-price.ts";
import type { FormatSource } from "../../../src/core/prices/formats/format-source.ts";
import { homeSnapshot } from "../../../src/core/prices/home-snapshot.ts";
import { joinForecast } from "../../../src/core/prices/timeline.ts";
import { type EpochMs, HOUR_MS } from "../../../src/core/time/interval.ts";
import { calendar, dayOf, daysOf, HOME, points, timelineOf } from "./price-days.ts";

export interface FormattedDay {
  readonly name: string;
  readonly date: string;
  readonly dateAfter: string;
  readonly quarters: number;
  readonly quartersAfter: number;
}

export const formattedDays: readonly FormattedDay[] = [
  { name: "a day of 96 quarters", date: "2026-06-10", dateAfter: "2026-06-11", quarters: 96, quartersAfter: 96 },
  { name: "the day of 92 quarters", date: "2026-03-29", dateAfter: "2026-03-30", quarters: 92, quartersAfter: 96 },
  { name: "the day before it", date: "2026-03-28", dateAfter: "2026-03-29", quarters: 96, quartersAfter: 92 },
  { name: "the day of 100 quarters", date: "2026-10-25", dateAfter: "2026-10-26", quarters: 100, quartersAfter: 96 },
  { name: "the day before it", date: "2026-10-24", dateAfter: "2026-10-25", quarters: 96, quartersAfter: 100 },
];

interface Given {
  readonly tomorrow: "there" | "missing" | "half there";
  readonly charges?: number;
  readonly priceOf?: (index: number) => number;
  readonly resolution?: "hour" | "fifteenMinutes";
  /** 18:00 local time by default. */
  readonly now?: EpochMs;
}

/** Returns a home with confirmed prices, followed by 168 hours of estimates. */
export function formatted(day: FormattedDay, given: Given): FormatSource {
  const { tomorrow, charges, priceOf = (i) => i / 100, now = dayOf(day.date).end - 6 * HOUR_MS } = given;
  const range = tomorrow === "missing" ? dayOf(day.date) : daysOf(day.date, day.dateAfter);
  const all = points(range, priceOf, { unit: given.resolution ?? "fifteenMinutes" });
  const known = tomorrow === "half there" ? all.slice(0, day.quarters + 40) : all;
  const confirmed = charges === undefined ? known : known.map((point) => ({ ...point, variableCharges: charges }));
  const forecastFrom = confirmed.at(-1)?.end ?? range.end;
  const estimates = points({ start: forecastFrom, end: forecastFrom + 168 * HOUR_MS }, (i) => 5 + i / 100, {
    unit: "hour",
    estimate: true,
  });
  const timeline = timelineOf(joinForecast(confirmed, estimates));
  const snapshot = homeSnapshot({ home: HOME, timeline, now, calendar });
  return { snapshot, calendar, region: "DK1", sold: () => exportTimeline(timeline, [], { calendar }) };
}
