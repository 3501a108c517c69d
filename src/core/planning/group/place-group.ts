/**
 * Finds places for the plans of a power group that have hours. A place is a set of runs; together they keep the limit.
 *
 * 1. The plans are placed in the order of priority, each in the cheapest way that the plans before it leave.
 * 2. If a plan lacks hours, other orders are tried.
 * 3. All plans are placed again with a surcharge on the times that too many of them want. So a plan that loses little by
 *    another time leaves a contested time to the others.
 * 4. Each plan that loses by the others gets its best place, and the plans in its way are placed again.
 * 5. Pairs of plans are taken out and placed again, in both orders.
 *
 * The best result of each step is kept: first the most hours for priority 1, then for 2, and so on; then the lowest cost.
 * The amount of work is bounded, not the time, so that the same input always has the same result.
 */

import { indexAfter, type PricePoint, type Timeline } from "../../prices/timeline.ts";
import { type Interval, lengthOf, overlaps } from "../../time/interval.ts";
import type { PlanPower } from "../model/plan-definition.ts";
import { type PlanSpec, profileOf } from "../model/plan-spec.ts";
import type { PlanInput } from "../plan-input.ts";
import type { PlanRecord } from "../plan-record.ts";
import { runsOf } from "../plan-state-machine.ts";
import { plannedRuns } from "../replan.ts";
import { runPrice } from "../snapshot/plan-savings.ts";
import type { PlanSlot } from "./plan-dependencies.ts";

/** A plan of a group with its input. */
export interface GroupSeat {
  readonly slot: PlanSlot;
  readonly power: PlanPower;
  readonly input: PlanInput;
}

/** Power that is used in any case. Unit: W. */
export interface Draw extends Interval {
  readonly watts: number;
}

/** A plan to place, with the record of its current occurrence. */
export interface GroupMember {
  readonly seat: GroupSeat;
  readonly record: PlanRecord;
}

interface Place {
  readonly runs: readonly Interval[];
  /** Hours without a run. Unit: ms. */
  readonly missingMs: number;
  /** Unit: currency per kWh times W times ms. */
  readonly cost: number;
}

/** The place of each member; null while it has none. */
type Places = readonly (Place | null)[];

/** Maximum orders that are tried if a plan lacks hours: all orders of four plans. */
const MAX_ORDERS = 24;
const MAX_ROUNDS = 16;
/** Maximum work of a search, in price intervals of solutions: about 170 solutions for a day of quarters. */
const MAX_WORK = 22_000;
/** Work of a solution besides its intervals. */
const SOLUTION_WORK = 32;
/** A lower difference of costs is not worth another placement. */
const SAME_COST = 1;
const ALWAYS: Interval = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

/** Returns the best places found, in the order of `members`. `limit`: power for all of them. Unit: W. */
export function placesOf(members: readonly GroupMember[], limit: number): Interval[][] {
  const rank = [...members.keys()].sort((a, b) => {
    const [first, second] = [members[a], members[b]].map((member) => member?.seat.power);
    return !first || !second ? 0 : first.priority - second.priority || second.watts - first.watts;
  });
  const places = new PlaceSearch(
    rank.flatMap((i) => members[i] ?? []),
    limit,
  ).best();
  return members.map((_, i) => [...(places[rank.indexOf(i)]?.runs ?? [])]);
}

class PlaceSearch {
  /** Shape: in the order of priority. */
  readonly #members: readonly GroupMember[];
  readonly #limit: number;
  readonly #timeline: Timeline | null;
  /** Found places by member and the times when it may not run. */
  readonly #known = new Map<string, Place>();
  /** Places of members without the others. */
  readonly #alone: Places;
  #work = 0;

  constructor(members: readonly GroupMember[], limit: number) {
    this.#members = members;
    this.#limit = limit;
    this.#timeline = members[0]?.seat.input.timeline ?? null;
    this.#alone = members.map((_, i) => this.#place(i, []));
  }

  best(): Places {
    const fitting = this.#withOtherOrders(this.#inOrder(this.#all));
    return this.#withPairs(this.#withEjections(this.#withSurcharges(fitting)));
  }

  get #all(): number[] {
    return [...this.#members.keys()];
  }

  /** Tries other orders until all plans have their hours. The plans that lack hours come first in the next order. */
  #withOtherOrders(first: Places): Places {
    const tried = new Set<string>();
    let [best, last, order] = [first, first, this.#all];
    const isShort = (i: number) => this.#mayMove(i) && missingOf(last[i]) > missingOf(this.#alone[i]);
    while (order.some(isShort) && tried.size < MAX_ORDERS && this.#work < MAX_WORK) {
      tried.add(order.join());
      const next = [...order.filter(isShort), ...order.filter((i) => !isShort(i))];
      const untried = [next, ...permutations(order)].find((each) => !tried.has(each.join()));
      if (!untried) break;
      order = untried;
      last = this.#inOrder(order);
      if (this.#isBetter(last, best)) best = last;
    }
    return best;
  }

  #withSurcharges(first: Places): Places {
    const timeline = this.#timeline;
    if (!timeline || !this.#all.some((i) => this.#isHurt(i, first))) return first;
    const prices = timeline.points.map(({ price }) => price);
    const spread = Math.max(...prices) - Math.min(...prices);
    let [best, wanted, raised] = [first, this.#alone, timeline];
    for (let round = 0; round < MAX_ROUNDS && this.#work < MAX_WORK; round++) {
      raised = { ...timeline, points: this.#surcharged(timeline.points, raised.points, wanted, spread / (2 + round)) };
      const next = this.#eachAgain(this.#inOrder(this.#all, [], raised));
      if (this.#isBetter(next, best)) best = next;
      wanted = this.#all.map((i) => this.#place(i, [], raised));
    }
    return best;
  }

  /** Raises the surcharges where the wanted power is above the limit, and lowers them where it is below. */
  #surcharged(points: readonly PricePoint[], before: readonly PricePoint[], wanted: Places, stride: number) {
    const draws = wanted.flatMap((place, i) => drawsOf(this.#members[i]?.seat.power.watts ?? 0, place?.runs ?? []));
    return points.map((point, i): PricePoint => {
      const over = drawnIn(point, draws) / Math.max(1, this.#limit) - 1;
      const surcharge = (before[i]?.price ?? point.price) - point.price + stride * Math.max(-0.5, Math.min(1, over));
      return { ...point, price: point.price + Math.max(0, surcharge) };
    });
  }

  /**
   * Gives each plan that loses by the others its best place, as long as this is better. The plans that are in its way are placed
   * again, those with the most energy first or last, and then each plan once more.
   */
  #withEjections(first: Places): Places {
    let best = first;
    for (let before: Places | null = null; before !== best; ) {
      before = best;
      for (const i of this.#all.filter((each) => this.#isHurt(each, best))) {
        const kept = this.#all.map((each) => (each === i ? (this.#alone[i] ?? null) : null));
        const ejected: number[] = [];
        for (const other of this.#byEnergy(best)) {
          if (other === i) continue;
          const place = best[other] ?? null;
          const blocked = this.#blockedFor(other, kept);
          if (place?.runs.some((run) => blocked.some((taken) => overlaps(run, taken)))) ejected.push(other);
          else kept[other] = place;
        }
        for (const order of [ejected, ejected.toReversed()]) {
          if (this.#work >= MAX_WORK) return best;
          const next = this.#eachAgain(this.#inOrder(order, kept));
          if (this.#isBetter(next, best)) best = next;
        }
      }
    }
    return best;
  }

  #byEnergy(places: Places): number[] {
    const energyOf = (i: number) => (this.#members[i]?.seat.power.watts ?? 0) * lengthOf(places[i]?.runs ?? []);
    return this.#all.sort((a, b) => energyOf(b) - energyOf(a));
  }

  /** Places each plan again next to the others, in the order of priority. */
  #eachAgain(places: Places): Places {
    return this.#all.reduce((all, i) => this.#inOrder([i], all.with(i, null)), places);
  }

  /** Places pairs again as long as this is better, the plans that lose most first. */
  #withPairs(first: Places): Places {
    let best = first;
    const lossOf = (i: number) => costOf(best[i]) - costOf(this.#alone[i]);
    for (let before: Places | null = null; before !== best; ) {
      before = best;
      const hurt = this.#all.filter((i) => this.#isHurt(i, best)).sort((a, b) => lossOf(b) - lossOf(a));
      const pairs = hurt.flatMap((i) => this.#all.filter((other) => other !== i).map((other) => [i, other]));
      for (const pair of pairs.flatMap((each) => [each, each.toReversed()])) {
        if (this.#work >= MAX_WORK) return best;
        const others = best.map((place, i) => (pair.includes(i) ? null : place));
        const next = this.#inOrder(pair, others);
        if (this.#isBetter(next, best)) best = next;
      }
    }
    return best;
  }

  /** Places members one after the other, next to the places that are given. */
  #inOrder(order: readonly number[], given: Places = [], timeline?: Timeline): Places {
    const places = this.#all.map((i) => given[i] ?? null);
    for (const i of order) places[i] = this.#place(i, places, timeline);
    return places;
  }

  /** Places a plan at the lowest cost next to `others`, at the prices of `timeline` if that is given. */
  #place(i: number, others: Places, timeline?: Timeline): Place {
    const { seat, record } = this.#members[i] as GroupMember;
    const { input, slot } = seat;
    const blocked = others.length === 0 ? [] : this.#blockedFor(i, others);
    const key = `${i}:${blocked.map(({ start, end }) => `${start}-${end}`)}`;
    const same = timeline ? undefined : this.#known.get(key);
    if (same) return same;
    const trial: PlanInput = {
      ...input,
      spec: withoutWishes(input.spec),
      timeline: timeline ?? input.timeline,
      blocked: [...input.blocked, ...blocked],
      solve: (spec, prices, window, context) => {
        const { points } = prices;
        this.#work += SOLUTION_WORK + indexAfter(points, window.end) - indexAfter(points, window.start);
        return input.solve(spec, prices, window, context);
      },
    };
    const runs = runsOf(plannedRuns(trial, record));
    const hoursMs = "hoursMs" in slot.spec ? slot.spec.hoursMs : 0;
    const place = { runs, missingMs: Math.max(0, hoursMs - lengthOf(runs)), cost: costOfRuns(seat, runs) };
    if (!timeline) this.#known.set(key, place);
    return place;
  }

  /** Returns when a plan may not run next to the others. Of those without a place, the begun runs count. */
  #blockedFor(i: number, others: Places): Interval[] {
    const { seat } = this.#members[i] as GroupMember;
    const reserved = this.#members.flatMap((member, other) =>
      other === i ? [] : [{ seat: member.seat, runs: others[other]?.runs ?? member.record.startedRuns }],
    );
    return takenFor(seat, reserved, this.#limit);
  }

  #isHurt(i: number, places: Places): boolean {
    const alone = this.#alone[i];
    if (!this.#mayMove(i)) return false;
    return missingOf(places[i]) > missingOf(alone) || costOf(places[i]) > costOf(alone) + SAME_COST;
  }

  /** A plan with a predecessor depends on its runs as they are now, so other places of it are not tried. */
  #mayMove(i: number): boolean {
    return !this.#members[i]?.seat.slot.definition.after;
  }

  #isBetter(places: Places, than: Places): boolean {
    for (const priority of new Set(this.#members.map(({ seat }) => seat.power.priority))) {
      const missingIn = (all: Places) =>
        sumOf(this.#members.map(({ seat }, i) => (seat.power.priority === priority ? missingOf(all[i]) : 0)));
      if (missingIn(places) !== missingIn(than)) return missingIn(places) < missingIn(than);
    }
    return sumOf(places.map(costOf)) < sumOf(than.map(costOf)) - SAME_COST;
  }
}

/** Returns a plan without what it takes only from the power that all hours leave: a later time, and further cheap hours. */
function withoutWishes({ tolerance: _, ...spec }: PlanSpec): PlanSpec {
  if (spec.kind !== "slots") return spec;
  const { cheapBelow: _cheap, ...hours } = spec;
  return hours;
}

/** Returns when a plan may not run because others, with their runs, leave too little power. */
export function takenFor(
  { power }: GroupSeat,
  others: readonly { readonly seat: GroupSeat; readonly runs: readonly Interval[] }[],
  limit: number,
): Interval[] {
  const draws = others.flatMap(({ seat, runs }) => drawsOf(seat.power.watts, runs));
  return overloads(draws, limit - power.watts);
}

export function drawsOf(watts: number, runs: readonly Interval[]): Draw[] {
  return runs.map(({ start, end }) => ({ start, end, watts }));
}

/** Returns when the draws exceed a limit; always if the limit is negative. Shape: ascending, apart. */
export function overloads(draws: readonly Draw[], limit: number): Interval[] {
  if (limit < 0) return [ALWAYS];
  const changes = draws.flatMap(({ start, end, watts }) => [
    { at: start, watts },
    { at: end, watts: -watts },
  ]);
  const found: Interval[] = [];
  let from: number | null = null;
  let drawn = 0;
  for (const [i, { at, watts }] of changes.sort((a, b) => a.at - b.at).entries()) {
    drawn += watts;
    if (changes[i + 1]?.at === at) continue;
    if (drawn > limit) from ??= at;
    else if (from !== null) {
      found.push({ start: from, end: at });
      from = null;
    }
  }
  return found;
}

function drawnIn(span: Interval, draws: readonly Draw[]): number {
  return sumOf(draws.map((draw) => (overlaps(draw, span) ? draw.watts : 0)));
}

function costOfRuns({ slot: { spec }, power, input }: GroupSeat, runs: readonly Interval[]): number {
  const points = input.timeline?.points ?? [];
  const priceOf = (run: Interval) => runPrice(points, run, "all", profileOf(spec)) ?? 0;
  return sumOf(runs.map((run) => priceOf(run) * (run.end - run.start) * power.watts));
}

function missingOf(place: Place | null | undefined): number {
  return place?.missingMs ?? 0;
}

function costOf(place: Place | null | undefined): number {
  return place?.cost ?? 0;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Returns all orders of the first four items, with the others behind. */
function permutations(items: readonly number[]): number[][] {
  const ordersOf = (some: readonly number[]): number[][] =>
    some.length < 2
      ? [[...some]]
      : some.flatMap((item, i) => ordersOf(some.toSpliced(i, 1)).map((rest) => [item, ...rest]));
  return ordersOf(items.slice(0, 4)).map((order) => [...order, ...items.slice(4)]);
}
