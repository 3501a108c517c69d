/** Energy and course of an appliance, learned from the measured runs of its plan. */
import { QUARTER_MS } from "../time/interval.ts";
import type { PlanSpec } from "./model/plan-spec.ts";

export interface LearnedCourse {
  readonly runs: number;
  /** Energy of a run. */
  readonly kwh: number;
  /** Mean energy of each quarter-hour from the start of a run, as a part of the highest. Shape: from 0 to 1. */
  readonly profile: readonly number[];
}

/** Runs of which the mean is learned, the last ones. Older ones no longer count. */
export const LEARNED_FROM = { least: 3, most: 10 } as const;
/** A run with less than this part of the median energy was interrupted, or its machine was not started. */
const WHOLE_PART = 0.5;
const MIN_KWH = 0.01;

/** Returns the mean of measured runs; null if too few. `courses`: kWh of each quarter-hour, run by run. */
export function learnedCourse(courses: readonly (readonly number[])[], hoursMs: number): LearnedCourse | null {
  const sums = courses.map((course) => course.reduce((sum, kwh) => sum + kwh, 0));
  const median = sums.toSorted((a, b) => a - b)[Math.floor(sums.length / 2)] ?? 0;
  const whole = courses.filter((_, i) => (sums[i] ?? 0) >= Math.max(MIN_KWH, median * WHOLE_PART));
  const used = whole.slice(0, LEARNED_FROM.most);
  if (used.length < LEARNED_FROM.least) return null;
  const length = Math.max(1, Math.ceil(hoursMs / QUARTER_MS));
  const mean = Array.from({ length }, (_, i) => used.reduce((sum, course) => sum + (course[i] ?? 0), 0) / used.length);
  const highest = Math.max(...mean);
  if (highest <= 0) return null;
  const kwh = used.flat().reduce((sum, each) => sum + each, 0) / used.length;
  return { runs: used.length, kwh, profile: mean.map((each) => each / highest) };
}

/** Returns a spec with what was learned. A plan of kind `slots` has no course. */
export function withLearned(spec: PlanSpec, learned: LearnedCourse | null): PlanSpec {
  if (!learned) return spec;
  if (spec.kind === "window") return { ...spec, kwh: learned.kwh, profile: learned.profile };
  return spec.kind === "slots" ? { ...spec, kwh: learned.kwh } : spec;
}
