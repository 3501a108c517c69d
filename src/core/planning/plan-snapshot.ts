/** Published state of a plan. */
import type { EpochMs, Interval } from "../time/interval.ts";
import type { LearnedCourse } from "./learned-course.ts";
import type { PlanDefinition } from "./model/plan-definition.ts";
import type { PlanShortfall, PlanSpec } from "./model/plan-spec.ts";
import type { PlanReason } from "./plan-reason.ts";
import { begunInRound, type PlanRecord, type PlanRun } from "./plan-record.ts";
import { energyOf, type FinishedRun } from "./plan-savings.ts";
import { type ShownSettings, shownSettings } from "./plan-settings.ts";
import type { PlanAdvance, PlanState } from "./plan-state-machine.ts";

/**
 * Saving compared with three baselines: a start now (null once the occurrence has begun), a start when the window opens,
 * and the mean of the window. If the plan was added during its window, the window opens then. Unit: currency, or
 * currency per kWh.
 */
export interface PlanSaving {
  readonly againstNow: number | null;
  readonly againstWindowStart: number | null;
  readonly againstMean: number | null;
}

/**
 * Totals of a local month. A run counts in the month in which it ends, because its saving is known then. Money is null if
 * the plan has no energy.
 */
export interface PlanMonth {
  readonly start: EpochMs;
  readonly runs: number;
  readonly hours: number;
  readonly cost: number | null;
  readonly saving: PlanSaving;
}

/** Finished runs with known prices. */
export interface PlanHistory {
  readonly month: PlanMonth;
  readonly monthBefore: PlanMonth;
  readonly lastRun: FinishedRun | null;
}

export interface PlanSnapshot {
  readonly definition: PlanDefinition;
  readonly on: boolean;
  readonly state: PlanState;
  readonly reason: PlanReason;
  /** Begun and planned runs of this occurrence. Shape: ascending. */
  readonly runs: readonly (PlanRun & { readonly begun: boolean })[];
  /** Next planned start; null if nothing is planned. */
  readonly nextStart: EpochMs | null;
  /** End of the current run, otherwise of the next one. */
  readonly nextEnd: EpochMs | null;
  readonly currency: string | null;
  /** Mean price of this occurrence's runs. Unit: currency per kWh. */
  readonly meanPrice: number | null;
  /** Cost of this occurrence. Unit: currency. */
  readonly cost: number | null;
  /** Missing hours and the reason; null if none are missing. */
  readonly shortfall: PlanShortfall | null;
  readonly saving: PlanSaving;
  readonly savingPerKwh: PlanSaving;
  readonly history: PlanHistory;
  /** What a plan with `learn` has learned; absent or null if nothing. */
  readonly learned?: (LearnedCourse & { readonly frozen: boolean }) | null | undefined;
  readonly settings: ShownSettings;
  /** Why the last command over MQTT was refused; null if it was done. */
  readonly refused: string | null;
}

interface PlanSnapshotInput
  extends Pick<PlanSnapshot, "definition" | "reason" | "currency" | "history" | "refused" | "learned"> {
  /** The definition's spec with the owner's changes. */
  readonly spec: PlanSpec;
  readonly advance: PlanAdvance;
  readonly now: EpochMs;
}

export function planSnapshot({ spec, advance, now, ...given }: PlanSnapshotInput): PlanSnapshot {
  const { memory, state, running, on } = advance;
  const solved = memory?.outcome.kind === "solved" ? memory.outcome : null;
  const meanPrice = solved?.meanPrice ?? null;
  const savingPerKwh = {
    againstNow: difference(advance.startedNow, meanPrice),
    againstWindowStart: difference(advance.baselines?.windowStart ?? null, meanPrice),
    againstMean: difference(advance.baselines?.mean ?? null, meanPrice),
  };
  const shortfall = solved?.shortfall ?? null;
  const kwh = memory && roundEnergy(spec, memory);
  const runs = [
    ...(memory?.startedRuns ?? []).map(({ start, end, basis }) => ({ start, end, basis, begun: true })),
    ...(memory?.planned ?? []).map((run) => ({ ...run, begun: false })),
  ];
  const later = memory?.planned.filter((run) => run.start > now) ?? [];
  const end = running && endOfRow(running.end, later);
  const next = later.find((run) => end === null || run.start > end) ?? null;
  return {
    ...given,
    on,
    state,
    runs,
    nextStart: next?.start ?? null,
    nextEnd: end ?? (next && endOfRow(next.end, later)),
    meanPrice,
    cost: times(meanPrice, kwh),
    shortfall,
    saving: savingOver(savingPerKwh, kwh),
    savingPerKwh,
    settings: shownSettings(given.definition, spec),
  };
}

/** Returns when the plan switches OFF after `end`: planned runs may begin where another one ends. Shape: ascending. */
function endOfRow(end: EpochMs, planned: readonly Interval[]): EpochMs {
  return planned.reduce((reached, run) => (run.start === reached ? run.end : reached), end);
}

/** Returns the energy of all runs of the occurrence; null if the plan has none. Unit: kWh. */
export function roundEnergy(spec: PlanSpec, memory: PlanRecord): number | null {
  const startedRuns = memory.ended === null ? begunInRound(memory) : memory.startedRuns;
  const runs = { startedRuns, planned: memory.planned };
  const energies = [...startedRuns, ...memory.planned].map((run) => energyOf(spec, run, runs));
  return energies.reduce((sum: number | null, own) => (own === null ? null : (sum ?? 0) + own), 0);
}

/** Returns the saving of a finished run. Unit: currency per kWh. */
export function savingOf({ meanPrice, windowStartPrice, windowPrice }: FinishedRun): PlanSaving {
  return {
    againstNow: null,
    againstWindowStart: difference(windowStartPrice, meanPrice),
    againstMean: difference(windowPrice, meanPrice),
  };
}

/** Returns the saving of `kwh`; null values if that is null. Unit: currency. */
export function savingOver(perKwh: PlanSaving, kwh: number | null): PlanSaving {
  return {
    againstNow: times(perKwh.againstNow, kwh),
    againstWindowStart: times(perKwh.againstWindowStart, kwh),
    againstMean: times(perKwh.againstMean, kwh),
  };
}

function difference(from: number | null, less: number | null): number | null {
  return from === null || less === null ? null : from - less;
}

function times(perKwh: number | null, kwh: number | null): number | null {
  return perKwh === null || kwh === null ? null : perKwh * kwh;
}
