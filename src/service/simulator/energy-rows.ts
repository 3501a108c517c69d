/** Totals as the rows of the service's answers. Source: service interface, part 2.3. */
import { formatInstant } from "../../core/time/interval.ts";
import { round6 } from "./market.ts";
import type { Total } from "./series.ts";

const WH_PER_KWH = 1_000;
const MICRO = 1_000_000;

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
  return {
    ...energyRow(total),
    totalPricePerKWh: pricePerKwh(total),
    fixedFeesForInterval: total.feesMicro / MICRO,
    totalCost: (total.amountMicro + total.feesMicro) / MICRO,
  };
}

/** A row of revenue: without VAT. `totalPricePerKWh` = (`netRevenue` + `fixedFeesForInterval`) / `energyKWh`. */
export function revenueRow(total: Total) {
  return {
    ...energyRow(total),
    totalPricePerKWh: pricePerKwh(total),
    fixedFeesForInterval: total.feesMicro / MICRO,
    netRevenue: (total.amountMicro - total.feesMicro) / MICRO,
  };
}

/** Null when energy is zero: there is no rate of nothing. */
function pricePerKwh({ amountMicro, wh }: Total): number | null {
  return wh === 0 ? null : round6(amountMicro / MICRO / (wh / WH_PER_KWH));
}
