/** How plans stand to each other: which run first, which may not run together, and which leaves room for the next. */
import { type EpochMs, type Interval, overlaps } from "../time/interval.ts";
import type { PlanDefinition } from "./model/plan-definition.ts";
import type { PlanSpec, PlanWindow } from "./model/plan-spec.ts";
import type { AfterState } from "./plan-input.ts";
import { type PlanAdvance, runsOf } from "./plan-state-machine.ts";

/** A plan among the others, as they were last decided. */
export interface PlanSlot {
  readonly definition: PlanDefinition;
  /** The definition's with what was changed. */
  readonly spec: PlanSpec;
  readonly advance: PlanAdvance;
}

/** Where a plan stands to the one before it. `window` is the occurrence that is to be decided. */
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
  return other.advance.state === "waiting" ? { kind: "waiting", plan: other.definition.name } : { kind: "free" };
}

/**
 * When plans of the same group run. `decided` were decided before this one, so that it keeps off all their runs; of the
 * others it keeps off what has begun.
 */
export function blockedBy(
  definition: PlanDefinition,
  decided: ReadonlySet<string>,
  all: readonly PlanSlot[],
): (Interval & { readonly plan: string })[] {
  const { powerLimit, id } = definition;
  if (powerLimit === null) return [];
  return all
    .filter((other) => other.definition.powerLimit === powerLimit && other.definition.id !== id)
    .flatMap((other) => {
      const { memory } = other.advance;
      if (!memory) return [];
      const runs = decided.has(other.definition.id) ? runsOf(memory) : memory.startedRuns;
      return runs.map(({ start, end }) => ({ start, end, plan: other.definition.name }));
    });
}

/**
 * When a plan should be over, so that those that come after it still get their hours; null where nothing waits for it.
 * `windowOf` gives the occurrence of a plan that has not begun yet, or null.
 */
export function finishByOf(
  id: string,
  window: PlanWindow,
  all: readonly PlanSlot[],
  windowOf: (companion: PlanSlot) => PlanWindow | null,
): EpochMs | null {
  const times = all.flatMap((next) => {
    if (next.definition.after?.plan !== id || !next.spec.enabled) return [];
    const itsWindow = windowOf(next);
    if (!itsWindow || !overlaps(itsWindow, window)) return [];
    if (next.spec.kind !== "window" && next.spec.kind !== "slots") return [];
    const itsEnd = finishByOf(next.definition.id, itsWindow, all, windowOf) ?? itsWindow.end;
    return [itsEnd - next.spec.hoursMs - next.definition.after.pauseMs];
  });
  return times.length === 0 ? null : Math.min(...times);
}

/**
 * Plans that have to do with each other: of one home, in one group, or one after the other. What is decided in a circle
 * changes nothing in another. Shape: in the order of `plans`, and so is each circle.
 */
export function circlesOf(plans: readonly PlanDefinition[]): PlanDefinition[][] {
  const circles = new Map<string, Set<string>>();
  const tiesOf = ({ id, home, powerLimit, power, after }: PlanDefinition) => [
    ...[`plan ${id}`, `home ${home}`, `limit ${powerLimit ?? id}`, `group ${power?.group ?? id}`],
    ...(after ? [`plan ${after.plan}`] : []),
  ];
  for (const plan of plans) {
    const ties = tiesOf(plan);
    const joined = new Set(ties.flatMap((tie) => [tie, ...(circles.get(tie) ?? [])]));
    for (const tie of joined) circles.set(tie, joined);
  }
  return [...Map.groupBy(plans, ({ id }) => circles.get(`plan ${id}`)).values()];
}
