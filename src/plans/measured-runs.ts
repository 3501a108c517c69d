/** What plugs measured during the runs of their plans. */
import type { FinishedRun, MeasuredRun } from "../core/planning/plan-savings.ts";
import { type Interval, QUARTER_MS, stepStart } from "../core/time/interval.ts";
import type { PlugEnergyStore, QuarterEnergy } from "../storage/plug-energy-store.ts";

/** Part of a run that has to be measured, by each plug of its plan. */
const MEASURED_PART = 0.9;

export class MeasuredRuns {
  readonly #store: Pick<PlugEnergyStore, "quarters">;
  readonly #plugsOf: (plan: string) => readonly string[];

  /** `plugsOf` returns the plugs that follow a plan. */
  constructor(store: Pick<PlugEnergyStore, "quarters">, plugsOf: (plan: string) => readonly string[]) {
    this.#store = store;
    this.#plugsOf = plugsOf;
  }

  /** Returns a run with its energy and cost as measured; null for both if a plug of the plan did not measure it. */
  with(plan: string, run: FinishedRun): FinishedRun {
    return { ...run, measured: this.#measuredIn(plan, run) };
  }

  /** Returns the energy of each quarter-hour of the runs that were measured. Unit: kWh. */
  courses(plan: string, runs: readonly Interval[]): number[][] {
    return runs.flatMap((run) => {
      const quarters = this.#quartersIn(plan, run);
      const first = Math.floor(run.start / QUARTER_MS);
      const course = Array.from({ length: Math.ceil(run.end / QUARTER_MS) - first }, () => 0);
      for (const { start, kwh } of quarters ?? [])
        course[start / QUARTER_MS - first] = (course[start / QUARTER_MS - first] ?? 0) + kwh;
      return quarters ? [course] : [];
    });
  }

  #measuredIn(plan: string, run: Interval): MeasuredRun | null {
    const quarters = this.#quartersIn(plan, run);
    if (!quarters) return null;
    const costs = quarters.flatMap(({ cost }) => cost ?? []);
    return {
      kwh: quarters.reduce((sum, { kwh }) => sum + kwh, 0),
      cost: costs.length < quarters.length ? null : costs.reduce((sum, cost) => sum + cost, 0),
    };
  }

  /** A quarter-hour in which the run began belongs to it, because its appliance was off before. */
  #quartersIn(plan: string, { start, end }: Interval): readonly QuarterEnergy[] | null {
    const plugs = this.#plugsOf(plan);
    const range = { start: stepStart(start, QUARTER_MS), end };
    const all = plugs.map((plug) => this.#store.quarters(plug, range));
    const isMeasured = (quarters: (typeof all)[number]) =>
      quarters.reduce((sum, { measuredMs }) => sum + measuredMs, 0) >= MEASURED_PART * (end - start);
    if (plugs.length === 0 || !all.every(isMeasured)) return null;
    return all.flat();
  }
}
