import { HOUR_MS, type Interval, QUARTER_MS } from "../../core/time/interval.ts";
import type { Resolution } from "../contract/resources.ts";
import type { Region } from "./regions.ts";

/** Spot price of one interval. Unit: DKK per kWh, without charges and VAT; may be negative. */
export interface SpotPrice extends Interval {
  readonly pricePerKwh: number;
}

/** Where spot prices come from: an invented market, or a file of real ones. */
export interface Market {
  /** Prices of a local day, in the intervals they were settled in. Shape: ascending, gaps where none are known. */
  spotOn(region: Region, day: Interval): readonly SpotPrice[];
}

/**
 * Spot prices of a local day, cut to a resolution: an hour is the mean of its quarters, and a quarter of an hourly
 * market has its hour's price, as real quarters had until 2025-10-01. An hour that is not wholly known is left out.
 */
export function spotPricesOn(market: Market, region: Region, day: Interval, resolution: Resolution): SpotPrice[] {
  const settled = market.spotOn(region, day);
  return resolution === "hour" ? hourly(settled) : settled.flatMap(quartersOf);
}

function quartersOf(spot: SpotPrice): SpotPrice[] {
  const quarters: SpotPrice[] = [];
  for (let start = spot.start; start < spot.end; start += QUARTER_MS)
    quarters.push({ start, end: start + QUARTER_MS, pricePerKwh: spot.pricePerKwh });
  return quarters;
}

function hourly(settled: readonly SpotPrice[]): SpotPrice[] {
  const hours = Map.groupBy(settled, ({ start }) => Math.floor(start / HOUR_MS) * HOUR_MS);
  return [...hours].flatMap(([start, parts]) => {
    const coveredMs = parts.reduce((sum, part) => sum + part.end - part.start, 0);
    const weighted = parts.reduce((sum, part) => sum + part.pricePerKwh * (part.end - part.start), 0);
    return coveredMs === HOUR_MS ? [{ start, end: start + HOUR_MS, pricePerKwh: round6(weighted / HOUR_MS) }] : [];
  });
}

/** Rounds to six decimals, the finest the simulator tells a price in. */
export function round6(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
