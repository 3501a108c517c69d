/**
 * The cheapest runs of several plans that together stay under a limit of power, step by step.
 *
 * `GroupBound` tells what no choice costs less than, by fees on the steps. Then the plans go along the axis together. A
 * state is where each of them stands; what its best end costs at least is known from the fees, so states that cannot lead
 * to a cheaper choice than the best known are left out. Where no state had to be left out for their number, the choice
 * found is the best there is. Of several plans, which are too many for that, some are taken out of the best choice and placed
 * again, other ones each time, as long as time allows.
 */

import { type ByPlan, GroupBound, SAME_COST } from "./group-bound.ts";
import { GroupPlaces } from "./group-places.ts";
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
    { width: 6, rounds: 40 },
    { width: 6, rounds: 15 },
    { width: 6, rounds: 15 },
    { width: 6, rounds: 15 },
  ],
} as const;
/** Several plans are placed well enough where the bound is only so much of it lower. */
const GOOD_SHARE = 0.003;
/** Several plans are placed in turn with the fees of each of so many rounds. */
const ROUNDS_APART = 6;
/** How many times one of several plans is placed at most while parts of them are; so many tried steps take as long as one. */
const PLACINGS = { most: 1_600, perTried: 30 };
/** The fees of a round are more or less than right: parts are placed with up to so many times of them. */
const MOST_FEES = 1.5;
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
  readonly #places: GroupPlaces;
  #tried = 0;
  #random = 6;
  /** Nothing is tried of which the bound is higher. */
  #highest = NONE;

  constructor(problems: readonly GroupProblem[], limits: Float64Array) {
    const forcedAt = (step: number) =>
      problems.reduce((sum, { forced, offset, watts }) => sum + (forced[step - offset] === 1 ? watts : 0), 0);
    this.#limits = limits.map((limit, step) => Math.max(limit, forcedAt(step)));
    const within = problems.map((problem) => this.#within(problem));
    this.#plans = within.map((problem) => new GroupPlan(problem));
    this.#places = new GroupPlaces(within, this.#limits);
    this.#bound = new GroupBound(this.#plans, this.#limits);
    this.#ways = this.#plans.map(() => new Map());
    this.#isWide = this.#plans.some(({ states }) => states > MAX_CODE);
    this.#best = { on: null, cost: problems.reduce((sum, problem) => sum + worstOf(problem), SAME_COST) };
  }

  solve(): GroupChoice | null {
    this.#placeInTurn();
    const isFew = this.#isFew;
    let isProven = false;
    for (const { width, rounds } of isFew ? TRIES.few : TRIES.several) {
      isProven = this.#look(width, rounds);
      if (this.#bound.least === NONE) return null;
      if (isProven || this.#tried > MAX_TRIED || (!isFew && this.#isGood())) break;
    }
    if (!isFew && !isProven) this.#placeParts();
    const { on, cost } = this.#best;
    return on && { runs: on.map(runsIn), cost, isProven };
  }

  get #isFew(): boolean {
    return this.#plans.length <= EXACT_PLANS;
  }

  /** Whether the bound says that little can be missing to the cheapest choice. */
  #isGood(): boolean {
    return this.#best.cost - this.#bound.least <= GOOD_SHARE * Math.abs(this.#bound.least);
  }

  /** Looks for a cheaper choice from new fees. Returns whether the best is known to be the cheapest. */
  #look(width: number, rounds: number): boolean {
    this.#bound.raise(rounds, this.#best.cost, (fees, round) => {
      if (!this.#isFew && round >= ROUNDS_APART && round % ROUNDS_APART === 0)
        this.#placeInTurn(this.#shuffled(), fees);
    });
    if (this.#bound.least === NONE) return false;
    this.#placeInTurn();
    return this.#walk(width) || this.#best.cost <= this.#bound.least + SAME_COST;
  }

  /**
   * Takes some plans out of the best choice and places them again, one after the other, then each as the others stand. With
   * fees a plan leaves alone what several others would be dearer without, which it cannot see otherwise.
   */
  #placeParts(): void {
    const count = this.#plans.length;
    const { most, perTried } = PLACINGS;
    const places = this.#places;
    const last = places.placings + most - this.#tried / perTried;
    while (places.placings < last && this.#best.on && !this.#isGood()) {
      const part = this.#shuffled().slice(0, 2 + this.#below(count - 1));
      places.take(this.#best.on);
      for (const p of part) places.remove(p);
      const share = (this.#below(100) / 100) * MOST_FEES;
      const fit = part.every((p) => places.place(p, this.#bound.fees[p] as Float64Array, share));
      // What is further from the best than the best may be from the cheapest does not get better than it.
      if (fit && places.cost <= 2 * this.#best.cost - this.#bound.least) this.#settle(1);
    }
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
   * room comes first the next time. Then each is placed again as the others stand.
   */
  #placeInTurn(first: readonly number[] = this.#inOrder, fees: ByPlan = this.#bound.fees): void {
    const places = this.#places;
    let order = first;
    for (let turn = 0; turn < 2 * this.#plans.length; turn++) {
      for (const p of order) places.remove(p);
      const stuck = order.find((p) => !places.place(p, fees[p] as Float64Array, 1));
      if (stuck === undefined) {
        this.#settle(2);
        return;
      }
      order = [stuck, ...order.filter((p) => p !== stuck)];
    }
  }

  /** Places each plan again as the others stand, and keeps what is cheaper than the best. */
  #settle(rounds: number): void {
    const places = this.#places;
    for (let round = 0; round < rounds; round++) for (const p of this.#inOrder) places.replace(p);
    const { on, cost } = places;
    if (on && cost < this.#best.cost) this.#best = { on, cost };
  }

  get #inOrder(): number[] {
    return this.#plans.map((_, p) => p);
  }

  /** The plans in an order that is another one each time, and the same whenever a group is solved. */
  #shuffled(): number[] {
    const order = this.#inOrder;
    for (let i = order.length - 1; i > 0; i--) {
      const j = this.#below(i + 1);
      [order[i], order[j]] = [order[j] as number, order[i] as number];
    }
    return order;
  }

  /** A number below another (Lehmer's generator). */
  #below(limit: number): number {
    this.#random = (this.#random * 48_271) % 0x7fffffff;
    return this.#random % limit;
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
