/** The cheapest runs on a line of equal steps, exact. */

import { RunsTable } from "./dynamic-program.ts";
import { RunsSweep } from "./lagrangian-sweep.ts";
import { boundOf, rangeOf } from "./lower-bound.ts";
import { type FavouredProblem, favouredProblem, mayBegin, type RunsProblem } from "./run-problem.ts";

/** A stretch of steps [from, to). */
export type StepRun = readonly [from: number, to: number];

/** A set of runs and what it costs. Shape: `runs` ascending, apart. */
export interface RunsChoice {
  readonly cost: number;
  readonly runs: readonly StepRun[];
}

/** How a choice was found: where to look first in a problem much like the one it was found in. */
export interface RunsTrail {
  /** Whether the best that does not count runs has too many. */
  readonly counted: boolean;
  /** What each step was paid for the bound. */
  readonly pay: number;
  /** By how much the choice is dearer than the bound. */
  readonly slack: number;
}

export interface FoundRuns extends RunsChoice {
  readonly trail: RunsTrail;
}

export interface RunsOptions {
  /** A choice that costs more is none. */
  readonly most?: number;
  readonly trail?: RunsTrail;
}

/** How much dearer than the bound the best is guessed to be first, as a share of the spread of costs; then ever more. */
const FIRST_SLACK = 1 / 64;
const SLACK_GROWTH = 8;

/** The last guess is none: whatever it costs. */
const MAX_GUESSES = 4;

/**
 * The cheapest choice; null where there is none. Ties go to the earliest: of two equal sets the one that is ON in the
 * first step where they differ.
 *
 * Runs are counted only where the best that does not count them has too many: one that has not is the best of all.
 */
export function cheapestRuns(problem: RunsProblem, { most, trail }: RunsOptions = {}): FoundRuns | null {
  const favoured = favouredProblem(problem);
  const limit = Math.min(favoured.dearest, (most ?? Number.MAX_VALUE) - favoured.bonus);
  if (trail?.counted) return cheapestWithin(favoured, limit, trail);
  const free = cheapestWithin({ ...favoured, maxRuns: Number.POSITIVE_INFINITY }, limit, trail);
  if (!free) return null;
  const continued = problem.begin.kind === "running" ? 1 : 0;
  if (free.runs.length - continued <= problem.maxRuns) return free;
  return cheapestWithin(favoured, limit, free.trail);
}

/**
 * Guesses how dear the best is, and tries: a table keeps every choice that costs no more than the guess, so the best of
 * those it finds is the best of all, and the earliest of equals among them. The guess begins a little above what no
 * choice costs less than, where a table is small; most are found at once.
 */
function cheapestWithin(problem: FavouredProblem, limit: number, trail?: RunsTrail): FoundRuns | null {
  const sweep = new RunsSweep(problem);
  const { spread } = rangeOf(problem);
  const bound = boundOf(problem, sweep, trail?.pay);
  if (!bound) return null;
  const table = new RunsTable(problem, sweep, bound.pay);
  let least = limit;
  let slack = Math.max(1 + Math.round(spread * FIRST_SLACK), trail?.slack ?? 0);
  for (let guess = 1; ; guess++, slack *= SLACK_GROWTH) {
    const most = guess < MAX_GUESSES ? Math.min(least, bound.least + slack) : least;
    table.fill(most);
    const found = bestOf(table);
    if (found && found.cost <= most) {
      const { cost, runs } = found;
      const counted = Number.isFinite(problem.maxRuns);
      return { cost: cost + problem.bonus, runs, trail: { counted, pay: bound.pay, slack: cost - bound.least } };
    }
    if (most === least) return null;
    // What was found beyond the guess need not be the best, but the best is no dearer.
    least = Math.min(least, found?.cost ?? least);
  }
}

/** The earliest of the cheapest in a table; null where there is none. */
export function bestOf(table: RunsTable): RunsChoice | null {
  const { on, begin, minRun } = table.problem;
  const entry = entryOf(table, on);
  if (entry.cost === Number.POSITIVE_INFINITY) return null;
  if (begin.kind === "running") {
    return {
      cost: entry.cost,
      runs: walk(table, { begun: 0, step: begin.need, left: on - begin.need, runs: table.top }),
    };
  }
  const from = { begun: entry.first, step: entry.first + minRun, left: on - minRun, runs: table.behind(table.top) };
  return { cost: entry.cost, runs: walk(table, from) };
}

/** Where the cheapest choice of so many steps begins. */
export function entryOf(table: RunsTable, on: number): { cost: number; first: number } {
  const { begin, costs } = table.problem;
  if (begin.kind === "running") {
    let cost = table.costOf(table.top, on - begin.need, begin.need);
    for (let step = 0; step < begin.need; step++) cost += costs[step] as number;
    return { cost, first: 0 };
  }
  const best = { cost: Number.POSITIVE_INFINITY, first: -1 };
  for (let first = begin.first; first <= begin.last; first++) {
    const cost = mayBegin(begin, first) ? table.costFrom(table.top, on, first) : Number.POSITIVE_INFINITY;
    if (cost >= best.cost) continue;
    best.cost = cost;
    best.first = first;
  }
  return best;
}

/** From a state of a run that began with `begun`, goes on or begins the next as early as the least cost allows. */
function walk(table: RunsTable, from: { begun: number; step: number; left: number; runs: number }): StepRun[] {
  const { costs, minRun, minPause } = table.problem;
  const found: StepRun[] = [];
  let { begun, step, left, runs } = from;
  while (left > 0) {
    const cost = table.costOf(runs, left, step);
    if ((costs[step] as number) + table.costOf(runs, left - 1, step + 1) === cost) {
      left--;
      step++;
      continue;
    }
    found.push([begun, step]);
    begun = step + minPause;
    while (begun < costs.length && table.costFrom(runs, left, begun) !== cost) begun++;
    step = begun + minRun;
    left -= minRun;
    runs = table.behind(runs);
  }
  found.push([begun, step]);
  return found;
}
