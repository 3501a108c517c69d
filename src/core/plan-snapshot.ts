/** What is shown of a plan at one moment. */
import type { EpochMs } from "./interval.ts";
import type { PlanDefinition } from "./plan-definition.ts";
import type { PlanSpec } from "./plan-kinds.ts";
import type { PlanRun } from "./plan-memory.ts";
import type { PlanReason } from "./plan-reason.ts";
import { type PlanSetting, type ShownSetting, shownSettings } from "./plan-settings.ts";
import type { PlanAdvance, PlanState } from "./plan-state.ts";

/** What was saved against starting at once, and against the mean of the window. Unit: currency, or currency per kWh. */
export interface PlanSaving {
  readonly againstNow: number | null;
  readonly againstMean: number | null;
}

/** The runs of the present month that are over. Money is null where the plan does not tell its energy. */
export interface PlanMonth {
  readonly start: EpochMs;
  readonly runs: number;
  readonly hours: number;
  readonly cost: number | null;
  readonly saving: PlanSaving;
}

export interface PlanSnapshot {
  readonly definition: PlanDefinition;
  readonly on: boolean;
  readonly state: PlanState;
  readonly reason: PlanReason;
  /** What has run of this occurrence and what will. Shape: ascending. */
  readonly runs: readonly (PlanRun & { readonly begun: boolean })[];
  /** When it goes ON next; null while nothing is planned. */
  readonly nextStart: EpochMs | null;
  /** When what runs, or runs next, ends. */
  readonly nextEnd: EpochMs | null;
  readonly currency: string | null;
  /** Of this occurrence's runs. Unit: currency per kWh. */
  readonly meanPrice: number | null;
  /** Of this occurrence. Unit: currency. */
  readonly cost: number | null;
  readonly saving: PlanSaving;
  readonly savingPerKwh: PlanSaving;
  readonly month: PlanMonth;
  readonly settings: Partial<Record<PlanSetting, ShownSetting>>;
}

export interface SnapshotParts {
  readonly definition: PlanDefinition;
  /** The definition's with what was changed. */
  readonly spec: PlanSpec;
  readonly advance: PlanAdvance;
  readonly reason: PlanReason;
  readonly currency: string | null;
  readonly month: PlanMonth;
  readonly now: EpochMs;
}

export function planSnapshot({ definition, spec, advance, reason, currency, month, now }: SnapshotParts): PlanSnapshot {
  const { memory, state, running } = advance;
  const solved = memory?.outcome.kind === "solved" ? memory.outcome : null;
  const { startedNow = null, windowMean = null } = solved?.alternatives ?? {};
  const meanPrice = solved?.meanPrice ?? null;
  const savingPerKwh = {
    againstNow: difference(startedNow, meanPrice),
    againstMean: difference(windowMean, meanPrice),
  };
  const kwh = "kwh" in spec ? (spec.kwh ?? null) : null;
  const runs = [
    ...(memory?.begun ?? []).map(({ start, end, basis }) => ({ start, end, basis, begun: true })),
    ...(memory?.planned ?? []).map((run) => ({ ...run, begun: false })),
  ];
  const next = memory?.planned.find((run) => run.start > now) ?? null;
  return {
    definition,
    on: running !== null,
    state,
    reason,
    runs,
    nextStart: next?.start ?? null,
    nextEnd: running?.end ?? next?.end ?? null,
    currency,
    meanPrice,
    cost: solved?.cost ?? null,
    saving: { againstNow: times(savingPerKwh.againstNow, kwh), againstMean: times(savingPerKwh.againstMean, kwh) },
    savingPerKwh,
    month,
    settings: shownSettings(definition, spec),
  };
}

function difference(from: number | null, less: number | null): number | null {
  return from === null || less === null ? null : from - less;
}

function times(perKwh: number | null, kwh: number | null): number | null {
  return perKwh === null || kwh === null ? null : perKwh * kwh;
}
