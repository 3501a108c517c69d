/**
 * Reference solver for small plans: tries every set of steps. It knows only the rules of a plan. Costs are whole tenths
 * of the currency, so that sums are exact.
 */

import type {
  AvoidPlan,
  BelowPlan,
  CheapBelow,
  PlanSpec,
  SlotsPlan,
  WindowPlan,
} from "../../../src/core/planning/model/plan-spec.ts";
import { profileWeights } from "../../../src/core/planning/solver/window.ts";
import { QUARTER_MS } from "../../../src/core/time/interval.ts";
import type { SmallCase } from "./plan-small.ts";

/** ON or OFF for each step. */
type Mask = readonly boolean[];

type SmallCaseOf<Spec extends PlanSpec> = SmallCase & { readonly spec: Spec };

/** Returns the best set as text, such as `.##.`; null if no set satisfies the rules. */
export function oracleOf(given: SmallCase): string | null {
  const mask = solveByRules(given);
  return mask?.map((on) => (on ? "#" : ".")).join("") ?? null;
}

function solveByRules(given: SmallCase): Mask | null {
  const { spec } = given;
  switch (spec.kind) {
    case "window":
      return windowByRules({ ...given, spec });
    case "slots":
      return slotsByRules({ ...given, spec });
    case "below":
      return belowByRules({ ...given, spec });
    case "avoid":
      return avoidByRules({ ...given, spec });
  }
}

/** Yields every set of `length` steps. Sets that are ON earlier come first. */
function* masks(length: number): Generator<Mask> {
  for (let bits = 2 ** length - 1; bits >= 0; bits--) {
    yield Array.from({ length }, (_, step) => (bits & (1 << (length - 1 - step))) !== 0);
  }
}

const steps = (durationMs: number | undefined) => Math.ceil((durationMs ?? 0) / QUARTER_MS);

const count = (mask: readonly boolean[]) => mask.filter(Boolean).length;

function fixedMask({ prices, fixed }: SmallCase): boolean[] {
  return prices.map((_, step) => fixed.some(([from, to]) => from <= step && step < to));
}

function priceAt({ usesEstimates, prices, estimates }: SmallCase, step: number): number | null {
  return estimates[step] && !usesEstimates ? null : (prices[step] ?? null);
}

/** Returns the price of a step in tenths; 0 for a fixed step without a price. */
function tenths(given: SmallCase, step: number): number {
  return Math.round((priceAt(given, step) ?? 0) * 10);
}

function isOpen(given: SmallCase, step: number): boolean {
  return priceAt(given, step) !== null && !given.blocked[step];
}

/** Returns true if a set contains the runs so far, and is otherwise ON only in open steps. */
function keepsFixed(given: SmallCase, mask: Mask, open: (step: number) => boolean): boolean {
  const fixed = fixedMask(given);
  return mask.every((on, step) => (step < given.now || fixed[step] ? on === fixed[step] : !on || open(step)));
}

/** Returns the runs, including those before the window. A run that reaches the window joins the first one in it. */
function runsIn({ fixed }: SmallCase, mask: Mask): [number, number][] {
  const runs = fixed.filter(([from]) => from < 0).map(([from, to]): [number, number] => [from, Math.min(to, 0)]);
  mask.forEach((on, step) => {
    const last = runs.at(-1);
    if (!on) return;
    if (last?.[1] === step) last[1] = step + 1;
    else runs.push([step, step + 1]);
  });
  return runs;
}

/** Returns the run that was in progress or had just ended at `now`; null without such a run. */
function running({ fixed, now }: SmallCase): { from: number; to: number; inProgress: boolean } | null {
  const last = fixed.at(-1);
  return last && last[1] >= now && last[0] < now ? { from: last[0], to: last[1], inProgress: last[1] > now } : null;
}

/** Checks minimum run and pause lengths of the runs that start or continue after `now`. */
function keepsLengths(given: SmallCase, mask: Mask, minRun: number, minPause: number, open: (step: number) => boolean) {
  const { now } = given;
  const runs = runsIn(given, mask);
  const goingOn = running(given);
  return runs.every(([from, to], i) => {
    const before = runs[i - 1];
    if (from >= now && before && from - before[1] < minPause) return false;
    if (from >= now) return to - from >= minRun;
    if (!goingOn?.inProgress || goingOn.from !== from) return true;
    let possible = now;
    const fixed = fixedMask(given);
    while (possible < mask.length && (open(possible) || fixed[possible])) possible++;
    return to >= Math.min(from + minRun, possible);
  });
}

/** Checks the maximum OFF time. A gap that is already too long at `now` must end as soon as a run can start. */
function keepsGaps(
  given: SmallCase,
  mask: Mask,
  maxGap: number,
  minRun: number,
  minPause: number,
  open: (step: number) => boolean,
) {
  const { now } = given;
  const runs = runsIn(given, mask);
  const edges = [...runs, [mask.length, mask.length] as const];
  return edges.every(([from], i) => {
    const before = runs[i - 1]?.[1];
    const since = before ?? 0;
    if (from < now || from - since <= maxGap) return true;
    if (since > now || (from === mask.length && i > 0 && since >= now)) return false;
    // The first run after `now`: no earlier run was possible.
    if (running(given)) return false;
    for (let first = now; first < Math.min(from, mask.length); first++) {
      const rested = before === undefined || first - before >= minPause;
      const allowed = Array.from({ length: minRun }, (_, j) => first + j).every(
        (step) => step < mask.length && open(step),
      );
      if (rested && allowed) return false;
    }
    return from < mask.length;
  });
}

/** Returns the cheapest set that satisfies the rules, by the given cost; of equally cheap sets, the first. */
function cheapest(
  given: SmallCase,
  keeps: (mask: Mask) => boolean,
  cost: (mask: Mask) => number,
): { best: Mask; cost: number } | null {
  let found: { best: Mask; cost: number } | null = null;
  for (const mask of masks(given.prices.length)) {
    if (!keeps(mask)) continue;
    const own = cost(mask);
    if (!found || own < found.cost) found = { best: mask, cost: own };
  }
  return found;
}

function costOf(given: SmallCase, mask: Mask): number {
  return mask.reduce((sum, on, step) => sum + (on && step >= given.now ? tenths(given, step) : 0), 0);
}

function slotsByRules(given: SmallCaseOf<SlotsPlan>): Mask | null {
  const { spec, now } = given;
  const fixed = fixedMask(given);
  const used = count(fixed.slice(0, now));
  const left = Math.max(count(fixed.slice(now)), steps(spec.hoursMs) - used, 0);
  if (left === 0) return withCheap(given, gapOf(given) ?? fixed);
  const rest = Math.max(1, steps(spec.minRunMs));
  const chosen = slotsOf(given, left) ?? (used > 0 && left < rest ? slotsOf(given, rest) : null);
  return chosen && withCheap(given, chosen);
}

/** Returns the fewest steps that the maximum OFF time needs after all hours, for a plan with `upTo`; null if none. */
function gapOf(given: SmallCaseOf<SlotsPlan>): Mask | null {
  const { spec, now, prices } = given;
  const since = runsIn(given, fixedMask(given)).at(-1)?.[1] ?? 0;
  if (spec.upToMs === undefined || prices.length - Math.min(since, now) <= steps(spec.maxGapMs ?? 1e9)) return null;
  for (let more = 1; more <= prices.length - now; more++) {
    const found = slotsOf(given, more);
    if (found) return found;
  }
  return null;
}

/** Adds cheap steps to the chosen ones: as many as `upTo` and the rules allow, and of equal numbers the cheapest. */
function withCheap(given: SmallCaseOf<SlotsPlan>, chosen: Mask): Mask {
  const { spec, now } = given;
  if (!spec.cheapBelow) return chosen;
  const { open, keeps } = slotRules(given);
  const isCheap = cheapSteps(given, spec.cheapBelow);
  const most = steps(spec.upToMs);
  const mayBe = (mask: Mask) =>
    count(mask) <= most &&
    mask.every((on, step) => on || !chosen[step]) &&
    mask.every((on, step) => !on || chosen[step] || (isCheap(step) && open(step))) &&
    keeps(mask);
  const more = cheapest(given, mayBe, (mask) => costOf(given, mask) - 1_000 * count(mask.slice(now)));
  return more && count(more.best) > count(chosen) ? more.best : chosen;
}

/** Returns whether a step may be chosen, and whether a set satisfies the rules of a plan with hours in any steps. */
function slotRules(given: SmallCaseOf<SlotsPlan>) {
  const { spec } = given;
  const most = Math.round((spec.maxPrice ?? 100) * 10);
  const open = (step: number) => isOpen(given, step) && tenths(given, step) <= most;
  const [minRun, minPause] = [Math.max(1, steps(spec.minRunMs)), Math.max(1, steps(spec.minPauseMs))];
  const maxGap = Math.floor((spec.maxGapMs ?? Number.POSITIVE_INFINITY) / QUARTER_MS);
  const keeps = (mask: Mask) =>
    keepsFixed(given, mask, open) &&
    keepsLengths(given, mask, minRun, minPause, open) &&
    keepsGaps(given, mask, maxGap, minRun, minPause, open);
  return { open, keeps };
}

function slotsOf(given: SmallCaseOf<SlotsPlan>, left: number): Mask | null {
  const { spec, now } = given;
  const rules = slotRules(given);
  const keeps = (mask: Mask) => count(mask.slice(now)) === left && rules.keeps(mask);
  const found = cheapest(given, keeps, (mask) => costOf(given, mask));
  if (!found || !spec.tolerance) return found?.best ?? null;
  const slack = slackByRules(given, found.cost, left);
  const within = (mask: Mask) => keeps(mask) && costOf(given, mask) <= found.cost + slack + 1e-9;
  const place = (mask: Mask) => {
    if (spec.tolerance?.side === "earliest") return mask.lastIndexOf(true);
    return running(given) ? 0 : -mask.indexOf(true, now);
  };
  let chosen = found.best;
  if (spec.tolerance.side === "latest" && running(given)) return chosen;
  for (const mask of masks(given.prices.length)) {
    if (!within(mask)) continue;
    const further = place(mask) - place(chosen);
    if (further < 0 || (further === 0 && costOf(given, mask) < costOf(given, chosen))) chosen = mask;
  }
  return chosen;
}

/**
 * Returns the tolerance in tenths: a share of the best cost, or of the mean price if the best cost is not positive.
 */
function slackByRules(given: SmallCaseOf<SlotsPlan | WindowPlan>, best: number, weight: number): number {
  const priced = given.prices.flatMap((_, step) =>
    step >= given.now && priceAt(given, step) !== null ? [tenths(given, step)] : [],
  );
  const mean = priced.reduce((sum, each) => sum + each, 0) / Math.max(1, priced.length);
  return ((given.spec.tolerance?.percent ?? 0) / 100) * (best > 0 ? best : Math.abs(mean) * weight);
}

function windowByRules(given: SmallCaseOf<WindowPlan>): Mask | null {
  const { spec, now, prices } = given;
  const fixed = fixedMask(given);
  if (count(fixed) > 0) return fixed;
  const weights = profileWeights(spec.profile, steps(spec.hoursMs));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const costFrom = (first: number) => weights.reduce((sum, weight, i) => sum + weight * tenths(given, first + i), 0);
  const starts = prices.flatMap((_, first) => {
    if (first < now || first + weights.length > prices.length) return [];
    if (!weights.every((_, i) => isOpen(given, first + i))) return [];
    return costFrom(first) <= Math.round((spec.maxPrice ?? 100) * 10) * total ? [first] : [];
  });
  const best = Math.min(...starts.map(costFrom));
  const slack = spec.tolerance ? slackByRules(given, best, total) + 1e-9 : 0;
  const within = starts.filter((first) => costFrom(first) <= best + slack);
  const first = spec.tolerance?.side === "latest" ? within.at(-1) : within[0];
  if (first === undefined) return null;
  return prices.map((_, step) => first <= step && step < first + weights.length);
}

/** Returns which steps are cheap: below a price, and among the cheapest share of all. */
function cheapSteps(given: SmallCase, { percent = 100, maxPrice = 100 }: CheapBelow): (step: number) => boolean {
  const priced = given.prices.flatMap((_, step) => (priceAt(given, step) === null ? [] : [step]));
  const order = priced.sort((a, b) => tenths(given, a) - tenths(given, b) || a - b);
  const cheap = new Set(order.slice(0, Math.round((percent / 100) * order.length)));
  return (step) => isOpen(given, step) && cheap.has(step) && tenths(given, step) <= Math.round(maxPrice * 10);
}

function belowByRules(given: SmallCaseOf<BelowPlan>): Mask | null {
  const open = cheapSteps(given, given.spec);
  const { spec } = given;
  const solve = (minRun: number, minPause: number) =>
    cheapest(
      given,
      (mask) => keepsFixed(given, mask, open) && keepsLengths(given, mask, minRun, minPause, open),
      (mask) => mask.reduce((sum, on, step) => sum + (on && open(step) ? tenths(given, step) - 1_000 : 0), 0),
    )?.best ?? null;
  return solve(Math.max(1, steps(spec.minRunMs)), Math.max(1, steps(spec.minPauseMs))) ?? solve(1, 1);
}

function avoidByRules(given: SmallCaseOf<AvoidPlan>): Mask | null {
  const { spec, now, prices } = given;
  const fixed = fixedMask(given);
  const most = Math.round((spec.maxPrice ?? 100) * 10);
  const unknown = (step: number) => priceAt(given, step) === null && !given.blocked[step];
  const open = (step: number) => unknown(step) || (isOpen(given, step) && tenths(given, step) <= most);
  const offSoFar = now - count(fixed.slice(0, now));
  const closed = prices.filter((_, step) => step >= now && !open(step) && !fixed[step]).length;
  const stuck = prices.filter((_, step) => step >= now && (fixed[step] || unknown(step))).length;
  const avoided = Math.floor(spec.hoursMs / QUARTER_MS) - offSoFar;
  const off = Math.min(prices.length - now - stuck, Math.max(closed, avoided));
  const maxGap = Math.floor((spec.maxGapMs ?? Number.POSITIVE_INFINITY) / QUARTER_MS);
  const since =
    runsIn(given, fixed)
      .filter(([from]) => from < now)
      .at(-1)?.[1] ?? 0;
  if (prices.length - now - off === 0 && prices.length - Math.min(since, now) <= maxGap) return fixed;
  const [minRun, minPause] = [Math.max(1, steps(spec.minRunMs)), Math.max(1, steps(spec.minPauseMs))];
  const anywhere = () => true;
  const keeps = (mask: Mask, may: (step: number) => boolean) =>
    keepsFixed(given, mask, may) &&
    mask.every((on, step) => on || step < now || !unknown(step)) &&
    keepsLengths(given, mask, minRun, minPause, may) &&
    keepsGaps(given, mask, maxGap, minRun, minPause, anywhere);
  const offIn = (mask: Mask) => prices.length - now - count(mask.slice(now));
  // Tries the smallest OFF time first. The minimum run length may require more.
  for (let most = off; most <= prices.length - now; most++) {
    const within = cheapest(
      given,
      (mask) => offIn(mask) === most && keeps(mask, open),
      (mask) => costOf(given, mask),
    );
    if (within) return within.best;
  }
  // The maximum OFF time has priority: use as few closed steps as it needs, then reach the OFF hours.
  const closedIn = (mask: Mask) => count(mask.map((on, step) => on && step >= now && !open(step) && !fixed[step]));
  const fewest = cheapest(given, (mask) => keeps(mask, anywhere), closedIn);
  if (!fewest) return null;
  const shorter = Math.min(off, Math.max(avoided, off - fewest.cost));
  return (
    cheapest(
      given,
      (mask) => offIn(mask) === shorter && keeps(mask, anywhere),
      (mask) => closedIn(mask) * 1e6 + costOf(given, mask),
    )?.best ?? null
  );
}
