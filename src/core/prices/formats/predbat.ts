/**
 * Attributes that Predbat reads from a rate sensor: `raw_today` and `raw_tomorrow` as `{start, end, value}`. Predbat
 * needs `end`. Starts have the local offset, because other readers of these names take the day of the text; ends are in
 * UTC, so that two days of quarter-hours fit.
 */

import { rounded } from "../../text/rounding.ts";
import type { Calendar } from "../../time/calendar.ts";
import { type EpochMs, formatInstant } from "../../time/interval.ts";
import { localInstant, shortLocalInstant } from "../../time/local-instant.ts";
import type { PricePoint } from "../timeline.ts";
import { shortPrice } from "./format-limits.ts";
import type { FormatSource } from "./format-source.ts";

export function predbatFormat(source: FormatSource): object {
  return shaped(source, { start: localInstant, decimals: rounded });
}

export function predbatAttributes(source: FormatSource): object {
  return shaped(source, { start: shortLocalInstant, decimals: shortPrice });
}

interface Writing {
  readonly start: (at: EpochMs, calendar: Calendar) => string;
  readonly decimals: (price: number) => number;
}

function shaped({ snapshot, calendar }: FormatSource, { start: textOf, decimals }: Writing): object {
  const raw = (points: readonly PricePoint[]) =>
    points.map(({ start, end, price }) => ({
      start: textOf(start, calendar),
      end: formatInstant(end),
      value: decimals(price),
    }));
  return { raw_today: raw(snapshot.today), raw_tomorrow: raw(snapshot.tomorrow) };
}
