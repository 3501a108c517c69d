/** Places the plans of a power group one at a time, each at its minimum cost in the power that the others leave. */

import { GroupPlan, type GroupProblem } from "./group-plan.ts";

const NONE = Number.POSITIVE_INFINITY;

export class GroupPlaces {
  readonly #plans: readonly GroupPlan[];
  /** Power that the placed plans leave, indexed by step. Unit: W. */
  readonly #room: Float64Array;
  /** Fees for the next placing, indexed by plan; reused. */
  readonly #fees: readonly Float64Array[];
  /** Indexed by plan: 1 in each step that is ON; null if the plan is not placed. */
  readonly #on: (Uint8Array | null)[];
  readonly #costs: number[];
  /** Steps with room when a plan was placed without fees: it is at its minimum cost in any part of them that has it. */
  readonly #openWhenPlaced = new WeakMap<Uint8Array, Uint8Array>();
  /** Number of placings so far. They take most of the time. */
  placings = 0;

  constructor(problems: readonly GroupProblem[], limits: Float64Array) {
    this.#plans = problems.map((problem) => new GroupPlan(problem));
    this.#room = limits.slice();
    this.#fees = this.#plans.map(({ count }) => new Float64Array(count));
    this.#on = problems.map(() => null);
    this.#costs = problems.map(() => NONE);
  }

  /** Indexed by plan: 1 in each step that is ON; null if not all plans are placed. */
  get on(): readonly Uint8Array[] | null {
    const placed = this.#on.filter((on) => on !== null);
    return placed.length === this.#on.length ? placed : null;
  }

  /** Cost of all plans without fees; Infinity if not all are placed. */
  get cost(): number {
    return this.#costs.reduce((sum, cost) => sum + cost, 0);
  }

  /** Places a plan at its minimum cost with a share of the fees. Returns false if there is no room. */
  place(p: number, fees: Float64Array, share: number): boolean {
    this.remove(p);
    const open = this.#openSteps(p);
    const own = this.#fees[p] as Float64Array;
    for (let step = 0; step < own.length; step++) own[step] = open[step] === 1 ? share * (fees[step] as number) : NONE;
    return this.#placeWithFees(p) !== null;
  }

  /** Moves a placed plan to its minimum cost without fees. */
  replace(p: number): void {
    const before = this.#on[p] as Uint8Array;
    this.remove(p);
    const open = this.#openSteps(p);
    if (isWithin(open, this.#openWhenPlaced.get(before))) {
      this.#set(p, before);
      return;
    }
    const own = this.#fees[p] as Float64Array;
    for (let step = 0; step < own.length; step++) own[step] = open[step] === 1 ? 0 : NONE;
    const on = this.#placeWithFees(p);
    if (on) this.#openWhenPlaced.set(on, open);
  }

  remove(p: number): void {
    this.#addDraw(p, -1);
    this.#on[p] = null;
    this.#costs[p] = NONE;
  }

  /** Restores the places of all plans. */
  restore(on: readonly Uint8Array[]): void {
    for (const [p, own] of on.entries()) {
      if (own === this.#on[p]) continue;
      this.remove(p);
      this.#set(p, own);
    }
  }

  #placeWithFees(p: number): Uint8Array | null {
    const plan = this.#plans[p] as GroupPlan;
    this.placings++;
    if (plan.setFees(this.#fees[p] as Float64Array) === NONE) return null;
    const on = plan.cheapest();
    this.#set(p, on);
    return on;
  }

  /** Returns 1 for each step with enough power for a plan. */
  #openSteps(p: number): Uint8Array {
    const { count, problem } = this.#plans[p] as GroupPlan;
    const { offset, watts } = problem;
    const open = new Uint8Array(count);
    for (let step = 0; step < count; step++) if ((this.#room[offset + step] as number) >= watts) open[step] = 1;
    return open;
  }

  #set(p: number, on: Uint8Array): void {
    this.#on[p] = on;
    this.#costs[p] = (this.#plans[p] as GroupPlan).costWithoutFees(on);
    this.#addDraw(p, 1);
  }

  #addDraw(p: number, sign: 1 | -1): void {
    const { offset, watts } = (this.#plans[p] as GroupPlan).problem;
    const own = this.#on[p];
    if (!own) return;
    for (let step = 0; step < own.length; step++)
      if (own[step] === 1) this.#room[offset + step] = (this.#room[offset + step] as number) - sign * watts;
  }
}

/** Returns true if every open step was open before too. */
function isWithin(open: Uint8Array, before: Uint8Array | undefined): boolean {
  if (!before) return false;
  for (let step = 0; step < open.length; step++) if (open[step] === 1 && before[step] === 0) return false;
  return true;
}
