/** Plans of a power group: which hours each may take, so that together they never exceed the group's limit. */

import type { Interval } from "../time/interval.ts";
import type { PlanDefinition, PlanPower } from "./model/plan-definition.ts";
import type { PlanSlot } from "./plan-dependencies.ts";
import type { PlanInput, Solve } from "./plan-input.ts";
import { advancePlan, occurrenceAt, runsOf } from "./plan-state-machine.ts";
import { hash, inputFingerprint } from "./replan.ts";
import { type Draw, type GroupMember, solveGroup } from "./solve-group.ts";

/** A plan of a group, and what it is to be decided from. */
export interface GroupSeat {
  readonly slot: PlanSlot;
  readonly power: PlanPower;
  readonly input: PlanInput;
}

/** What was settled for a group: a name for all that it was made from, and when its plans run, by plan. */
export interface GroupShares {
  readonly token: string;
  readonly runs: ReadonlyMap<string, readonly Interval[]>;
}

/**
 * Settles when the plans of a group run. While nothing changes that any of them is made from they keep what they have;
 * else each is planned as if it were alone, and all together where that is too much at once.
 */
export function shareOut(seats: readonly GroupSeat[]): GroupShares {
  const records = seats.map(({ input }) => occurrenceAt(input).memory);
  const facts = seats.map(({ slot, power, input }, i) => {
    const own = { ...input, blocked: [], after: { kind: "free" }, finishBy: null } as const;
    const byHand = records[i]?.startedRuns.filter(({ basis }) => basis === "manual");
    return [slot.definition.id, power, byHand, records[i] && inputFingerprint(own, records[i])];
  });
  const token = hash(JSON.stringify(facts));
  const isSettled = records.every((record) => record === null || record.madeFrom?.endsWith(`/${token}`));
  if (isSettled) return { token, runs: runsById(records.map((record) => (record ? runsOf(record) : []))) };
  const asked = new Map<number, GroupMember>();
  const alone = seats.map(({ input, power }, i) => {
    const record = records[i] ?? null;
    const solve: Solve = (spec, timeline, window, context) => {
      const solution = input.solve(spec, timeline, window, context);
      const { watts, priority } = power;
      // What is asked last and has an answer is what the plan goes by.
      if (solution.kind === "solved" || (solution.kind === "no_prices" && solution.partial))
        asked.set(i, { spec, timeline, window, context, watts, priority });
      return solution;
    };
    return advancePlan({ ...input, memory: record && { ...record, madeFrom: null }, solve }).memory;
  });
  // `below` takes what the others leave, `avoid` has its own kept for it.
  const hasHours = (i: number) => ["window", "slots"].includes(seats[i]?.slot.spec.kind ?? "");
  const isPlanned = (i: number) => alone[i]?.planned.some(({ basis }) => basis !== "fallback");
  const chosen = [...asked].filter(([i]) => hasHours(i) && isPlanned(i));
  const startedRuns = alone.map((memory) => memory?.startedRuns ?? []);
  const wanted = alone.map((memory, i) => (memory && hasHours(i) ? runsOf(memory) : (startedRuns[i] ?? [])));
  const limit = freeOf(seats.map(({ slot }) => slot.definition));
  if (overloads(drawsOf(wanted), limit).length === 0) return { token, runs: runsById(wanted) };
  const members = new Map(chosen.map(([i], place) => [i, place]));
  const taken = drawsOf(startedRuns.map((own, i) => (members.has(i) ? [] : own)));
  const found = solveGroup(
    chosen.map(([, member]) => member),
    limit,
    taken,
  );
  return { token, runs: runsById(startedRuns.map((own, i) => [...own, ...(found[members.get(i) ?? -1] ?? [])])) };

  function drawsOf(runs: readonly (readonly Interval[])[]): Draw[] {
    return runs.flatMap((own, i) => own.map((run) => ({ ...run, watts: seats[i]?.power.watts ?? 0 })));
  }

  function runsById(runs: readonly (readonly Interval[])[]): Map<string, readonly Interval[]> {
    return new Map(seats.map(({ slot }, i) => [slot.definition.id, runs[i] ?? []]));
  }
}

/**
 * When a plan may not run because of the others of its group. `avoid` rests ON, so what it draws is always kept for it,
 * and nothing keeps it off.
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
  return overloads(draws, freeOf(group.map((each) => each.definition)) - power.watts);
}

/** What a group's limit leaves without its `avoid` plans. Unit: W. */
function freeOf(definitions: readonly PlanDefinition[]): number {
  const resting = definitions.filter(({ spec }) => spec.kind === "avoid");
  const limit = Math.min(...definitions.map(({ power }) => power?.limitWatts ?? 0));
  return resting.reduce((free, { power }) => free - (power?.watts ?? 0), limit);
}

/** When more is drawn than a limit. Shape: ascending, apart, or touching. */
function overloads(draws: readonly Draw[], limit: number): Interval[] {
  const edges = [...new Set(draws.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  return edges.slice(1).flatMap((end, i) => {
    const start = edges[i] as number;
    const drawn = draws.reduce((sum, draw) => sum + (draw.start < end && start < draw.end ? draw.watts : 0), 0);
    return drawn > limit ? [{ start, end }] : [];
  });
}
