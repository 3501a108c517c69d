/**
 * What no choice of a power group's plans costs less than.
 *
 * Each plan is solved by itself, with fees on the steps where several want to run, and each step gives the fees back to
 * plans that fit into it together. Whatever the fees are, no choice costs less than that sum. The fees rise where plans
 * are too many and fall where there is room (subgradient method, each direction mixed with the one before).
 */

import type { GroupPlan } from "./group-plan.ts";

/** By plan, in steps of its own line. */
export type ByPlan = readonly Float64Array[];

const NONE = Number.POSITIVE_INFINITY;
/** Costs are prices times watts; what differs by less is the same. */
export const SAME_COST = 1;
/** How much higher the bound is hoped to come at first, as a share of it; it is halved after `PATIENCE` rounds in vain. */
const FIRST_HOPE = 0.1;
const PATIENCE = 3;
/** How much of a direction goes on in the next. */
const MOMENTUM = 0.6;

export class GroupBound {
  /** Those of the highest bound, which the plans are charged with. */
  fees: ByPlan;
  /** By step: the most fees of plans that fit together. */
  most: Float64Array;
  /** Infinity where a plan is impossible. */
  least = -NONE;
  readonly #plans: readonly GroupPlan[];
  readonly #limits: Float64Array;
  /** By step: the sets of plans that fit, none of which another one contains, as bits. */
  readonly #sets: readonly (readonly number[])[];
  readonly #watts: readonly number[];
  #hope = 0;

  constructor(plans: readonly GroupPlan[], limits: Float64Array) {
    this.#plans = plans;
    this.#limits = limits;
    this.#watts = plans.map(({ problem }) => problem.watts);
    const byLimit = new Map<number, number[]>();
    this.#sets = Array.from(limits, (limit) => {
      const known = byLimit.get(limit) ?? this.#setsWithin(limit);
      byLimit.set(limit, known);
      return known;
    });
    this.fees = plans.map(({ count }) => new Float64Array(count));
    this.most = new Float64Array(limits.length);
  }

  /** Looks for fees with a higher bound, telling those of each round; `known` is the cost of the best choice. */
  raise(rounds: number, known: number, onRound: (fees: ByPlan, round: number) => void): void {
    let fees = this.fees;
    let idle = 0;
    let direction: ByPlan = fees.map(({ length }) => new Float64Array(length));
    for (let round = 0; round < rounds; round++) {
      const sum = this.#plans.reduce((total, plan, p) => total + plan.charge(fees[p] as Float64Array), 0);
      if (sum === NONE) {
        this.least = NONE;
        return;
      }
      const wanted = this.#plans.map((plan) => plan.cheapest());
      const { most, given } = this.#give(fees, wanted);
      const bound = sum - most.reduce((total, fee) => total + fee, 0);
      if (this.#hope === 0) this.#hope = Math.max(Math.abs(bound), known - bound) * FIRST_HOPE + SAME_COST;
      if (bound > this.least + this.#hope / 2) this.#hope *= 2;
      if (bound > this.least + SAME_COST) {
        [this.least, this.fees, this.most] = [bound, fees, most];
        idle = 0;
      } else if (++idle === PATIENCE) {
        this.#hope /= 2;
        idle = 0;
        fees = this.fees;
      }
      onRound(fees, round);
      direction = this.#turn(direction, fees, wanted, given);
      const steepness = direction.reduce((total, own) => total + own.reduce((sum, slope) => sum + slope * slope, 0), 0);
      if (steepness === 0 || this.least > known - SAME_COST) break;
      fees = moved(fees, direction, (Math.min(this.least + this.#hope, known) - bound) / steepness);
    }
    for (const [p, plan] of this.#plans.entries()) plan.charge(this.fees[p] as Float64Array);
  }

  /** By step: the dearest set of plans that fits, of equal ones one that many want. */
  #give(fees: ByPlan, wanted: readonly Uint8Array[]) {
    const plans = this.#plans;
    const most = new Float64Array(this.#limits.length);
    const given = new Int32Array(this.#limits.length);
    const worth = new Float64Array(plans.length);
    for (let step = 0; step < most.length; step++) {
      let all = 0;
      let drawn = 0;
      for (let p = 0; p < plans.length; p++) {
        const own = step - (plans[p] as GroupPlan).problem.offset;
        const fee = fees[p]?.[own] ?? 0;
        const isWanted = wanted[p]?.[own] === 1;
        worth[p] = fee + (isWanted ? LIKED : 0);
        all += fee;
        if (!isWanted) continue;
        drawn += this.#watts[p] as number;
        given[step] = (given[step] as number) | (1 << p);
      }
      if (all === 0 && drawn <= (this.#limits[step] as number)) continue;
      let best = -1;
      for (const set of this.#sets[step] as readonly number[]) {
        let sum = 0;
        for (let p = 0; p < plans.length; p++) if ((set & (1 << p)) !== 0) sum += worth[p] as number;
        if (sum <= best) continue;
        best = sum;
        given[step] = set;
      }
      for (let p = 0; p < plans.length; p++)
        if (((given[step] as number) & (1 << p)) !== 0)
          most[step] = (most[step] as number) + (fees[p]?.[step - (plans[p] as GroupPlan).problem.offset] ?? 0);
    }
    return { most, given };
  }

  /** Where fees should rise (above 0) and fall (below 0). */
  #turn(before: ByPlan, fees: ByPlan, wanted: readonly Uint8Array[], given: Int32Array): Float64Array[] {
    return this.#plans.map(({ count, problem: { offset } }, p) => {
      const [old, own, wants] = [before[p] as Float64Array, fees[p] as Float64Array, wanted[p] as Uint8Array];
      const next = new Float64Array(count);
      for (let step = 0; step < count; step++) {
        const has = ((given[offset + step] as number) >> p) & 1;
        const slope = (wants[step] as number) - has + MOMENTUM * (old[step] as number);
        next[step] = slope < 0 && own[step] === 0 ? 0 : slope;
      }
      return next;
    });
  }

  #setsWithin(limit: number): number[] {
    const watts = this.#watts;
    const sumOf = (set: number) => watts.reduce((sum, own, p) => sum + (((set >> p) & 1) === 1 ? own : 0), 0);
    const fitting = Array.from({ length: 2 ** watts.length }, (_, set) => set).filter((set) => sumOf(set) <= limit);
    const fits = new Set(fitting);
    return fitting.filter((set) => watts.every((_, p) => ((set >> p) & 1) === 1 || !fits.has(set | (1 << p))));
  }
}

/** What it counts for that a plan wants a step, where fees are equal. */
const LIKED = 1e-3;

function moved(fees: ByPlan, direction: ByPlan, stride: number): Float64Array[] {
  return fees.map((own, p) => {
    const next = new Float64Array(own.length);
    const slopes = direction[p] as Float64Array;
    for (let step = 0; step < own.length; step++)
      next[step] = Math.max(0, (own[step] as number) + stride * (slopes[step] as number));
    return next;
  });
}
