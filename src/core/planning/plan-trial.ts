/** Tries a plan on a day of equal prices: what is impossible there is a mistake of the configuration. */
import { message } from "../language/text.ts";
import { Calendar } from "../time/calendar.ts";
import { DAY_MS, HOUR_MS, type Interval, MINUTE_MS, QUARTER_MS } from "../time/interval.ts";
import { localTimeText } from "./model/local-time.ts";
import { hoursText, nominalWindowMs, type PlanMistake } from "./model/plan-definition.ts";
import type { LocalSpan, PlanSolution, PlanSpec } from "./model/plan-spec.ts";
import { horizonOf, neverIn, spansIn } from "./model/plan-windows.ts";
import { solvePlan } from "./solve-plan.ts";

/** A zone without clock changes. */
const calendar = new Calendar("UTC", () => 0);
const TRIAL_DAY = Date.UTC(2026, 0, 1);

/** Limits of runs and pauses, by the name of the setting. */
const LIMITS = { min_run: "minRunMs", max_gap: "maxGapMs", min_pause: "minPauseMs", never: "never" } as const;
type Limit = keyof typeof LIMITS;
type Limits = Partial<Record<(typeof LIMITS)[Exclude<Limit, "never">], number>>;

/** Returns the mistakes that a trial finds. Shape: empty for a plan that can run as meant. */
export function trialMistakes(given: PlanSpec): PlanMistake[] {
  // A battery gets as much as its window allows.
  const spec = given.kind === "slots" && given.soc ? omit(given, ["soc"], { hoursMs: HOUR_MS }) : given;
  const window = horizonOf(spec, TRIAL_DAY, calendar);
  if (!window) return [];
  const fallback = fallbackMistake(spec, window);
  const runs = tooLongRun(spec) ?? neverRuns(spec);
  return [...(runs ? [runs] : []), ...(fallback ? [fallback] : [])];
}

function neverRuns(spec: PlanSpec): PlanMistake | null {
  const limits = (Object.keys(LIMITS) as Limit[]).filter((limit) => Boolean(spec[LIMITS[limit] as keyof PlanSpec]));
  // Without limits, hours that fit into the window are possible.
  const isTried = limits.length > 0 || spec.kind === "below" || spec.kind === "avoid";
  if (!isTried || fits(spec)) return null;
  const hours = hoursText(nominalWindowMs(spec));
  const culprit = limits.find((limit) => fits(omit(spec, [LIMITS[limit]])));
  if (culprit === undefined) {
    const setting = spec.kind === "below" ? "cheap_below" : "hours";
    return { setting, ...message("mistake.never_runs", { hours }) };
  }
  const others = limits.filter((limit) => limit !== culprit).map((limit) => `${limit} ${limitText(spec, limit)}`);
  const planned = "hoursMs" in spec ? [`hours ${hoursText(spec.hoursMs)} h`] : [];
  const restrictions = [...planned, ...others].join(", ");
  const value = limitText(spec, culprit);
  const found = restrictions ? message("mistake.value_with", { value, others: restrictions }) : value;
  return { setting: culprit, ...message("mistake.no_runs", { hours, found }) };
}

/** Returns whether the plan can run on a day of equal prices that are low enough. */
function fits(spec: PlanSpec): boolean {
  const solution = solvedOnEqualPrices(spec);
  if (solution?.kind !== "solved" || solution.shortfall) return false;
  // Outside its window an `avoid` plan is ON, so it may be OFF in a whole window that is shorter than a day.
  return solution.runs.length > 0 || (spec.kind === "avoid" && nominalWindowMs(spec) < DAY_MS);
}

function solvedOnEqualPrices(given: PlanSpec): PlanSolution | null {
  const { maxPrice = 1 } = given;
  // At equal prices, the level is always normal.
  const spec: PlanSpec = given.kind === "below" ? omit(given, ["level"], { maxPrice }) : given;
  const window = horizonOf(spec, TRIAL_DAY, calendar);
  if (!window) return null;
  const count = Math.ceil((window.until - window.start) / QUARTER_MS);
  const points = Array.from({ length: count }, (_, i) => {
    const start = window.start + i * QUARTER_MS;
    return { start, end: start + QUARTER_MS, price: maxPrice - 1, estimate: false };
  });
  const timeline = { points, currency: "DKK", vatIncluded: true } as const;
  return solvePlan(spec, timeline, window, { now: window.start, calendar, blocked: neverIn(spec, window, calendar) });
}

/** A run that is shorter than its minimum never begins. */
function tooLongRun(spec: PlanSpec): PlanMistake | null {
  if (spec.kind !== "slots" || spec.minRunMs === undefined) return null;
  const [mostMs, of] = spec.upToMs === undefined ? [spec.hoursMs, "hours"] : [spec.upToMs, "up_to"];
  if (spec.minRunMs <= mostMs) return null;
  const facts = { most: hoursText(mostMs), of, found: hoursText(spec.minRunMs) };
  return { setting: "min_run", ...message("mistake.min_run", facts) };
}

function fallbackMistake(spec: PlanSpec, window: Interval): PlanMistake | null {
  const outside = spec.fallback?.find((span) => spansIn([span], window, calendar).length === 0);
  if (!outside) return null;
  const { from = 0, readyBy = from } = spec;
  const found = message("mistake.value_quoted", { text: spanText(outside) });
  const facts = { from: localTimeText(from), until: localTimeText(readyBy), found };
  return { setting: "fallback", ...message("mistake.fallback", facts) };
}

function spanText({ from, until }: LocalSpan): string {
  return [from, until].map(localTimeText).join("-");
}

function limitText(spec: PlanSpec, limit: Limit): string {
  if (limit === "never") return spec.never?.map(spanText).join(", ") ?? "";
  const value = (spec as Limits)[LIMITS[limit]] ?? 0;
  return value < HOUR_MS ? `${Math.round(value / MINUTE_MS)} min` : `${hoursText(value)} h`;
}

function omit(spec: PlanSpec, keys: readonly string[], more: Partial<PlanSpec> = {}): PlanSpec {
  const others = Object.entries(spec).filter(([key]) => !keys.includes(key));
  return { ...Object.fromEntries(others), ...more } as PlanSpec;
}
