/** Entities of a home's consumption, costs, export and revenue: sums of one day, two months and one year each. */

import type { HomeUsage } from "../../core/prices/usage.ts";
import { seriesLabel } from "../../service/contract/polled-series.ts";
import { type EntityRow, entityRow } from "./entity.ts";

const series = [
  { operation: "consumption", name: "consumption", kind: "energy", icon: "mdi:transmission-tower-import" },
  { operation: "consumptionCosts", name: "cost", kind: "money", icon: "mdi:cash-minus" },
  { operation: "solarExport", name: "export", kind: "energy", icon: "mdi:transmission-tower-export" },
  { operation: "solarExportRevenue", name: "revenue", kind: "money", icon: "mdi:cash-plus" },
] as const;

/** Sums that a new installation shows; the others are disabled at first. */
const SHOWN: ReadonlySet<string> = new Set([
  "consumption_day",
  "consumption_month",
  "costs_day",
  "costs_month",
  "revenue_month",
]);

const periods = [
  { key: "day", name: "last_complete_day", of: "lastCompleteDay" },
  { key: "month", name: "this_month", of: "month" },
  { key: "previous_month", name: "previous_month", of: "previousMonth" },
  { key: "year", name: "this_year", of: "year" },
] as const;

const SENSOR = { platform: "sensor", topic: "usage" } as const;
const UNITS = {
  energy: { deviceClass: "energy", unit: "kWh" },
  money: { deviceClass: "monetary", unit: "currency" },
} as const;

/**
 * Returns the rows of usage. Months and years are a `total` with a last reset, so that Home Assistant records long-term
 * statistics. Energy of a day has no state class, because it arrives a day late. `integrations/homeassistant` imports
 * the statistics of its hours instead.
 */
export function usageRows<State>(usageOf: (state: State) => HomeUsage): EntityRow<State>[] {
  const row = entityRow<State>;
  const sums = series.flatMap(({ operation, name, kind, icon }) =>
    periods.map((period) => {
      const sumOf = (state: State) => usageOf(state)[operation]?.[period.of] ?? null;
      const lastReset = (state: State) => sumOf(state)?.start ?? null;
      const key = `${seriesLabel(operation)}_${period.key}`;
      const isTotal = kind === "money" || period.key !== "day";
      return row(key, `${name}_${period.name}`, (state) => sumOf(state)?.value ?? null, {
        ...SENSOR,
        ...UNITS[kind],
        ...(isTotal && { stateClass: "total", lastReset }),
        ...(!SHOWN.has(key) && { isHidden: true }),
        precision: 2,
        icon,
        attributes: seriesLabel(operation),
        exists: (state) => usageOf(state)[operation] !== null,
      });
    }),
  );
  const dateOf = (state: State) => usageOf(state).consumption?.lastCompleteDay?.date ?? null;
  const lastDay = row("consumption_date", "consumption_last_complete_day_is", dateOf, {
    ...SENSOR,
    isHidden: true,
    deviceClass: "date",
    icon: "mdi:calendar",
    exists: (state) => usageOf(state).consumption !== null,
  });
  return [...sums, lastDay];
}
