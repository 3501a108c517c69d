/** Actions of the owner: run now, skip, stop, and the way back. */
import { message } from "../language/text.ts";
import { contains, type EpochMs, HOUR_MS, type Interval, lengthOf } from "../time/interval.ts";
import { type RefusedCommand, refusedCommand as refused } from "./command-refusal.ts";
import { hasHours, type PlanSpec } from "./model/plan-spec.ts";
import { halted } from "./plan-interruption.ts";
import { newRecord, type PlanEnding, type PlanRecord } from "./plan-record.ts";

export const planActions = ["run_now", "skip", "stop", "replan", "forget_learned"] as const;
export type PlanAction = (typeof planActions)[number];

/** The record after a command, or the reason for a refusal. */
export type Commanded = { readonly kind: "done"; readonly memory: PlanRecord } | RefusedCommand;

/**
 * Starts a run now at any price instead of the planned ones, for the missing hours, or for all if none are missing.
 * `crowded`: times without room in the power group.
 */
export function runNow(
  spec: PlanSpec,
  memory: PlanRecord | null,
  now: EpochMs,
  crowded: readonly Interval[] = [],
): Commanded {
  if (!spec.enabled) return refused("disabled", message("refused.disabled"));
  const known = memory ?? newRecord({ start: now, end: now + HOUR_MS, until: now + HOUR_MS }, now, []);
  if (known.startedRuns.some((run) => contains(run, now))) return refused("running", message("refused.running"));
  const run = { start: now, end: now + runNowMs(spec, known) };
  if (crowded.some((each) => contains(each, now))) return refused("power_limit", message("refused.group"));
  const startedRuns = [...known.startedRuns, { ...run, basis: "manual", settled: false } as const];
  return done({ ...known, startedRuns, planned: [] }, "run_now");
}

function runNowMs(spec: PlanSpec, { startedRuns }: PlanRecord): number {
  if (!hasHours(spec)) return HOUR_MS;
  const left = spec.hoursMs - lengthOf(startedRuns);
  return left > 0 ? left : spec.hoursMs;
}

/** Skips the current occurrence, or the next one. */
export function skip(memory: PlanRecord | null, now: EpochMs): Commanded {
  if (!memory) return refused("nothing_to_skip", message("refused.no_occurrence"));
  if (memory.startedRuns.some((run) => contains(run, now))) return refused("running", message("refused.stop_it"));
  const isOver = memory.startedRuns.length > 0 && memory.planned.length === 0;
  if (memory.ended !== null || isOver) return refused("nothing_to_skip", message("refused.nothing_planned"));
  return done({ ...memory, planned: [] }, "skipped");
}

/**
 * Ends the current run and skips the rest of the occurrence. A manual run before the window does not belong to the
 * occurrence, so its stop skips nothing. An `avoid` plan is ON for the rest of the occurrence.
 */
export function stop(memory: PlanRecord | null, now: EpochMs, { kind }: Pick<PlanSpec, "kind">): Commanded {
  const running = memory?.startedRuns.find((run) => contains(run, now));
  if (!memory || (!running && (kind !== "avoid" || memory.ended !== null || now < memory.window.start)))
    return refused("not_running", message("refused.not_running"));
  const isBefore = running?.basis === "manual" && now < memory.window.start;
  return done(halted(memory, now), isBefore ? null : "stopped");
}

/** Takes a start, a skip or a stop back: ends a manual run, and plans what is left of the occurrence again. */
export function takeBack(memory: PlanRecord | null, now: EpochMs): Commanded {
  if (!memory) return refused("nothing_to_skip", message("refused.no_occurrence"));
  const isManual = memory.startedRuns.some((run) => run.basis === "manual" && contains(run, now));
  return done(isManual ? halted(memory, now) : memory, null);
}

function done(memory: PlanRecord, ended: PlanEnding | null): Commanded {
  return { kind: "done", memory: { ...memory, ended, madeFrom: null } };
}
