/**
 * What a choice costs at least if it is ON in a step, without trying: steps for which that is more than a known choice
 * costs can be closed, and what is left of a week is often a seventh.
 *
 * The number of steps (and of runs) is let go, and every step is paid for (and every run charged) instead: at the right
 * prices the cheapest choice has nearly the right numbers, and one sweep forwards and one backwards say for each step
 * what the cheapest choice through it costs. Whatever the prices are, no choice of the right numbers costs less than
 * that, with what the right numbers are paid.
 */
import { type RunsSweep, runsSweep, sweepBack, sweepThrough, type Terms } from "./plan-runs-sweep.ts";
import type { RunsProblem } from "./plan-runs-table.ts";

export interface RunsBound {
  readonly least: number;
  /** With each step ON; Infinity where no choice is. */
  readonly leastWith: Float64Array;
  /** Between the cheapest and the dearest step. */
  readonly spread: number;
  readonly terms: Terms;
}

/** Rounds of finding what a step is paid, and what a run is charged; the bound holds for whatever they come to. */
const MAX_ROUNDS = 24;
const MAX_RUN_ROUNDS = 8;

/**
 * The bound on the best terms, or on those of a problem that differs in its begin only; null where no terms lead to the
 * right number of steps. `costs` are those of the problem, or favoured ones.
 */
export function boundOf(problem: RunsProblem, costs: Float64Array, known: Terms | null = null): RunsBound | null {
  const sweep = runsSweep(problem, costs);
  const open = costs.filter((cost) => cost < Number.POSITIVE_INFINITY).sort();
  const terms = known ?? bestTerms(sweep, open);
  if (!terms) return null;
  const back = sweepBack(sweep, terms);
  const paid = terms.step * problem.on - (terms.run === 0 ? 0 : terms.run * problem.maxRuns);
  const leastWith = sweepThrough(sweep, terms, back.cost);
  for (let step = 0; step < leastWith.length; step++) leastWith[step] = (leastWith[step] as number) + paid;
  return { least: back.cost + paid, leastWith, spread: spreadOf(open), terms };
}

function spreadOf(open: Float64Array): number {
  return Math.max(1, (open.at(-1) ?? 0) - (open[0] ?? 0));
}

/** Terms, and the cheapest choice on them. */
interface Found extends Terms {
  /** What the choice costs with what it is charged for runs, and what the right number of steps is paid. */
  readonly cost: number;
  readonly runs: number;
}

/** Where runs are counted, the charge of a run is sought, and for each what a step is paid. */
function bestTerms(sweep: RunsSweep, open: Float64Array): Terms | null {
  const { maxRuns } = sweep.problem;
  let many = stepTerms(sweep, open, 0, null);
  if (!many || many.runs <= maxRuns) return many;
  let few: Found | null = null;
  let run = spreadOf(open);
  for (let round = 0; round < MAX_RUN_ROUNDS; round++) {
    const found: Found | null = stepTerms(sweep, open, run, few ?? many);
    if (!found || found.runs === maxRuns) return found ?? few ?? many;
    if (found.runs > maxRuns) many = found;
    else few = found;
    const next: number = few ? crossing(few, many) : run * 4;
    if (next === run) return found;
    run = next;
  }
  return few ?? many;
}

/** The charge at which choices of few and of many runs cost the same; above zero, or it were no bound. */
function crossing(few: Found, many: Found): number {
  const [fewCost, manyCost] = [few.cost - few.run * few.runs, many.cost - many.run * many.runs];
  return Math.max(1, Math.round((fewCost - manyCost) / (many.runs - few.runs)));
}

/**
 * What a step is paid for the cheapest choice to have the right number of steps, or for too few and too many to cost the
 * same: where the lines of the nearest two cross. Null where the right number is out of reach.
 */
function stepTerms(sweep: RunsSweep, open: Float64Array, run: number, near: Terms | null): Found | null {
  const { on } = sweep.problem;
  const spread = spreadOf(open);
  let few: { on: number; cost: number } | null = null;
  let many: { on: number; cost: number } | null = null;
  let step = near?.step ?? open[on - 1] ?? 0;
  let stride = spread / 16;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const own = sweepBack(sweep, { step, run });
    const found = { step, run, runs: own.runs, cost: own.cost + step * on };
    if (own.on === on) return found;
    const line = { on: own.on, cost: own.cost + step * own.on };
    if (own.on < on) few = line;
    else many = line;
    let next = Math.round(step + (few ? stride : -stride));
    if (few && many) next = Math.round((many.cost - few.cost) / (many.on - few.on));
    else stride *= 2;
    if (next === step || (few && many && round >= MAX_ROUNDS / 2)) return found;
    step = next;
  }
  return null;
}
