/**
 * Cheapest runs of several plans that together stay below a power limit in each step.
 *
 * 1. `GroupBound` computes a lower bound and fees for the steps that several plans want.
 * 2. `GroupPlaces` places one plan after the other at these fees, which gives good solutions quickly.
 * 3. `GroupBeam` searches all plans together. Up to four plans are searched until the solution is proven.
 * 4. For more plans, subsets of the best solution are removed and placed again (large neighborhood search).
 */

import { GroupBeam } from "./group-beam.ts";
import { type ByPlan, GroupBound, SAME_COST } from "./group-bound.ts";
import { GroupPlaces } from "./group-places.ts";
import { GroupPlan, type GroupProblem } from "./group-plan.ts";
import type { StepRun } from "./runs-solver.ts";

export interface GroupChoice {
  /** Runs by plan, in steps of the plan's own line. Shape: ascending, with gaps between them. */
  readonly runs: readonly (readonly StepRun[])[];
  readonly cost: number;
  /** True if no other solution costs less. */
  readonly isProven: boolean;
}

const NONE = Number.POSITIVE_INFINITY;
/** Groups of at most this many plans are solved exactly. */
const EXACT_PLANS = 4;
/**
 * Rounds of the bound, placings of subsets, and width of the beam search that follows. `few`: until the solution is
 * proven; a good solution narrows the beam search. `several`: each time with other fees, because a narrow search finds a
 * good solution with some fees and not with others.
 */
const TRIES = {
  few: [
    { rounds: 40, placings: 0, width: 8 },
    { rounds: 60, placings: 0, width: 64 },
    { rounds: 200, placings: 400, width: 1_000 },
    { rounds: 400, placings: 400, width: 20_000 },
  ],
  several: [
    { rounds: 40, placings: 0, width: 6 },
    { rounds: 15, placings: 0, width: 6 },
    { rounds: 15, placings: 0, width: 6 },
    { rounds: 15, placings: 0, width: 6 },
  ],
} as const;
/** Maximum transitions of all beam searches. */
const MAX_TRIED = 600_000;
/** A solution of several plans is good enough if the bound is lower by at most this share. */
const GOOD_SHARE = 0.003;
/** The fees of every n-th round of the bound are also used for placing. */
const PLACED_ROUNDS = 6;
/** Maximum placings of the large neighborhood search, minus one per `perTried` transitions of the beam searches. */
const PLACINGS = { most: 2_200, perTried: 30 };
/** Subsets are placed with up to this multiple of the fees, because the fees of the bound are not exact. */
const MAX_FEE_SHARE = 1.5;

/** Returns the cheapest solution; null if none was found. `limits`: by step of the axis. Unit: W, whole. */
export function solveGroupLines(problems: readonly GroupProblem[], limits: Float64Array): GroupChoice | null {
  return new GroupSolver(problems, limits).solve();
}

class GroupSolver {
  readonly #plans: readonly GroupPlan[];
  readonly #bound: GroupBound;
  readonly #beam: GroupBeam;
  readonly #places: GroupPlaces;
  readonly #isFew: boolean;
  #best: { readonly on: readonly Uint8Array[] | null; readonly cost: number };
  #random = 6;

  constructor(problems: readonly GroupProblem[], given: Float64Array) {
    const forcedAt = (step: number) =>
      problems.reduce((sum, { forced, offset, watts }) => sum + (forced[step - offset] === 1 ? watts : 0), 0);
    const limits = given.map((limit, step) => Math.max(limit, forcedAt(step)));
    const possible = problems.map((problem) => withoutFullSteps(problem, limits));
    this.#plans = possible.map((problem) => new GroupPlan(problem));
    this.#bound = new GroupBound(this.#plans, limits);
    this.#beam = new GroupBeam(this.#plans, limits, this.#bound, MAX_TRIED);
    this.#places = new GroupPlaces(possible, limits);
    this.#isFew = problems.length <= EXACT_PLANS;
    this.#best = { on: null, cost: problems.reduce((sum, problem) => sum + maxCostOf(problem), SAME_COST) };
  }

  solve(): GroupChoice | null {
    this.#placeAll();
    let isProven = false;
    for (const { rounds, placings, width } of this.#isFew ? TRIES.few : TRIES.several) {
      isProven = this.#search(rounds, placings, width);
      if (this.#bound.value === NONE) return null;
      if (isProven || this.#beam.isExhausted || (!this.#isFew && this.#isGood())) break;
    }
    if (!this.#isFew && !isProven) this.#placeSubsets(PLACINGS.most - this.#beam.tried / PLACINGS.perTried);
    const { on, cost } = this.#best;
    return on && { runs: on.map(runsIn), cost, isProven };
  }

  /** Returns true if the bound shows that the best solution is close to the minimum. */
  #isGood(): boolean {
    return this.#best.cost - this.#bound.value <= GOOD_SHARE * Math.abs(this.#bound.value);
  }

  /** Raises the bound and searches with its fees. Returns true if the best solution is proven. */
  #search(rounds: number, placings: number, width: number): boolean {
    if (placings > 0) this.#placeSubsets(placings);
    if (placings > 0) this.#bound.restart();
    this.#bound.raise(rounds, this.#best.cost, (fees, round) => {
      if (!this.#isFew && round > 0 && round % PLACED_ROUNDS === 0) this.#placeAll(this.#shuffled(), fees);
    });
    if (this.#bound.value === NONE) return false;
    this.#placeAll();
    const { on, cost, isComplete } = this.#beam.search(width, this.#best.cost - SAME_COST);
    if (on) this.#best = { on, cost };
    return isComplete || this.#best.cost <= this.#bound.value + SAME_COST;
  }

  /**
   * Places all plans, each in the power that the previous ones leave. A plan without room comes first in the next
   * attempt. Then improves the places.
   */
  #placeAll(first: readonly number[] = this.#inOrder, fees: ByPlan = this.#bound.fees): void {
    const places = this.#places;
    let order = first;
    for (let attempt = 0; attempt < 2 * this.#plans.length; attempt++) {
      for (const p of order) places.remove(p);
      const stuck = order.find((p) => !places.place(p, fees[p] as Float64Array, 1));
      if (stuck === undefined) {
        this.#replaceEach(2);
        return;
      }
      order = [stuck, ...order.filter((p) => p !== stuck)];
    }
  }

  /**
   * Removes a random subset from the best solution and places it again, with about `placings` placings. With fees, a plan
   * avoids the steps that several other plans need.
   */
  #placeSubsets(placings: number): void {
    const count = this.#plans.length;
    const places = this.#places;
    const last = places.placings + placings;
    while (places.placings < last && this.#best.on && (this.#isFew || !this.#isGood())) {
      const subset = this.#shuffled().slice(0, 2 + this.#below(count - 1));
      places.restore(this.#best.on);
      for (const p of subset) places.remove(p);
      const share = (this.#below(100) / 100) * MAX_FEE_SHARE;
      const fits = subset.every((p) => places.place(p, this.#bound.fees[p] as Float64Array, share));
      // Places that are further above the best solution than that is above the bound are not worth improving.
      if (fits && places.cost <= 2 * this.#best.cost - this.#bound.value) this.#replaceEach(1);
    }
  }

  /** Moves each plan to its minimum in the power that the others leave, and keeps the solution if it is cheaper. */
  #replaceEach(rounds: number): void {
    const places = this.#places;
    for (let round = 0; round < rounds; round++) for (const p of this.#inOrder) places.replace(p);
    const { on, cost } = places;
    if (on && cost < this.#best.cost) this.#best = { on, cost };
  }

  get #inOrder(): number[] {
    return this.#plans.map((_, p) => p);
  }

  /** Returns the plans in a pseudorandom order; the same orders each time that a group is solved. */
  #shuffled(): number[] {
    const order = this.#inOrder;
    for (let i = order.length - 1; i > 0; i--) {
      const j = this.#below(i + 1);
      [order[i], order[j]] = [order[j] as number, order[i] as number];
    }
    return order;
  }

  /** Returns a pseudorandom whole number below `limit` (Lehmer's generator). */
  #below(limit: number): number {
    this.#random = (this.#random * 48_271) % 0x7fffffff;
    return this.#random % limit;
  }
}

/** Forbids the steps in which a plan does not fit even alone. */
function withoutFullSteps(problem: GroupProblem, limits: Float64Array): GroupProblem {
  const { offset, watts } = problem;
  const costs = problem.costs.map((cost, step) => (watts <= (limits[offset + step] as number) ? cost : NONE));
  return { ...problem, costs };
}

/** Returns a cost that no solution exceeds. */
function maxCostOf({ costs, on, weights }: GroupProblem): number {
  const highest = costs.reduce((most, cost) => (cost < NONE ? Math.max(most, cost) : most), 0);
  return highest * Math.max(on, weights?.reduce((sum, weight) => sum + weight, 0) ?? 0);
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
