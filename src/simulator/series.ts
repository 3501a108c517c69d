/**
 * Aggregation of hours to hours, days, months or years, and the rows of the responses. Sums are integers in Wh and
 * millionths of the currency, so that the totals of all aggregations agree. Source: service interface, part 2.3.
 */

import type { Calendar } from "../core/time/calendar.ts";
import { type EpochMs, formatInstant, HOUR_MS, type Interval } from "../core/time/interval.ts";
import type { Aggregation } from "../service/contract/resources.ts";
import { round6 } from "./market/market.ts";
import { FIRST_METERED, type MeteredHour } from "./meter.ts";

const WH_PER_KWH = 1_000;
const MICRO = 1_000_000;

/** Metered hour with its amount. Unit: millionths of the currency; `amountMicro` is without fixed fees. */
export interface PricedHour extends MeteredHour {
  readonly amountMicro: number;
  readonly feesMicro: number;
}

/** Sum of the known hours of an interval. */
export interface Total extends Interval {
  readonly wh: number;
  readonly amountMicro: number;
  readonly feesMicro: number;
  /** True if any of its hours is an estimate. */
  readonly isEstimate: boolean;
}

/** Returns the totals of a range of whole units. Shape: ascending, without intervals that have no known hour. */
export function totals(
  range: Interval,
  unit: Aggregation,
  hoursOn: (day: Interval) => readonly PricedHour[],
  { calendar, now }: { readonly calendar: Calendar; readonly now: EpochMs },
): Total[] {
  const known = { start: Math.max(range.start, FIRST_METERED), end: Math.min(range.end, now) };
  if (known.end <= known.start) return [];
  const found: Total[] = [];
  let open: Total | undefined;
  for (const day of calendar.intervals("day", known)) {
    for (const hour of hoursOn(day)) {
      if (hour.start < range.start || hour.start >= range.end) continue;
      if (open && hour.start < open.end) {
        open = plus(open, hour);
        continue;
      }
      if (open) found.push(open);
      open = plus(emptyTotal(unit, hour.start, calendar), hour);
    }
  }
  if (open) found.push(open);
  return found;
}

function emptyTotal(unit: Aggregation, at: EpochMs, calendar: Calendar): Total {
  const start = unit === "hour" ? at : calendar.startOf(unit, at);
  const end = unit === "hour" ? at + HOUR_MS : calendar.add(unit, start, 1);
  return { start, end, wh: 0, amountMicro: 0, feesMicro: 0, isEstimate: false };
}

function plus(total: Total, hour: PricedHour): Total {
  return {
    ...total,
    wh: total.wh + hour.wh,
    amountMicro: total.amountMicro + hour.amountMicro,
    feesMicro: total.feesMicro + hour.feesMicro,
    isEstimate: total.isEstimate || hour.isEstimate,
  };
}

export function energyRow(total: Total) {
  return {
    start: formatInstant(total.start),
    end: formatInstant(total.end),
    energyKWh: total.wh / WH_PER_KWH,
    isEstimate: total.isEstimate,
  };
}

/** Returns a row of costs, with VAT: price = (`totalCost` - `fixedFeesForInterval`) / `energyKWh`. */
export function costsRow(total: Total) {
  return { ...moneyRow(total), totalCost: (total.amountMicro + total.feesMicro) / MICRO };
}

/** Returns a row of revenue, without VAT: price = (`netRevenue` + `fixedFeesForInterval`) / `energyKWh`. */
export function revenueRow(total: Total) {
  return { ...moneyRow(total), netRevenue: (total.amountMicro - total.feesMicro) / MICRO };
}

/** Returns the common part of both rows. The price per kWh is null if the energy is zero. */
function moneyRow(total: Total) {
  const { wh, amountMicro, feesMicro } = total;
  const totalPricePerKWh = wh === 0 ? null : round6(amountMicro / MICRO / (wh / WH_PER_KWH));
  return { ...energyRow(total), totalPricePerKWh, fixedFeesForInterval: feesMicro / MICRO };
}
