/**
 * Distributes the power of a group among its plans, so that together they never exceed its limit.
 *
 * The power of `avoid` plans is reserved. The other plans are decided in turn, each in the power that the plans before it
 * leave: plans with hours in the order of priority, then `below` plans. If a plan gets fewer hours or other hours than
 * without the group, other orders are tried, within a fixed number of decisions.
 */

import type { Interval } from "../time/interval.ts";
import type { PlanDefinition, PlanPower } from "./model/plan-definition.ts";
import type { PlanSlot } from "./plan-dependencies.ts";
import type { PlanInput } from "./plan-input.ts";
import { lengthOf } from "./plan-interruption.ts";
import { advancePlan, hasToReplan, occurrenceAt, runsOf } from "./plan-state-machine.ts";
import { hash, inputFingerprint } from "./replan.ts";

/** A plan of a group with its input. */
export interface GroupSeat {
  readonly slot: PlanSlot;
  readonly power: PlanPower;
  readonly input: PlanInput;
}

/** How the plans of a group are decided. */
export interface GroupTurn {
  /** Fingerprint of the group's input. */
  readonly token: string;
  /** Ids of the plans in the order in which they are decided; null if all plans keep their runs. */
  readonly order: readonly string[] | null;
}

/** Power that is used in any case. Unit: W. */
interface Draw extends Interval {
  readonly watts: number;
}

/** Runs of a plan in a trial. */
interface Placed {
  readonly seat: GroupSeat;
  readonly draws: readonly Draw[];
  /** Hours without a run. Unit: ms. */
  readonly missingMs: number;
  readonly cost: number;
}

/** A group of the maximum size is placed at least four times. More does not find noticeably cheaper runs. */
const MAX_DECISIONS = 80;
/** Costs are prices times watts times ms. A lower difference is not worth another order. */
const SAME_COST = 1;
const ALWAYS: Interval = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

/** Returns the plans of a group as they are decided without a better order: `below` plans after all others. */
export function inTurn(plans: readonly PlanDefinition[]): PlanDefinition[] {
  const rankOf = ({ spec, power }: PlanDefinition) => (power && spec.kind === "below" ? 1 : 0);
  return plans.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.power?.priority ?? 0) - (b.power?.priority ?? 0));
}

/**
 * Returns how the plans of a group are decided now. They keep their runs while the input of all plans is the same and no
 * run was missed. `seats`: in the order of `inTurn`, without `avoid` plans. `all`: all plans of the group.
 */
export function groupTurn(seats: readonly GroupSeat[], all: readonly PlanSlot[]): GroupTurn {
  const limit = freeOf(all.map(({ definition }) => definition));
  const records = seats.map(({ input }) => occurrenceAt(input).memory);
  const facts = seats.map(({ slot, power, input }, i) => {
    const own = { ...input, blocked: [], after: { kind: "free" }, finishBy: null } as const;
    const byHand = records[i]?.startedRuns.filter(({ basis }) => basis === "manual");
    return [slot.definition.id, power, limit, byHand, records[i] && inputFingerprint(own, records[i])];
  });
  const key = hash(JSON.stringify(facts));
  const known = new Set(records.flatMap((record) => (record ? (record.madeFrom?.split("/")[1] ?? "") : [])));
  const [token = ""] = known;
  const isKept = known.size <= 1 && (token.startsWith(`${key}.`) || known.size === 0);
  const mayKeep = isKept && records.every((record, i) => !record || !hasToReplan(inputAt(i), record));
  if (mayKeep) return { token, order: null };
  return { token: `${key}.${seats[0]?.input.now}`, order: bestOrder(seats, limit) };

  function inputAt(i: number): PlanInput {
    const { input, power } = seats[i] as GroupSeat;
    const others = seats.flatMap((seat, other) => {
      const record = other === i ? null : records[other];
      return record ? drawsOf(seat, runsOf(record)) : [];
    });
    return { ...input, blocked: [...input.blocked, ...overloads(others, limit - power.watts)] };
  }
}

/**
 * Returns when a plan may not run because the other plans of its group leave too little power. The power of an `avoid`
 * plan is always reserved, because it rests ON; so an `avoid` plan may always run.
 */
export function crowdedFor(
  { definition, spec }: PlanSlot,
  all: readonly PlanSlot[],
  runsOfOther: (other: PlanSlot) => readonly Interval[],
): Interval[] {
  const { power, id } = definition;
  if (!power || spec.kind === "avoid") return [];
  const group = all.filter((other) => other.definition.power?.group === power.group);
  const others = group.filter((other) => other.definition.id !== id && other.spec.kind !== "avoid");
  const draws = others.flatMap((other) =>
    runsOfOther(other).map(({ start, end }) => ({ start, end, watts: other.definition.power?.watts ?? 0 })),
  );
  return overloads(draws, freeOf([definition, ...group.map((each) => each.definition)]) - power.watts);
}

/**
 * Returns the best order of those tried: first the most hours for plans of priority 1, then for those of priority 2, and
 * so on; then the lowest cost. A plan that another one hurts is tried before all others.
 */
function bestOrder(seats: readonly GroupSeat[], limit: number): string[] {
  const hasHours = ({ slot: { spec } }: GroupSeat) => spec.kind === "window" || spec.kind === "slots";
  const known = new Map<string, Placed>();
  const alone = new Map(seats.filter(hasHours).map((seat) => [seat, place(seat, [])]));
  let best = placeInTurn([...alone.keys()]);
  for (let trial = betterThan(best); trial; trial = betterThan(best)) best = trial;
  const others = seats.filter((seat) => !hasHours(seat));
  return [...best.map(({ seat }) => seat), ...others].map(({ slot }) => slot.definition.id);

  function betterThan(trial: readonly Placed[]): Placed[] | null {
    const hurt = trial.filter(({ seat, missingMs, cost }) => {
      const { definition } = seat.slot;
      const own = alone.get(seat);
      // Another order of plans with the same `power_limit`, or with a predecessor, would change those limits too.
      if (!own || definition.powerLimit !== null || definition.after) return false;
      return missingMs > own.missingMs || cost > own.cost + SAME_COST;
    });
    for (const { seat } of hurt.toSorted((a, b) => b.missingMs - a.missingMs)) {
      const order = trial.map((each) => each.seat);
      const others = order.filter((each) => each !== seat);
      for (let at = 0; at < order.indexOf(seat); at++) {
        if (known.size + trial.length - at > MAX_DECISIONS) return null;
        const next = placeInTurn(others.toSpliced(at, 0, seat));
        if (isBetter(next, trial)) return next;
      }
    }
    return null;
  }

  function placeInTurn(order: readonly GroupSeat[]): Placed[] {
    const placed: Placed[] = [];
    for (const seat of order) placed.push(place(seat, placed));
    return placed;
  }

  /** Decides a plan as if the plans in `placed` were decided already. Changes nothing. */
  function place(seat: GroupSeat, placed: readonly Placed[]): Placed {
    const { input, power, slot } = seat;
    const decided = new Set(placed.map((each) => each.seat));
    const later = seats.filter((other) => other !== seat && !decided.has(other));
    const begun = later.flatMap((other) => drawsOf(other, other.input.memory?.startedRuns ?? []));
    const crowded = overloads([...placed.flatMap(({ draws }) => draws), ...begun], limit - power.watts);
    const key = JSON.stringify([slot.definition.id, crowded]);
    const same = known.get(key);
    if (same) return same;
    const before = input.memory && { ...input.memory, madeFrom: null };
    const { memory } = advancePlan({ ...input, memory: before, blocked: [...input.blocked, ...crowded] });
    const runs = memory ? runsOf(memory) : [];
    const hoursMs = "hoursMs" in slot.spec ? slot.spec.hoursMs : 0;
    const meanPrice = memory?.outcome.kind === "solved" ? (memory.outcome.meanPrice ?? 0) : 0;
    const missingMs = Math.max(0, hoursMs - lengthOf(runs));
    const own = { seat, draws: drawsOf(seat, runs), missingMs, cost: meanPrice * hoursMs * power.watts };
    known.set(key, own);
    return own;
  }
}

function isBetter(trial: readonly Placed[], than: readonly Placed[]): boolean {
  const priorities = [...new Set(trial.map(({ seat }) => seat.power.priority))].sort((a, b) => a - b);
  for (const priority of priorities) {
    const missingIn = (all: readonly Placed[]) =>
      all.reduce((sum, { seat, missingMs }) => sum + (seat.power.priority === priority ? missingMs : 0), 0);
    if (missingIn(trial) !== missingIn(than)) return missingIn(trial) < missingIn(than);
  }
  const costOf = (all: readonly Placed[]) => all.reduce((sum, { cost }) => sum + cost, 0);
  return costOf(trial) < costOf(than) - SAME_COST;
}

function drawsOf({ power }: GroupSeat, runs: readonly Interval[]): Draw[] {
  return runs.map(({ start, end }) => ({ start, end, watts: power.watts }));
}

/** Returns the limit of a group minus the power of its `avoid` plans. Unit: W. */
function freeOf(definitions: readonly PlanDefinition[]): number {
  const resting = definitions.filter(({ spec }) => spec.kind === "avoid");
  const limit = Math.min(...definitions.map(({ power }) => power?.limitWatts ?? 0));
  return resting.reduce((free, { power }) => free - (power?.watts ?? 0), limit);
}

/** Returns when the draws exceed a limit; always if the limit is negative. Shape: ascending, apart or touching. */
function overloads(draws: readonly Draw[], limit: number): Interval[] {
  if (limit < 0) return [ALWAYS];
  const edges = [...new Set(draws.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  return edges.slice(1).flatMap((end, i) => {
    const start = edges[i] as number;
    const drawn = draws.reduce((sum, draw) => sum + (draw.start < end && start < draw.end ? draw.watts : 0), 0);
    return drawn > limit ? [{ start, end }] : [];
  });
}
