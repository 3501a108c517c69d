/** One plan of a power group as a dynamic program: its states, the allowed transitions, and the exact cost to the end. */

import { type RunsProblem, startCosts } from "./run-problem.ts";

/** A plan's line and its number of ON steps, on the axis that all plans of the group share. */
export interface GroupProblem extends RunsProblem {
  readonly on: number;
  /** Index of its first step on the axis. */
  readonly offset: number;
  /** Power while it is ON. Unit: W, whole. */
  readonly watts: number;
  /** Weights of the first `minRun` steps of a run, in order; null if all are 1. */
  readonly weights: readonly number[] | null;
  /** 1 for steps in which a run may begin; null for all. */
  readonly begins: Uint8Array | null;
}

const NONE = Number.POSITIVE_INFINITY;

/**
 * A state is a number of three parts: the runs that may still begin, the missing ON steps, and the phase. Phase 0 is before
 * the first run. Phases up to 1 + `minRun`: ON for phase - 1 steps, counted up to `minRun`. Higher phases: OFF for
 * phase - 1 - `minRun` steps. `setFees` computes the table that `costToGo` and `cheapest` read.
 */
export class GroupPlan {
  readonly problem: GroupProblem;
  readonly count: number;
  readonly initial: number;
  readonly #top: number;
  readonly #isCounted: boolean;
  /** True if pauses have no maximum length. */
  readonly #isFree: boolean;
  /** OFF steps are counted up to this number. */
  readonly #maxOff: number;
  readonly #phases: number;
  /** The next step, from this one on, that has to be ON; indexed by step. */
  readonly #nextForced: Int32Array;
  #fees: Float64Array;
  /** Cost plus fee, indexed by step. */
  readonly #paid: Float64Array;
  /** Cost of the first `minRun` steps of a run that begins in a step, fees included; indexed by step. */
  #starts: Float64Array;
  /** Cost to the end by runs, missing steps and step, in a run that has its minimum length. */
  readonly #rows: Float64Array;
  readonly #off = new Map<number, number>();
  readonly #later = new Map<number, Float64Array>();
  readonly #near: Int32Array;
  readonly #nearCosts: Float64Array;

  constructor(problem: GroupProblem) {
    const { costs, forced, on, minRun, minPause, maxGap, maxRuns, begin } = problem;
    this.problem = problem;
    this.count = costs.length;
    this.#isCounted = maxRuns < on / minRun;
    this.#top = this.#isCounted ? maxRuns : 0;
    this.#maxOff = Math.min(Math.max(minPause, maxGap < NONE ? maxGap : 0), this.count + 1);
    this.#phases = 2 + minRun + this.#maxOff;
    this.#nextForced = new Int32Array(this.count + 1).fill(this.count);
    for (let step = this.count - 1; step >= 0; step--)
      this.#nextForced[step] = forced[step] === 1 ? step : (this.#nextForced[step + 1] as number);
    this.#isFree = maxGap === NONE && !forced.includes(1);
    this.#fees = new Float64Array(this.count);
    this.#paid = new Float64Array(this.count);
    this.#starts = new Float64Array(this.count + 1);
    this.#rows = new Float64Array((this.#top + 1) * (on + 1) * (this.count + 1)).fill(NONE);
    this.#near = new Int32Array(this.count + 1);
    this.#nearCosts = new Float64Array(this.count + 1);
    const phase = begin.kind === "off" ? 0 : 1 + minRun - begin.need;
    this.initial = this.#state(this.#top, on, phase);
  }

  /** Sets a fee for each step. Returns the minimum cost including fees; Infinity if the plan is infeasible. */
  setFees(fees: Float64Array): number {
    const { costs, minRun, weights, begins, on } = this.problem;
    this.#fees = fees;
    for (let step = 0; step < this.count; step++) this.#paid[step] = (costs[step] as number) + (fees[step] as number);
    this.#off.clear();
    this.#later.clear();
    if (weights) {
      this.#starts.fill(NONE);
      for (let first = 0; first + minRun <= this.count; first++) {
        let sum = 0;
        for (let i = 0; i < minRun; i++)
          sum += (costs[first + i] as number) * (weights[i] as number) + (fees[first + i] as number);
        this.#starts[first] = sum;
      }
    } else {
      this.#starts = startCosts(this.#paid, minRun);
    }
    for (let first = 0; begins && first < this.count; first++) if (begins[first] === 0) this.#starts[first] = NONE;
    // Rows that cannot be reached stay Infinity: a run takes at least its minimum length.
    const { begin } = this.problem;
    const spent = begin.kind === "off" ? minRun : begin.need;
    const first = this.#isCounted && begin.kind === "off" ? this.#top - 1 : this.#top;
    for (let runs = 0; runs <= first; runs++)
      for (let left = 0; left <= on - spent - (this.#isCounted ? (first - runs) * minRun : 0); left++)
        this.#fill(runs, left);
    return this.costToGo(0, this.initial);
  }

  /** Returns the cheapest solution, 1 in each step that is ON. The plan must be feasible. */
  cheapest(): Uint8Array {
    const { on, minRun, minPause, begin } = this.problem;
    const isOn = new Uint8Array(this.count);
    let row = this.#top * (on + 1) + on;
    let step = 0;
    if (begin.kind === "running") {
      row -= begin.need;
      step = begin.need;
      isOn.fill(1, 0, step);
    }
    for (let isFirst = begin.kind === "off"; ; isFirst = false) {
      const whole = isFirst ? this.costToGo(0, this.initial) : (this.#rows[row * (this.count + 1) + step] as number);
      if (!isFirst && row % (on + 1) > 0 && this.#costOfContinuing(row, step) === whole) {
        isOn[step++] = 1;
        row--;
        continue;
      }
      if (!isFirst && row % (on + 1) === 0 && whole === 0) return isOn;
      let start = isFirst ? 0 : step + minPause;
      while (start < this.count && this.#costOfStart(row, start) !== whole) start++;
      if (start >= this.count) return isOn;
      isOn.fill(1, start, start + minRun);
      row -= minRun + (this.#isCounted ? on + 1 : 0);
      step = start + minRun;
    }
  }

  /** Returns the cost of a solution without fees. */
  costWithoutFees(on: Uint8Array): number {
    const { costs, minRun, weights } = this.problem;
    let sum = 0;
    let done = 0;
    for (let step = 0; step < on.length; step++) {
      done = on[step] === 1 ? done + 1 : 0;
      if (done > 0) sum += (costs[step] as number) * (done <= minRun ? (weights?.[done - 1] ?? 1) : 1);
    }
    return sum;
  }

  /** Number of states. */
  get states(): number {
    return (this.#top + 1) * (this.problem.on + 1) * this.#phases;
  }

  /** Returns the state after a step that is ON or OFF; -1 if that is not allowed. */
  next(step: number, state: number, isOn: boolean): number {
    const { costs, forced, minRun, minPause, maxGap, begin, begins } = this.problem;
    const phase = state % this.#phases;
    const row = (state - phase) / this.#phases;
    const left = row % (this.problem.on + 1);
    const runs = (row - left) / (this.problem.on + 1);
    if (!isOn) {
      if (forced[step] === 1) return -1;
      if (phase === 0) return state;
      const off = phase - 1 - minRun;
      if (off < 0 || off + 1 > maxGap) return -1;
      return this.#state(runs, left, 1 + minRun + Math.min(off + 1, this.#maxOff));
    }
    if (left === 0 || costs[step] === NONE) return -1;
    if (phase >= 1 && phase <= 1 + minRun) return this.#state(runs, left - 1, Math.min(phase + 1, 1 + minRun));
    if (phase === 0 && begin.kind === "off" && (step < begin.first || step > begin.last)) return -1;
    if (phase > 0 && phase - 1 - minRun < minPause) return -1;
    if ((this.#isCounted && runs === 0) || (begins && begins[step] === 0)) return -1;
    return this.#state(this.#isCounted ? runs - 1 : runs, left - 1, 2);
  }

  /** Returns the cost of being ON in a step, fee included. */
  costOf(step: number, state: number): number {
    const { costs, minRun, weights } = this.problem;
    const phase = state % this.#phases;
    const done = phase >= 1 && phase <= 1 + minRun ? phase - 1 : 0;
    return (costs[step] as number) * (weights?.[done] ?? 1) + (this.#fees[step] as number);
  }

  /** Returns the minimum cost from a step to the end; Infinity if that is infeasible. */
  costToGo(step: number, state: number): number {
    const { minRun, minPause, maxGap, begin, costs, weights } = this.problem;
    const phase = state % this.#phases;
    const row = (state - phase) / this.#phases;
    if (phase >= 1 && phase <= 1 + minRun) {
      const lacking = 1 + minRun - phase;
      const left = row % (this.problem.on + 1);
      if (left < lacking || step + lacking > this.count) return NONE;
      let sum = this.#rows[(row - lacking) * (this.count + 1) + step + lacking] as number;
      for (let i = 0; i < lacking; i++)
        sum += (costs[step + i] as number) * (weights?.[phase - 1 + i] ?? 1) + (this.#fees[step + i] as number);
      return sum;
    }
    if (this.#isFree && phase > 0) {
      if (row % (this.problem.on + 1) === 0) return 0;
      return this.#laterStarts(row)[Math.min(this.count, step + Math.max(0, minPause + minRun + 1 - phase))] as number;
    }
    const key = step * this.#phases * (this.#top + 1) * (this.problem.on + 1) + state;
    const known = this.#off.get(key);
    if (known !== undefined) return known;
    const off = phase === 0 ? 0 : phase - 1 - minRun;
    const forced = this.#nextForced[step] as number;
    let [first, last] = [step + Math.max(0, minPause - off), Math.min(step + maxGap - off, forced)];
    if (phase === 0)
      [first, last] = begin.kind === "off" ? [Math.max(step, begin.first), Math.min(begin.last, forced)] : [0, -1];
    const isDone = phase > 0 && row % (this.problem.on + 1) === 0 && last >= this.count;
    let least = isDone ? 0 : NONE;
    for (let start = first; start <= Math.min(last, this.count - 1); start++)
      least = Math.min(least, this.#costOfStart(row, start));
    this.#off.set(key, least);
    return least;
  }

  /** Returns by step the minimum cost of a run that begins there or later. */
  #laterStarts(row: number): Float64Array {
    let least = this.#later.get(row);
    if (least) return least;
    least = new Float64Array(this.count + 1).fill(NONE);
    for (let step = this.count - 1; step >= 0; step--)
      least[step] = Math.min(least[step + 1] as number, this.#costOfStart(row, step));
    this.#later.set(row, least);
    return least;
  }

  /** Returns the cost from a step to the end if a run begins there. */
  #costOfStart(row: number, step: number): number {
    const { on, minRun } = this.problem;
    const left = row % (on + 1);
    const start = this.#starts[step] as number;
    if (left < minRun || start === NONE || (this.#isCounted && row <= on)) return NONE;
    const behind = row - minRun - (this.#isCounted ? on + 1 : 0);
    return start + (this.#rows[behind * (this.count + 1) + step + minRun] as number);
  }

  /** Computes a row of the table. Steps that are too early or too late for the missing steps stay Infinity. */
  #fill(runs: number, left: number): void {
    const { on, minRun, minPause, maxGap } = this.problem;
    const { count } = this;
    const rows = this.#rows;
    const starts = this.#starts;
    const paid = this.#paid;
    const nextForced = this.#nextForced;
    const row = runs * (on + 1) + left;
    const own = row * (count + 1);
    const shorter = own - count;
    const behind = (row - minRun - (this.#isCounted ? on + 1 : 0)) * (count + 1) + minRun;
    // Starts that the pause allows, from the cheapest to the nearest (a monotonic queue).
    const near = this.#near;
    const nearCosts = this.#nearCosts;
    let head = 0;
    let tail = 0;
    let nearest = left < minRun || (this.#isCounted && runs === 0) ? -1 : count - left;
    if (this.#isFree) {
      if (left === 0) rows.fill(0, own + on, own + count + 1);
      for (let step = count - left, least = NONE; left > 0 && step >= on - left; step--) {
        for (; nearest >= step + minPause; nearest--) {
          const cost = (starts[nearest] as number) + (rows[behind + nearest] as number);
          if (cost < least) least = cost;
        }
        const goOn = (paid[step] as number) + (rows[shorter + step] as number);
        rows[own + step] = Math.min(goOn, least);
      }
      return;
    }
    for (let step = count - left; step >= on - left; step--) {
      for (; nearest >= step + minPause; nearest--) {
        const cost = (starts[nearest] as number) + (rows[behind + nearest] as number);
        if (cost === NONE) continue;
        while (tail > head && (nearCosts[tail - 1] as number) >= cost) tail--;
        nearCosts[tail] = cost;
        near[tail++] = nearest;
      }
      const forced = nextForced[step] as number;
      const latest = Math.min(step + maxGap, forced);
      while (head < tail && (near[head] as number) > latest) head++;
      let least = left === 0 && latest >= count ? 0 : NONE;
      if (head < tail && (nearCosts[head] as number) < least) least = nearCosts[head] as number;
      const goOn = left > 0 ? (paid[step] as number) + (rows[shorter + step] as number) : NONE;
      if (goOn < least) least = goOn;
      rows[own + step] = least;
    }
  }

  /** Returns the cost from a step to the end if the run continues in it. */
  #costOfContinuing(row: number, step: number): number {
    return (this.#paid[step] as number) + (this.#rows[(row - 1) * (this.count + 1) + step + 1] as number);
  }

  #state(runs: number, left: number, phase: number): number {
    return (runs * (this.problem.on + 1) + left) * this.#phases + phase;
  }
}
