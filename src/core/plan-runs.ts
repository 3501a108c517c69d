/** The cheapest runs on a line of equal steps, exact. */
import { boundOf, type RunsBound } from "./plan-runs-bound.ts";
import type { Terms } from "./plan-runs-sweep.ts";
import {
  favourOf,
  layerBehind,
  mayBegin,
  type OpenLine,
  type RunsProblem,
  type RunsTable,
  runsTable,
} from "./plan-runs-table.ts";

/** A stretch of steps [from, to). */
export type StepRun = readonly [from: number, to: number];

/** A set of runs and what it costs. Shape: `runs` ascending, apart. */
export interface RunsChoice {
  readonly cost: number;
  readonly runs: readonly StepRun[];
}

/** Below so many states a table is filled faster than a bound is found. */
const SMALL_TABLE = 6_000;

/** How much dearer than the bound the best is guessed to be first, as a share of the spread of costs; then ever more. */
const FIRST_SLACK = 1 / 256;
const SLACK_GROWTH = 8;
const MAX_GUESSES = 4;

/**
 * The cheapest choice; null where there is none. Ties go to the earliest: of two equal sets the one that is ON in the
 * first step where they differ. Runs are counted only where the best that does not count them has too many.
 */
export function cheapestRuns(problem: RunsProblem): RunsChoice | null {
  return cheapestOnTerms(problem, null)?.choice ?? null;
}

/** The cheapest choice, and the terms of the bound it was found with. */
export interface FoundRuns {
  readonly choice: RunsChoice;
  /** Null where no bound was needed. */
  readonly terms: Terms | null;
}

/** As `cheapestRuns`. `terms`: of a problem that differs in its begin only; it is solved in half the time. */
export function cheapestOnTerms(problem: RunsProblem, terms: Terms | null): FoundRuns | null {
  const continued = problem.begin.kind === "running" ? 1 : 0;
  if (!terms || terms.run === 0) {
    const free = bestWithinBound({ ...problem, maxRuns: Number.POSITIVE_INFINITY }, terms);
    if (!free || free.choice.runs.length - continued <= problem.maxRuns) return free;
  }
  return bestWithinBound(problem, terms && terms.run > 0 ? terms : null);
}

/**
 * Closes the steps that are too dear for any choice under a guess, and tries. What costs no more than the guess is the
 * best of all; what costs more is at least a choice, and closes the rest.
 */
function bestWithinBound(problem: RunsProblem, terms: Terms | null): FoundRuns | null {
  const { on, costs, maxRuns } = problem;
  const states = on * (costs.length - on + 1) * (Number.isFinite(maxRuns) ? maxRuns + 1 : 1);
  const favour = favourOf(problem);
  const bound = states > SMALL_TABLE ? boundOf(problem, favour.costs, terms) : null;
  if (!bound) return found(problem, null);
  let slack = bound.spread * FIRST_SLACK;
  for (let guess = 0; guess < MAX_GUESSES; guess++, slack *= SLACK_GROWTH) {
    const most = bound.least + slack;
    const best = found(closed(problem, bound, most), bound.terms);
    if (best && best.choice.cost - favour.bonus <= most) return best;
    if (best) return found(closed(problem, bound, best.choice.cost - favour.bonus), bound.terms);
  }
  return found(problem, null);
}

function found(problem: RunsProblem, terms: Terms | null): FoundRuns | null {
  const choice = bestOf(countedTable(problem));
  return choice && { choice, terms };
}

/** Without the steps that only choices above a cost are ON in. */
function closed(problem: RunsProblem, { leastWith }: RunsBound, most: number): RunsProblem {
  const close = (cost: number, step: number) => ((leastWith[step] as number) > most ? Number.POSITIVE_INFINITY : cost);
  return { ...problem, costs: problem.costs.map(close) };
}

/** The table that counts runs, unless there can be no more of them than there may be. */
export function countedTable(problem: RunsProblem, options: { fewer?: boolean } = {}): RunsTable | null {
  const counted = problem.maxRuns < Math.floor(problem.on / problem.minRun);
  return runsTable(counted ? problem : { ...problem, maxRuns: Number.POSITIVE_INFINITY }, options);
}

/** The cheapest steps, where any will do. Ties go to the earliest. */
export function cheapestSteps({ costs, forced, on }: RunsProblem): RunsChoice | null {
  const free = costs.filter((_, step) => forced[step] === 0).sort();
  const needed = on - (costs.length - free.length);
  const limit = needed > 0 ? (free[needed - 1] as number) : Number.NEGATIVE_INFINITY;
  if (!(limit < Number.POSITIVE_INFINITY)) return null;
  let equal = needed;
  for (let i = 0; i < needed; i++) if ((free[i] as number) < limit) equal--;
  let cost = 0;
  const runs: [number, number][] = [];
  for (let step = 0; step < costs.length; step++) {
    const own = costs[step] as number;
    if (forced[step] === 0 && !(own < limit || (own === limit && equal-- > 0))) continue;
    cost += own;
    const last = runs.at(-1);
    if (last?.[1] === step) last[1] = step + 1;
    else runs.push([step, step + 1]);
  }
  return { cost, runs };
}

/** The earliest of the cheapest; null where there is none. */
export function bestOf(table: RunsTable | null): RunsChoice | null {
  if (!table) return null;
  const { begin, on } = table.problem;
  if (begin.kind === "running") {
    const cost = costRunning(table, begin.need, on);
    if (cost === Number.POSITIVE_INFINITY) return null;
    return { cost, runs: walk(table, { begun: 0, index: begin.need, left: on - begin.need, layer: lastLayer(table) }) };
  }
  let best = begin.first;
  let cost = Number.POSITIVE_INFINITY;
  for (let first = begin.first; first <= begin.last; first++) {
    const own = costFrom(table, first, on);
    if (own >= cost) continue;
    best = first;
    cost = own;
  }
  return bestFrom(table, best);
}

/** The earliest of the cheapest whose first run begins with a step; null where there is none. */
export function bestFrom(table: RunsTable, first: number): RunsChoice | null {
  const { on, minRun } = table.problem;
  const cost = costFrom(table, first, on);
  if (cost === Number.POSITIVE_INFINITY) return null;
  const layer = Math.max(0, lastLayer(table) - 1);
  const index = (table.line.before[first] as number) + minRun;
  return { cost, runs: walk(table, { begun: first, index, left: on - minRun, layer }) };
}

/** What the cheapest costs whose first run begins with a step, with `on` steps; Infinity where there is none. */
export function costFrom(table: RunsTable, first: number, on = table.problem.on): number {
  const { line, problem } = table;
  const behind = layerBehind(table, lastLayer(table));
  const index = line.before[first] as number;
  if (!behind || on < problem.minRun || index + on > line.steps.length) return Number.POSITIVE_INFINITY;
  if (!mayBegin(problem.begin, first) || line.steps[index] !== first) return Number.POSITIVE_INFINITY;
  const state = (on - problem.minRun) * table.columns + columnOf(table, index, on);
  return withoutFavour(table, (line.startCosts[index] as number) + (behind[state] as number));
}

/** The most steps, up to `on`, that can be placed at all; 0 where none can. */
export function mostSteps(problem: RunsProblem): number {
  const on = Math.min(problem.on, problem.costs.length);
  const table = on > 0 ? countedTable({ ...problem, costs: openOnly(problem.costs), on }, { fewer: true }) : null;
  for (let steps = on; table && steps > 0; steps--) if (canPlace(table, steps)) return steps;
  return 0;
}

/** The fewest steps, of `least` and more, that can be placed at all; null where none can. */
export function fewestSteps(problem: RunsProblem, least: number): number | null {
  const on = problem.costs.length;
  const table = countedTable({ ...problem, costs: openOnly(problem.costs), on }, { fewer: true });
  for (let steps = Math.max(1, least); table && steps <= on; steps++) if (canPlace(table, steps)) return steps;
  return null;
}

/** Whether a step may be ON, as a cost. */
function openOnly(costs: Float64Array): Float64Array {
  return costs.map((cost) => (cost < Number.POSITIVE_INFINITY ? 0 : cost));
}

function canPlace(table: RunsTable, on: number): boolean {
  const { begin } = table.problem;
  if (begin.kind === "running") return costRunning(table, begin.need, on) < Number.POSITIVE_INFINITY;
  for (let first = begin.first; first <= begin.last; first++) {
    if (costFrom(table, first, on) < Number.POSITIVE_INFINITY) return true;
  }
  return false;
}

function costRunning(table: RunsTable, need: number, on: number): number {
  if (need > on || on > table.line.steps.length) return Number.POSITIVE_INFINITY;
  let cost = table.layers.at(-1)?.[(on - need) * table.columns + columnOf(table, 0, on)] ?? Number.POSITIVE_INFINITY;
  for (let step = 0; step < need; step++) cost += table.favour.costs[step] as number;
  return withoutFavour(table, cost);
}

/** What is ON as it has to be costs what it costs; Infinity where something is not. */
function withoutFavour({ favour }: RunsTable, cost: number): number {
  return cost <= favour.dearest ? cost + favour.bonus : Number.POSITIVE_INFINITY;
}

function lastLayer({ layers }: RunsTable): number {
  return layers.length - 1;
}

/** Where an index stands in the row of `left` steps still to place. */
function columnOf({ problem, shift }: RunsTable, index: number, left: number): number {
  return index + shift - (problem.on - left);
}

/** From a state of a run that began with `begun`, goes on or begins the next as early as the least cost allows. */
function walk(table: RunsTable, from: { begun: number; index: number; left: number; layer: number }): StepRun[] {
  const { columns, line, problem } = table;
  const runs: StepRun[] = [];
  let { begun, index, left, layer } = from;
  while (left > 0) {
    const own = table.layers[layer] as Float64Array;
    const state = left * columns + columnOf(table, index, left);
    if (own[state] === (line.goOn[index] as number) + (own[state - columns] as number)) {
      left--;
      index++;
      continue;
    }
    runs.push([begun, endBefore(line, index)]);
    const next = nextBegin(table, index, left, layer);
    begun = line.steps[next] as number;
    index = next + problem.minRun;
    left -= problem.minRun;
    if (table.layers.length > 1) layer--;
  }
  runs.push([begun, endBefore(line, index)]);
  return runs;
}

function endBefore({ steps }: OpenLine, index: number): number {
  return index === 0 ? 0 : (steps[index - 1] as number) + 1;
}

/** The earliest beginning behind a pause from which the rest costs what it costs from the pause on. */
function nextBegin(table: RunsTable, index: number, left: number, layer: number): number {
  const { columns, line, problem } = table;
  const cost = table.layers[layer]?.[left * columns + columnOf(table, index, left)];
  const behind = layerBehind(table, layer);
  const source = (left - problem.minRun) * columns;
  const rested = Math.min(problem.costs.length, endBefore(line, index) + problem.minPause);
  for (let next = line.before[rested] as number; next + left <= line.steps.length; next++) {
    const own = (line.startCosts[next] as number) + (behind?.[source + columnOf(table, next, left)] ?? 0);
    if (own === cost) return next;
  }
  throw new RangeError(`a table without a way on from step ${endBefore(line, index)}`);
}
