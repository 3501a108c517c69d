/** Functions shared by several price formats. */

import { rounded } from "../../text/rounding.ts";
import type { HomeSnapshot } from "../home-snapshot.ts";
import type { PricePoint } from "../timeline.ts";

/** Size limit for attributes of a format. Home Assistant's recorder drops them all if they exceed 16,384 bytes. */
const MAX_ATTRIBUTE_BYTES = 15_800;
/** The same for two whole days, which cannot be cut. It leaves 384 bytes; name, icon and unit take about 200. */
const MAX_DAYS_BYTES = 16_000;

/** Decimals of prices in attributes, to save bytes: 0.001 øre. */
const ATTRIBUTE_DECIMALS = 5;

export function shortPrice(price: number): number {
  return Number(price.toFixed(ATTRIBUTE_DECIMALS)) + 0;
}

/** Rounds prices by position; a missing one stays null. */
export function roundedPrices(
  prices: readonly (number | null)[],
  decimals: (price: number) => number = rounded,
): (number | null)[] {
  return prices.map((price) => (price === null ? null : decimals(price)));
}

/** Returns the current interval and everything known after it: confirmed prices, then estimates. */
export function fromNow(snapshot: HomeSnapshot): readonly PricePoint[] {
  const { today, tomorrow, forecast, now } = snapshot;
  return [...today, ...tomorrow, ...forecast].filter((point) => point.end > now);
}

/** Returns the first entries that fit into the attributes together with `head`. Shape: same order. */
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

/** Returns whether two whole days fit into the attributes. */
export function fitsAttributes(attributes: object): boolean {
  return byteLength(JSON.stringify(attributes)) <= MAX_DAYS_BYTES;
}

/** Returns the length of a text in UTF-8 bytes. */
function byteLength(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) bytes += code > 0x7ff ? 2 : 1;
  }
  return bytes;
}
