/** History of the demo's home: 60 days of runs and energy at the simulator's prices, in the cheapest quarters. */
import type { FinishedRun } from "../core/planning/snapshot/plan-savings.ts";
import type { Calendar } from "../core/time/calendar.ts";
import { type EpochMs, HOUR_MS, type Interval, QUARTER_MS } from "../core/time/interval.ts";
import { openDataDir } from "../storage/open-storage.ts";
import { PlanStore } from "../storage/plan-store.ts";
import { PlugEnergyStore, type PlugQuarter } from "../storage/plug-energy-store.ts";

/** Appliance of the demo with its plan and plug. Its rounds are in a window of every day. */
export interface HistoricAppliance {
  readonly plan: string;
  readonly plug: string;
  readonly watts: number;
  /** Hours of a round, and the window in hours after midnight. */
  readonly hours: number;
  readonly from: number;
  readonly to: number;
  /** Whether a round is one run. */
  readonly oneRun: boolean;
}

export interface PricedQuarter extends Interval {
  readonly price: number;
}

export interface DemoHistoryOptions {
  readonly dataDir: string;
  readonly now: EpochMs;
  readonly calendar: Calendar;
  /** Returns the prices of a local day, in quarter-hours. */
  readonly pricesOn: (day: Interval) => readonly PricedQuarter[];
  readonly appliances: readonly HistoricAppliance[];
}

const DAYS = 60;
/** Fewer quarter-hours than the store accepts at once. */
const ADDED_AT_ONCE = 1_000;
/** Share of the assumed energy that an appliance used, by day: measured runs differ from assumed ones. */
const MEASURED = [0.94, 1.02, 0.98, 1.06, 0.9] as const;

export function writeDemoHistory({ dataDir, now, calendar, pricesOn, appliances }: DemoHistoryOptions): void {
  const { database } = openDataDir(dataDir, now);
  const plans = new PlanStore(database);
  const energy = new PlugEnergyStore(database);
  const today = calendar.startOf("day", now);
  const days = Array.from({ length: DAYS + 1 }, (_, i) => calendar.add("day", today, i - DAYS));
  const prices = days.map((start) => pricesOn({ start, end: calendar.add("day", start, 1) }));
  for (const appliance of appliances) {
    const runs: FinishedRun[] = [];
    const quarters: PlugQuarter[] = [];
    // The window of the last day is not over yet.
    for (let day = 0; day < DAYS - 1; day++) {
      const start = days[day] ?? today;
      const window = [...(prices[day] ?? []), ...(prices[day + 1] ?? [])].filter(
        (quarter) => quarter.start >= start + appliance.from * HOUR_MS && quarter.end <= start + appliance.to * HOUR_MS,
      );
      const share = MEASURED[day % MEASURED.length] ?? 1;
      const chosen = cheapest(window, (appliance.hours * HOUR_MS) / QUARTER_MS, appliance.oneRun);
      for (const run of joined(chosen))
        runs.push({
          start: run[0]?.start ?? 0,
          end: run.at(-1)?.end ?? 0,
          basis: "prices",
          meanPrice: mean(run),
          windowStartPrice: mean(window.slice(0, chosen.length)),
          windowPrice: mean(window),
          kwh: energyOf(run.length, appliance.watts),
        });
      quarters.push(...chosen.map((quarter) => measured(quarter, appliance, share)));
    }
    plans.write(appliance.plan, null, runs);
    for (let i = 0; i < quarters.length; i += ADDED_AT_ONCE) energy.add(quarters.slice(i, i + ADDED_AT_ONCE));
  }
  database.close();
}

/** Returns the cheapest quarter-hours, ascending: in one run, or anywhere in the window. */
function cheapest(window: readonly PricedQuarter[], count: number, isOneRun: boolean): readonly PricedQuarter[] {
  if (window.length < count) return [];
  if (!isOneRun)
    return [...window]
      .sort((a, b) => a.price - b.price)
      .slice(0, count)
      .sort((a, b) => a.start - b.start);
  const starts = Array.from({ length: window.length - count + 1 }, (_, i) => window.slice(i, i + count));
  return starts.reduce((best, each) => (mean(each) < mean(best) ? each : best));
}

function joined(quarters: readonly PricedQuarter[]): PricedQuarter[][] {
  const runs: PricedQuarter[][] = [];
  for (const quarter of quarters) {
    const last = runs.at(-1);
    if (last?.at(-1)?.end === quarter.start) last.push(quarter);
    else runs.push([quarter]);
  }
  return runs;
}

function measured({ start, price }: PricedQuarter, { plug, watts }: HistoricAppliance, share: number): PlugQuarter {
  const kwh = energyOf(1, watts) * share;
  return { plug, start, kwh, measuredMs: QUARTER_MS, cost: kwh * price };
}

function energyOf(quarters: number, watts: number): number {
  return ((watts / 1_000) * quarters * QUARTER_MS) / HOUR_MS;
}

function mean(quarters: readonly PricedQuarter[]): number {
  return quarters.reduce((sum, { price }) => sum + price, 0) / Math.max(1, quarters.length);
}
