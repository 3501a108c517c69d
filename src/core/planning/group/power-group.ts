/**
 * Distributes the power of a group among its plans, so that together they never exceed its limit.
 *
 * The power of `avoid` plans is reserved. `place-group.ts` finds places for the plans with hours. Then each plan is decided
 * in the power that the decided plans and the places of the others leave, so it gets its place or a better one. `below`
 * plans are decided last and use what is left.
 */

import type { Interval } from "../../time/interval.ts";
import type { PlanDefinition } from "../model/plan-definition.ts";
import type { PlanInput } from "../plan-input.ts";
import { hasToReplan, occurrenceAt, runsOf } from "../plan-state-machine.ts";
import { hash, inputFingerprint } from "../replan.ts";
import { drawsOf, type GroupSeat, overloads, placesOf, takenFor } from "./place-group.ts";
import { freeOf, type PlanSlot } from "./plan-dependencies.ts";

/** How the plans of a group are decided. */
export interface GroupTurn {
  /** Fingerprint of the group's input. */
  readonly token: string;
  /** Places of the plans with hours, by plan; null if all plans keep their runs. */
  readonly places: ReadonlyMap<string, readonly Interval[]> | null;
}

/** Returns the plans in the order in which they are decided: `below` plans of groups after all others. */
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
  const members = seats.flatMap((seat, i) => (records[i] ? [{ seat, record: records[i] }] : []));
  const mayKeep = isKept && members.every(({ seat, record }) => !hasToReplan(inputOf(seat), record));
  if (mayKeep) return { token, places: null };
  const placed = members.filter(({ seat: { slot } }) => slot.spec.kind !== "below");
  const places = placesOf(placed, limit);
  return {
    token: `${key}.${seats[0]?.input.now}`,
    places: new Map(placed.map(({ seat }, i) => [seat.slot.definition.id, places[i] ?? []])),
  };

  function inputOf(seat: GroupSeat): PlanInput {
    const others = members.filter((other) => other.seat !== seat);
    const reserved = others.map((other) => ({ seat: other.seat, runs: runsOf(other.record) }));
    return { ...seat.input, blocked: [...seat.input.blocked, ...takenFor(seat, reserved, limit)] };
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
  const draws = others.flatMap((other) => drawsOf(other.definition.power?.watts ?? 0, runsOfOther(other)));
  return overloads(draws, freeOf([definition, ...group.map((each) => each.definition)]) - power.watts);
}
