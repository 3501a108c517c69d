/**
 * Sums hour rows of the service by local hours, days, months or years. Each sum has its number of missing hours. The
 * sum of no rows is null, not 0.
 */
import type { EnergyAnswer, EnergyRow } from "./answers.ts";
import { HOUR_MS, type Unit, type Zone } from "./zone.ts";

export interface Measure {
  /** Path of the operation. */
  readonly path: string;
  readonly capability: string;
  /** Returns the name of a row's amount. */
  readonly field: (row: EnergyRow) => string;
  readonly money: boolean;
}

export const MEASURES = {
  consumption: { path: "consumption", capability: "consumption", field: () => "energyKWh", money: false },
  costs: { path: "consumption-costs", capability: "consumptionCosts", field: costField, money: true },
  export: { path: "solar-export", capability: "solarExport", field: () => "energyKWh", money: false },
  revenue: { path: "solar-export-revenue", capability: "solarExportRevenue", field: () => "netRevenue", money: true },
} as const satisfies Readonly<Record<string, Measure>>;
export type MeasureName = keyof typeof MEASURES;

/** Returns the name of the amount in a row of costs, which the service does not document. */
function costField(row: EnergyRow): string {
  return "totalCost" in row ? "totalCost" : (Object.keys(row).find((key) => /cost|amount/i.test(key)) ?? "totalCost");
}

export interface UsageRow {
  readonly start: number;
  readonly end: number;
  /** Null if the row has no number. */
  readonly amount: number | null;
  readonly estimate: boolean;
  readonly kwh: number | null;
  readonly rate: number | null;
}

/** Returns the rows of a response, ascending. */
export function rowsOf(measure: Measure, { data }: EnergyAnswer): UsageRow[] {
  return data.map((row) => ({
    start: Date.parse(row.start),
    end: Date.parse(row.end),
    amount: numberOf(row[measure.field(row)]),
    estimate: row.isEstimate === true,
    kwh: numberOf(row.energyKWh),
    rate: numberOf(row.totalPricePerKWh),
  }));
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** A local unit with the sum of its rows; `value` is null without rows. */
export interface UsageBar {
  readonly start: number;
  readonly end: number;
  value: number | null;
  known: number;
  estimate: boolean;
  /** Hours without a value. */
  missing: number;
}

export interface UsageRange {
  readonly from: number;
  readonly to: number;
  /** Later hours do not count as missing. */
  readonly until: number;
}

/** Sums rows by a local unit over `[from, to)`. Returns one bar per unit, ascending. */
export function addedUp(
  rows: readonly UsageRow[],
  unit: Unit,
  { from, to, until }: UsageRange,
  zone: Zone,
): UsageBar[] {
  const starts = zone.starts(unit, from, to);
  const bars = starts.map(
    (start, i): UsageBar => ({ start, end: starts[i + 1] ?? to, value: null, known: 0, estimate: false, missing: 0 }),
  );
  let place = 0;
  for (const row of rows) {
    if (row.amount === null || row.start < from || row.start >= to) continue;
    while (place < bars.length - 1 && row.start >= (bars[place]?.end ?? to)) place++;
    const bar = bars[place];
    if (!bar || row.start < bar.start) continue;
    bar.value = (bar.value ?? 0) + row.amount;
    bar.known += Math.min(row.end, bar.end) - row.start;
    bar.estimate ||= row.estimate;
  }
  for (const bar of bars) {
    const wanted = Math.max(0, Math.min(bar.end, until) - bar.start);
    bar.missing = Math.max(0, Math.round((wanted - bar.known) / HOUR_MS));
  }
  return bars;
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
export function averagePaid(rows: readonly Pick<UsageRow, "kwh" | "rate">[]): number | null {
  let money = 0;
  let kwh = 0;
  for (const row of rows) {
    if (row.kwh === null || row.rate === null) continue;
    money += row.rate * row.kwh;
    kwh += row.kwh;
  }
  return kwh > 0 ? money / kwh : null;
}
