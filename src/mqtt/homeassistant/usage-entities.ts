/** Entities of a home's consumption, costs, export and revenue: sums of one day, two months and one year each. */

import type { HomeUsage, UsageFigures } from "../../core/prices/usage.ts";
import type { UsageOperation } from "../../core/prices/usage-amounts.ts";
import { formatInstantOrNull } from "../../core/time/interval.ts";
import { labelOf } from "../../service/contract/polled-series.ts";
import type { EntityRow } from "./entity.ts";

interface Series {
  readonly operation: UsageOperation;
  readonly name: "consumption" | "cost" | "export" | "revenue";
  readonly kind: "energy" | "money";
  readonly icon: string;
}

const series: readonly Series[] = [
  { operation: "consumption", name: "consumption", kind: "energy", icon: "mdi:transmission-tower-import" },
  { operation: "consumptionCosts", name: "cost", kind: "money", icon: "mdi:cash-minus" },
  { operation: "solarExport", name: "export", kind: "energy", icon: "mdi:transmission-tower-export" },
  { operation: "solarExportRevenue", name: "revenue", kind: "money", icon: "mdi:cash-plus" },
];

interface Period {
  readonly key: "day" | "month" | "previous_month" | "year";
  readonly name: "last_complete_day" | "this_month" | "previous_month" | "this_year";
  readonly of: (figures: UsageFigures) => { readonly start: number; readonly value: number } | null;
}

const periods: readonly Period[] = [
  { key: "day", name: "last_complete_day", of: (figures) => figures.lastCompleteDay },
  { key: "month", name: "this_month", of: (figures) => figures.month },
  { key: "previous_month", name: "previous_month", of: (figures) => figures.previousMonth },
  { key: "year", name: "this_year", of: (figures) => figures.year },
];

/**
 * Returns the rows of usage. Months and years are a `total` with a last reset, so that Home Assistant records long-term
 * statistics. Energy of a day has no state class, because it arrives a day late. `integrations/homeassistant` imports
 * the statistics of its hours instead.
 */
export function usageRows<State>(usageOf: (state: State) => HomeUsage): EntityRow<State>[] {
  const sums = series.flatMap((each) => periods.map((period) => usageRow(each, period, usageOf)));
  const lastDay: EntityRow<State> = {
    key: "consumption_date",
    name: "consumption_last_complete_day_is",
    platform: "sensor",
    topic: "usage",
    value: (state) => usageOf(state).consumption?.lastCompleteDay?.date ?? null,
    deviceClass: "date",
    icon: "mdi:calendar",
    exists: (state) => usageOf(state).consumption !== null,
  };
  return [...sums, lastDay];
}

function usageRow<State>(each: Series, period: Period, usageOf: (state: State) => HomeUsage): EntityRow<State> {
  const sumOf = (state: State) => {
    const figures = usageOf(state)[each.operation];
    return figures && period.of(figures);
  };
  const shared = {
    key: `${labelOf(each.operation)}_${period.key}`,
    name: `${each.name}_${period.name}` as const,
    platform: "sensor",
    topic: "usage",
    value: (state: State) => sumOf(state)?.value ?? null,
    precision: 2,
    icon: each.icon,
    attributes: labelOf(each.operation),
    exists: (state: State) => usageOf(state)[each.operation] !== null,
  } as const;
  const total = {
    stateClass: "total",
    lastReset: (state: State) => formatInstantOrNull(sumOf(state)?.start),
  } as const;
  if (each.kind === "money") return { ...shared, ...total, deviceClass: "monetary", unit: "currency" };
  return { ...shared, ...(period.key === "day" ? {} : total), deviceClass: "energy", unit: "kWh" };
}
