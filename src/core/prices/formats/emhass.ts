/** EMHASS: purchase and export prices by instant from the current interval on; its own setting if none are known. */

import { rounded } from "../../text/rounding.ts";
import { formatInstant } from "../../time/interval.ts";
import type { PricePoint } from "../timeline.ts";
import { fitting, fromNow } from "./format-limits.ts";
import type { FormatSource } from "./format-source.ts";

type Entry = readonly [at: string, price: number];

export function emhassFormat(source: FormatSource): object {
  const points = fromNow(source.snapshot);
  return shaped(entriesOf(points, rounded), entriesOf(soldPoints(source, points), rounded));
}

/** Returns both series from midnight, so that they change with the prices only. They end at the same size limit. */
export function emhassAttributes(source: FormatSource): object {
  const { today, tomorrow, forecast } = source.snapshot;
  const points = [...today, ...tomorrow, ...forecast];
  const sold = new Map(soldPoints(source, points).map((point) => [point.start, point]));
  const entries = points.map((point) => ({
    costs: entriesOf([point], shortest),
    sellings: entriesOf([sold.get(point.start) ?? []].flat(), shortest),
  }));
  const textOf = ({ costs, sellings }: (typeof entries)[number]) =>
    [...costs, ...sellings].map(([at, price]) => `"${at}":${price}`).join();
  const fitted = fitting({ load_cost_forecast: {}, prod_price_forecast: {} }, entries, textOf);
  return shaped(
    fitted.flatMap(({ costs }) => costs),
    fitted.flatMap(({ sellings }) => sellings),
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

/** Returns the export prices of the same intervals; empty if they are not known. */
function soldPoints({ sold }: FormatSource, points: readonly PricePoint[]): readonly PricePoint[] {
  const starts = new Set(points.map(({ start }) => start));
  return sold()?.points.filter(({ start }) => starts.has(start)) ?? [];
}

function entriesOf(points: readonly PricePoint[], decimals: (price: number) => number): Entry[] {
  // As `2026-01-01 10:00:00+00:00`.
  const instantOf = (at: number) => formatInstant(at).replace("T", " ").replace("Z", "+00:00");
  return points.map(({ start, price }) => [instantOf(start), decimals(price)]);
}
