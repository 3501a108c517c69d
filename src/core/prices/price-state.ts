/** JSON form of the current price for MQTT and HTTP. */

import { rounded } from "../text/rounding.ts";
import { formatInstant, formatInstantOrNull } from "../time/interval.ts";
import type { DayFigures, HomeSnapshot } from "./home-snapshot.ts";
import type { PricePoint } from "./timeline.ts";

/** Builds the JSON object. Fields that depend on the current price are null without one. */
export function priceState(snapshot: HomeSnapshot) {
  const { current, previous, next } = snapshot;
  return {
    start: formatInstantOrNull(current?.start),
    end: formatInstantOrNull(current?.end),
    price: current?.price ?? null,
    currency: snapshot.currency,
    vat_included: snapshot.vatIncluded,
    estimate: current?.estimate ?? null,
    level: snapshot.level,
    color: snapshot.color,
    rank: snapshot.rank,
    rank_of: snapshot.rankOf,
    percentile: snapshot.percentile,
    percentile_30_days: snapshot.percentile30Days,
    tariff_changed_on: snapshot.tariffChange?.date ?? null,
    previous: startAndPrice(previous),
    next: startAndPrice(next),
    day: figures(snapshot.day),
    rest_of_day: figures(snapshot.restOfDay),
    cheapest: snapshot.cheapest.map(({ hours, start, end, mean }) => ({
      hours,
      start: formatInstant(start),
      end: formatInstant(end),
      mean: rounded(mean),
    })),
  };
}

function startAndPrice(point: PricePoint | null) {
  return point && { start: formatInstant(point.start), price: point.price };
}

function figures(day: DayFigures | null) {
  return day && { min: day.min, max: day.max, mean: rounded(day.mean) };
}
