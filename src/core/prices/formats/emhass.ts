/**
 * Runtime data of EMHASS: purchase and export prices by instant, from the current interval on.
 *
 * The export price is the price without variable charges and VAT, because a household sells without both. If the
 * service does not state the charges, `prod_price_forecast` is absent and EMHASS uses its own setting.
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
 * Returns both series from today's midnight, so that they change with the prices and not every hour. They end together,
 * at the size limit of attributes. EMHASS accepts values before its first interval.
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

/** Rounds to four decimals (0.01 øre), so that two prices per quarter-hour of two days fit into attributes. */
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

/** Formats an instant as `2026-01-01 10:00:00+00:00`. */
function instantOf({ start }: PricePoint): string {
  return formatInstant(start).replace("T", " ").replace("Z", "+00:00");
}
