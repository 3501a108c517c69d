/** What several formats have in common. */

import { rounded } from "../../text/rounding.ts";
import type { HomeSnapshot } from "../home-snapshot.ts";
import type { PricePoint } from "../timeline.ts";

/**
 * The most that the attributes of an entity may take. Home Assistant's recorder drops all of them when they exceed
 * 16,384 bytes together, with the entity's name, icon and unit among them.
 */
const MAX_ATTRIBUTE_BYTES = 15_800;

/** Decimals of prices in attributes, where every byte counts: a thousandth of an øre. */
const ATTRIBUTE_DECIMALS = 5;

export function shortPrice(price: number): number {
  return Number(price.toFixed(ATTRIBUTE_DECIMALS)) + 0;
}

/** The prices alone, in their order. */
export function pricesOf(points: readonly PricePoint[], decimals: (price: number) => number = rounded): number[] {
  return points.map(({ price }) => decimals(price));
}

/** Tomorrow's prices once all of them are there, and none before: some hours are not tomorrow. */
export function wholeTomorrow({ tomorrow, tomorrowValid }: HomeSnapshot): readonly PricePoint[] {
  return tomorrowValid ? tomorrow : [];
}

/** The present interval and all that is known after it: confirmed prices, then estimates. */
export function fromNow(snapshot: HomeSnapshot): readonly PricePoint[] {
  const { today, tomorrow, forecast, now } = snapshot;
  return [...today, ...tomorrow, ...forecast].filter((point) => point.end > now);
}

/**
 * The first of `entries` whose texts, in a list behind `head`, keep the whole within what attributes may take.
 * Shape: the order stays; the last ones are left out.
 */
export function fitting<Entry>(
  head: object,
  entries: readonly Entry[],
  textOf: (entry: Entry) => string = JSON.stringify,
): readonly Entry[] {
  let bytes = byteLength(JSON.stringify(head));
  const count = entries.findIndex((entry) => {
    bytes += byteLength(textOf(entry)) + 1;
    return bytes > MAX_ATTRIBUTE_BYTES;
  });
  return count < 0 ? entries : entries.slice(0, count);
}

/** Bytes of a text as UTF-8. */
function byteLength(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) bytes += code > 0x7ff ? 2 : 1;
  }
  return bytes;
}
