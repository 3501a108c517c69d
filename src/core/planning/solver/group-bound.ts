/**
 * Lower bound of the cost of a power group, by Lagrangian relaxation of its limit.
 *
 * Each plan is solved alone, with a fee for each step in which several plans want to run. Each step refunds the highest
 * sum of fees of plans that fit into it together. The cost of the plans minus all refunds is a lower bound for any fees.
 * The subgradient method raises the bound: fees rise in steps that too many plans want, and fall in steps with room.
 */

import type { GroupPlan } from "./group-plan.ts";

/** Indexed by plan, in steps of its own line. */
export type ByPlan = readonly Float64Array[];

const NONE = Number.POSITIVE_INFINITY;
/** Costs are prices times watts. Costs that differ by less are equal. */
export const SAME_COST = 1;
/** First stride of the fees: the expected rise of the bound, as a share of it. Halved after `PATIENCE` rounds in vain. */
const FIRST_EXPECTED_GAIN = 0.1;
const PATIENCE = 3;
/** Share of the previous direction in the next one. */
const MOMENTUM = 0.6;
/** Value of a step that a plan wants, to choose between sets with equal fees. */
const WANTED = 1e-3;

export class GroupBound {
  /** The highest bound so far; Infinity if a plan is infeasible even alone. */
  value = -NONE;
  /** Fees of that bound. The plans are solved with them. */
  fees: ByPlan;
  /** Refund of each step for `fees`. */
  refunds: Float64Array;
  readonly #plans: readonly GroupPlan[];
  readonly #limits: Float64Array;
  /** By step: the maximal sets of plans that fit together, one bit per plan. */
  readonly #sets: readonly (readonly number[])[];
  readonly #watts: readonly number[];
  #expectedGain = 0;

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
    this.refunds = new Float64Array(limits.length);
  }

  /** Starts again without fees. With a better solution known, the search for fees takes other strides. */
  restart(): void {
    this.value = -NONE;
    this.fees = this.fees.map(({ length }) => new Float64Array(length));
    this.#expectedGain = 0;
  }

  /** Raises the bound. `known` is the cost of the best solution so far; `onRound` gets the fees of each round. */
  raise(rounds: number, known: number, onRound: (fees: ByPlan, round: number) => void): void {
    let fees = this.fees;
    let idle = 0;
    let direction: ByPlan = fees.map(({ length }) => new Float64Array(length));
    for (let round = 0; round < rounds; round++) {
      const sum = this.#plans.reduce((total, plan, p) => total + plan.setFees(fees[p] as Float64Array), 0);
      if (sum === NONE) {
        this.value = NONE;
        return;
      }
      const wanted = this.#plans.map((plan) => plan.cheapest());
      const { refunds, chosen } = this.#refund(fees, wanted);
      const bound = sum - refunds.reduce((total, fee) => total + fee, 0);
      if (this.#expectedGain === 0)
        this.#expectedGain = Math.max(Math.abs(bound), known - bound) * FIRST_EXPECTED_GAIN + SAME_COST;
      if (bound > this.value + this.#expectedGain / 2) this.#expectedGain *= 2;
      if (bound > this.value + SAME_COST) {
        [this.value, this.fees, this.refunds] = [bound, fees, refunds];
        idle = 0;
      } else if (++idle === PATIENCE) {
        this.#expectedGain /= 2;
        idle = 0;
        fees = this.fees;
      }
      onRound(fees, round);
      direction = this.#turn(direction, fees, wanted, chosen);
      const steepness = direction.reduce((total, own) => total + own.reduce((sum, slope) => sum + slope * slope, 0), 0);
      if (steepness === 0 || this.value > known - SAME_COST) break;
      fees = moved(fees, direction, (Math.min(this.value + this.#expectedGain, known) - bound) / steepness);
    }
    for (const [p, plan] of this.#plans.entries()) plan.setFees(this.fees[p] as Float64Array);
  }

  /** Returns by step the set of plans with the highest sum of fees, and that sum. Wanted steps decide between equals. */
  #refund(fees: ByPlan, wanted: readonly Uint8Array[]) {
    const plans = this.#plans;
    const refunds = new Float64Array(this.#limits.length);
    const chosen = new Int32Array(this.#limits.length);
    const values = new Float64Array(plans.length);
    for (let step = 0; step < refunds.length; step++) {
      let all = 0;
      let watts = 0;
      for (let p = 0; p < plans.length; p++) {
        const own = step - (plans[p] as GroupPlan).problem.offset;
        const fee = fees[p]?.[own] ?? 0;
        const isWanted = wanted[p]?.[own] === 1;
        values[p] = fee + (isWanted ? WANTED : 0);
        all += fee;
        if (!isWanted) continue;
        watts += this.#watts[p] as number;
        chosen[step] = (chosen[step] as number) | (1 << p);
      }
      if (all === 0 && watts <= (this.#limits[step] as number)) continue;
      let best = -1;
      for (const set of this.#sets[step] as readonly number[]) {
        let sum = 0;
        for (let p = 0; p < plans.length; p++) if ((set & (1 << p)) !== 0) sum += values[p] as number;
        if (sum <= best) continue;
        best = sum;
        chosen[step] = set;
      }
      for (let p = 0; p < plans.length; p++)
        if (((chosen[step] as number) & (1 << p)) !== 0)
          refunds[step] = (refunds[step] as number) + (fees[p]?.[step - (plans[p] as GroupPlan).problem.offset] ?? 0);
    }
    return { refunds, chosen };
  }

  /** Returns where fees should rise (above 0) and fall (below 0). */
  #turn(before: ByPlan, fees: ByPlan, wanted: readonly Uint8Array[], chosen: Int32Array): Float64Array[] {
    return this.#plans.map(({ count, problem: { offset } }, p) => {
      const [old, own, wants] = [before[p] as Float64Array, fees[p] as Float64Array, wanted[p] as Uint8Array];
      const next = new Float64Array(count);
      for (let step = 0; step < count; step++) {
        const isChosen = ((chosen[offset + step] as number) >> p) & 1;
        const slope = (wants[step] as number) - isChosen + MOMENTUM * (old[step] as number);
        next[step] = slope < 0 && own[step] === 0 ? 0 : slope;
      }
      return next;
    });
  }

  /** Returns the sets of plans that fit together, without those that are part of another one. */
  #setsWithin(limit: number): number[] {
    const watts = this.#watts;
    const sumOf = (set: number) => watts.reduce((sum, own, p) => sum + (((set >> p) & 1) === 1 ? own : 0), 0);
    const fitting = Array.from({ length: 2 ** watts.length }, (_, set) => set).filter((set) => sumOf(set) <= limit);
    const fits = new Set(fitting);
    return fitting.filter((set) => watts.every((_, p) => ((set >> p) & 1) === 1 || !fits.has(set | (1 << p))));
  }
}

/** Returns the fees moved by a stride in a direction; a fee is never negative. */
function moved(fees: ByPlan, direction: ByPlan, stride: number): Float64Array[] {
  return fees.map((own, p) => {
    const next = new Float64Array(own.length);
    const slopes = direction[p] as Float64Array;
    for (let step = 0; step < own.length; step++)
      next[step] = Math.max(0, (own[step] as number) + stride * (slopes[step] as number));
    return next;
  });
}
