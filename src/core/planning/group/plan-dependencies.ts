/** Dependencies between plans: order, mutual exclusion, latest finish. */
import { type EpochMs, type Interval, overlaps } from "../../time/interval.ts";
import type { PlanDefinition } from "../model/plan-definition.ts";
import { hasHours, type PlanSpec, type PlanWindow } from "../model/plan-spec.ts";
import type { AfterState } from "../plan-input.ts";
import { type PlanAdvance, runsOf } from "../plan-state-machine.ts";

/** A plan and its last decision. */
export interface PlanSlot {
  readonly definition: PlanDefinition;
  /** The definition's spec with the owner's changes. */
  readonly spec: PlanSpec;
  readonly advance: PlanAdvance;
}

/** Returns when a plan may start after its predecessor. `window`: the occurrence to decide. */
export function afterStateOf(
  definition: PlanDefinition,
  window: PlanWindow | null,
  other: PlanSlot | null,
): AfterState {
  const { after } = definition;
  const memory = other?.advance.memory;
  if (!after || !other || !memory || !window || !other.spec.enabled) return { kind: "free" };
  const from = (runs: readonly Interval[]): AfterState => {
    const last = Math.max(...runs.map((run) => run.end));
    return runs.length === 0 ? { kind: "free" } : { kind: "from", at: last + after.pauseMs };
  };
  if (memory.window.start >= window.end) return from(memory.before);
  const runs = runsOf(memory);
  if (runs.length > 0) return from(runs);
  const isStill = other.advance.state === "waiting" && memory.outcome.kind !== "saves_too_little";
  return isStill ? { kind: "waiting", plan: other.definition.name } : { kind: "free" };
}

/** Returns when a plan should end so that its successors still get their hours; null if it has none. */
export function finishByOf(
  id: string,
  window: PlanWindow,
  all: readonly PlanSlot[],
  windowOf: (slot: PlanSlot) => PlanWindow | null,
): EpochMs | null {
  const times = all.flatMap((next) => {
    if (next.definition.after?.plan !== id || !next.spec.enabled) return [];
    const itsWindow = windowOf(next);
    if (!itsWindow || !overlaps(itsWindow, window)) return [];
    if (!hasHours(next.spec)) return [];
    const itsEnd = finishByOf(next.definition.id, itsWindow, all, windowOf) ?? itsWindow.end;
    return [itsEnd - next.spec.hoursMs - next.definition.after.pauseMs];
  });
  return times.length === 0 ? null : Math.min(...times);
}

/**
 * Groups plans that depend on each other: same home, same power group, or connected by `after`. A
 * decision in one circle never affects another circle. Shape: circles and their plans in the order of `plans`.
 */
export function circlesOf(plans: readonly PlanDefinition[]): PlanDefinition[][] {
  const circles = new Map<string, Set<string>>();
  const tiesOf = ({ id, home, power, after }: PlanDefinition) => [
    ...[`plan ${id}`, `home ${home}`, `group ${power?.group ?? id}`],
    ...(after ? [`plan ${after.plan}`] : []),
  ];
  for (const plan of plans) {
    const ties = tiesOf(plan);
    const joined = new Set(ties.flatMap((tie) => [tie, ...(circles.get(tie) ?? [])]));
    for (const tie of joined) circles.set(tie, joined);
  }
  return [...Map.groupBy(plans, ({ id }) => circles.get(`plan ${id}`)).values()];
}

/** Returns the limit of a group minus the power of its `avoid` plans. Unit: W. */
export function freeOf(definitions: readonly PlanDefinition[]): number {
  const resting = definitions.filter(({ spec }) => spec.kind === "avoid");
  const limit = Math.min(...definitions.map(({ power }) => power?.limitWatts ?? 0));
  return resting.reduce((free, { power }) => free - (power?.watts ?? 0), limit);
}
