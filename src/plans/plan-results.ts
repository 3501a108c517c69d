/** Finished runs of plans, and their totals per local month. */

import type { PlanDefinition } from "../core/planning/model/plan-definition.ts";
import type { FinishedRun } from "../core/planning/snapshot/plan-savings.ts";
import type { PlanHistory, PlanMonth } from "../core/planning/snapshot/plan-snapshot.ts";
import type { Calendar } from "../core/time/calendar.ts";
import type { EpochMs, Interval } from "../core/time/interval.ts";
import type { PlanStore } from "../storage/plan-store.ts";
import type { MeasuredRuns } from "./measured-runs.ts";

/** A plan of which results are wanted. */
export interface ResultPlan {
  readonly definition: PlanDefinition;
  /** Null while no price of its home is known. */
  readonly currency: string | null;
}

/** A finished run and its plan. */
export interface PlanResult extends ResultPlan {
  readonly run: FinishedRun;
}

/** The total of a month and its plan. */
export interface MonthResult extends ResultPlan {
  readonly month: PlanMonth;
}

/** Selects the plans of a home, one plan, or all plans. */
export interface WhichPlans {
  readonly home: string | null;
  readonly plan: string | null;
}

type PlanOfRuns = Pick<PlanDefinition, "id" | "spec">;

/** Maximum runs in the detail of a plan. */
const MAX_DETAIL_RUNS = 60;
/** Number of months in the detail of a plan: the time for which runs are stored. */
const DETAIL_MONTHS = 14;

interface PlanResultsDeps {
  readonly store: PlanStore;
  readonly calendar: Calendar;
  readonly measured?: Pick<MeasuredRuns, "with">;
}

export class PlanResults {
  readonly #deps: PlanResultsDeps;
  readonly #calendar: Calendar;
  readonly #selected: (which: WhichPlans) => readonly ResultPlan[];

  /** `selected` returns plans in the order of the configuration. */
  constructor(deps: PlanResultsDeps, selected: (which: WhichPlans) => readonly ResultPlan[]) {
    this.#deps = deps;
    this.#calendar = deps.calendar;
    this.#selected = selected;
  }

  /** Returns the last runs and months of a plan. Shape: newest first; months without a run are omitted. */
  detail(plan: PlanOfRuns, now: EpochMs): { readonly runs: readonly FinishedRun[]; readonly months: PlanMonth[] } {
    const first = this.#calendar.startOf("month", now);
    const starts = Array.from({ length: DETAIL_MONTHS }, (_, ago) => this.#calendar.add("month", first, -ago));
    const months = starts.map((start) => this.#month(plan, start)).filter(({ runs }) => runs > 0);
    return { runs: this.#lastRuns(plan.id, MAX_DETAIL_RUNS), months };
  }

  /** Returns the totals of this month and of the previous one, and the last run. */
  history(plan: PlanOfRuns, now: EpochMs): PlanHistory {
    const start = this.#calendar.startOf("month", now);
    return {
      month: this.#month(plan, start),
      monthBefore: this.#month(plan, this.#calendar.add("month", start, -1)),
      lastRun: this.#lastRuns(plan.id, 1)[0] ?? null,
    };
  }

  /** Returns the runs that began in `range`. Shape: newest first, at most `most` of them. */
  runs(which: WhichPlans, range: Interval, most: number): PlanResult[] {
    const found = this.#selected(which).flatMap((plan) =>
      this.#lastRuns(plan.definition.id, most, range).map((run) => ({ ...plan, run })),
    );
    return found.sort((a, b) => b.run.start - a.run.start).slice(0, most);
  }

  /** Returns the months of `range`, plan by plan. Shape: oldest first; months without a run are omitted. */
  months(which: WhichPlans, range: Interval): MonthResult[] {
    const plans = this.#selected(which);
    return this.#calendar.intervals("month", range).flatMap(({ start }) =>
      plans.flatMap((plan) => {
        const month = this.#month(plan.definition, start);
        return month.runs > 0 ? { ...plan, month } : [];
      }),
    );
  }

  #lastRuns(plan: string, most: number, range?: Interval): FinishedRun[] {
    const { store, measured } = this.#deps;
    return store.lastRuns(plan, most, range).map((run) => measured?.with(plan, run) ?? run);
  }

  #month({ id, spec }: PlanOfRuns, start: EpochMs): PlanMonth {
    const end = this.#calendar.add("month", start, 1);
    const { runs, hours, cost, savingWindowStart, savingMean } = this.#deps.store.totals(id, start, end);
    const hasMoney = spec.kwh !== undefined;
    const saving = {
      againstNow: null,
      againstWindowStart: hasMoney ? savingWindowStart : null,
      againstMean: hasMoney ? savingMean : null,
    };
    return { start, runs, hours, cost: hasMoney ? cost : null, saving };
  }
}
