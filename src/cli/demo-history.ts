/** Appliances of the demo's home: what they use at the simulator's prices, in the cheapest quarters, and 60 days of that. */
import type { FinishedRun } from "../core/planning/snapshot/plan-savings.ts";
import type { Calendar } from "../core/time/calendar.ts";
import { type EpochMs, HOUR_MS, type Interval, QUARTER_MS, stepStart } from "../core/time/interval.ts";
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

export interface DemoHouse {
  readonly calendar: Calendar;
  /** Returns the prices of a local day, in quarter-hours. */
  readonly pricesOn: (day: Interval) => readonly PricedQuarter[];
  readonly appliances: readonly HistoricAppliance[];
}

interface DemoHistoryOptions extends DemoHouse {
  readonly dataDir: string;
  readonly now: EpochMs;
}

const DAYS = 60;
/** Fewer quarter-hours than the store accepts at once. */
const ADDED_AT_ONCE = 1_000;
/** Share of the assumed energy that an appliance used, by day: measured runs differ from assumed ones. */
const MEASURED = [0.94, 1.02, 0.98, 1.06, 0.9] as const;

/** Writes the runs and the energy up to `now`. */
export function writeDemoHistory({ dataDir, now, ...house }: DemoHistoryOptions): void {
  const { calendar, appliances } = house;
  const { database } = openDataDir(dataDir, now);
  const plans = new PlanStore(database);
  const energy = new PlugEnergyStore(database);
  const today = calendar.startOf("day", now);
  const days = Array.from({ length: DAYS + 1 }, (_, i) => calendar.add("day", today, i - DAYS));
  for (const appliance of appliances) {
    const runs: FinishedRun[] = [];
    const quarters: PlugQuarter[] = [];
    for (const [day, start] of days.entries()) {
      const { window, chosen } = roundOn(start, appliance, house);
      const share = MEASURED[day % MEASURED.length] ?? 1;
      for (const run of joined(chosen).filter((each) => (each.at(-1)?.end ?? now) < now))
        runs.push({
          start: run[0]?.start ?? 0,
          end: run.at(-1)?.end ?? 0,
          basis: "prices",
          meanPrice: mean(run),
          windowStartPrice: mean(window.slice(0, chosen.length)),
          windowPrice: mean(window),
          kwh: energyOf(run.length, appliance.watts),
        });
      const used = chosen.filter(({ end }) => end <= now);
      quarters.push(...used.map((quarter) => measured(quarter, appliance, share)));
    }
    plans.write(appliance.plan, null, runs);
    for (let i = 0; i < quarters.length; i += ADDED_AT_ONCE) energy.add(quarters.slice(i, i + ADDED_AT_ONCE));
  }
  database.close();
}

/** Returns the function of what the appliances use in an hour, at least what their plugs measure. Unit: Wh. */
export function appliancesUse(house: DemoHouse): (hour: EpochMs) => number {
  const { calendar, appliances } = house;
  let known: { readonly day: EpochMs; readonly whByHour: ReadonlyMap<EpochMs, number> } | null = null;
  return (hour) => {
    const day = calendar.startOf("day", hour);
    if (known?.day !== day) {
      const whByHour = new Map<EpochMs, number>();
      for (const start of [calendar.add("day", day, -1), day])
        for (const appliance of appliances)
          for (const quarter of roundOn(start, appliance, house).chosen) {
            const at = stepStart(quarter.start, HOUR_MS);
            whByHour.set(at, (whByHour.get(at) ?? 0) + 1_000 * energyOf(1, appliance.watts) * Math.max(...MEASURED));
          }
      known = { day, whByHour };
    }
    return known.whByHour.get(hour) ?? 0;
  };
}

/** Returns the quarter-hours of an appliance's round that begins on a day, and those of its window. */
function roundOn(day: EpochMs, { from, to, hours, oneRun }: HistoricAppliance, { calendar, pricesOn }: DemoHouse) {
  const next = calendar.add("day", day, 1);
  const prices = [
    ...pricesOn({ start: day, end: next }),
    ...pricesOn({ start: next, end: calendar.add("day", next, 1) }),
  ];
  const window = prices.filter(({ start, end }) => start >= day + from * HOUR_MS && end <= day + to * HOUR_MS);
  return { window, chosen: cheapest(window, (hours * HOUR_MS) / QUARTER_MS, oneRun) };
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
