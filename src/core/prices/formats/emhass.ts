/**
 * Runtime data of EMHASS: what energy costs and what selling it brings, by instant, from the present interval on.
 *
 * The price of selling is what remains of a price without its variable charges, and without VAT where that is in: a
 * household sells without either. Where the service does not tell the charges there is no `prod_price_forecast`, and
 * EMHASS goes by its own setting.
 */

import { rounded } from "../../text/rounding.ts";
import { formatInstant } from "../../time/interval.ts";
import { exportPrice } from "../export-price.ts";
import type { PricePoint } from "../timeline.ts";
import { fitting, fromNow } from "./format-limits.ts";
import type { FormatSource } from "./format-source.ts";

type Entry = readonly [at: string, price: number];

export function emhassFormat(source: FormatSource): object {
  const points = fromNow(source.snapshot);
  return shaped(
    points.map((point) => [instantOf(point), rounded(point.price)]),
    sellingEntries(source, points, rounded),
  );
}

/**
 * From today's midnight, so that they change with the prices and not with the hour, as far ahead as attributes can
 * carry; both reach equally far. EMHASS takes what lies behind for where its values begin.
 */
export function emhassAttributes(source: FormatSource): object {
  const { today, tomorrow, forecast } = source.snapshot;
  const entries = [...today, ...tomorrow, ...forecast].map((point) => ({
    cost: [instantOf(point), shortest(point.price)] as const,
    selling: sellingEntries(source, [point], shortest),
  }));
  const textOf = ({ cost, selling }: (typeof entries)[number]) =>
    [cost, ...selling].map(([at, price]) => `"${at}":${price}`).join();
  const kept = fitting({ load_cost_forecast: {}, prod_price_forecast: {} }, entries, textOf);
  return shaped(
    kept.map(({ cost }) => cost),
    kept.flatMap(({ selling }) => selling),
  );
}

/** A hundredth of an øre: two prices for every quarter of two days have to fit. */
function shortest(price: number): number {
  return Number(price.toFixed(4)) + 0;
}

function shaped(costs: readonly Entry[], sellings: readonly Entry[]): object {
  return {
    load_cost_forecast: Object.fromEntries(costs),
    ...(sellings.length > 0 ? { prod_price_forecast: Object.fromEntries(sellings) } : {}),
  };
}

function sellingEntries(
  { snapshot }: FormatSource,
  points: readonly PricePoint[],
  decimals: (price: number) => number,
): Entry[] {
  return points.flatMap((point): Entry[] => {
    const price = exportPrice(point, snapshot.vatIncluded);
    return price === null ? [] : [[instantOf(point), decimals(price)]];
  });
}

/** `2026-01-01 10:00:00+00:00`. */
function instantOf({ start }: PricePoint): string {
  return formatInstant(start).replace("T", " ").replace("Z", "+00:00");
}
