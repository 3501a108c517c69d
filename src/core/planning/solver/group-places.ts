/** Plans of a power group placed one at a time, each where it costs least beside the others. */

import { GroupPlan, type GroupProblem } from "./group-plan.ts";

const NONE = Number.POSITIVE_INFINITY;

/** Where each plan stands; one that has no room is ON in no step. */
export class GroupPlaces {
  readonly #plans: readonly GroupPlan[];
  /** By step: what the plans that stand leave. Unit: W. */
  readonly #room: Float64Array;
  readonly #paid: readonly Float64Array[];
  readonly #on: (Uint8Array | null)[];
  readonly #costs: number[];
  /** By where a plan stands: the steps of which that are the cheapest, 1 by step. */
  readonly #amid = new WeakMap<Uint8Array, Uint8Array>();
  /** How often a plan has been put somewhere; that is what takes time. */
  placings = 0;

  constructor(problems: readonly GroupProblem[], limits: Float64Array) {
    this.#plans = problems.map((problem) => new GroupPlan(problem));
    this.#room = limits.slice();
    this.#paid = this.#plans.map(({ count }) => new Float64Array(count));
    this.#on = problems.map(() => null);
    this.#costs = problems.map(() => NONE);
  }

  /** By plan, 1 where it is ON; null while one has no place. */
  get on(): readonly Uint8Array[] | null {
    const all = this.#on.filter((on) => on !== null);
    return all.length === this.#on.length ? all : null;
  }

  /** Without fees. */
  get cost(): number {
    return this.#costs.reduce((sum, cost) => sum + cost, 0);
  }

  /** Puts a plan where it costs least, with a share of fees on top. Returns whether there is room. */
  place(p: number, fees: Float64Array, share: number): boolean {
    this.remove(p);
    const paid = this.#paid[p] as Float64Array;
    const open = this.#openTo(p);
    for (let step = 0; step < paid.length; step++)
      paid[step] = open[step] === 1 ? share * (fees[step] as number) : NONE;
    return this.#put(p, paid, null);
  }

  /** Puts a plan that stands somewhere where it costs least. */
  replace(p: number): void {
    const on = this.#on[p] as Uint8Array;
    this.remove(p);
    const open = this.#openTo(p);
    if (isWithin(open, this.#amid.get(on))) {
      this.#set(p, on);
      return;
    }
    const paid = this.#paid[p] as Float64Array;
    for (let step = 0; step < paid.length; step++) paid[step] = open[step] === 1 ? 0 : NONE;
    this.#put(p, paid, open);
  }

  #put(p: number, paid: Float64Array, open: Uint8Array | null): boolean {
    const plan = this.#plans[p] as GroupPlan;
    this.placings++;
    if (plan.charge(paid) === NONE) return false;
    const on = plan.cheapest();
    if (open) this.#amid.set(on, open);
    this.#set(p, on);
    return true;
  }

  /** 1 for steps with room for a plan. */
  #openTo(p: number): Uint8Array {
    const { count, problem } = this.#plans[p] as GroupPlan;
    const { offset, watts } = problem;
    const open = new Uint8Array(count);
    for (let step = 0; step < count; step++) if ((this.#room[offset + step] as number) >= watts) open[step] = 1;
    return open;
  }

  remove(p: number): void {
    this.#draw(p, -1);
    this.#on[p] = null;
    this.#costs[p] = NONE;
  }

  /** Goes to where plans stand. */
  take(on: readonly Uint8Array[]): void {
    for (const [p, own] of on.entries()) {
      if (own === this.#on[p]) continue;
      this.remove(p);
      this.#set(p, own);
    }
  }

  #set(p: number, on: Uint8Array): void {
    this.#on[p] = on;
    this.#costs[p] = (this.#plans[p] as GroupPlan).priceOf(on);
    this.#draw(p, 1);
  }

  #draw(p: number, sign: number): void {
    const { offset, watts } = (this.#plans[p] as GroupPlan).problem;
    const own = this.#on[p];
    if (!own) return;
    for (let step = 0; step < own.length; step++)
      if (own[step] === 1) this.#room[offset + step] = (this.#room[offset + step] as number) - sign * watts;
  }
}

function isWithin(open: Uint8Array, known: Uint8Array | undefined): boolean {
  if (!known) return false;
  for (let step = 0; step < open.length; step++) if (open[step] === 1 && known[step] === 0) return false;
  return true;
}
