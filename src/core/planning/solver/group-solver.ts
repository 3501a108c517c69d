/**
 * The cheapest runs of several plans that together stay under a limit of power, step by step.
 *
 * First a bound: each plan is solved by itself, with fees on the steps where several want to run, and the steps give the
 * fees back to the plans that fit into them. Whatever the fees are, no choice costs less than that sum. The fees rise
 * where plans are too many and fall where there is room.
 *
 * Then the plans go along the axis together. A state is where each of them stands; what its best end costs at least is
 * known from the fees, so states that cannot lead to a cheaper choice than the best known are left out. Where no state
 * had to be left out for their number, the choice found is the best there is.
 */

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

const NONE = Number.POSITIVE_INFINITY;
/** How much higher the bound is hoped to come at first, as a share of it; it is halved after `PATIENCE` rounds in vain. */
const FIRST_HOPE = 0.1;
const PATIENCE = 3;
/** Groups of at most this many plans are solved exactly. */
const EXACT_PLANS = 4;
/**
 * How many standings are kept of each step, after `rounds` rounds of fees and `turns` ways to
 * place one plan after the other: a few to know a good choice, then more.
 */
const TRIES = {
  few: [
    { width: 8, rounds: 40, turns: 1 },
    { width: 64, rounds: 60, turns: 1 },
    { width: 1_000, rounds: 200, turns: 1 },
    { width: 20_000, rounds: 400, turns: 1 },
  ],
  several: [
    { width: 3, rounds: 40, turns: 1 },
    { width: 10, rounds: 60, turns: 2 },
  ],
} as const;
/** Steps from one standing to the next that are tried at most, over all widths. */
const MAX_TRIED = 600_000;
/** Costs are prices times watts; what differs by less is the same. */
const SAME = 1;

/** The cheapest choice; null where none is known. `limits`: by step of the axis. Unit: W, whole. */
export function solveGroupLines(problems: readonly GroupProblem[], limits: Float64Array): GroupChoice | null {
  return new GroupSolver(problems, limits).solve();
}

class GroupSolver {
  readonly #plans: readonly GroupPlan[];
  readonly #limits: Float64Array;
  /** By step: the sets of plans that fit, none of which another one contains, as bits. */
  readonly #sets: readonly (readonly number[])[];
  /** By plan, in steps of its own line. */
  #fees: Float64Array[];
  /** By step: the most fees of plans that fit together. */
  #most: Float64Array;
  #best: { readonly on: readonly Uint8Array[] | null; readonly cost: number };
  #tried = 0;
  /** Nothing is tried of which the bound is higher. */
  #highest = NONE;
  #hope = 0;

  constructor(problems: readonly GroupProblem[], limits: Float64Array) {
    this.#plans = problems.map((problem) => new GroupPlan(problem));
    this.#limits = limits.map((limit, step) => Math.max(limit, this.#forcedAt(step)));
    const bySize = new Map<number, number[]>();
    this.#sets = Array.from(this.#limits, (limit) => {
      const known = bySize.get(limit) ?? this.#setsWithin(limit);
      bySize.set(limit, known);
      return known;
    });
    this.#fees = this.#plans.map(({ count }) => new Float64Array(count));
    this.#most = new Float64Array(limits.length);
    this.#best = { on: null, cost: problems.reduce((sum, problem) => sum + worstOf(problem), SAME) };
  }

  solve(): GroupChoice | null {
    let least = -NONE;
    this.#placeInTurn(0);
    let isProven = false;
    for (const { width, rounds, turns } of this.#plans.length > EXACT_PLANS ? TRIES.several : TRIES.few) {
      least = this.#raiseFees(least, rounds);
      if (least === NONE) return null;
      for (let first = 0; first < turns; first++) this.#placeInTurn(2 * first);
      isProven = this.#walk(least, width) || this.#best.cost <= least + SAME;
      if (isProven || this.#tried > MAX_TRIED) break;
    }
    const { on, cost } = this.#best;
    return on && { runs: on.map(runsIn), cost, isProven };
  }

  /** Looks for fees with a higher bound, and leaves them on the plans. Returns the bound. */
  #raiseFees(known: number, rounds: number): number {
    let best = { bound: known, fees: this.#fees, most: this.#most };
    let { fees } = best;
    let hope = this.#hope;
    let idle = 0;
    for (let round = 0; round < rounds; round++) {
      const alone = this.#plans.map((plan, p) => plan.charge(fees[p] as Float64Array));
      const sum = alone.reduce((total, cost) => total + cost, 0);
      if (sum === NONE) return NONE;
      const wanted = this.#plans.map((plan) => plan.cheapest());
      const { most, given } = this.#give(fees, wanted);
      const bound = sum - most.reduce((total, fee) => total + fee, 0);
      if (hope === 0) hope = Math.max(Math.abs(bound), this.#best.cost - bound) * FIRST_HOPE + SAME;
      if (bound > best.bound + hope / 2) hope *= 2;
      if (bound > best.bound + SAME) {
        best = { bound, fees, most };
        idle = 0;
      } else if (++idle === PATIENCE) {
        hope /= 2;
        idle = 0;
        ({ fees } = best);
      }
      const slopes = this.#slopes(fees, wanted, given);
      const steepness = slopes.reduce((total, own) => total + own.reduce((sum, slope) => sum + slope * slope, 0), 0);
      if (steepness === 0 || best.bound > this.#best.cost - SAME) break;
      const stride = (Math.min(best.bound + hope, this.#best.cost) - bound) / steepness;
      fees = fees.map((own, p) =>
        own.map((fee, step) => Math.max(0, fee + stride * ((slopes[p] as Float64Array)[step] as number))),
      );
    }
    this.#hope = hope;
    this.#fees = [...best.fees];
    this.#most = best.most;
    for (const [p, plan] of this.#plans.entries()) plan.charge(best.fees[p] as Float64Array);
    return best.bound;
  }

  /** By step: the dearest set of plans that fits, of equal ones one that many want. */
  #give(fees: readonly Float64Array[], wanted: readonly Uint8Array[]) {
    const most = new Float64Array(this.#limits.length);
    const given = new Int32Array(this.#limits.length);
    for (let step = 0; step < most.length; step++) {
      let best = -1;
      for (const set of this.#sets[step] as readonly number[]) {
        let sum = 0;
        let liked = 0;
        for (let p = 0; p < this.#plans.length; p++) {
          const own = step - (this.#plans[p] as GroupPlan).problem.offset;
          if ((set & (1 << p)) === 0 || own < 0 || own >= (this.#plans[p] as GroupPlan).count) continue;
          sum += (fees[p] as Float64Array)[own] as number;
          liked += (wanted[p] as Uint8Array)[own] as number;
        }
        if (sum + liked * 1e-3 <= best) continue;
        best = sum + liked * 1e-3;
        most[step] = sum;
        given[step] = set;
      }
    }
    return { most, given };
  }

  /** Where fees should rise (1) and fall (-1). */
  #slopes(fees: readonly Float64Array[], wanted: readonly Uint8Array[], given: Int32Array): Float64Array[] {
    return this.#plans.map(({ count, problem }, p) =>
      Float64Array.from({ length: count }, (_, step) => {
        const has = ((given[problem.offset + step] as number) >> p) & 1;
        const slope = ((wanted[p] as Uint8Array)[step] as number) - has;
        return slope < 0 && (fees[p] as Float64Array)[step] === 0 ? 0 : slope;
      }),
    );
  }

  /** Goes along the axis with at most `width` standings. Returns whether nothing was left out that could be better. */
  #walk(least: number, width: number): boolean {
    let isWhole = true;
    let layer: Standing[] = [{ states: this.#plans.map(({ initial }) => initial), bound: least, before: null, on: 0 }];
    for (let step = 0; step < this.#limits.length; step++) {
      const next = new Map<string, Standing>();
      this.#highest = this.#best.cost - SAME;
      for (const standing of layer) {
        this.#expand(step, standing, 0, 0, 0, standing.bound, [], next);
        if (next.size < 2 * width) continue;
        isWhole = false;
        this.#thin(next, width);
      }
      layer = [...next.values()].sort((a, b) => a.bound - b.bound);
      if (layer.length > width) isWhole = false;
      layer.length = Math.min(layer.length, width);
      if (this.#tried > MAX_TRIED) return false;
    }
    for (const end of layer) if (end.bound < this.#best.cost) this.#best = { on: this.#onTo(end), cost: end.bound };
    return isWhole;
  }

  /** Keeps the lowest bounds only, and from then on nothing that is higher. */
  #thin(next: Map<string, Standing>, width: number): void {
    const bounds = Float64Array.from(next.values(), ({ bound }) => bound).sort();
    this.#highest = bounds[width - 1] as number;
    for (const [key, { bound }] of next) if (bound > this.#highest) next.delete(key);
  }

  /** Tries every set of plans that fits into a step, plan by plan, as long as it may lead to something better. */
  #expand(
    step: number,
    from: Standing,
    p: number,
    on: number,
    watts: number,
    bound: number,
    states: readonly number[],
    next: Map<string, Standing>,
  ): void {
    if (bound > this.#highest) return;
    const plan = this.#plans[p];
    if (!plan) {
      const whole = bound + (this.#most[step] as number) - this.#feesOf(on, step);
      if (whole > this.#highest) return;
      this.#tried++;
      const key = states.join();
      const known = next.get(key);
      if (!known || whole < known.bound) next.set(key, { states, bound: whole, before: from, on });
      return;
    }
    const state = from.states[p] as number;
    const own = step - plan.problem.offset;
    if (own < 0 || own >= plan.count) {
      this.#expand(step, from, p + 1, on, watts, bound, [...states, state], next);
      return;
    }
    const toGo = plan.toGo(own, state);
    const off = plan.next(own, state, false);
    if (off >= 0) {
      const more = plan.toGo(own + 1, off) - toGo;
      if (more < NONE) this.#expand(step, from, p + 1, on, watts, bound + more, [...states, off], next);
    }
    const drawn = watts + plan.problem.watts;
    const run = drawn <= (this.#limits[step] as number) ? plan.next(own, state, true) : -1;
    if (run < 0) return;
    const more = plan.costOf(own, state) + plan.toGo(own + 1, run) - toGo;
    if (more < NONE) this.#expand(step, from, p + 1, on | (1 << p), drawn, bound + more, [...states, run], next);
  }

  #feesOf(on: number, step: number): number {
    let sum = 0;
    for (const [p, { problem }] of this.#plans.entries())
      if ((on & (1 << p)) !== 0) sum += (this.#fees[p] as Float64Array)[step - problem.offset] as number;
    return sum;
  }

  #onTo(end: Standing): Uint8Array[] {
    const isOn: number[] = [];
    for (let at: Standing = end; at.before; at = at.before) isOn.unshift(at.on);
    return this.#plans.map(({ count, problem: { offset } }, p) =>
      Uint8Array.from({ length: count }, (_, step) => ((isOn[offset + step] ?? 0) >> p) & 1),
    );
  }

  /**
   * Places one plan after the other where the ones before leave room: a good choice for little work. A plan that finds no
   * room comes first the next time. Then each is placed again as the others stand, as long as that costs less.
   */
  #placeInTurn(first: number): void {
    let order = this.#plans.map((_, p) => (p + first) % this.#plans.length);
    for (let turn = 0; turn < 2 * this.#plans.length; turn++) {
      const placed = this.#plans.map(({ count }) => new Uint8Array(count));
      const stuck = order.find((p) => !this.#place(p, placed, this.#fees[p] as Float64Array));
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

  #forcedAt(step: number): number {
    return this.#plans.reduce(
      (sum, { problem: { forced, offset, watts } }) => sum + (forced[step - offset] === 1 ? watts : 0),
      0,
    );
  }

  #setsWithin(limit: number): number[] {
    const watts = this.#plans.map(({ problem }) => problem.watts);
    const sumOf = (set: number) => watts.reduce((sum, own, p) => sum + (((set >> p) & 1) === 1 ? own : 0), 0);
    const fitting = Array.from({ length: 2 ** watts.length }, (_, set) => set).filter((set) => sumOf(set) <= limit);
    const fits = new Set(fitting);
    return fitting.filter((set) => watts.every((_, p) => ((set >> p) & 1) === 1 || !fits.has(set | (1 << p))));
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
