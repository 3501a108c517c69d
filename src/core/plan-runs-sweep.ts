/** The cheapest choice of any number of steps and runs, on terms; and the cheapest through each step. */
import { mayBegin, type RunsProblem, startCosts } from "./plan-runs-table.ts";

/** What a step is paid, and what a beginning is charged. Unit: that of costs, whole. */
export interface Terms {
  readonly step: number;
  readonly run: number;
}

/** A line and room to sweep it; the room is filled anew by every sweep. */
export interface RunsSweep {
  readonly problem: RunsProblem;
  readonly costs: Float64Array;
  /** What the shortest run costs from each step. */
  readonly shortest: Float64Array;
  /** The cheapest way on from each step, in a run that has its shortest length. */
  readonly onward: Float64Array;
  /** The cheapest way on from each step, if a run begins with it. */
  readonly begins: Float64Array;
  /** Where it goes on: the step itself, the beginning behind a pause, or `END`. */
  readonly choices: Int32Array;
  readonly queue: NearLeast;
}

const END = -1;

export function runsSweep(problem: RunsProblem, costs: Float64Array): RunsSweep {
  const length = costs.length;
  return {
    problem,
    costs,
    shortest: startCosts(costs, problem.minRun),
    onward: new Float64Array(length + 1),
    begins: new Float64Array(length + 1),
    choices: new Int32Array(length + 1).fill(END),
    queue: new NearLeast(length + 1),
  };
}

/** What the cheapest choice costs on these terms, and how many steps and beginnings it has. Infinity where none is. */
export interface Swept {
  readonly cost: number;
  readonly on: number;
  readonly runs: number;
}

/** Goes over the steps from the last to the first. */
export function sweepBack(sweep: RunsSweep, terms: Terms): Swept {
  const { problem, costs, shortest, onward, begins, choices, queue } = sweep;
  const { minRun, minPause, maxGap } = problem;
  const length = costs.length;
  const beginning = terms.run - terms.step * minRun;
  queue.clear();
  for (let step = length - 1; step >= 0; step--) {
    const behind = step + minRun;
    const rest = behind <= length ? (onward[behind] as number) : Number.POSITIVE_INFINITY;
    begins[step] = (shortest[step] as number) + beginning + rest;
    const next = step + minPause;
    if (next < length) queue.push(begins[next] as number, -next);
    queue.forget(-(step + maxGap));
    let best = queue.least;
    let choice = -queue.place;
    if (length - step <= maxGap && best >= 0) {
      best = 0;
      choice = END;
    }
    const goOn = (costs[step] as number) - terms.step + (onward[step + 1] as number);
    onward[step] = Math.min(goOn, best);
    choices[step] = goOn <= best ? step : choice;
  }
  return follow(sweep, terms);
}

/** Counts what the cheapest choice consists of. */
function follow({ problem, costs, onward, begins, choices }: RunsSweep, terms: Terms): Swept {
  const { begin, minRun } = problem;
  const first = begin.kind === "running" ? null : leastBegin(problem, begins);
  if (begin.kind === "off" && first === null) return { cost: Number.POSITIVE_INFINITY, on: 0, runs: 0 };
  let step = first === null ? (begin.kind === "running" ? begin.need : 0) : first + minRun;
  let runs = first === null ? 0 : 1;
  let on = first === null ? step : minRun;
  const cost = first === null ? paidSum(costs, step, terms) + (onward[step] as number) : (begins[first] as number);
  while (step < costs.length) {
    const choice = choices[step] as number;
    if (choice === END) break;
    on += choice === step ? 1 : minRun;
    runs += choice === step ? 0 : 1;
    step = choice === step ? step + 1 : choice + minRun;
  }
  return { cost, on, runs };
}

function leastBegin({ begin, costs }: RunsProblem, begins: Float64Array): number | null {
  let best: number | null = null;
  let cost = Number.POSITIVE_INFINITY;
  for (let step = 0; step < costs.length; step++) {
    if ((begins[step] as number) >= cost || !mayBegin(begin, step)) continue;
    best = step;
    cost = begins[step] as number;
  }
  return best;
}

/** What the first steps cost, which all are ON. */
function paidSum(costs: Float64Array, count: number, { step: paid }: Terms): number {
  let sum = 0;
  for (let step = 0; step < count; step++) sum += (costs[step] as number) - paid;
  return sum;
}

/** What the cheapest choice costs that is ON in each step; behind `sweepBack` on the same terms, whose cost it is told. */
export function sweepThrough(sweep: RunsSweep, terms: Terms, cost: number): Float64Array {
  const { problem, costs, shortest, onward, begins, queue } = sweep;
  const { minRun, minPause, maxGap, begin } = problem;
  const length = costs.length;
  const least = new Float64Array(length).fill(Number.POSITIVE_INFINITY);
  /** The cheapest way to each step, in a run that has its shortest length; and to a run that begins with it. */
  const hither = new Float64Array(length + 1).fill(Number.POSITIVE_INFINITY);
  const before = new Float64Array(length);
  if (begin.kind === "running") {
    hither[begin.need] = paidSum(costs, begin.need, terms);
    least.fill(cost, 0, begin.need);
  }
  queue.clear();
  for (let step = 0; step < length; step++) {
    const begun = step - minRun;
    const fresh = begun < 0 ? Number.POSITIVE_INFINITY : (before[begun] as number) + (shortest[begun] as number);
    const gone = step === 0 ? Number.POSITIVE_INFINITY : (hither[step - 1] as number) + (costs[step - 1] as number);
    const way = Math.min(fresh + terms.run - terms.step * minRun, gone - terms.step);
    hither[step] = Math.min(hither[step] as number, way);
    if (step >= minPause) queue.push(hither[step - minPause] as number, step - minPause);
    queue.forget(step - maxGap);
    before[step] = mayBegin(begin, step) ? Math.min(0, queue.least) : queue.least;
    const goingOn = (hither[step] as number) + (costs[step] as number) - terms.step + (onward[step + 1] as number);
    if (goingOn < (least[step] as number)) least[step] = goingOn;
    const beginning = (before[step] as number) + (begins[step] as number);
    for (let i = step; beginning < Number.POSITIVE_INFINITY && i < step + minRun; i++) {
      if (beginning < (least[i] as number)) least[i] = beginning;
    }
  }
  return least;
}

/** Costs at ascending places, of which the least is known: what a cheaper one stands behind is forgotten. */
class NearLeast {
  readonly #costs: Float64Array;
  readonly #places: Int32Array;
  #head = 0;
  #tail = 0;

  constructor(most: number) {
    this.#costs = new Float64Array(most);
    this.#places = new Int32Array(most);
  }

  get least(): number {
    return this.#head < this.#tail ? (this.#costs[this.#head] as number) : Number.POSITIVE_INFINITY;
  }

  /** Of the least, the last that came. */
  get place(): number {
    return this.#head < this.#tail ? (this.#places[this.#head] as number) : 0;
  }

  clear(): void {
    this.#head = 0;
    this.#tail = 0;
  }

  push(cost: number, place: number): void {
    while (this.#tail > this.#head && (this.#costs[this.#tail - 1] as number) >= cost) this.#tail--;
    this.#costs[this.#tail] = cost;
    this.#places[this.#tail++] = place;
  }

  /** Forgets what stands before a place. */
  forget(before: number): void {
    while (this.#head < this.#tail && (this.#places[this.#head] as number) < before) this.#head++;
  }
}
