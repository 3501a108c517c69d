import { HOUR_MS, type Interval, QUARTER_MS, stepStart } from "../../core/time/interval.ts";
import type { Resolution } from "../../service/contract/resources.ts";
import type { Region } from "../regions.ts";

/** Spot price of one interval. Unit: DKK per kWh, without charges and VAT; may be negative. */
export interface SpotPrice extends Interval {
  readonly pricePerKwh: number;
}

/** Source of spot prices: an invented market, or a file of real prices. */
export interface Market {
  /** Returns the prices of a local day. Shape: ascending, with gaps if prices are unknown. */
  spotOn(region: Region, day: Interval): readonly SpotPrice[];
}

/**
 * Returns the spot prices of a local day in a resolution. An hour is the mean of its quarter-hours. In an hourly market
 * each quarter-hour has the price of its hour, as in the real market until 2025-10-01. Incomplete hours are omitted.
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
  const hours = Map.groupBy(settled, ({ start }) => stepStart(start, HOUR_MS));
  return [...hours].flatMap(([start, parts]) => {
    const coveredMs = parts.reduce((sum, part) => sum + part.end - part.start, 0);
    const weighted = parts.reduce((sum, part) => sum + part.pricePerKwh * (part.end - part.start), 0);
    return coveredMs === HOUR_MS ? [{ start, end: start + HOUR_MS, pricePerKwh: round6(weighted / HOUR_MS) }] : [];
  });
}

/** Rounds to six decimals, the precision of the simulator's prices. */
export function round6(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
