/**
 * Types of plans and of their solutions. Units: durations in ms, times of day in minutes of the local day (0 to 1439),
 * prices in currency per kWh, all other times as instants.
 */

import type { Level, LevelThresholds } from "../../prices/level.ts";
import type { Calendar } from "../../time/calendar.ts";
import type { EpochMs, Interval } from "../../time/interval.ts";

/** Shape: in calendar order, Monday first. */
export const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof weekdays)[number];

/** Minutes of the local day, 0 to 1439. */
export type LocalMinute = number;

/** Span of local time. `until` at or before `from` is on the next day. */
export interface LocalSpan {
  readonly from: LocalMinute;
  readonly until: LocalMinute;
}

/** Selects among the solutions whose mean price is at most `percent` above the best one. */
export interface PlanTolerance {
  readonly percent: number;
  /** `latest`: latest start of the first run. `earliest`: earliest end of the last run. */
  readonly side: "latest" | "earliest";
}

/** A holiday. Shape: local dates `2026-07-01`, or with a time `2026-07-01T14:00`; a date alone is its midnight. */
export interface Away {
  readonly from: string;
  readonly until: string;
}

/** Least saving, in currency per kWh or in percent of the baseline. */
export type MinSaving = { readonly perKwh: number } | { readonly percent: number };

/** Signal of a plan without prices or a trusted clock. `keep`: its previous signal. */
export const whenLostValues = ["on", "off", "keep"] as const;
export type WhenLost = (typeof whenLostValues)[number];

/** Behavior of a plan if not all its hours are possible. */
export const whenShortValues = ["partial", "nothing"] as const;

interface PlanCommon {
  /** Earliest start. Default: the time of `readyBy`; midnight if both are absent. */
  readonly from?: LocalMinute;
  /** Latest end. Default: the time of `from`. At or before `from` it is on the next day. */
  readonly readyBy?: LocalMinute;
  /** Days of `from`, or of `readyBy` if only that is set. Default: every day. */
  readonly days?: readonly Weekday[];
  /** `window`: maximum mean of the run. `slots`, `avoid`: maximum of each interval. `below`: ON below it. */
  readonly maxPrice?: number;
  /** Only for `window` and `slots`. */
  readonly tolerance?: PlanTolerance;
  /**
   * Not for `below`: the plan runs only if it saves at least this against `window_start`; `avoid` is OFF only if its hours
   * OFF cost at least this more than those ON.
   */
  readonly minSaving?: MinSaving;
  /** When the plan is never ON, at any price; only "run now" starts it then. */
  readonly never?: readonly LocalSpan[];
  /** Not for `avoid`. As `never`, for a holiday. */
  readonly away?: Away;
  /** When to run if prices are missing. Shape: any order. */
  readonly fallback?: readonly LocalSpan[];
  /** Energy of a whole occurrence, for its cost. */
  readonly kwh?: number;
  /** Only for `window` and `slots`: the usual surplus of the roof costs what it would be sold for. */
  readonly sun?: boolean;
  /** Read with `whenLostOf`, which adds the default. */
  readonly whenLost?: WhenLost;
  readonly enabled: boolean;
  /** Days of an occurrence; absent for one day. Only for `window` and `slots`. */
  readonly withinDays?: number;
  /** Its only occurrence, instead of `from`, `readyBy` and `days`. */
  readonly once?: Interval;
}

/** One run of `hoursMs`, rounded up to whole steps. */
export interface WindowPlan extends PlanCommon {
  readonly kind: "window";
  readonly hoursMs: number;
  /** Relative power, stretched over the run: [2, 1] uses two thirds in the first half. Shape: not negative. */
  readonly profile?: readonly number[];
  /** For a plan with `energy` instead of hours: the power. Unit: kW. */
  readonly energyKw?: number;
}

/** `hoursMs` in any steps. */
export interface SlotsPlan extends PlanCommon {
  readonly kind: "slots";
  readonly hoursMs: number;
  /** For a plan with `energy` instead of hours: the power. Unit: kW. */
  readonly energyKw?: number;
  /** With `cheapBelow`: cheap steps are added to `hoursMs`, up to this length. They use the same power. */
  readonly upToMs?: number;
  readonly cheapBelow?: CheapBelow;
  /** Sets `hoursMs`, `kwh` and `battery` from the charge of a battery (see `withCharge`). */
  readonly soc?: ChargeGoal;
  readonly battery?: BatteryNeed;
  /** Behavior if not all hours are possible. Default: `partial`. */
  readonly whenShort?: (typeof whenShortValues)[number];
  readonly minRunMs?: number;
  readonly minPauseMs?: number;
  /** Maximum time OFF between runs, before the first run and after the last run of the window. */
  readonly maxGapMs?: number;
}

/** Charge of a battery. Unit: percent of `capacityKwh`. */
export interface ChargeGoal {
  /** Topic of the battery's charge. */
  readonly topic: string;
  readonly capacityKwh: number;
  readonly target: number;
  /** Up to this charge it is charged at once, at any price. */
  readonly minimum: number;
  /** Charged up to this while it is cheap; absent for `target`. */
  readonly upTo?: number;
}

/** What a battery needs. `atOnce`: time for which its plan has to run at once, counted from `from`. */
export type BatteryNeed =
  | { readonly kind: "charged" }
  | { readonly kind: "needs"; readonly atOnce: { readonly ms: number; readonly from: EpochMs } | null }
  /** Its charge is unknown, so `hoursMs` is not what it needs. */
  | { readonly kind: "unknown" };

/** Condition for cheap steps: below a price, at a level or better, or among the day's cheapest percent. */
export type CheapBelow = Pick<BelowPlan, "maxPrice" | "level" | "percent" | "price">;

/** ON while the price is below `maxPrice`, at `level` or better, and among the day's cheapest `percent`. */
export interface BelowPlan extends PlanCommon {
  readonly kind: "below";
  /** Default: the import price. */
  readonly price?: "export";
  readonly level?: Level;
  readonly percent?: number;
  readonly minRunMs?: number;
  readonly minPauseMs?: number;
}

/** ON except in the most expensive `hoursMs` of each occurrence. */
export interface AvoidPlan extends PlanCommon {
  readonly kind: "avoid";
  readonly hoursMs: number;
  readonly minRunMs?: number;
  /** Minimum time OFF. */
  readonly minPauseMs?: number;
  /** Maximum time OFF. Takes precedence over `maxPrice`, other plans and all commands. */
  readonly maxGapMs?: number;
}

export type PlanSpec = WindowPlan | SlotsPlan | BelowPlan | AvoidPlan;
export type PlanKind = PlanSpec["kind"];
/** Settings of plans of all kinds. A plan has only those of its kind. */
export type SpecFields = Partial<
  Omit<WindowPlan, "kind"> & Omit<SlotsPlan, "kind"> & Omit<BelowPlan, "kind"> & Omit<AvoidPlan, "kind">
>;

/** Returns true for a plan that runs for a number of hours. */
export function hasHours(spec: PlanSpec): spec is WindowPlan | SlotsPlan {
  return spec.kind === "window" || spec.kind === "slots";
}

/** Returns the relative power in the course of a run; undefined if it is constant. */
export function profileOf(spec: PlanSpec): readonly number[] | undefined {
  return spec.kind === "window" ? spec.profile : undefined;
}

/** Returns `when_lost` of a plan. Default: `on` for `avoid`, otherwise `off`. */
export function whenLostOf({ kind, whenLost }: { kind: PlanKind; whenLost?: WhenLost | undefined }): WhenLost {
  return whenLost ?? (kind === "avoid" ? "on" : "off");
}

/** One occurrence of a plan, which contains all its runs. At most `withinDays` local days long, otherwise one. */
export interface PlanWindow extends Interval {
  /** End of the prices to use, at or after `end`: a run at the end may continue. */
  readonly until: EpochMs;
}

/** Input of a solution besides spec, window and prices. */
export interface PlanContext {
  /** Steps that began more than a minute ago are not chosen. */
  readonly now: EpochMs;
  readonly calendar: Calendar;
  /**
   * Begun runs, up to their end: part of the solution, never moved. Runs in the window count for hours and runs. Earlier
   * runs count only for pauses, gaps and the length of a run across the start of the window.
   * Shape: any order.
   */
  readonly fixed?: readonly Interval[];
  /** Runs of other plans during which this plan may not run. Shape: any order. */
  readonly blocked?: readonly Interval[];
  /** Earliest start: the end of the predecessor and the pause after it. */
  readonly earliestStart?: EpochMs;
  readonly thresholds?: LevelThresholds;
  /** True if estimates are used like confirmed prices. */
  readonly estimates?: true;
}

export interface PlanSolved {
  readonly kind: "solved";
  /** Fixed and chosen runs. Shape: ascending, apart (touching runs are joined); empty if `below` finds none. */
  readonly runs: readonly Interval[];
  /** Weighted by the profile; null without runs. */
  readonly meanPrice: number | null;
  /** Missing hours of a partial solution; null if none are missing. */
  readonly shortfall: PlanShortfall | null;
  /** First time without a price in the remaining window, where a better solution may appear; null if none exists. */
  readonly missing: Interval | null;
}

/**
 * Reason why a plan is infeasible. `window_too_short`: the remaining window is too short. `blocked`: other plans run at
 * that time. `max_price`: prices are above the maximum. `constraints`: the limits for runs, pauses and gaps contradict
 * each other.
 */
export type ImpossibleReason = "window_too_short" | "blocked" | "max_price" | "constraints";

export interface PlanShortfall {
  readonly missingMs: number;
  readonly reason: ImpossibleReason | "no_prices";
}

export type PlanSolution =
  | PlanSolved
  /** `shortfallMs`: missing hours of the longest possible solution. */
  | { readonly kind: "impossible"; readonly shortfallMs: number; readonly reason: ImpossibleReason }
  /** `missing`: first time without a price, which might make the plan feasible. `partial`: solution without it. */
  | { readonly kind: "no_prices"; readonly missing: Interval; readonly partial?: PlanSolved };
