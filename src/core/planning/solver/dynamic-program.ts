/**
 * The table behind the cheapest runs: dynamic programming from the last step of the line to the first.
 *
 * A state is (runs still to begin, steps still to place, step), in a run that has its shortest length. A step more of
 * the run leads to the next step in the row with one step less to place; a pause, and the shortest length of the run
 * behind it, to a row with fewer steps to place and one run less to begin. The best beginning behind a pause is the
 * least of a stretch of such a row, which moves along with the step: so every state costs the same few operations,
 * whatever the lengths are.
 *
 * A state is left out where the cheapest way to it, with what its own way on costs, comes to more than `most`. The
 * cheapest way is that of a sweep, which may place any number of steps at a pay, so no way of the right number costs
 * less. A choice that costs no more than `most` therefore passes by no state that is left out, and what stands in the
 * states it passes is exact. What is left of a week is a narrow band, and each row keeps its own part of it.
 */

import type { RunsSweep } from "./lagrangian-sweep.ts";
import { type RunsProblem, startCosts } from "./run-problem.ts";

/** A table begins with room for so many states, and doubles it. */
const FIRST_ROOM = 4_096;

export class RunsTable {
  readonly problem: RunsProblem;
  /** What the shortest run costs that begins with each step. */
  readonly starts: Float64Array;
  /** How many runs may still begin in the topmost layer; 0 where they are not counted. */
  readonly top: number;
  readonly #counted: boolean;
  readonly #sweep: RunsSweep;
  readonly #pay: number;
  #most = Number.MAX_VALUE;
  #fewest = 0;
  /** By runs still to begin: the least of the ways to a step and to those before it. */
  readonly #leastWays: readonly Float64Array[];
  readonly #near: Int32Array;
  readonly #nearCosts: Float64Array;
  /** Each row's steps [low, high), none where low is higher, and the place from which a step is counted down. */
  readonly #low: Int32Array;
  readonly #high: Int32Array;
  readonly #place: Int32Array;
  #states = new Float64Array(FIRST_ROOM);
  #used = 0;

  /** A table without states. The sweep has run on the problem, at the pay. */
  constructor(problem: RunsProblem, sweep: RunsSweep, pay: number) {
    const { on, minRun, maxRuns, costs } = problem;
    this.problem = problem;
    this.starts = startCosts(costs, minRun);
    this.#counted = Number.isFinite(maxRuns);
    this.top = this.#counted ? maxRuns : 0;
    this.#sweep = sweep;
    this.#pay = pay;
    this.#leastWays = sweep.ways.map(leastSoFar).reverse();
    this.#near = new Int32Array(costs.length + 1);
    this.#nearCosts = new Float64Array(costs.length + 1);
    const rows = (this.top + 1) * (on + 1);
    this.#low = new Int32Array(rows);
    this.#high = new Int32Array(rows);
    this.#place = new Int32Array(rows);
  }

  /** Fills it again with what is passed by choices of `fewest` steps or more that cost no more than `most`. */
  fill(most: number, fewest = this.problem.on): void {
    const { on, minRun, costs } = this.problem;
    this.#most = most;
    this.#fewest = fewest;
    this.#used = 0;
    this.#low.fill(costs.length + 1);
    this.#high.fill(0);
    for (let runs = 0; runs <= this.top; runs++) {
      this.#fillLastRow(runs);
      // The runs that have begun have their shortest length.
      const longest = on - (this.top - runs) * minRun;
      for (let left = 1; left <= longest; left++) this.#fillRow(runs, left);
    }
  }

  /** What a state costs from its step on; Infinity where it is left out or leads nowhere. */
  costOf(runs: number, left: number, step: number): number {
    const row = runs * (this.problem.on + 1) + left;
    if (left < 0 || step < (this.#low[row] as number) || step >= (this.#high[row] as number)) {
      return Number.POSITIVE_INFINITY;
    }
    return this.#states[(this.#place[row] as number) - step] as number;
  }

  /** What a run costs that begins with a step, with all behind it; `runs` and `left` are those before it. */
  costFrom(runs: number, left: number, first: number): number {
    if (this.#counted && runs === 0) return Number.POSITIVE_INFINITY;
    const { minRun } = this.problem;
    return (this.starts[first] as number) + this.costOf(this.behind(runs), left - minRun, first + minRun);
  }

  /** How many runs may begin behind the beginning of one. */
  behind(runs: number): number {
    return this.#counted ? runs - 1 : runs;
  }

  /** Nothing left to place: OFF until the end. */
  #fillLastRow(runs: number): void {
    const { costs, maxGap, on } = this.problem;
    const most = this.#most - this.#pay * on;
    const ways = this.#waysTo(runs);
    this.#makeRoom(costs.length + 1);
    let high = costs.length + 1;
    let low = Math.max(0, costs.length - maxGap);
    while (low < high && (ways[low] as number) > most) low++;
    while (low < high && (ways[high - 1] as number) > most) high--;
    this.#states.fill(0, this.#used, this.#used + high - low);
    this.#endRow(runs * (on + 1), low, high);
  }

  #fillRow(runs: number, left: number): void {
    const { costs, on, minRun, minPause, maxGap } = this.problem;
    const goOn = runs * (on + 1) + left - 1;
    const goOnLow = (this.#low[goOn] as number) - 1;
    const goOnHigh = (this.#high[goOn] as number) - 1;
    const goOnPlace = (this.#place[goOn] as number) - 1;
    // The beginnings behind a pause.
    const isLast = left < minRun || (this.#counted && runs === 0);
    const begin = isLast ? -1 : this.behind(runs) * (on + 1) + left - minRun;
    const beginLow = isLast ? 0 : (this.#low[begin] as number) - minRun;
    const beginPlace = isLast ? 0 : (this.#place[begin] as number) - minRun;
    let next = isLast ? -1 : (this.#high[begin] as number) - minRun - 1;
    const high = Math.max(goOnHigh, next < beginLow ? 0 : next - minPause + 1);
    if (high <= 0) return;
    this.#makeRoom(high);
    const states = this.#states;
    const { starts } = this;
    // The beginnings behind a pause, from the cheapest to the nearest.
    const near = this.#near;
    const nearCosts = this.#nearCosts;
    const used = this.#used;
    const most = this.#most - this.#pay * (on - left);
    const ways = this.#waysTo(runs);
    const leastWays = this.#leastWays[runs] as Float64Array;
    let head = 0;
    let tail = 0;
    let first = high;
    let last = -1;
    // What has been placed took its steps.
    const lowest = Math.max(0, this.#fewest - left);
    for (let step = high - 1; step >= lowest; step--) {
      for (; next >= beginLow && next >= step + minPause; next--) {
        const cost = (starts[next] as number) + (states[beginPlace - next] as number);
        while (tail > head && (nearCosts[tail - 1] as number) >= cost) tail--;
        nearCosts[tail] = cost;
        near[tail++] = next;
      }
      while (head < tail && (near[head] as number) > step + maxGap) head++;
      let cost = head < tail ? (nearCosts[head] as number) : Number.POSITIVE_INFINITY;
      if (step >= goOnLow && step < goOnHigh) {
        cost = Math.min(cost, (costs[step] as number) + (states[goOnPlace - step] as number));
      } else if (step < goOnLow && next < beginLow && (leastWays[step] as number) + cost > most) break;
      if ((ways[step] as number) + cost <= most) {
        if (last < 0) last = step;
        first = step;
        states[used + last - step] = cost;
      } else if (last >= 0) states[used + last - step] = Number.POSITIVE_INFINITY;
    }
    this.#endRow(goOn + 1, first, last + 1);
  }

  /** The ways to a state, with as many runs begun as are not still to begin. */
  #waysTo(runs: number): Float64Array {
    return this.#sweep.ways[this.top - runs] as Float64Array;
  }

  #endRow(row: number, low: number, high: number): void {
    if (high <= low) return;
    this.#low[row] = low;
    this.#high[row] = high;
    this.#place[row] = this.#used + high - 1;
    this.#used += high - low;
  }

  #makeRoom(states: number): void {
    if (this.#used + states <= this.#states.length) return;
    const more = new Float64Array(Math.max(2 * this.#states.length, this.#used + states));
    more.set(this.#states);
    this.#states = more;
  }
}

/** The least up to each. */
function leastSoFar(costs: Float64Array): Float64Array {
  let least = Number.POSITIVE_INFINITY;
  const leasts = new Float64Array(costs.length);
  for (let step = 0; step < costs.length; step++) {
    least = Math.min(least, costs[step] as number);
    leasts[step] = least;
  }
  return leasts;
}
