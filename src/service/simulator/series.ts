/**
 * From hours to any aggregation, in whole watt-hours and millionths of the currency, so that hours, days, months and
 * years add up without a rest; and the rows of the service's answers. Source: service interface, part 2.3.
 */

import type { Calendar } from "../../core/time/calendar.ts";
import { type EpochMs, formatInstant, HOUR_MS, type Interval } from "../../core/time/interval.ts";
import type { Aggregation } from "../contract/resources.ts";
import { round6 } from "./market.ts";
import { FIRST_METERED, type MeteredHour } from "./meter.ts";

const WH_PER_KWH = 1_000;
const MICRO = 1_000_000;

/** A metered hour with its money. Unit: millionths of the currency; `amount` is what the energy alone costs or earns. */
export interface PricedHour extends MeteredHour {
  readonly amountMicro: number;
  readonly feesMicro: number;
}

/** What an interval adds up to over the hours that are known of it. */
export interface Total extends Interval {
  readonly wh: number;
  readonly amountMicro: number;
  readonly feesMicro: number;
  /** Whether any of its hours is an estimate. */
  readonly isEstimate: boolean;
}

/**
 * Totals of a range by aggregation. Shape: ascending; an interval without a single known hour is left out.
 * `range` is normalised to `unit`; `hoursOn` gives a local day's hours.
 */
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

/** A row of consumption or solar export. */
export function energyRow(total: Total) {
  return {
    start: formatInstant(total.start),
    end: formatInstant(total.end),
    energyKWh: total.wh / WH_PER_KWH,
    isEstimate: total.isEstimate,
  };
}

/** A row of consumption costs: VAT and fixed fees in. `totalPricePerKWh` = (`totalCost` - `fixedFeesForInterval`) / `energyKWh`. */
export function costsRow(total: Total) {
  return { ...moneyRow(total), totalCost: (total.amountMicro + total.feesMicro) / MICRO };
}

/** A row of revenue: without VAT. `totalPricePerKWh` = (`netRevenue` + `fixedFeesForInterval`) / `energyKWh`. */
export function revenueRow(total: Total) {
  return { ...moneyRow(total), netRevenue: (total.amountMicro - total.feesMicro) / MICRO };
}

/** The price is null when energy is zero: there is no rate of nothing. */
function moneyRow(total: Total) {
  const { wh, amountMicro, feesMicro } = total;
  const totalPricePerKWh = wh === 0 ? null : round6(amountMicro / MICRO / (wh / WH_PER_KWH));
  return { ...energyRow(total), totalPricePerKWh, fixedFeesForInterval: feesMicro / MICRO };
}
