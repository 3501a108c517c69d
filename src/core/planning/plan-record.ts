/** What is remembered of a plan across evaluations and restarts. */
import type { EpochMs, Interval } from "../time/interval.ts";
import type { ImpossibleReason, PlanAlternatives, PlanShortfall, PlanWindow } from "./model/plan-spec.ts";

/**
 * What an ON rests on. `estimates`: at least one of its prices is not confirmed yet. `resting`: an `avoid` that had
 * nothing to avoid or could not know.
 */
export type PlanBasis = "prices" | "estimates" | "fallback" | "manual" | "resting";

export interface PlanRun extends Interval {
  readonly basis: PlanBasis;
}

/** A run that has begun: it is never moved, only cut by a command. */
export interface BegunRun extends PlanRun {
  /** Whether its price and saving are written down. */
  readonly settled: boolean;
}

/** What the last planning of an occurrence came to. */
export type PlanOutcome =
  | {
      readonly kind: "solved";
      readonly meanPrice: number | null;
      readonly cost: number | null;
      readonly alternatives: PlanAlternatives;
      readonly usesEstimates: boolean;
      /** What is missing of the hours; absent or null where nothing is. */
      readonly shortfall?: PlanShortfall | null;
      /** When who had started at once would have: when this was planned, or when the window opens. */
      readonly startedNowAt: EpochMs;
    }
  | { readonly kind: "impossible"; readonly reason: ImpossibleReason; readonly shortfallMs: number }
  /** `overdueAt`: from when on the prices should have been there. */
  | { readonly kind: "missing"; readonly from: EpochMs; readonly overdueAt: EpochMs }
  | { readonly kind: "waiting_for_plan"; readonly plan: string }
  | { readonly kind: "none" };

/** Why an occurrence is over before its window is. */
export type PlanEnding = "skipped" | "stopped" | "run_now";

export interface PlanRecord {
  /** The occurrence. */
  readonly window: PlanWindow;
  /** When it was first looked at: who starts at once starts then, or when the window opens. */
  readonly since: EpochMs;
  /** Shape: ascending. */
  readonly startedRuns: readonly BegunRun[];
  /** What has not begun, and may still be moved. Shape: ascending. */
  readonly planned: readonly PlanRun[];
  readonly outcome: PlanOutcome;
  /** Names everything the plan was made from; null where it has to be made again. */
  readonly madeFrom: string | null;
  /** When it has to be made again although nothing else changed. */
  readonly replanAt: EpochMs | null;
  readonly ended: PlanEnding | null;
  /** Runs of the occurrence before, for pauses and gaps. */
  readonly before: readonly Interval[];
  /** Until when what runs stays ON by itself if nobody looks after it any more; null while nothing runs. */
  readonly lastsUntil: EpochMs | null;
  /** What is missing of a `window` that was interrupted because nobody looked after it. Unit: ms. */
  readonly owedMs: number;
  /** Since when an `avoid` is ON outside its runs; null while it is not. */
  readonly restingSince: EpochMs | null;
  /** The signal as it was decided last, for `when_lost: keep`. */
  readonly on: boolean;
}

/** An occurrence of which nothing is decided. */
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

/** What has begun of the occurrence itself: a manual run that was stopped before its window opened is none of it. */
export function begunInRound({ startedRuns, window }: PlanRecord): readonly BegunRun[] {
  return startedRuns.filter((run) => run.end > window.start);
}

/** What is left of `interval` outside `others`. Shape: ascending. */
export function without(interval: Interval, others: readonly Interval[]): Interval[] {
  let left: Interval[] = [{ start: interval.start, end: interval.end }];
  for (const other of others) {
    left = left.flatMap(({ start, end }) => {
      if (other.end <= start || end <= other.start) return [{ start, end }];
      const pieces = [
        { start, end: other.start },
        { start: other.end, end },
      ];
      return pieces.filter((piece) => piece.start < piece.end);
    });
  }
  return left;
}
