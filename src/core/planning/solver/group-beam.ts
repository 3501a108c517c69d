/**
 * Beam search for the runs of a power group: all plans advance step by step, and of each step only the states with the
 * lowest bounds are kept. The search is exact if no state was dropped because of the width.
 */

import type { GroupBound } from "./group-bound.ts";
import type { GroupPlan } from "./group-plan.ts";

export interface BeamResult {
  /** Indexed by plan: 1 in each step that is ON; null if nothing cheaper was found. */
  readonly on: readonly Uint8Array[] | null;
  readonly cost: number;
  /** True if no state was dropped that could lead to something cheaper. */
  readonly isComplete: boolean;
}

/** State of all plans before a step. */
interface SearchState {
  readonly states: readonly number[];
  /** Lower bound of the cost of every solution through this state. */
  readonly bound: number;
  readonly before: SearchState | null;
  /** Plans that were ON in the previous step, one bit each. */
  readonly on: number;
}

/** Possible moves of a plan in a step: the state after it, and how much it raises the bound; NONE if not allowed. */
interface Moves {
  readonly off: number;
  readonly offRise: number;
  readonly on: number;
  readonly onRise: number;
  readonly watts: number;
  /** Fee that the step refunds if the plan is ON. */
  readonly fee: number;
}

const NONE = Number.POSITIVE_INFINITY;
/** States that one UTF-16 unit can distinguish. */
const MAX_CODE = 2 ** 16;

export class GroupBeam {
  readonly #plans: readonly GroupPlan[];
  readonly #limits: Float64Array;
  readonly #bound: GroupBound;
  readonly #maxTried: number;
  /** Indexed by plan and state, for the current step. */
  readonly #moves: readonly Map<number, Moves>[];
  readonly #hasLongKeys: boolean;
  /** States above this bound are dropped. */
  #highest = NONE;
  /** Number of transitions tried in all searches. */
  tried = 0;

  /** No search starts a further step after `maxTried` transitions. */
  constructor(plans: readonly GroupPlan[], limits: Float64Array, bound: GroupBound, maxTried: number) {
    this.#plans = plans;
    this.#limits = limits;
    this.#bound = bound;
    this.#maxTried = maxTried;
    this.#moves = plans.map(() => new Map());
    this.#hasLongKeys = plans.some(({ states }) => states > MAX_CODE);
  }

  get isExhausted(): boolean {
    return this.tried > this.#maxTried;
  }

  /** Searches for a solution of at most `maxCost` with at most `width` states per step. */
  search(width: number, maxCost: number): BeamResult {
    let isComplete = true;
    const states = this.#plans.map(({ initial }) => initial);
    let beam: SearchState[] = [{ states, bound: this.#bound.value, before: null, on: 0 }];
    for (let step = 0; step < this.#limits.length; step++) {
      const next = new Map<string, SearchState>();
      this.#highest = maxCost;
      for (const known of this.#moves) known.clear();
      for (const state of beam) {
        this.#expand(step, state, next);
        if (next.size < 2 * width) continue;
        isComplete = false;
        this.#prune(next, width);
      }
      beam = [...next.values()].sort((a, b) => a.bound - b.bound);
      if (beam.length > width) isComplete = false;
      beam.length = Math.min(beam.length, width);
      if (this.isExhausted) return { on: null, cost: NONE, isComplete: false };
    }
    const [end] = beam;
    return { on: end ? this.#stepsOf(end) : null, cost: end?.bound ?? NONE, isComplete };
  }

  /** Keeps the states with the lowest bounds, and lowers the bound above which states are dropped. */
  #prune(next: Map<string, SearchState>, width: number): void {
    const bounds = Float64Array.from(next.values(), ({ bound }) => bound).sort();
    this.#highest = bounds[width - 1] as number;
    for (const [key, { bound }] of next) if (bound > this.#highest) next.delete(key);
  }

  /** Adds the states after a step: one for each set of plans within the limit whose bound is low enough. */
  #expand(step: number, from: SearchState, next: Map<string, SearchState>): void {
    const moves = from.states.map((state, p) => this.#movesOf(p, step, state));
    const states = [...from.states];
    const limit = this.#limits[step] as number;
    const choose = (p: number, on: number, watts: number, risen: number, refund: number): void => {
      if (risen > this.#highest) return;
      const own = moves[p];
      if (!own) {
        const bound = risen + refund;
        if (bound > this.#highest) return;
        this.tried++;
        const key = this.#hasLongKeys ? states.join() : String.fromCharCode(...states);
        const known = next.get(key);
        if (!known || bound < known.bound) next.set(key, { states: [...states], bound, before: from, on });
        return;
      }
      if (own.offRise < NONE) {
        states[p] = own.off;
        choose(p + 1, on, watts, risen + own.offRise, refund);
      }
      if (own.onRise === NONE || watts + own.watts > limit) return;
      states[p] = own.on;
      choose(p + 1, on | (1 << p), watts + own.watts, risen + own.onRise, refund - own.fee);
    };
    choose(0, 0, 0, from.bound, this.#bound.refunds[step] as number);
  }

  #movesOf(p: number, step: number, state: number): Moves {
    const known = this.#moves[p]?.get(state);
    if (known) return known;
    const moves = this.#findMoves(p, step, state);
    this.#moves[p]?.set(state, moves);
    return moves;
  }

  #findMoves(p: number, step: number, state: number): Moves {
    const plan = this.#plans[p] as GroupPlan;
    const { offset, watts } = plan.problem;
    const own = step - offset;
    if (own < 0 || own >= plan.count) return { off: state, offRise: 0, on: -1, onRise: NONE, watts, fee: 0 };
    const before = plan.costToGo(own, state);
    const off = plan.next(own, state, false);
    const on = plan.next(own, state, true);
    const offRise = off < 0 ? NONE : plan.costToGo(own + 1, off) - before;
    const fee = this.#bound.fees[p]?.[own] as number;
    const onRise = on < 0 ? NONE : plan.costOf(own, state) + plan.costToGo(own + 1, on) - before;
    return { off, offRise, on, onRise, watts, fee };
  }

  #stepsOf(end: SearchState): Uint8Array[] {
    const isOn: number[] = [];
    for (let at: SearchState = end; at.before; at = at.before) isOn.push(at.on);
    isOn.reverse();
    return this.#plans.map(({ count, problem: { offset } }, p) =>
      Uint8Array.from({ length: count }, (_, step) => ((isOn[offset + step] ?? 0) >> p) & 1),
    );
  }
}
