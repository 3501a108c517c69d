/**
 * What a plan wants while elbro cannot know, and when an `avoid` rests: ON is its resting state, so it is OFF only where
 * its plan says so on a confirmed price, and never for longer than `maxGapMs`.
 */
import { type EpochMs, QUARTER_MS } from "../time/interval.ts";
import { type PlanSpec, whenLostOf } from "./model/plan-spec.ts";
import { isUnpriced, type PlanInput } from "./plan-input.ts";
import { lengthOf, renewalAfter } from "./plan-interruption.ts";
import type { BegunRun, PlanRecord } from "./plan-record.ts";

/** Whether elbro cannot know what the plan is to do at `now`: no trusted clock, or a price is missing that it needs. */
export function isLost(moment: PlanInput, memory: PlanRecord | null): boolean {
  const { spec, now, trusted } = moment;
  if (!trusted) return true;
  if (!memory || !spec.enabled || memory.ended !== null || now < memory.window.start) return false;
  const { outcome, planned, startedRuns } = memory;
  const hasHours = spec.kind === "window" || spec.kind === "slots";
  if (hasHours && lengthOf(startedRuns) >= spec.hoursMs) return false;
  const isOverdue = outcome.kind === "missing" && now >= outcome.overdueAt;
  return isOverdue || (isUnpriced(moment) && !(hasHours && planned.some(({ basis }) => basis === "prices")));
}

/** Whether the plan is ON at `now`, where none of its runs is. */
export function isOnWithoutRun(moment: PlanInput, memory: PlanRecord | null): boolean {
  const { spec, now } = moment;
  const wish = whenLostOf(spec);
  const lost = isLost(moment, memory);
  const wanted = wish === "on" || (wish === "keep" && memory?.on === true);
  if (spec.kind !== "avoid") return lost && wanted;
  // Without a clock no time OFF can be measured.
  if (!moment.trusted) return wanted || spec.maxGapMs !== undefined;
  if (now >= gapEndsAt(spec, memory)) return true;
  if (lost) return wanted;
  const avoids = memory?.ended === null && spec.enabled && now >= memory.window.start;
  return !avoids || memory.outcome.kind !== "solved";
}

/** When the time OFF of an `avoid` is at its longest; Infinity for other kinds and without `maxGapMs`. */
export function gapEndsAt(spec: PlanSpec, memory: PlanRecord | null): EpochMs {
  if (spec.kind !== "avoid" || spec.maxGapMs === undefined || !memory) return Number.POSITIVE_INFINITY;
  const ends = [...memory.before, ...memory.startedRuns].map((run) => run.end);
  return (ends.length > 0 ? Math.max(...ends) : memory.since) + spec.maxGapMs;
}

/** Begins to rest at `now`. Shape: the same memory where it rests already. */
export function rested(memory: PlanRecord, now: EpochMs): PlanRecord {
  return memory.restingSince === null ? { ...memory, restingSince: now } : memory;
}

/** Makes a run of the time that the plan rested, up to `end`; it is then planned again. */
export function awakened(memory: PlanRecord, end: EpochMs): PlanRecord {
  if (memory.restingSince === null) return memory;
  const run: BegunRun = { start: memory.restingSince, end, basis: "resting", settled: false };
  const startedRuns = run.start < run.end ? [...memory.startedRuns, run] : [...memory.startedRuns];
  startedRuns.sort((a, b) => a.start - b.start);
  return { ...memory, startedRuns, restingSince: null, madeFrom: null };
}

/** The earliest end of a rest: its shortest run is over, and the next price interval begins. */
export function restEndsAt(spec: PlanSpec, { restingSince }: PlanRecord, now: EpochMs): EpochMs {
  const shortest = "minRunMs" in spec ? (spec.minRunMs ?? 0) : 0;
  const boundary = now % QUARTER_MS === 0 ? now : renewalAfter(now);
  return Math.max(boundary, (restingSince ?? now) + shortest);
}

/** Ends a rest that nobody looked after, and one that its occurrence has outlived. */
export function endedRest(memory: PlanRecord, now: EpochMs): PlanRecord {
  const { restingSince, lastsUntil, window } = memory;
  if (restingSince === null) return memory;
  if (lastsUntil !== null && now >= lastsUntil)
    return awakened(memory, Math.max(restingSince, Math.min(lastsUntil, window.end)));
  return now >= window.end ? awakened(memory, Math.max(restingSince, window.end)) : memory;
}
