/**
 * The signal while prices or a trusted clock are missing, and the resting of `avoid` plans. ON is their resting state: they
 * are OFF only as planned on confirmed prices, and never for longer than `maxGapMs`.
 */
import { type EpochMs, lengthOf, QUARTER_MS } from "../time/interval.ts";
import { hasHours, type PlanSpec, whenLostOf } from "./model/plan-spec.ts";
import { isUnpriced, type PlanInput } from "./plan-input.ts";
import { renewalAfter } from "./plan-interruption.ts";
import { type BegunRun, lastEnd, type PlanRecord } from "./plan-record.ts";

/** Returns true if the plan cannot be decided at `now`: no trusted clock, or a price that it needs is missing. */
export function isLost(moment: PlanInput, memory: PlanRecord | null): boolean {
  const { spec, now, trusted } = moment;
  if (!trusted) return true;
  if (!memory || !spec.enabled || memory.ended !== null || now < memory.window.start) return false;
  const { outcome, planned, startedRuns } = memory;
  if (hasHours(spec) && lengthOf(startedRuns) >= spec.hoursMs) return false;
  const isOverdue = outcome.kind === "missing" && now >= outcome.overdueAt;
  return isOverdue || (isUnpriced(moment) && !(hasHours(spec) && planned.some(({ basis }) => basis === "prices")));
}

/** Returns true if the plan is ON at `now` although none of its runs is. */
export function isOnWithoutRun(moment: PlanInput, memory: PlanRecord | null): boolean {
  const { spec, now } = moment;
  const wish = whenLostOf(spec);
  const lost = isLost(moment, memory);
  const wanted = wish === "on" || (wish === "keep" && memory?.on === true);
  if (spec.kind !== "avoid") return lost && wanted;
  // Without a trusted clock the time OFF is unknown.
  if (!moment.trusted) return wanted || spec.maxGapMs !== undefined;
  if (now >= gapEndsAt(spec, memory)) return true;
  if (lost) return wanted;
  const avoids = memory?.ended === null && spec.enabled && now >= memory.window.start;
  return !avoids || memory.outcome.kind !== "solved";
}

/** Returns when an `avoid` plan has been OFF for `maxGapMs`; Infinity for other kinds and without `maxGapMs`. */
export function gapEndsAt(spec: PlanSpec, memory: PlanRecord | null): EpochMs {
  if (spec.kind !== "avoid" || spec.maxGapMs === undefined || !memory) return Number.POSITIVE_INFINITY;
  return (lastEnd(memory) ?? memory.since) + spec.maxGapMs;
}

/** Starts a rest at `now`. Returns the same record if it rests already. */
export function rested(memory: PlanRecord, now: EpochMs): PlanRecord {
  return memory.restingSince === null ? { ...memory, restingSince: now } : memory;
}

/** Ends a rest at `end`, adds it as a run, and requests a new planning. */
export function awakened(memory: PlanRecord, end: EpochMs): PlanRecord {
  if (memory.restingSince === null) return memory;
  const run: BegunRun = { start: memory.restingSince, end, basis: "resting", settled: false };
  const startedRuns = run.start < run.end ? [...memory.startedRuns, run] : [...memory.startedRuns];
  startedRuns.sort((a, b) => a.start - b.start);
  return { ...memory, startedRuns, restingSince: null, madeFrom: null };
}

/** Returns the earliest end of a rest: after `min_run`, at the start of a price interval. */
export function restEndsAt(spec: PlanSpec, { restingSince }: PlanRecord, now: EpochMs): EpochMs {
  const shortest = "minRunMs" in spec ? (spec.minRunMs ?? 0) : 0;
  const boundary = now % QUARTER_MS === 0 ? now : renewalAfter(now);
  return Math.max(boundary, (restingSince ?? now) + shortest);
}

/** Ends a rest that was interrupted, and one at the end of its occurrence. */
export function endedRest(memory: PlanRecord, now: EpochMs): PlanRecord {
  const { restingSince, lastsUntil, window } = memory;
  if (restingSince === null) return memory;
  if (lastsUntil !== null && now >= lastsUntil)
    return awakened(memory, Math.max(restingSince, Math.min(lastsUntil, window.end)));
  return now >= window.end ? awakened(memory, Math.max(restingSince, window.end)) : memory;
}
