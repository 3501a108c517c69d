/**
 * Runs that were interrupted because elbro did not run (the machine was off or asleep, or the daemon was down) or did not
 * trust the clock. Plugs end such runs with their own timer, so a run counts only until then.
 */

import { DEAD_MAN_MARGIN_MS, RENEWED_EVERY_MS } from "../plugs/plug-types.ts";
import { contains, type EpochMs, type Interval, lengthOf, stepEnd } from "../time/interval.ts";
import type { PlanSpec } from "./model/plan-spec.ts";
import type { PlanInput } from "./plan-input.ts";
import type { BegunRun, InterruptionCause, PlanRecord } from "./plan-record.ts";

/** Returns the next time at which running plugs are renewed. */
export function renewalAfter(now: EpochMs): EpochMs {
  return stepEnd(now, RENEWED_EVERY_MS);
}

/** Records that the runs at `now` are renewed. Returns the same record if nothing changed. */
export function lookedAfter(memory: PlanRecord, now: EpochMs): PlanRecord {
  const runs = memory.restingSince !== null || memory.startedRuns.some((run) => contains(run, now));
  const lastsUntil = runs ? renewalAfter(now) + DEAD_MAN_MARGIN_MS : null;
  if (lastsUntil === memory.lastsUntil && !memory.doubted) return memory;
  const { doubted: _, ...rest } = memory;
  return { ...rest, lastsUntil };
}

/** Records that the clock is not trusted while a run waits for its renewal; not just after a start of elbro. */
export function doubted(memory: PlanRecord, { now, graceUntil }: Pick<PlanInput, "now" | "graceUntil">): PlanRecord {
  const { lastsUntil } = memory;
  if (lastsUntil === null || memory.doubted || (now >= lastsUntil && now < graceUntil)) return memory;
  return { ...memory, doubted: true };
}

/** Ends interrupted runs when the plug's timer did. The rest of a `window` is owed; planned runs are planned again. */
export function cutShort(memory: PlanRecord, spec: PlanSpec, now: EpochMs): PlanRecord {
  const { lastsUntil } = memory;
  if (lastsUntil === null || now < lastsUntil) return memory;
  const isCut = (run: BegunRun) => run.start < lastsUntil && lastsUntil < run.end;
  const cut = memory.startedRuns.filter(isCut);
  if (cut.length === 0) return memory;
  const owed = spec.kind === "window" ? lengthOf(cut.filter(isPlanned)) - lengthOf(cut.filter(isPlanned).map(kept)) : 0;
  const goesOn = cut.filter((run) => !isPlanned(run) && now < run.end).map((run) => ({ ...run, start: now }));
  const startedRuns = [...memory.startedRuns.map((run) => (isCut(run) ? kept(run) : run)), ...goesOn];
  return { ...memory, startedRuns, owedMs: memory.owedMs + owed, madeFrom: null };

  function kept(run: BegunRun): BegunRun {
    return { ...run, end: lastsUntil ?? run.end, cutBy: memory.doubted ? "clock" : "stop" };
  }
}

function isPlanned({ basis }: BegunRun): boolean {
  return basis === "prices" || basis === "estimates";
}

/** Ends the current run of a disabled plan. The rest of a `window` is owed. Other kinds are planned again. */
export function disabledAt(memory: PlanRecord, { kind }: Pick<PlanSpec, "kind">, now: EpochMs): PlanRecord {
  const next = halted(memory, now);
  const run = memory.startedRuns.find((each) => each.start < now && now < each.end && isPlanned(each));
  if (!run || kind !== "window") return next;
  const startedRuns = next.startedRuns.map((each) =>
    each.start === run.start ? ({ ...each, cutBy: "disabled" } as const) : each,
  );
  return { ...next, startedRuns, owedMs: memory.owedMs + run.end - now };
}

/** Ends the current run and drops the planned ones. */
export function halted(memory: PlanRecord, now: EpochMs): PlanRecord {
  const runs = memory.startedRuns.some((run) => run.end > now);
  if (!runs && memory.planned.length === 0) return memory;
  const startedRuns = memory.startedRuns
    .map((run) => (run.end > now ? { ...run, end: now } : run))
    .filter((run) => run.start < run.end);
  return { ...memory, startedRuns, planned: [], madeFrom: null };
}

/** Returns the times during which the run of a `window` was interrupted for a reason. Shape: ascending. */
export function interruptionsOf(
  { kind }: Pick<PlanSpec, "kind">,
  { startedRuns }: PlanRecord,
  cause: InterruptionCause,
): Interval[] {
  if (kind !== "window") return [];
  return startedRuns.slice(1).flatMap((run, i) => {
    const before = startedRuns[i];
    return before?.cutBy === cause && before.end < run.start ? [{ start: before.end, end: run.start }] : [];
  });
}
