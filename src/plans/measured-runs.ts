/** What plugs measured during the runs of their plans. */
import type { FinishedRun, MeasuredRun } from "../core/planning/snapshot/plan-savings.ts";
import { type Interval, QUARTER_MS, stepStart } from "../core/time/interval.ts";
import type { PlugEnergyStore, QuarterEnergy } from "../storage/plug-energy-store.ts";

/** Part of a run that has to be measured, by each plug of its plan. */
const MEASURED_PART = 0.9;

export type MeasuredRuns = ReturnType<typeof measuredRuns>;

/** `plugsOf` returns the plugs that follow a plan. */
export function measuredRuns(store: Pick<PlugEnergyStore, "quarters">, plugsOf: (plan: string) => readonly string[]) {
  /** A quarter-hour in which the run began belongs to it, because its appliance was off before. */
  const quartersIn = (plan: string, { start, end }: Interval): readonly QuarterEnergy[] | null => {
    const range = { start: stepStart(start, QUARTER_MS), end };
    const all = plugsOf(plan).map((plug) => store.quarters(plug, range));
    const isMeasured = (quarters: (typeof all)[number]) =>
      quarters.reduce((sum, { measuredMs }) => sum + measuredMs, 0) >= MEASURED_PART * (end - start);
    return all.length > 0 && all.every(isMeasured) ? all.flat() : null;
  };
  const measuredIn = (quarters: readonly QuarterEnergy[]): MeasuredRun => {
    const costs = quarters.flatMap(({ cost }) => cost ?? []);
    const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
    return { kwh: sumOf(quarters.map(({ kwh }) => kwh)), cost: costs.length < quarters.length ? null : sumOf(costs) };
  };
  return {
    /** Returns a run as it was measured; null if a plug of the plan did not measure it. */
    with(plan: string, run: FinishedRun): FinishedRun {
      const quarters = quartersIn(plan, run);
      return { ...run, measured: quarters && measuredIn(quarters) };
    },
    /** Returns the energy of each quarter-hour of the runs that were measured. Unit: kWh. */
    courses(plan: string, runs: readonly Interval[]): number[][] {
      return runs.flatMap((run) => {
        const quarters = quartersIn(plan, run);
        const first = Math.floor(run.start / QUARTER_MS);
        const course = Array.from({ length: Math.ceil(run.end / QUARTER_MS) - first }, () => 0);
        for (const { start, kwh } of quarters ?? [])
          course[start / QUARTER_MS - first] = (course[start / QUARTER_MS - first] ?? 0) + kwh;
        return quarters ? [course] : [];
      });
    },
  };
}
