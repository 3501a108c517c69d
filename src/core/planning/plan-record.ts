/** Record of a plan, kept across decisions and restarts. */
import { invariant } from "../invariant.ts";
import type { EpochMs, Interval } from "../time/interval.ts";
import type { ImpossibleReason, PlanShortfall, PlanWindow } from "./model/plan-spec.ts";

/** Why a run is ON. `resting`: an `avoid` plan outside its plan. `at_once`: a battery is below its minimum. */
export type PlanBasis = "prices" | "estimates" | "fallback" | "manual" | "resting" | "at_once";

export interface PlanRun extends Interval {
  readonly basis: PlanBasis;
}

/** A run that has begun. It is never moved; only commands and interruptions shorten it. */
export interface BegunRun extends PlanRun {
  /** True if its price and saving are stored. */
  readonly settled: boolean;
  readonly cutBy?: InterruptionCause;
}

/** Why a run was interrupted: elbro did not run, it did not trust the clock, or the plan was disabled. */
export const interruptionCauses = ["stop", "clock", "disabled"] as const;
export type InterruptionCause = (typeof interruptionCauses)[number];

/** Result of the last planning of an occurrence. */
export type PlanOutcome =
  | {
      readonly kind: "solved";
      readonly meanPrice: number | null;
      /** Missing hours; absent or null if none are missing. */
      readonly shortfall?: PlanShortfall | null;
      /** When the prices from `from` on are expected; absent if the plan does not wait for them. */
      readonly waits?: { readonly until: EpochMs; readonly from: EpochMs };
    }
  | { readonly kind: "impossible"; readonly reason: ImpossibleReason; readonly shortfallMs: number }
  /** `overdueAt`: when the prices are overdue. */
  | { readonly kind: "missing"; readonly from: EpochMs; readonly overdueAt: EpochMs }
  | { readonly kind: "waiting_for_plan"; readonly plan: string }
  | { readonly kind: "waiting_for_machine" }
  | { readonly kind: "charged" }
  /** The charge of the battery is unknown, and nothing says how much it may need. */
  | { readonly kind: "charge_unknown" }
  /** The runs would save less than `min_saving`. Prices: of the runs, and of the baseline `window_start` at `opensAt`. */
  | {
      readonly kind: "saves_too_little";
      readonly meanPrice: number;
      readonly windowStart: number;
      readonly opensAt: EpochMs;
    }
  | { readonly kind: "none" };

/** Why an occurrence ended before its window. */
export type PlanEnding = "skipped" | "stopped" | "run_now" | "machine_done";

export interface PlanRecord {
  readonly window: PlanWindow;
  /** When it was first decided. */
  readonly since: EpochMs;
  /** Shape: ascending. */
  readonly startedRuns: readonly BegunRun[];
  /** Runs that have not begun and may still move. Shape: ascending. */
  readonly planned: readonly PlanRun[];
  readonly outcome: PlanOutcome;
  /** Fingerprint of the input of the last planning; null to plan again. */
  readonly madeFrom: string | null;
  /** When to plan again although the input is the same; null for never. */
  readonly replanAt: EpochMs | null;
  readonly ended: PlanEnding | null;
  /** Runs of the previous occurrence, for pauses and gaps. Shape: ascending. */
  readonly before: readonly Interval[];
  /** When the plug's timer ends the current run if elbro stops; null while nothing runs. */
  readonly lastsUntil: EpochMs | null;
  /** True if the clock was not trusted since the current run was last renewed. */
  readonly doubted?: boolean;
  /** Missing time of an interrupted `window`. Unit: ms. */
  readonly owedMs: number;
  /** Since when an `avoid` plan is ON outside its runs; null if it is not. */
  readonly restingSince: EpochMs | null;
  /** The last decided signal, for `when_lost: keep`. */
  readonly on: boolean;
}

/** Creates the record of an occurrence that is not decided yet. */
export function newRecord(window: PlanWindow, now: EpochMs, before: readonly Interval[]): PlanRecord {
  return {
    window,
    since: now,
    startedRuns: [],
    planned: [],
    outcome: { kind: "none" },
    madeFrom: null,
    replanAt: null,
    ended: null,
    before,
    lastsUntil: null,
    owedMs: 0,
    restingSince: null,
    on: false,
  };
}

/** Returns the end of the last run that has begun, also of an earlier occurrence; null without one. */
export function lastEnd({ before, startedRuns }: PlanRecord): EpochMs | null {
  const ends = [...before, ...startedRuns].map(({ end }) => end);
  return ends.length > 0 ? Math.max(...ends) : null;
}

/** Returns the begun runs of the occurrence, without manual runs that ended before the window opened. */
export function begunInRound({ startedRuns, window }: PlanRecord): readonly BegunRun[] {
  return startedRuns.filter((run) => run.end > window.start);
}

/** Returns true while prices are missing that may move the planned runs. */
export function isProvisional({ outcome, planned }: Pick<PlanRecord, "outcome" | "planned">): boolean {
  return outcome.kind === "solved" && outcome.waits !== undefined && planned.length > 0;
}

/** Checks that a planned run lies in the window that it was decided for. A battery is charged at once at any time. */
export function checkWindow({ start, end, basis }: PlanRun, { window }: Pick<PlanRecord, "window">): void {
  const isInside = basis === "at_once" || (window.start <= start && end <= window.until);
  invariant(isInside, "a planned run lies in the window that it was decided for");
}
