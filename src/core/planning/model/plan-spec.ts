/**
 * What a plan is asked for, and what comes back. Durations are milliseconds, times of day minutes of the local day
 * (0 to 1439), prices currency per kWh; everything else is an instant.
 */

import type { Level, LevelThresholds } from "../../prices/level.ts";
import type { Calendar } from "../../time/calendar.ts";
import type { EpochMs, Interval } from "../../time/interval.ts";

/** In calendar order, Monday first. */
export const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof weekdays)[number];

/** Minutes of the local day, 0 to 1439. */
export type LocalMinute = number;

/** Hours of the local clock; `until` at or before `from` is on the next day. */
export interface LocalSpan {
  readonly from: LocalMinute;
  readonly until: LocalMinute;
}

/** Among the choices whose mean price is within `percent` of the best: which one. */
export interface PlanTolerance {
  readonly percent: number;
  /** `latest`: whose first run begins last. `earliest`: whose last run ends first. */
  readonly side: "latest" | "earliest";
}

/** What a plan wants while elbro cannot know: without a trusted clock, or without prices. `keep`: what it wanted before. */
export const whenLostValues = ["on", "off", "keep"] as const;
export type WhenLost = (typeof whenLostValues)[number];

/** What a plan does that cannot have all its hours. */
export const whenShortValues = ["partial", "nothing"] as const;

/** The settings that every kind takes. */
interface PlanCommon {
  /** Nothing runs before. Without it the time of `readyBy`, without both midnight. */
  readonly from?: LocalMinute;
  /** Everything has run. Without it the time of `from`. At or before `from` it is on the next day. */
  readonly readyBy?: LocalMinute;
  /** The days that `from` falls on; where only `readyBy` is given, those that it falls on. Without it, every day. */
  readonly days?: readonly Weekday[];
  /** `window`: the most for the run's mean. `slots`, `avoid`: no interval above it is ON. `below`: ON under it. */
  readonly maxPrice?: number;
  /** Whether estimates may be planned on. */
  readonly useForecast: boolean;
  /** For `window` and `slots`; the other kinds have no choice of when. */
  readonly tolerance?: PlanTolerance;
  /** When to run where prices are missing. Shape: any order. */
  readonly fallback?: readonly LocalSpan[];
  /** Energy of a whole round, for its cost. */
  readonly kwh?: number;
  /** Read it with `whenLostOf`, which knows the default. */
  readonly whenLost?: WhenLost;
  readonly enabled: boolean;
  /** Its only occurrence, in place of `from`, `readyBy` and `days`. */
  readonly once?: Interval;
}

/** One run of `hoursMs`, rounded up to whole steps. */
export interface WindowPlan extends PlanCommon {
  readonly kind: "window";
  readonly hoursMs: number;
  /** Relative power along the run, stretched over it: [2, 1] draws two thirds in the first half. Shape: none negative. */
  readonly profile?: readonly number[];
  /** For a plan with an energy in place of hours: the draw that its hours follow from. Unit: kW. */
  readonly energyKw?: number;
}

/** `hoursMs` in any steps. */
export interface SlotsPlan extends PlanCommon {
  readonly kind: "slots";
  readonly hoursMs: number;
  /** For a plan with an energy in place of hours: the draw that its hours follow from. Unit: kW. */
  readonly energyKw?: number;
  /** With `cheapBelow`: beyond `hoursMs`, steps that are cheap run too, up to this length; they use as much energy in the same time. */
  readonly upToMs?: number;
  readonly cheapBelow?: CheapBelow;
  /** What it does where not all hours are possible; without it `partial`. */
  readonly whenShort?: (typeof whenShortValues)[number];
  readonly minRunMs?: number;
  readonly minPauseMs?: number;
  /** Longest time OFF between runs, from the horizon's start to the first and from the last to its end. */
  readonly maxGapMs?: number;
  /** How many runs may begin in the window; one that goes on from before it is not counted. */
  readonly atMostRuns?: number;
}

/** What is cheap enough: under a price, at a level or better, or among the day's cheapest percent. */
export type CheapBelow = Pick<BelowPlan, "maxPrice" | "level" | "percent">;

/** ON whenever the price is under `maxPrice`, at `level` or better, and among the day's cheapest `percent`. */
export interface BelowPlan extends PlanCommon {
  readonly kind: "below";
  /** Which price counts; without it that of what is bought. */
  readonly price?: "export";
  readonly level?: Level;
  readonly percent?: number;
  readonly minRunMs?: number;
  readonly minPauseMs?: number;
}

/** ON except in the dearest `hoursMs` of each occurrence. */
export interface AvoidPlan extends PlanCommon {
  readonly kind: "avoid";
  readonly hoursMs: number;
  readonly minRunMs?: number;
  /** Longest time OFF; stronger than `maxPrice`, other plans and every command. */
  readonly maxGapMs?: number;
}

export type PlanSpec = WindowPlan | SlotsPlan | BelowPlan | AvoidPlan;
export type PlanKind = PlanSpec["kind"];

/** What a plan wants while elbro cannot know: `on` for `avoid`, otherwise `off`, where the owner says nothing. */
export function whenLostOf({
  kind,
  whenLost,
}: {
  readonly kind: PlanKind;
  readonly whenLost?: WhenLost | undefined;
}): WhenLost {
  return whenLost ?? (kind === "avoid" ? "on" : "off");
}

/** One occurrence of a plan: everything it does lies in here. At most a local day long. */
export interface PlanWindow extends Interval {
  /** At or after `end`: how far prices are looked at, so that a run at the end is judged with what follows it. */
  readonly until: EpochMs;
}

/** What a solution depends on besides prices. */
export interface PlanContext {
  /** Nothing is chosen in a step of which more than a minute has passed. */
  readonly now: EpochMs;
  readonly calendar: Calendar;
  /**
   * What has run and what runs, up to its end: part of the solution, never moved. What lies in the window counts for
   * hours and runs; what lies before counts only for pauses, gaps and the length of a run across its start.
   * Shape: any order.
   */
  readonly fixed?: readonly Interval[];
  /** When others run that this plan may not run next to. Shape: any order. */
  readonly blocked?: readonly Interval[];
  /** Nothing is chosen before: the end of another plan and the pause behind it. */
  readonly earliestStart?: EpochMs;
  readonly thresholds?: LevelThresholds;
  /** How long steps are, where not as long as the shortest price interval. */
  readonly stepMs?: number;
}

/** What else could have been done, for the words next to a plan. Unit: currency per kWh; null where it cannot be said. */
export interface PlanAlternatives {
  /** The best choice whose first run begins an hour or more (a run's length, where that is shorter) from the chosen. */
  readonly nextBest: { readonly start: EpochMs; readonly meanPrice: number } | null;
  /** The cheapest choice, where the tolerance took another. */
  readonly best?: { readonly start: EpochMs; readonly meanPrice: number } | null;
  /** All of it in one run as soon as the window allows: the baseline `window_start`. */
  readonly startedNow: number | null;
  /** The mean of the prices that could be chosen from. */
  readonly windowMean: number | null;
}

export interface PlanSolved {
  readonly kind: "solved";
  /** Fixed and chosen. Shape: ascending, apart (touching ones are one run); empty where `below` finds nothing. */
  readonly runs: readonly Interval[];
  /** Weighted by the profile; null where nothing runs. */
  readonly meanPrice: number | null;
  /** In currency, where `kwh` is given. */
  readonly cost: number | null;
  readonly alternatives: PlanAlternatives;
  /** What is missing of the hours, in the most that is possible; null where nothing is. */
  readonly shortfall: PlanShortfall | null;
  /** Whether a chosen step has an estimated price. */
  readonly usesEstimates: boolean;
  /** The first time in what is left of the window that has no price: a better choice may appear there. */
  readonly missing: Interval | null;
}

/**
 * Why there is no choice, the first that holds: even the whole window is too short; the others' runs are in the way;
 * prices are above the maximum; runs, pauses and gaps do not fit.
 */
export type ImpossibleReason = "window_too_short" | "blocked" | "max_price" | "constraints";

export interface PlanShortfall {
  readonly missingMs: number;
  readonly reason: ImpossibleReason | "no_prices";
}

export type PlanSolution =
  | PlanSolved
  /** `shortfallMs`: what is missing of the hours in the best that is possible. */
  | { readonly kind: "impossible"; readonly shortfallMs: number; readonly reason: ImpossibleReason }
  /** `missing`: the first time without a price; with prices there it might be possible. `partial`: what is without. */
  | { readonly kind: "no_prices"; readonly missing: Interval; readonly partial?: PlanSolved };
