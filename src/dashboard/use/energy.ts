/** The usage that the page shows: what is asked for, and the sums by local hours, days, months or years. */
import { DEFAULT_COST_FIELD, type UsageOperation } from "../../core/prices/usage-amounts.ts";
import { type UsagePeriod, usagePeriods } from "../../core/prices/usage-periods.ts";
import type { Row } from "../../core/series/series.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import { HOUR_MS } from "../../core/time/interval.ts";
import type { PeriodRange } from "./use-period.ts";

export interface Measure {
  readonly operation: UsageOperation;
  /** Path of the operation. */
  readonly path: string;
  readonly money: boolean;
}

export const MEASURES = {
  consumption: { operation: "consumption", path: "consumption", money: false },
  costs: { operation: "consumptionCosts", path: "consumption-costs", money: true },
  export: { operation: "solarExport", path: "solar-export", money: false },
  revenue: { operation: "solarExportRevenue", path: "solar-export-revenue", money: true },
} as const satisfies Readonly<Record<string, Measure>>;
export type MeasureName = keyof typeof MEASURES;

/** A local unit with the sum of its rows. */
export interface UsageBar extends UsagePeriod {
  /** Hours without a value. */
  readonly missing: number;
}

export interface UsageRange extends PeriodRange {
  /** End of the hours that meters have reported. Later ones do not count as missing. */
  readonly until: number;
}

/** Sums rows by the unit of a range. Shape: ascending, one bar per unit. */
export function addedUp(
  rows: readonly Row[],
  { operation }: Measure,
  { from, to, unit, until }: UsageRange,
  calendar: Calendar,
): UsageBar[] {
  const wanted = { operation, unit, range: { start: from, end: to } };
  return usagePeriods([rows], wanted, calendar, costField(rows)).map((period) => {
    const hours = Math.max(0, Math.min(period.end, until) - period.start) / HOUR_MS;
    return { ...period, missing: Math.max(0, Math.round(hours - period.hours)) };
  });
}

/** Returns the name of the amount in rows of costs, which the service does not document. */
function costField([row = {}]: readonly Row[]): string {
  if (DEFAULT_COST_FIELD in row) return DEFAULT_COST_FIELD;
  return Object.keys(row).find((key) => /cost|amount/i.test(key)) ?? DEFAULT_COST_FIELD;
}

/** Returns the sum of bars, its missing hours and whether it contains estimates. `value` is null without any value. */
export function totalOf(bars: readonly UsageBar[]): Pick<UsageBar, "value" | "missing" | "estimate"> {
  const known = bars.filter(({ value }) => value !== null);
  return {
    value: known.length === 0 ? null : known.reduce((sum, { value }) => sum + (value ?? 0), 0),
    missing: bars.reduce((sum, { missing }) => sum + missing, 0),
    estimate: known.some(({ estimate }) => estimate),
  };
}

/** Returns the mean price of the used kWh, without fixed fees; null if nothing was used. */
export function averagePaid(rows: readonly Row[]): number | null {
  let money = 0;
  let kwh = 0;
  for (const { totalPricePerKWh: rate, energyKWh } of rows) {
    if (typeof energyKWh !== "number" || typeof rate !== "number") continue;
    money += rate * energyKWh;
    kwh += energyKWh;
  }
  return kwh > 0 ? money / kwh : null;
}
