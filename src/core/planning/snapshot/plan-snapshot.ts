/** Published state of a plan. */
import type { EpochMs, Interval } from "../../time/interval.ts";
import type { LearnedCourse } from "../learned-course.ts";
import type { PlanDefinition } from "../model/plan-definition.ts";
import type { PlanSpec } from "../model/plan-spec.ts";
import { begunInRound, isProvisional, type PlanRecord } from "../plan-record.ts";
import { shownSettings } from "../plan-settings.ts";
import type { PlanAdvance } from "../plan-state-machine.ts";
import type { PlanReason } from "./plan-reason.ts";
import { energyOf, type FinishedRun } from "./plan-savings.ts";

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

/** Totals of a local month, in which its runs end. Money is of the runs with known energy and prices; null if none has them. */
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

interface PlanSnapshotInput {
  readonly definition: PlanDefinition;
  readonly reason: PlanReason;
  readonly currency: string | null;
  readonly history: PlanHistory;
  /** What a plan with `learn` has learned; absent or null if nothing. */
  readonly learned?: LearnedCourse | null | undefined;
  /** Why the last command over MQTT was refused; null if it was done. */
  readonly refused: string | null;
  /** The definition's spec with the owner's changes. */
  readonly spec: PlanSpec;
  readonly advance: PlanAdvance;
  readonly now: EpochMs;
}

export type PlanSnapshot = Readonly<ReturnType<typeof planSnapshot>>;

export function planSnapshot({ spec, advance, now, ...given }: PlanSnapshotInput) {
  const { memory, state, running, on, startedNow, baselines } = advance;
  const solved = memory?.outcome.kind === "solved" ? memory.outcome : null;
  const meanPrice = solved?.meanPrice ?? null;
  const savingPerKwh = savingAgainst(meanPrice, startedNow, baselines?.windowStart ?? null, baselines?.mean ?? null);
  const kwh = memory && roundEnergy(spec, memory);
  const later = memory?.planned.filter((run) => run.start > now) ?? [];
  const end = running && endOfRow(running.end, later);
  const next = later.find((run) => end === null || run.start > end) ?? null;
  const waits = memory && isProvisional(memory) ? solved?.waits : undefined;
  const isLikely = next && waits && (next.basis === "estimates" || next.start >= waits.until);
  const nextEnd = next && endOfRow(next.end, later);
  return {
    ...given,
    on,
    state,
    /** Begun and planned runs of this occurrence. Shape: ascending. */
    runs: memory ? shownRuns(spec, memory) : [],
    /** Null while it may move, because automations act on it. */
    nextStart: isLikely ? null : (next?.start ?? null),
    /** End of the current run, otherwise of the next one. */
    nextEnd: end ?? (isLikely ? null : nextEnd),
    /** True while prices are missing that may move a planned run. */
    provisional: waits !== undefined,
    /** When the prices are expected; null if the plan is firm, or if they are late. */
    firmAt: waits && waits.until > now ? waits.until : null,
    /** The next run while it may move. */
    likelyStart: isLikely ? next.start : null,
    likelyEnd: isLikely ? nextEnd : null,
    /** When `againstWindowStart` would have started; null if unknown. */
    opensAt: baselines?.opensAt ?? null,
    /** Mean price of this occurrence's runs. Unit: currency per kWh. */
    meanPrice,
    /** Cost of this occurrence. Unit: currency. */
    cost: times(meanPrice, kwh),
    /** Missing hours and the reason; null if none are missing. */
    shortfall: solved?.shortfall ?? null,
    saving: savingOver(savingPerKwh, kwh),
    savingPerKwh,
    settings: shownSettings(given.definition, spec),
  };
}

/** Returns the runs of an occurrence. A rest of `avoid` is joined with the run after it. */
function shownRuns({ kind }: PlanSpec, { startedRuns, planned }: PlanRecord) {
  const begun = startedRuns.map(({ start, end, basis }) => ({ start, end, basis, begun: true }));
  const joined: (typeof begun)[number][] = [];
  for (const run of [...begun, ...planned.map((each) => ({ ...each, begun: false }))]) {
    const last = joined.at(-1);
    if (kind !== "avoid" || last?.end !== run.start) joined.push(run);
    else
      joined[joined.length - 1] = { ...last, end: run.end, basis: last.basis === "resting" ? run.basis : last.basis };
  }
  return joined;
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
  return savingAgainst(meanPrice, null, windowStartPrice, windowPrice);
}

function savingAgainst(price: number | null, ...baselines: readonly (number | null)[]): PlanSaving {
  const [againstNow = null, againstWindowStart = null, againstMean = null] = baselines.map((baseline) =>
    baseline === null || price === null ? null : baseline - price,
  );
  return { againstNow, againstWindowStart, againstMean };
}

/** Returns the saving of `kwh`; null values if that is null. Unit: currency. */
export function savingOver(perKwh: PlanSaving, kwh: number | null): PlanSaving {
  return {
    againstNow: times(perKwh.againstNow, kwh),
    againstWindowStart: times(perKwh.againstWindowStart, kwh),
    againstMean: times(perKwh.againstMean, kwh),
  };
}

function times(perKwh: number | null, kwh: number | null): number | null {
  return perKwh === null || kwh === null ? null : perKwh * kwh;
}
