/**
 * What a choice costs at least, without trying any.
 *
 * The number of steps is let go, and every step is paid for instead: at the right pay the cheapest choice has nearly the
 * right number. Whatever the pay is, no choice of the right number costs less than the cheapest of any number, with
 * what the right number is paid: it is one of them.
 */

import type { RunsSweep } from "./lagrangian-sweep.ts";
import type { RunsProblem } from "./run-problem.ts";

/** Rounds of finding the pay; the bound holds for whatever it comes to. */
const MAX_ROUNDS = 32;

/** A bound is high enough that could be higher by this share of the spread of costs. */
const CLOSE = 1 / 64;

/** A pay is near enough where it leads to a number of steps that is wrong by no more than this. */
const NEAR = 6;

/** How far the next pay is from the first, as a share of the spread of costs; then ever further. */
const FIRST_STRIDE = 1 / 16;
const NEAR_STRIDE = 1 / 64;

export interface RunsBound {
  /** For each step that is ON. Unit: that of costs, whole. */
  readonly pay: number;
  /** No choice costs less. */
  readonly least: number;
}

/** A choice as a line: what it costs at any pay follows from what it costs without and its number of steps. */
interface Line {
  readonly cost: number;
  readonly on: number;
}

/**
 * A high bound, with the sweep left at its pay; null where no choice has the right number of steps, which is when even
 * a pay (or a fine) above all costs together leads to too few (or too many). `near`: a pay that has been right for a
 * problem much like this one; where it leads to nearly the right number, it is not sought further.
 *
 * Too few and too many steps enclose the best pay; where the lines of the nearest two cross both cost the same, and a
 * choice that costs less there lies between them.
 */
export function boundOf(problem: RunsProblem, sweep: RunsSweep, near?: number): RunsBound | null {
  const { on } = problem;
  const { spread, most } = rangeOf(problem);
  const furthest = 2 * (most + 1) * problem.costs.length;
  const enough = near === undefined ? 0 : NEAR;
  let few: Line | null = null;
  let many: Line | null = null;
  let pay = near ?? middleOf(problem);
  let stride = 1 + Math.round(spread * (near === undefined ? FIRST_STRIDE : NEAR_STRIDE));
  for (let round = 1; ; round++) {
    sweep.run(pay);
    if (sweep.least === Number.POSITIVE_INFINITY) return null;
    const bound = { pay, least: sweep.least + pay * on };
    const line = { cost: sweep.least + pay * sweep.leastOn, on: sweep.leastOn };
    if (Math.abs(line.on - on) <= enough || round === MAX_ROUNDS) return bound;
    if (line.on < on) few = line;
    else many = line;
    if (few && many) {
      pay = Math.round((many.cost - few.cost) / (many.on - few.on));
      // Where both lines meet is the highest that a bound can be.
      if (few.cost + pay * (on - few.on) - bound.least <= spread * CLOSE) return bound;
    } else if (pay === (few ? furthest : -furthest)) {
      return null;
    } else {
      pay = Math.max(-furthest, Math.min(furthest, pay + (few ? stride : -stride)));
      stride *= 4;
    }
  }
}

/** What the dearest step costs of the cheapest there are: a first guess at the pay. */
function middleOf({ costs, forced, on }: RunsProblem): number {
  const free = costs.filter((cost, step) => forced[step] === 0 && cost < Number.POSITIVE_INFINITY).sort();
  return free[Math.min(on, free.length) - 1] ?? 0;
}

/** How far apart the costs are that are chosen from, and how far from zero. */
export function rangeOf({ costs, forced }: RunsProblem): { spread: number; most: number } {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let step = 0; step < costs.length; step++) {
    const cost = costs[step] as number;
    if (forced[step] === 1 || cost === Number.POSITIVE_INFINITY) continue;
    low = Math.min(low, cost);
    high = Math.max(high, cost);
  }
  return high < low ? { spread: 0, most: 0 } : { spread: high - low, most: Math.max(-low, high) };
}
