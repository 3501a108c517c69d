/** JSON form of the current price for MQTT and HTTP. */

import { wire } from "../text/wire.ts";
import type { HomeSnapshot } from "./home-snapshot.ts";
import type { PricePoint } from "./timeline.ts";

/** Builds the JSON object. Fields that depend on the current price are null without one. */
export function priceState(snapshot: HomeSnapshot) {
  const { current, currency, vatIncluded, level, color, rank, rankOf, percentile, percentile30Days } = snapshot;
  return wire({
    start: current?.start ?? null,
    end: current?.end ?? null,
    price: current?.price ?? null,
    currency,
    vatIncluded,
    estimate: current?.estimate ?? null,
    level,
    color,
    rank,
    rankOf,
    percentile,
    percentile30Days,
    tariffChangedOn: snapshot.tariffChange?.date ?? null,
    previous: startAndPrice(snapshot.previous),
    next: startAndPrice(snapshot.next),
    day: snapshot.day,
    restOfDay: snapshot.restOfDay,
    cheapest: snapshot.cheapest(),
  });
}

function startAndPrice(point: PricePoint | null) {
  return point && { start: point.start, price: point.price };
}
