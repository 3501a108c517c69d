/** Makes bars of savings by month. The amounts of the plans are stacked in the bar of their month. */
import type { ResultMonth } from "../../api/house/results.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import type { ChartBar, ChartPart } from "../chart/chart-view.ts";
import { HUES, hueOf } from "../plans/plan-hues.ts";
import type { Plan } from "../store/answers.ts";

/** Baselines that runs are compared with. */
export const BASELINES = ["window_start", "mean"] as const;
export type Baseline = (typeof BASELINES)[number];

const MONTHS = 12;
/** Share of a month's width that its bar fills. */
const FILL = 0.7;
/** Months that the chart has room for at least, so that the bar of a first month is not as wide as the chart. */
const MIN_MONTHS = 6;

type SavedPart = ChartPart & { readonly name: string; readonly cost: number; readonly runs: number };

export interface SavingBar extends ChartBar {
  readonly value: number;
  readonly month: number;
  readonly stack: readonly SavedPart[];
}

interface GroupOptions {
  readonly now: number;
  readonly calendar: Calendar;
  readonly otherName: string;
  /** Known plans, whose colours the bars have. */
  readonly known: readonly Pick<Plan, "id">[];
}

/**
 * Returns the bars of the months since the first one with an amount, and the plans, largest saving first. Plans for which
 * no colour is left are one.
 */
export function groupedByPlan(months: readonly ResultMonth[], baseline: Baseline, options: GroupOptions) {
  const { now, calendar, otherName, known } = options;
  const earliest = calendar.add("month", now, 1 - MONTHS);
  const rows = months.flatMap((each) => {
    const [value, start] = [each[`against_${baseline}`], Date.parse(each.start)];
    return value === null || start < earliest ? [] : [{ ...each, start, value, cost: each.cost ?? 0 }];
  });
  const byPlan = [...Map.groupBy(rows, ({ plan }) => plan).entries()].sort(([, a], [, b]) => sumOf(b) - sumOf(a));
  const isMany = byPlan.length > HUES;
  const plans = byPlan.slice(0, isMany ? HUES - 1 : HUES).map(([id, own]) => ({
    ...{ id, name: own[0]?.name ?? id, kind: hueOf(id, known), rows: own, saved: sumOf(own) },
  }));
  const others = isMany ? byPlan.slice(HUES - 1).flatMap(([, own]) => own) : [];
  if (isMany) plans.push({ id: "", name: otherName, kind: "gap", rows: others, saved: sumOf(others) });
  const from = Math.min(calendar.startOf("month", now), ...rows.map(({ start }) => start));
  const to = calendar.add("month", now, 1);
  const starts = calendar.startsIn("month", { start: from, end: to });
  const bars = starts.flatMap((month, i): SavingBar[] => {
    const parts = plans.flatMap(({ name, kind, rows: own }): SavedPart[] => {
      const inMonth = own.filter(({ start }) => start === month);
      const sum = (field: "cost" | "runs") => inMonth.reduce((total, row) => total + row[field], 0);
      return inMonth.length === 0 ? [] : [{ name, kind, value: sumOf(inMonth), cost: sum("cost"), runs: sum("runs") }];
    });
    if (parts.length === 0) return [];
    const length = (starts[i + 1] ?? to) - month;
    const width = FILL * Math.min(length, (to - from) / MIN_MONTHS);
    const start = month + (length - width) / 2;
    return [{ start, end: start + width, kind: "use", estimate: false, value: sumOf(parts), month, stack: parts }];
  });
  return {
    ...{ from, to, starts, bars, plans: plans.map(({ rows: _, ...plan }) => plan) },
    currency: rows[0]?.currency ?? null,
    saved: sumOf(rows),
    cost: rows.reduce((sum, row) => sum + row.cost, 0),
  };
}

function sumOf(rows: readonly { readonly value: number }[]): number {
  return rows.reduce((sum, { value }) => sum + value, 0);
}
