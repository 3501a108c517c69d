/**
 * The cheapest runs of several plans that together stay under a limit of power, step by step.
 *
 * `GroupBound` tells what no choice costs less than, by fees on the steps. Then the plans go along the axis together. A
 * state is where each of them stands; what its best end costs at least is known from the fees, so states that cannot lead
 * to a cheaper choice than the best known are left out. Where no state had to be left out for their number, the choice
 * found is the best there is.
 */

import { GroupBound, SAME_COST } from "./group-bound.ts";
import { GroupPlan, type GroupProblem } from "./group-plan.ts";
import type { StepRun } from "./runs-solver.ts";

export interface GroupChoice {
  /** By plan. Shape: ascending, apart, in steps of its own line. */
  readonly runs: readonly (readonly StepRun[])[];
  readonly cost: number;
  /** Whether it is known to be the cheapest. */
  readonly isProven: boolean;
}

/** Where each plan stands before a step. */
interface Standing {
  readonly states: readonly number[];
  /** No choice from here costs less. */
  readonly bound: number;
  readonly before: Standing | null;
  /** The plans that were ON in the step before. */
  readonly on: number;
}

/** What a plan may do in a step: the states that it comes to, and by how much each raises the bound; NONE for not so. */
interface Ways {
  readonly off: number;
  readonly offMore: number;
  readonly on: number;
  readonly onMore: number;
  readonly watts: number;
  /** What the step gives back to it. */
  readonly fee: number;
}

const NONE = Number.POSITIVE_INFINITY;
/** Groups of at most this many plans are solved exactly. */
const EXACT_PLANS = 4;
/**
 * How many standings are kept of each step, after so many rounds of fees. Few plans: until the choice is proven. Several:
 * each time from other fees, as a few standings find a good choice from some fees and not from others.
 */
const TRIES = {
  few: [
    { width: 8, rounds: 40 },
    { width: 64, rounds: 60 },
    { width: 1_000, rounds: 200 },
    { width: 20_000, rounds: 400 },
  ],
  several: [
    { width: 10, rounds: 80 },
    { width: 10, rounds: 30 },
    { width: 10, rounds: 30 },
    { width: 10, rounds: 30 },
  ],
} as const;
/** Several plans are placed well enough where the bound is only so much of it lower. */
const GOOD_SHARE = 0.003;
/** Parts of several plans that are placed again: how many, which of all next, and how each is looked for. */
const PARTS = { most: 10, stride: 17, width: 10, rounds: 20 };
/** States that one UTF-16 unit can tell apart. */
const MAX_CODE = 2 ** 16;
/** Steps from one standing to the next that are tried at most, over all widths. */
const MAX_TRIED = 600_000;

/** The cheapest choice; null where none is known. `limits`: by step of the axis. Unit: W, whole. */
export function solveGroupLines(problems: readonly GroupProblem[], limits: Float64Array): GroupChoice | null {
  return new GroupSolver(problems, limits).solve();
}

class GroupSolver {
  readonly #plans: readonly GroupPlan[];
  readonly #limits: Float64Array;
  readonly #bound: GroupBound;
  #best: { readonly on: readonly Uint8Array[] | null; readonly cost: number };
  readonly #ways: readonly Map<number, Ways>[];
  readonly #isWide: boolean;
  #tried = 0;
  /** Nothing is tried of which the bound is higher. */
  #highest = NONE;

  constructor(problems: readonly GroupProblem[], limits: Float64Array) {
    const forcedAt = (step: number) =>
      problems.reduce((sum, { forced, offset, watts }) => sum + (forced[step - offset] === 1 ? watts : 0), 0);
    this.#limits = limits.map((limit, step) => Math.max(limit, forcedAt(step)));
    this.#plans = problems.map((problem) => new GroupPlan(this.#within(problem)));
    this.#bound = new GroupBound(this.#plans, this.#limits);
    this.#ways = this.#plans.map(() => new Map());
    this.#isWide = this.#plans.some(({ states }) => states > MAX_CODE);
    this.#best = { on: null, cost: problems.reduce((sum, problem) => sum + worstOf(problem), SAME_COST) };
  }

  solve(): GroupChoice | null {
    this.#placeInTurn();
    const isFew = this.#plans.length <= EXACT_PLANS;
    let isProven = false;
    for (const { width, rounds } of isFew ? TRIES.few : TRIES.several) {
      isProven = this.#look(width, rounds);
      if (this.#bound.least === NONE) return null;
      if (isProven || this.#tried > MAX_TRIED || (!isFew && this.#isGood())) break;
    }
    if (!isFew && !isProven && this.#best.on) this.#improve();
    const { on, cost } = this.#best;
    return on && { runs: on.map(runsIn), cost, isProven };
  }

  /** Whether the bound says that little can be missing to the cheapest choice. */
  #isGood(): boolean {
    return this.#best.cost - this.#bound.least <= GOOD_SHARE * Math.abs(this.#bound.least);
  }

  /** Looks for a cheaper choice from new fees. Returns whether the best is known to be the cheapest. */
  #look(width: number, rounds: number): boolean {
    this.#bound.raise(rounds, this.#best.cost);
    if (this.#bound.least === NONE) return false;
    this.#placeInTurn();
    return this.#walk(width) || this.#best.cost <= this.#bound.least + SAME_COST;
  }

  /** Looks for a cheaper choice of three plans at a time, where the others leave room. */
  #improve(): void {
    const parts = this.#plans.flatMap((_, a) =>
      this.#plans.flatMap((_, b) => this.#plans.flatMap((_, c) => (a < b && b < c ? [[a, b, c]] : []))),
    );
    for (let turn = 0; turn < Math.min(PARTS.most, parts.length) && !this.#isGood(); turn++) {
      const part = parts[(turn * PARTS.stride) % parts.length] as number[];
      const others = this.#plans.map((_, p) => p).filter((p) => !part.includes(p));
      const limits = this.#limits.slice();
      for (const p of others) this.#take(p, limits);
      const known = part.reduce((sum, p) => sum + this.#costOf(p), 0);
      const solver = new GroupSolver(
        part.map((p) => (this.#plans[p] as GroupPlan).problem),
        limits,
      );
      solver.#best = { on: null, cost: known };
      solver.#look(PARTS.width, PARTS.rounds);
      const { on, cost } = solver.#best;
      if (!on) continue;
      const all = this.#plans.map((_, p) => (on[part.indexOf(p)] ?? this.#best.on?.[p]) as Uint8Array);
      this.#best = { on: all, cost: this.#best.cost - known + cost };
    }
  }

  #costOf(p: number): number {
    return (this.#plans[p] as GroupPlan).priceOf(this.#best.on?.[p] as Uint8Array);
  }

  /** Takes what a plan draws in the best choice from the limits. */
  #take(p: number, limits: Float64Array): void {
    const { offset, watts } = (this.#plans[p] as GroupPlan).problem;
    const own = this.#best.on?.[p] ?? new Uint8Array();
    for (const [step, isOn] of own.entries())
      if (isOn === 1) limits[offset + step] = (limits[offset + step] as number) - watts;
  }

  /** Goes along the axis with at most `width` standings. Returns whether nothing was left out that could be better. */
  #walk(width: number): boolean {
    let isWhole = true;
    const first = { states: this.#plans.map(({ initial }) => initial), bound: this.#bound.least, before: null, on: 0 };
    let layer: Standing[] = [first];
    for (let step = 0; step < this.#limits.length; step++) {
      const next = new Map<string, Standing>();
      this.#highest = this.#best.cost - SAME_COST;
      for (const known of this.#ways) known.clear();
      for (const standing of layer) {
        this.#expand(step, standing, next);
        if (next.size < 2 * width) continue;
        isWhole = false;
        this.#thin(next, width);
      }
      layer = [...next.values()].sort((a, b) => a.bound - b.bound);
      if (layer.length > width) isWhole = false;
      layer.length = Math.min(layer.length, width);
      if (this.#tried > MAX_TRIED) return false;
    }
    const [end] = layer;
    if (end && end.bound < this.#best.cost) this.#best = { on: this.#onTo(end), cost: end.bound };
    return isWhole;
  }

  /** Keeps the lowest bounds only, and from then on nothing that is higher. */
  #thin(next: Map<string, Standing>, width: number): void {
    const bounds = Float64Array.from(next.values(), ({ bound }) => bound).sort();
    this.#highest = bounds[width - 1] as number;
    for (const [key, { bound }] of next) if (bound > this.#highest) next.delete(key);
  }

  /** Tries every set of plans that fits into a step, plan by plan, as long as it may lead to something better. */
  #expand(step: number, from: Standing, next: Map<string, Standing>): void {
    const ways = from.states.map((state, p) => this.#waysOf(p, step, state));
    const states = [...from.states];
    const limit = this.#limits[step] as number;
    const choose = (p: number, on: number, watts: number, bound: number, given: number): void => {
      if (bound > this.#highest) return;
      const own = ways[p];
      if (!own) {
        const whole = bound + given;
        if (whole > this.#highest) return;
        this.#tried++;
        const key = this.#isWide ? states.join() : String.fromCharCode(...states);
        const known = next.get(key);
        if (!known || whole < known.bound) next.set(key, { states: [...states], bound: whole, before: from, on });
        return;
      }
      if (own.offMore < NONE) {
        states[p] = own.off;
        choose(p + 1, on, watts, bound + own.offMore, given);
      }
      if (own.onMore === NONE || watts + own.watts > limit) return;
      states[p] = own.on;
      choose(p + 1, on | (1 << p), watts + own.watts, bound + own.onMore, given - own.fee);
    };
    choose(0, 0, 0, from.bound, this.#bound.most[step] as number);
  }

  #waysOf(p: number, step: number, state: number): Ways {
    const known = this.#ways[p]?.get(state);
    if (known) return known;
    const ways = this.#findWays(p, step, state);
    this.#ways[p]?.set(state, ways);
    return ways;
  }

  #findWays(p: number, step: number, state: number): Ways {
    const plan = this.#plans[p] as GroupPlan;
    const { offset, watts } = plan.problem;
    const own = step - offset;
    if (own < 0 || own >= plan.count) return { off: state, offMore: 0, on: -1, onMore: NONE, watts, fee: 0 };
    const toGo = plan.toGo(own, state);
    const off = plan.next(own, state, false);
    const on = plan.next(own, state, true);
    const offMore = off < 0 ? NONE : plan.toGo(own + 1, off) - toGo;
    const fee = this.#bound.fees[p]?.[own] as number;
    const onMore = on < 0 ? NONE : plan.costOf(own, state) + plan.toGo(own + 1, on) - toGo;
    return { off, offMore, on, onMore, watts, fee };
  }

  #onTo(end: Standing): Uint8Array[] {
    const isOn: number[] = [];
    for (let at: Standing = end; at.before; at = at.before) isOn.push(at.on);
    isOn.reverse();
    return this.#plans.map(({ count, problem: { offset } }, p) =>
      Uint8Array.from({ length: count }, (_, step) => ((isOn[offset + step] ?? 0) >> p) & 1),
    );
  }

  /**
   * Places one plan after the other where the ones before leave room: a good choice for little work. A plan that finds no
   * room comes first the next time. Then each is placed again as the others stand, as long as that costs less.
   */
  #placeInTurn(): void {
    let order = this.#plans.map((_, p) => p);
    for (let turn = 0; turn < 2 * this.#plans.length; turn++) {
      const placed = this.#plans.map(({ count }) => new Uint8Array(count));
      const stuck = order.find((p) => !this.#place(p, placed, this.#bound.fees[p] as Float64Array));
      if (stuck !== undefined) {
        order = [stuck, ...order.filter((p) => p !== stuck)];
        continue;
      }
      for (let round = 0; round < 2; round++)
        for (const [p, { count }] of this.#plans.entries()) this.#place(p, placed, new Float64Array(count));
      const cost = this.#plans.reduce((sum, plan, p) => sum + plan.priceOf(placed[p] as Uint8Array), 0);
      if (cost < this.#best.cost) this.#best = { on: placed, cost };
      return;
    }
  }

  /** Puts a plan where it costs least as the others are placed. Returns whether there is room. */
  #place(p: number, placed: Uint8Array[], fees: Float64Array): boolean {
    const { problem } = this.#plans[p] as GroupPlan;
    const costs = problem.costs.map((cost, step) => {
      const drawn = this.#plans.reduce((sum, { problem: other }, q) => {
        const own = problem.offset + step - other.offset;
        return q !== p && placed[q]?.[own] === 1 ? sum + other.watts : sum;
      }, problem.watts);
      return drawn <= (this.#limits[problem.offset + step] as number) ? cost : NONE;
    });
    const plan = new GroupPlan({ ...problem, costs });
    if (plan.charge(fees) === NONE) return false;
    placed[p] = plan.cheapest();
    return true;
  }

  /** A plan without the steps in which it does not fit even alone. */
  #within(problem: GroupProblem): GroupProblem {
    const { offset, watts } = problem;
    const costs = problem.costs.map((cost, step) => (watts <= (this.#limits[offset + step] as number) ? cost : NONE));
    return { ...problem, costs };
  }
}

/** No choice costs more. */
function worstOf({ costs, on, weights }: GroupProblem): number {
  const dearest =
    costs
      .filter((cost) => cost < NONE)
      .sort()
      .at(-1) ?? 0;
  return Math.max(0, dearest) * Math.max(on, weights?.reduce((sum, weight) => sum + weight, 0) ?? 0);
}

function runsIn(on: Uint8Array): StepRun[] {
  const runs: StepRun[] = [];
  for (let step = 0; step < on.length; step++) {
    if (on[step] === 0) continue;
    const from = step;
    while (on[step] === 1) step++;
    runs.push([from, step]);
  }
  return runs;
}
