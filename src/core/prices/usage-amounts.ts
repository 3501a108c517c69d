/** Amounts in the rows of a usage series, and their sums per hour. */

import { type Row, rowEnd, rowStart } from "../series/series.ts";
import { type EpochMs, HOUR_MS, type Interval, stepEnd, stepStart } from "../time/interval.ts";

/** Operations of the usage series. */
export const usageOperations = ["consumption", "consumptionCosts", "solarExport", "solarExportRevenue"] as const;
export type UsageOperation = (typeof usageOperations)[number];

/** Default field name of a cost row's amount. The service does not document it, so the configuration can change it. */
export const DEFAULT_COST_FIELD = "totalCost";

/** Hour whose amount is completely known. Unit: kWh for energy, the series' currency for costs and revenue. */
export type HourUsage = { readonly start: EpochMs; readonly value: number };

/** Field with the amount of a row; null if the configuration names it. */
const AMOUNT_FIELDS: Readonly<Record<UsageOperation, string | null>> = {
  consumption: "energyKWh",
  consumptionCosts: null,
  solarExport: "energyKWh",
  solarExportRevenue: "netRevenue",
};

/** Returns a reader of a row's amount. It returns a number if the amount is known. */
export function amountReader(
  rows: readonly Row[],
  operation: UsageOperation,
  costField: string,
): (row: Row) => unknown {
  const field = AMOUNT_FIELDS[operation] ?? costField;
  const isNamed = AMOUNT_FIELDS[operation] !== null || rows.some((row) => field in row);
  return isNamed ? (row) => row[field] : amountByRate;
}

/** Calculates costs as rate x energy + fees; null if a part is missing. Source: service interface, part 2.3. */
function amountByRate({ totalPricePerKWh: rate, energyKWh: energy, fixedFeesForInterval: fee }: Row): number | null {
  if (typeof energy !== "number" || typeof fee !== "number") return null;
  if (energy === 0) return fee;
  return typeof rate === "number" ? rate * energy + fee : null;
}

/** Sums the rows of one day per hour; incomplete hours are dropped. Shape: rows not overlapping; ascending. */
export function usageHours(
  rows: readonly Row[],
  operation: UsageOperation,
  costField: string = DEFAULT_COST_FIELD,
): HourUsage[] {
  const amountOf = amountReader(rows, operation, costField);
  const hours = new Map<EpochMs, { value: number; knownMs: number }>();
  for (const row of rows) {
    const span = spanWithinHour(row);
    const amount = amountOf(row);
    if (!span || typeof amount !== "number" || !Number.isFinite(amount)) continue;
    // Offsets of the service's zone are whole hours.
    const start = stepStart(span.start, HOUR_MS);
    const { value, knownMs } = hours.get(start) ?? { value: 0, knownMs: 0 };
    hours.set(start, { value: value + amount, knownMs: knownMs + span.end - span.start });
  }
  return [...hours]
    .filter(([, { knownMs }]) => knownMs === HOUR_MS)
    .map(([start, { value }]) => ({ start, value }))
    .sort((a, b) => a.start - b.start);
}

/** Returns the interval of a row; null if it is not inside one hour. */
function spanWithinHour(row: Row): Interval | null {
  const start = rowStart(row);
  const end = rowEnd(row);
  if (start === null || end === null || end <= start || end > stepEnd(start, HOUR_MS)) return null;
  return { start, end };
}
