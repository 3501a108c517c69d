/**
 * Runs that nobody looked after: the machine was off or asleep, or the daemon down. The plugs ended them by themselves,
 * so they count up to there and no further.
 */

import { DEAD_MAN_MARGIN_MS, RENEWED_EVERY_MS } from "../plugs/plug-types.ts";
import { contains, type EpochMs, type Interval } from "../time/interval.ts";
import type { PlanSpec } from "./model/plan-spec.ts";
import type { BegunRun, PlanRecord } from "./plan-record.ts";

/** When what runs is looked after next. */
export function renewalAfter(now: EpochMs): EpochMs {
  return Math.floor(now / RENEWED_EVERY_MS) * RENEWED_EVERY_MS + RENEWED_EVERY_MS;
}

/** Remembers that what runs at `now` is looked after. Shape: the same memory where that is known already. */
export function lookedAfter(memory: PlanRecord, now: EpochMs): PlanRecord {
  const runs = memory.restingSince !== null || memory.startedRuns.some((run) => contains(run, now));
  const lastsUntil = runs ? renewalAfter(now) + DEAD_MAN_MARGIN_MS : null;
  return lastsUntil === memory.lastsUntil ? memory : { ...memory, lastsUntil };
}

/**
 * Ends what ran where its plug has ended it. What is missing of a `window` is owed, hours of the owner's choice go on to
 * their end; the other kinds are planned again.
 */
export function cutShort(memory: PlanRecord, spec: PlanSpec, now: EpochMs): PlanRecord {
  const { lastsUntil } = memory;
  if (lastsUntil === null || now < lastsUntil) return memory;
  const isCut = (run: BegunRun) => run.start < lastsUntil && lastsUntil < run.end;
  const cut = memory.startedRuns.filter(isCut);
  if (cut.length === 0) return memory;
  const isPlanned = ({ basis }: BegunRun) => basis === "prices" || basis === "estimates";
  const owed = spec.kind === "window" ? lengthOf(cut.filter(isPlanned)) - lengthOf(cut.filter(isPlanned).map(kept)) : 0;
  const goesOn = cut.filter((run) => !isPlanned(run) && now < run.end).map((run) => ({ ...run, start: now }));
  const startedRuns = [...memory.startedRuns.map((run) => (isCut(run) ? kept(run) : run)), ...goesOn];
  return { ...memory, startedRuns, owedMs: memory.owedMs + owed, madeFrom: null };

  function kept(run: BegunRun): BegunRun {
    return { ...run, end: lastsUntil ?? run.end };
  }
}

/** The times at which the one run of a `window` was interrupted. Shape: ascending. */
export function interruptionsOf({ kind }: Pick<PlanSpec, "kind">, { startedRuns }: PlanRecord): Interval[] {
  if (kind !== "window") return [];
  return startedRuns.slice(1).flatMap((run, i) => {
    const end = startedRuns[i]?.end ?? run.start;
    return end < run.start ? [{ start: end, end: run.start }] : [];
  });
}

/** The length of runs that do not overlap. */
export function lengthOf(runs: readonly Interval[]): number {
  return runs.reduce((sum, run) => sum + run.end - run.start, 0);
}
