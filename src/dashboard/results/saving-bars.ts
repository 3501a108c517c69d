/** Makes bars of savings by month and plan. The bars of a month are next to each other. */
import type { ResultMonth } from "../../api/house/results.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import type { ChartBar } from "../chart/chart-view.ts";
import type { Plan } from "../store/answers.ts";

/** Baselines that runs are compared with. */
export const BASELINES = ["window_start", "mean"] as const;
export type Baseline = (typeof BASELINES)[number];

/** Number of colours. With more plans, the last colour is for all remaining plans together. */
const COLORS = 5;
const MONTHS = 12;
/** Share of a month's width that its bars fill. */
const FILL = 0.86;

export interface SavingBar extends ChartBar {
  readonly value: number;
  readonly month: number;
  readonly name: string;
  readonly cost: number;
  readonly runs: number;
  readonly currency: string | null;
}

/** Returns the bars, ascending and disjoint, and the plans, largest saving first. Omits months without an amount. */
export function groupedByPlan(
  months: readonly ResultMonth[],
  baseline: Baseline,
  { now, calendar, otherName }: { readonly now: number; readonly calendar: Calendar; readonly otherName: string },
) {
  const from = calendar.add("month", now, 1 - MONTHS);
  const to = calendar.add("month", now, 1);
  const starts = calendar.startsIn("month", { start: from, end: to });
  const known = months.flatMap((each) => {
    const value = each[`against_${baseline}`];
    return value === null || Date.parse(each.start) < from ? [] : { ...each, value, cost: each.cost ?? 0 };
  });
  const byPlan = [...Map.groupBy(known, ({ plan }) => plan).values()].sort((a, b) => sumOf(b) - sumOf(a));
  const isMany = byPlan.length > COLORS;
  const groups = isMany ? [...byPlan.slice(0, COLORS - 1), byPlan.slice(COLORS - 1).flat()] : byPlan;
  const plans = groups.map((rows, i) => ({
    rows,
    kind: `series-${i + 1}`,
    name: isMany && i === groups.length - 1 ? otherName : (rows[0]?.name ?? ""),
    saved: sumOf(rows),
    currency: rows[0]?.currency ?? null,
  }));
  const bars = starts.flatMap((month, m) => {
    const length = (starts[m + 1] ?? to) - month;
    const width = (length * FILL) / Math.max(1, plans.length);
    return plans.flatMap(({ rows, kind, name, currency }, i): SavingBar[] => {
      const own = rows.filter(({ start }) => Date.parse(start) === month);
      if (own.length === 0) return [];
      const start = month + (length * (1 - FILL)) / 2 + i * width;
      const sums = {
        value: sumOf(own),
        cost: own.reduce((sum, row) => sum + row.cost, 0),
        runs: own.reduce((sum, row) => sum + row.runs, 0),
      };
      return [{ ...sums, start, end: start + width, kind, estimate: false, month, name, currency }];
    });
  });
  return {
    from,
    to,
    starts,
    bars,
    currency: plans[0]?.currency ?? null,
    plans: plans.map(({ rows: _, ...plan }) => plan),
    saved: sumOf(known),
    cost: known.reduce((sum, row) => sum + row.cost, 0),
  };
}

function sumOf(rows: readonly { readonly value: number }[]): number {
  return rows.reduce((sum, { value }) => sum + value, 0);
}

/** Returns a text that changes when a run of one of the plans ends. */
export function runsVersion(plans: readonly Plan[]): string {
  return plans.map(({ id, last_run: run }) => `${id} ${run?.end}`).join();
}
