/** Public topics of a third-party place. */

import type { PlaceSnapshot } from "../../core/prices/place-snapshot.ts";
import { rounded } from "../../core/text/rounding.ts";
import { wire } from "../../core/text/wire.ts";
import { plainDecimal, type RetainedMessage } from "../client/message.ts";

/** Maximum number of published future prices. With charges and colors they stay below Home Assistant's 16,384 bytes. */
const MAX_UPCOMING = 120;

/** Returns all state messages of a place. `base` is the base topic without a trailing slash. */
export function placeMessages(base: string, snapshot: PlaceSnapshot): RetainedMessage[] {
  const topic = `${base}/${snapshot.place.id}`;
  const { current } = snapshot;
  const decimal = (value: number | null | undefined) => (typeof value === "number" ? plainDecimal(rounded(value)) : "");
  return [
    { topic: `${topic}/spot`, payload: decimal(current?.spot) },
    { topic: `${topic}/price`, payload: decimal(current?.price) },
    { topic: `${topic}/charges`, payload: decimal(current?.charges) },
    { topic: `${topic}/color`, payload: current?.color ?? "" },
    { topic: `${topic}/price/level`, payload: snapshot.level ?? "" },
    { topic: `${topic}/cheap`, payload: snapshot.cheap ? "ON" : "OFF", heartbeat: true },
    { topic: `${topic}/cheapest`, payload: JSON.stringify(wire({ cheapest: snapshot.cheapest })) },
    { topic: `${topic}/prices`, payload: JSON.stringify(upcoming(snapshot)) },
  ];
}

function upcoming(snapshot: PlaceSnapshot): object {
  const prices = snapshot.upcoming.slice(0, MAX_UPCOMING).map(({ start, price, charges, color }) => ({
    start,
    value: price,
    ...(charges === null ? {} : { charges }),
    ...(color === null ? {} : { color }),
  }));
  return wire({ currency: snapshot.place.currency, prices });
}
