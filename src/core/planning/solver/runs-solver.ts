/**
 * Cheapest runs on a line of equal steps, exact: dynamic programming from the last step to the first.
 *
 * A state is (missing steps, step), in a run of at least the minimum length. Continuing the run leads to the next step with
 * one missing step less. A pause and the minimum length of the next run lead to a row with fewer missing steps. The best
 * start after a pause is the minimum of a sliding window over that row, so every state takes constant time for any
 * lengths. If steps are not counted, one row stands for all numbers.
 */
import { lineOf, type RunsLine, type RunsProblem } from "./run-problem.ts";

/** Steps [from, to). */
export type StepRun = readonly [from: number, to: number];

/** Runs and their cost. Shape: `runs` ascending, apart. */
export interface RunsChoice {
  readonly cost: number;
  readonly runs: readonly StepRun[];
}

const NONE = Number.POSITIVE_INFINITY;

export class RunsSolver {
  readonly #line: RunsLine;
  readonly #on: number;
  readonly #fewest: number;
  /** 1 if steps are counted, otherwise 0. */
  readonly #one: number;
  /** Missing steps when the first run has its minimum length. */
  readonly #entered: number;
  /** Number of steps in a row: it begins where `fewest` steps without the missing ones fit before. */
  readonly #width: number;
  /** Cost from a state to the end, by missing steps and step; Infinity if none is feasible. */
  readonly #states: Float64Array;
  readonly #near: Int32Array;
  readonly #nearCosts: Float64Array;

  /** Fills the table for `on` steps and for all numbers from `fewest`. */
  constructor(problem: RunsProblem, fewest = problem.on ?? 0) {
    const { on, minRun, begin } = problem;
    const line = lineOf(problem);
    this.#line = line;
    this.#on = on ?? 0;
    this.#fewest = fewest;
    this.#one = on === null ? 0 : 1;
    this.#entered = this.#one * (this.#on - (begin.kind === "off" ? minRun : begin.need));
    this.#width = line.open - fewest + 1;
    const isPossible = this.#entered >= 0 && this.#width > 0;
    this.#states = new Float64Array(isPossible ? (this.#entered + 1) * this.#width : 0);
    this.#near = new Int32Array(line.open + 1);
    this.#nearCosts = new Float64Array(line.open + 1);
    if (!isPossible) return;
    for (let left = 0; left <= this.#entered; left++) this.#fillRow(left);
  }

  /**
   * Returns the cheapest solution whose first run begins at `first` or later; null if none costs at most `most`. Of equal
   * ones, that which is ON in the first step in which they differ.
   */
  cheapest({ first = 0, on = this.#on, most = Number.MAX_VALUE } = {}): RunsChoice | null {
    if (this.#states.length === 0) return null;
    const left = this.#entered - this.#on + on;
    const { cost, begun, step } = this.#entry(left, first);
    if (cost > most) return null;
    return { cost, runs: begun < 0 ? [] : this.#walk(begun, step, left) };
  }

  #entry(left: number, earliest: number): { cost: number; begun: number; step: number } {
    const { begin, costs, starts, minRun, firstForced } = this.#line;
    if (begin.kind === "running") {
      let cost = this.#costOf(left, begin.need);
      for (let step = 0; step < begin.need; step++) cost += costs[step] as number;
      return { cost, begun: 0, step: begin.need };
    }
    let best = { cost: NONE, begun: -1, step: 0 };
    for (let first = Math.max(begin.first, earliest); first <= Math.min(begin.last, firstForced); first++) {
      const cost = (starts[first] as number) + this.#costOf(left, first + minRun);
      if (cost < best.cost) best = { cost, begun: first, step: first + minRun };
    }
    const mayBeNone = this.#one === 0 && firstForced === costs.length && begin.last === costs.length - 1;
    return mayBeNone && best.cost > 0 ? { cost: 0, begun: -1, step: 0 } : best;
  }

  #fillRow(left: number): void {
    const { costs, starts, latest, open, minRun, minPause } = this.#line;
    const states = this.#states;
    const own = this.#rowOf(left);
    const goOn = left >= this.#one ? this.#rowOf(left - this.#one) : null;
    const begin = this.#rowOf(left - this.#one * minRun);
    let next = left >= this.#one * minRun ? open - Math.max(minRun, left) : -1;
    // Starts after a pause as a monotonic queue, from the cheapest to the nearest. Without a limit only the cheapest counts.
    const near = this.#near;
    const nearCosts = this.#nearCosts;
    const isLimited = (latest[0] as number) < costs.length;
    let head = 0;
    let tail = 0;
    let least = NONE;
    const lowest = Math.max(0, this.#fewest - left);
    for (let step = open - left; step >= lowest; step--) {
      const last = latest[step] as number;
      for (; next >= step + minPause; next--) {
        const cost = (starts[next] as number) + (states[begin + next + minRun] as number);
        if (isLimited) {
          while (tail > head && (nearCosts[tail - 1] as number) >= cost) tail--;
          nearCosts[tail] = cost;
          near[tail++] = next;
        } else if (cost < least) least = cost;
      }
      if (isLimited) {
        while (head < tail && (near[head] as number) > last) head++;
        least = head < tail ? (nearCosts[head] as number) : NONE;
      }
      let cost = left === 0 && last === costs.length ? Math.min(0, least) : least;
      if (goOn !== null && step < open) {
        cost = Math.min(cost, (costs[step] as number) + (states[goOn + step + 1] as number));
      }
      states[own + step] = cost;
    }
  }

  /** Follows the minimum cost from a step of a run that began in `begun`, and prefers earlier steps. */
  #walk(begun: number, step: number, left: number): StepRun[] {
    const { costs, starts, minRun, minPause } = this.#line;
    const found: StepRun[] = [];
    let at = { left, step, begun };
    for (;;) {
      const { left, step, begun } = at;
      const cost = this.#costOf(left, step);
      if ((costs[step] as number) + this.#costOf(left - this.#one, step + 1) === cost) {
        at = { ...at, left: left - this.#one, step: step + 1 };
        continue;
      }
      if (step > begun) found.push([begun, step]);
      const behind = left - this.#one * minRun;
      let next = step + minPause;
      const costFrom = (first: number) => (starts[first] as number) + this.#costOf(behind, first + minRun);
      while (next < costs.length && costFrom(next) !== cost) next++;
      if (next >= costs.length) return found;
      at = { left: behind, step: next + minRun, begun: next };
    }
  }

  /** Returns the cost from a state to the end; Infinity if it is infeasible. */
  #costOf(left: number, step: number): number {
    const isInside = left >= 0 && left <= this.#entered && step + left <= this.#line.open;
    if (!isInside || step + left < this.#fewest) return NONE;
    return this.#states[this.#rowOf(left) + step] as number;
  }

  /** Returns the index of step 0 in a row; steps before `fewest - left` are not stored, as the placed ones do not fit. */
  #rowOf(left: number): number {
    return left * this.#width + left - this.#fewest;
  }
}

/** Returns the maximum feasible number of steps, at most `problem.on`; 0 if none is feasible. */
export function mostSteps(problem: RunsProblem): number {
  const most = Math.min(problem.on ?? NONE, problem.costs.length);
  const table = new RunsSolver({ ...problem, on: most }, 1);
  for (let on = most; on > 0; on--) if (table.cheapest({ on })) return on;
  return 0;
}

/** Returns the minimum feasible number of steps, at least `problem.on`; null if none is feasible. */
export function fewestSteps(problem: RunsProblem): number | null {
  const most = problem.costs.length;
  const fewest = problem.on ?? 1;
  const table = new RunsSolver({ ...problem, on: most }, fewest);
  for (let on = fewest; on <= most; on++) if (table.cheapest({ on })) return on;
  return null;
}
