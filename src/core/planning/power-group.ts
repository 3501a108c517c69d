/** Distributes time among the plans of a power group, so that together they never exceed its limit. */

import type { Interval } from "../time/interval.ts";
import type { PlanDefinition, PlanPower } from "./model/plan-definition.ts";
import type { PlanSlot } from "./plan-dependencies.ts";
import type { PlanInput, Solve } from "./plan-input.ts";
import { advancePlan, occurrenceAt, runsOf } from "./plan-state-machine.ts";
import { hash, inputFingerprint } from "./replan.ts";
import { type Draw, type GroupMember, solveGroup } from "./solve-group.ts";

/** A plan of a group with its input. */
export interface GroupSeat {
  readonly slot: PlanSlot;
  readonly power: PlanPower;
  readonly input: PlanInput;
}

/** Fingerprint of a group's input, and the runs of its plans by plan id. */
export interface GroupShares {
  readonly token: string;
  readonly runs: ReadonlyMap<string, readonly Interval[]>;
}

/**
 * Returns the runs of a group's plans. They stay the same while the input of all plans is the same. Otherwise each plan is
 * solved alone; if these runs exceed the limit, all plans are solved together.
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
      // The plan uses the last feasible solution that it asked for.
      if (solution.kind === "solved" || (solution.kind === "no_prices" && solution.partial))
        asked.set(i, { spec, timeline, window, context, watts, priority });
      return solution;
    };
    return advancePlan({ ...input, memory: record && { ...record, madeFrom: null }, solve }).memory;
  });
  // `below` uses the power that the others leave. The power of `avoid` plans is reserved.
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
  return overloads(draws, freeOf(group.map((each) => each.definition)) - power.watts);
}

/** Returns the limit of a group minus the power of its `avoid` plans. Unit: W. */
function freeOf(definitions: readonly PlanDefinition[]): number {
  const resting = definitions.filter(({ spec }) => spec.kind === "avoid");
  const limit = Math.min(...definitions.map(({ power }) => power?.limitWatts ?? 0));
  return resting.reduce((free, { power }) => free - (power?.watts ?? 0), limit);
}

/** Returns when the draws exceed a limit. Shape: ascending, apart or touching. */
function overloads(draws: readonly Draw[], limit: number): Interval[] {
  const edges = [...new Set(draws.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  return edges.slice(1).flatMap((end, i) => {
    const start = edges[i] as number;
    const drawn = draws.reduce((sum, draw) => sum + (draw.start < end && start < draw.end ? draw.watts : 0), 0);
    return drawn > limit ? [{ start, end }] : [];
  });
}
