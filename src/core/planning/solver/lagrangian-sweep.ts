/**
 * The cheapest way to each step, if every step ON is paid for and any number of them will do.
 *
 * Without the number of steps to keep, a way is told by where it is and how many runs have begun: one sweep over the
 * line for each number of runs, or one alone where runs are not counted.
 */
import { mayBegin, type RunsProblem, startCosts } from "./run-problem.ts";

export class RunsSweep {
  readonly #problem: RunsProblem;
  readonly #starts: Float64Array;
  /** The cheapest way to a run that begins with each step, and how many steps are ON on it. */
  readonly #before: Float64Array;
  readonly #beforeOn: Int32Array;
  readonly #near: Int32Array;
  /** The way to a run that goes on from before the line, where runs are counted: there is none that begins. */
  readonly #nowhere: Float64Array;
  /**
   * By how many runs have begun (one entry where they are not counted): what the cheapest way to each step costs, less
   * what is paid for it. The step before is ON, in a run that has its shortest length.
   */
  readonly ways: readonly Float64Array[];
  /** How many steps are ON on each of the ways. */
  readonly #on: readonly Int32Array[];
  /** What the cheapest choice costs, less what is paid for it; Infinity where there is none of any number of steps. */
  least = Number.POSITIVE_INFINITY;
  /** How many steps are ON in it. */
  leastOn = 0;

  constructor(problem: RunsProblem) {
    const room = problem.costs.length + 1;
    const layers = Number.isFinite(problem.maxRuns) ? problem.maxRuns + 1 : 1;
    this.#problem = problem;
    this.#starts = startCosts(problem.costs, problem.minRun);
    this.#before = new Float64Array(room);
    this.#beforeOn = new Int32Array(room);
    this.#near = new Int32Array(room);
    this.#nowhere = new Float64Array(room).fill(Number.POSITIVE_INFINITY);
    this.ways = Array.from({ length: layers }, () => new Float64Array(room));
    this.#on = Array.from({ length: layers }, () => new Int32Array(room));
  }

  /** Finds the ways again, where each step ON is paid so much. */
  run(pay: number): void {
    this.least = Number.POSITIVE_INFINITY;
    this.leastOn = 0;
    for (let begun = 0; begun < this.ways.length; begun++) {
      const counted = Number.isFinite(this.#problem.maxRuns);
      this.#fill(begun, counted ? begun - 1 : begun, pay);
      this.#end(begun);
    }
  }

  /** The ways with so many runs begun; the last of them begins behind a way of `from`. */
  #fill(begun: number, from: number, pay: number): void {
    const { costs, minRun, minPause, maxGap, begin } = this.#problem;
    const own = this.ways[begun] as Float64Array;
    const ownOn = this.#on[begun] as Int32Array;
    const source = this.ways[from] ?? this.#nowhere;
    const sourceOn = this.#on[from] ?? ownOn;
    const enters = begin.kind === "off" && (source === own || from === 0);
    const need = begin.kind === "running" && begun === 0 ? begin.need : -1;
    const starts = this.#starts;
    const before = this.#before;
    const beforeOn = this.#beforeOn;
    // What lies before a pause, ascending both in cost and in place: the first is the cheapest that is near enough.
    const near = this.#near;
    let head = 0;
    let tail = 0;
    let way = Number.POSITIVE_INFINITY;
    let on = 0;
    for (let step = 0; step <= costs.length; step++) {
      way += step === 0 ? 0 : (costs[step - 1] as number) - pay;
      on++;
      const first = step - minRun;
      if (first >= 0) {
        const fresh = (before[first] as number) + (starts[first] as number) - pay * minRun;
        if (fresh < way) {
          way = fresh;
          on = (beforeOn[first] as number) + minRun;
        }
      }
      if (step === need) {
        way = this.#needed(need, pay);
        on = need;
      }
      own[step] = way;
      ownOn[step] = on;
      const rested = step - minPause;
      if (rested >= 0) {
        const cost = source[rested] as number;
        while (tail > head && (source[near[tail - 1] as number] as number) >= cost) tail--;
        near[tail++] = rested;
        while ((near[head] as number) < step - maxGap && head < tail) head++;
      }
      const isFirst = enters && mayBegin(begin, step);
      const nearest = head < tail ? (near[head] as number) : -1;
      const least = nearest < 0 ? Number.POSITIVE_INFINITY : (source[nearest] as number);
      before[step] = isFirst && least > 0 ? 0 : least;
      beforeOn[step] = (isFirst && least > 0) || nearest < 0 ? 0 : (sourceOn[nearest] as number);
    }
  }

  /** What the steps cost that a run has to go on for. */
  #needed(need: number, pay: number): number {
    let sum = -pay * need;
    for (let step = 0; step < need; step++) sum += this.#problem.costs[step] as number;
    return sum;
  }

  /** The cheapest of the ways that may be the last. */
  #end(begun: number): void {
    const { costs, maxGap } = this.#problem;
    const own = this.ways[begun] as Float64Array;
    for (let step = Math.max(0, costs.length - maxGap); step <= costs.length; step++) {
      if ((own[step] as number) >= this.least) continue;
      this.least = own[step] as number;
      this.leastOn = this.#on[begun]?.[step] as number;
    }
  }
}
