/**
 * Attributes that Predbat reads from a rate sensor: `raw_today` and `raw_tomorrow` as `{start, end, value}`. Predbat
 * needs `end`. Instants are in UTC, the shortest form with a zone, so that two days of quarter-hours fit.
 */

import { rounded } from "../../text/rounding.ts";
import { formatInstant } from "../../time/interval.ts";
import type { PricePoint } from "../timeline.ts";
import { shortPrice } from "./format-limits.ts";
import type { FormatSource } from "./format-source.ts";

export function predbatFormat(source: FormatSource): object {
  return shaped(source, rounded);
}

export function predbatAttributes(source: FormatSource): object {
  return shaped(source, shortPrice);
}

function shaped({ snapshot }: FormatSource, decimals: (price: number) => number): object {
  const raw = (points: readonly PricePoint[]) =>
    points.map(({ start, end, price }) => ({
      start: formatInstant(start),
      end: formatInstant(end),
      value: decimals(price),
    }));
  return { raw_today: raw(snapshot.today), raw_tomorrow: raw(snapshot.tomorrow) };
}
