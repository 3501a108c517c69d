/** The cheapest runs of any number of steps on a line, none included: for steps that are worth having. */

import { type RunsBegin, startCosts } from "./run-problem.ts";
import type { RunsChoice, StepRun } from "./run-selection.ts";

export interface AnyRunsProblem {
  /** Shape: whole numbers, below zero where a step is worth having; Infinity where it may not be ON. */
  readonly costs: Float64Array;
  /** 1 where it has to be ON. */
  readonly forced: Uint8Array;
  /** At least 1. */
  readonly minRun: number;
  /** At least 1. */
  readonly minPause: number;
  readonly begin: RunsBegin;
}

const GO_ON = -1;
const END = -2;

/**
 * The cheapest choice, by dynamic programming from the last step to the first; null where what is forced cannot be.
 * Ties go to the earliest: of two equal sets the one that is ON in the first step where they differ.
 */
export function cheapestAnyRuns(problem: AnyRunsProblem): RunsChoice | null {
  const { costs, forced, minRun, minPause, begin } = problem;
  const length = costs.length;
  const starts = startCosts(costs, minRun);
  const next = nextForced(forced);
  const inRun = new Float64Array(length + 1);
  const choices = new Int32Array(length + 1).fill(END);
  const costFrom = (first: number) =>
    first + minRun <= length ? (starts[first] as number) + (inRun[first + minRun] as number) : Number.POSITIVE_INFINITY;
  let pause = 0;
  let pauseChoice = END;
  for (let step = length - 1; step >= 0; step--) {
    const first = step + minPause;
    const cost = first <= (next[step] as number) ? costFrom(first) : Number.POSITIVE_INFINITY;
    if (cost <= pause) [pause, pauseChoice] = [cost, first];
    if (forced[step] === 1) pause = Number.POSITIVE_INFINITY;
    const goOn = (costs[step] as number) + (inRun[step + 1] as number);
    inRun[step] = Math.min(goOn, pause);
    choices[step] = goOn <= pause ? GO_ON : pauseChoice;
  }
  const entered = enter(begin, costs, inRun, next, costFrom);
  if (entered.cost === Number.POSITIVE_INFINITY) return null;
  if (entered.first === null) return { cost: entered.cost, runs: [] };
  const need = begin.kind === "running" ? begin.need : minRun;
  return { cost: entered.cost, runs: walk(choices, entered.first, need, minRun) };
}

/** How the line is best entered: the first run's first step, null where none runs. */
function enter(
  begin: RunsBegin,
  costs: Float64Array,
  inRun: Float64Array,
  next: Int32Array,
  costFrom: (first: number) => number,
): { cost: number; first: number | null } {
  if (begin.kind === "running") {
    let cost = inRun[begin.need] as number;
    for (let step = 0; step < begin.need; step++) cost += costs[step] as number;
    return { cost, first: 0 };
  }
  const firstForced = next[0] as number;
  let best: { cost: number; first: number | null } = {
    cost: firstForced < costs.length ? Number.POSITIVE_INFINITY : 0,
    first: null,
  };
  for (let first = Math.min(begin.last, firstForced); first >= begin.first; first--) {
    const cost = costFrom(first);
    if (cost <= best.cost && cost < Number.POSITIVE_INFINITY) best = { cost, first };
  }
  return best;
}

function walk(choices: Int32Array, first: number, need: number, minRun: number): StepRun[] {
  const runs: StepRun[] = [];
  let begun = first;
  let step = first + need;
  for (;;) {
    const choice = step < choices.length ? (choices[step] as number) : END;
    if (choice === GO_ON) {
      step++;
      continue;
    }
    if (step > begun) runs.push([begun, step]);
    if (choice === END) return runs;
    begun = choice;
    step = begun + minRun;
  }
}

/** The first step, at or after each, that has to be ON. Shape: one more than the steps; the line's length where none is. */
function nextForced(forced: Uint8Array): Int32Array {
  const next = new Int32Array(forced.length + 1).fill(forced.length);
  for (let step = forced.length - 1; step >= 0; step--) {
    next[step] = forced[step] === 1 ? step : (next[step + 1] as number);
  }
  return next;
}
