/** One plan of a power group, as a machine that is ON or OFF step by step: what it may do next, and what that costs. */

import { type RunsProblem, startCosts } from "./run-problem.ts";

/** What a plan of a group is solved by: a line with a number of steps, on an axis that all plans of the group share. */
export interface GroupProblem extends RunsProblem {
  readonly on: number;
  /** Where its line begins on the axis. */
  readonly offset: number;
  /** What it draws while it is ON. Unit: W, whole. */
  readonly watts: number;
  /** How much the steps of a shortest run weigh, one after the other; null for all alike. */
  readonly weights: readonly number[] | null;
  /** 1 where a run may begin. */
  readonly begins: Uint8Array | null;
}

const NONE = Number.POSITIVE_INFINITY;

/**
 * States count what is still to place, the runs that may still begin, and how long it has been ON or OFF. `toGo` is what
 * the cheapest way from a state to the end costs, each step with a fee on top: exact, from the rows of `charge`.
 */
export class GroupPlan {
  readonly problem: GroupProblem;
  readonly count: number;
  readonly initial: number;
  readonly #top: number;
  readonly #isCounted: boolean;
  /** Whether pauses may be as long as they like. */
  readonly #isFree: boolean;
  /** OFF is counted up to here. */
  readonly #longest: number;
  readonly #phases: number;
  /** By the first step OFF: the next that has to be ON. */
  readonly #nextForced: Int32Array;
  #fees: Float64Array;
  /** By step: its cost with its fee. */
  readonly #paid: Float64Array;
  /** What a run's shortest length costs that begins with a step, fees included. */
  #starts: Float64Array;
  /** By runs, steps to place and step: in a run that has its shortest length. */
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
    this.#longest = Math.min(Math.max(minPause, maxGap < NONE ? maxGap : 0), this.count + 1);
    this.#phases = 2 + minRun + this.#longest;
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

  /** Puts fees on the steps. Returns what the cheapest choice costs with them; Infinity where that is impossible. */
  charge(fees: Float64Array): number {
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
    // Rows that no choice comes to stay Infinity: a run takes at least its shortest length.
    const { begin } = this.problem;
    const spent = begin.kind === "off" ? minRun : begin.need;
    const first = this.#isCounted && begin.kind === "off" ? this.#top - 1 : this.#top;
    for (let runs = 0; runs <= first; runs++)
      for (let left = 0; left <= on - spent - (this.#isCounted ? (first - runs) * minRun : 0); left++)
        this.#fill(runs, left);
    return this.toGo(0, this.initial);
  }

  /** What the cheapest choice is ON in, 1 by step; there has to be one. */
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
      const whole = isFirst ? this.toGo(0, this.initial) : (this.#rows[row * (this.count + 1) + step] as number);
      if (!isFirst && row % (on + 1) > 0 && this.#goOn(row, step) === whole) {
        isOn[step++] = 1;
        row--;
        continue;
      }
      if (!isFirst && row % (on + 1) === 0 && whole === 0) return isOn;
      let begun = isFirst ? 0 : step + minPause;
      while (begun < this.count && this.#begun(row, begun) !== whole) begun++;
      if (begun >= this.count) return isOn;
      isOn.fill(1, begun, begun + minRun);
      row -= minRun + (this.#isCounted ? on + 1 : 0);
      step = begun + minRun;
    }
  }

  /** What it costs to be ON in these steps, without fees. */
  priceOf(on: Uint8Array): number {
    const { costs, minRun, weights } = this.problem;
    let sum = 0;
    let done = 0;
    for (let step = 0; step < on.length; step++) {
      done = on[step] === 1 ? done + 1 : 0;
      if (done > 0) sum += (costs[step] as number) * (done <= minRun ? (weights?.[done - 1] ?? 1) : 1);
    }
    return sum;
  }

  /** How many states there are. */
  get states(): number {
    return (this.#top + 1) * (this.problem.on + 1) * this.#phases;
  }

  /** The state after a step; -1 where it may not be so. */
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
      return this.#state(runs, left, 1 + minRun + Math.min(off + 1, this.#longest));
    }
    if (left === 0 || costs[step] === NONE) return -1;
    if (phase >= 1 && phase <= 1 + minRun) return this.#state(runs, left - 1, Math.min(phase + 1, 1 + minRun));
    if (phase === 0 && begin.kind === "off" && (step < begin.first || step > begin.last)) return -1;
    if (phase > 0 && phase - 1 - minRun < minPause) return -1;
    if ((this.#isCounted && runs === 0) || (begins && begins[step] === 0)) return -1;
    return this.#state(this.#isCounted ? runs - 1 : runs, left - 1, 2);
  }

  /** What it costs to be ON in a step, with its fee. */
  costOf(step: number, state: number): number {
    const { costs, minRun, weights } = this.problem;
    const phase = state % this.#phases;
    const done = phase >= 1 && phase <= 1 + minRun ? phase - 1 : 0;
    return (costs[step] as number) * (weights?.[done] ?? 1) + (this.#fees[step] as number);
  }

  /** What the cheapest way to the end costs from a step on; Infinity where that is impossible. */
  toGo(step: number, state: number): number {
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
      return this.#beginnings(row)[Math.min(this.count, step + Math.max(0, minPause + minRun + 1 - phase))] as number;
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
    for (let begun = first; begun <= Math.min(last, this.count - 1); begun++)
      least = Math.min(least, this.#begun(row, begun));
    this.#off.set(key, least);
    return least;
  }

  /** By step: what the cheapest beginning from then on costs. */
  #beginnings(row: number): Float64Array {
    let least = this.#later.get(row);
    if (least) return least;
    least = new Float64Array(this.count + 1).fill(NONE);
    for (let step = this.count - 1; step >= 0; step--)
      least[step] = Math.min(least[step + 1] as number, this.#begun(row, step));
    this.#later.set(row, least);
    return least;
  }

  /** What it costs to begin a run with a step, to the end. */
  #begun(row: number, step: number): number {
    const { on, minRun } = this.problem;
    const left = row % (on + 1);
    const start = this.#starts[step] as number;
    if (left < minRun || start === NONE || (this.#isCounted && row <= on)) return NONE;
    const behind = row - minRun - (this.#isCounted ? on + 1 : 0);
    return start + (this.#rows[behind * (this.count + 1) + step + minRun] as number);
  }

  /** Steps that are too early for what has been placed, or too late for what is left, stay Infinity. */
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
    // Beginnings that a pause may lead to, from the cheapest to the nearest.
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

  /** What it costs to go on with a run for a step more, to the end. */
  #goOn(row: number, step: number): number {
    return (this.#paid[step] as number) + (this.#rows[(row - 1) * (this.count + 1) + step + 1] as number);
  }

  #state(runs: number, left: number, phase: number): number {
    return (runs * (this.problem.on + 1) + left) * this.#phases + phase;
  }
}
