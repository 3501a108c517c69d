/**
 * Hour rows of the service added up by local hours, days, months or years. A missing hour is a gap: what is added up
 * knows how many hours it lacks, and a stretch without any has no value.
 */
import { HOUR_MS } from "./zone.js";

/** What can be looked at: the operation's path, the field of its amount, and its unit where it is no money. */
export const MEASURES = {
  consumption: { path: "consumption", capability: "consumption", field: () => "energyKWh", money: false },
  costs: { path: "consumption-costs", capability: "consumptionCosts", field: costField, money: true },
  export: { path: "solar-export", capability: "solarExport", field: () => "energyKWh", money: false },
  revenue: { path: "solar-export-revenue", capability: "solarExportRevenue", field: () => "netRevenue", money: true },
};

/** The service does not document what it calls the amount of costs. */
function costField(row) {
  return "totalCost" in row ? "totalCost" : (Object.keys(row).find((key) => /cost|amount/i.test(key)) ?? "totalCost");
}

/** The rows of an answer. Shape: ascending. `amount` is null where a row has no number. */
export function rowsOf(measure, answer) {
  return answer.data.map((row) => {
    const amount = row[measure.field(row)];
    return {
      start: Date.parse(row.start),
      end: Date.parse(row.end),
      amount: typeof amount === "number" ? amount : null,
      estimate: row.isEstimate === true,
      kwh: typeof row.energyKWh === "number" ? row.energyKWh : null,
      rate: typeof row.totalPricePerKWh === "number" ? row.totalPricePerKWh : null,
      fees: typeof row.fixedFeesForInterval === "number" ? row.fixedFeesForInterval : null,
    };
  });
}

/**
 * Rows added up by a local unit over `[from, to)`. Shape: one bar for each unit, ascending; `value` is null where nothing
 * is known, `missing` counts the hours without a value up to `until`.
 */
export function addedUp(rows, unit, { from, to, until }, zone) {
  const starts = zone.starts(unit, from, to);
  const bars = starts.map((start, i) => ({
    start,
    end: starts[i + 1] ?? to,
    value: null,
    known: 0,
    estimate: false,
    missing: 0,
  }));
  let place = 0;
  for (const row of rows) {
    if (row.amount === null || row.start < from || row.start >= to) continue;
    while (place < bars.length - 1 && row.start >= bars[place].end) place++;
    const bar = bars[place];
    if (row.start < bar.start) continue;
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

/** Sum, gaps and estimates of bars; a sum of nothing is null. */
export function totalOf(bars) {
  const known = bars.filter(({ value }) => value !== null);
  return {
    value: known.length === 0 ? null : known.reduce((sum, { value }) => sum + value, 0),
    missing: bars.reduce((sum, { missing }) => sum + missing, 0),
    estimate: known.some(({ estimate }) => estimate),
  };
}

/** What a kWh cost on average by its own price, fixed fees left out; null where nothing was used. */
export function averagePaid(rows) {
  let money = 0;
  let kwh = 0;
  for (const row of rows) {
    if (row.kwh === null || row.rate === null) continue;
    money += row.rate * row.kwh;
    kwh += row.kwh;
  }
  return kwh > 0 ? money / kwh : null;
}
