/** Promises of decided plans. Each throws an InvariantError if it does not hold. */
import { invariant } from "../invariant.ts";
import type { Calendar } from "../time/calendar.ts";
import { DAY_MS, type EpochMs, type Interval, overlaps } from "../time/interval.ts";
import { freeOf, type PlanSlot } from "./group/plan-dependencies.ts";
import { type PlanSpec, whenLostOf } from "./model/plan-spec.ts";
import { neverIn } from "./model/plan-windows.ts";
import { LATE_MS } from "./plan-input.ts";
import { checkWindow } from "./plan-record.ts";

/** Longest run: an occurrence of six days, extended manually by a day. */
const MAX_RUN_MS = 7 * DAY_MS;

/** What limits the planned runs of a plan. */
interface RunLimits {
  readonly calendar: Calendar;
  /** When the other plans of its group leave too little power. */
  readonly crowded: readonly Interval[];
}

/** Checks a decided plan: its runs that have not begun, and that an ON ends. */
export function checkPlan({ spec, advance }: PlanSlot, { calendar, crowded }: RunLimits): void {
  const { memory, on, running } = advance;
  const rests = spec.kind === "avoid" || whenLostOf(spec) !== "off";
  invariant(!on || running !== null || rests, "an ON has a run that ends it");
  invariant(!running || running.end - running.start <= MAX_RUN_MS, "a run ends");
  if (!memory) return;
  const { planned, window } = memory;
  const never = neverIn(spec, window, calendar);
  for (const run of planned) {
    checkWindow(run, memory);
    invariant(!never.some((other) => overlaps(other, run)), "a planned run is outside never");
    const isCrowded = spec.kind !== "avoid" && crowded.some((other) => overlaps(other, run));
    invariant(!isCrowded, "a planned run fits under the limit of its group");
  }
}

/**
 * Checks that a plan that goes ON keeps its group under the limit. Runs that began earlier stay, also if the limit was
 * lowered since; `max_gap` and `when_lost: on` have their power reserved and win.
 */
export function checkGroup({ definition, spec, advance }: PlanSlot, all: readonly PlanSlot[], now: EpochMs): void {
  const { power, id } = definition;
  const isNew = advance.on && (advance.running === null || advance.running.start >= now - LATE_MS);
  if (!power || !isNew || winsOver(spec)) return;
  const group = all.filter((other) => other.definition.power?.group === power.group);
  const others = group.filter((other) => other.definition.id !== id && other.advance.on && !winsOver(other.spec));
  const watts = others.reduce((sum, other) => sum + (other.definition.power?.watts ?? 0), power.watts);
  invariant(watts <= freeOf(group.map((other) => other.definition)), "a group is under its limit");
}

function winsOver(spec: PlanSpec): boolean {
  return spec.kind === "avoid" || whenLostOf(spec) === "on";
}
