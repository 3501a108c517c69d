/** What plans with `learn` have learned. The owner can let them learn again. */
import * as z from "zod/mini";
import { LEARNED_FROM, type LearnedCourse, learnedCourse } from "../core/planning/learned-course.ts";
import type { PlanSpec } from "../core/planning/model/plan-spec.ts";
import { horizonOf } from "../core/planning/model/plan-windows.ts";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import type { Calendar } from "../core/time/calendar.ts";
import { type EpochMs, type Interval, lengthOf } from "../core/time/interval.ts";
import type { PlanStore } from "../storage/plan-store.ts";
import type { MeasuredRuns } from "./measured-runs.ts";

/** Most rounds that are read at each decision. Some of them are not whole. */
const MAX_ROUNDS = 2 * LEARNED_FROM.most;
/** Most runs that are read. A plan of kind `slots` may have several in a round. */
const MAX_RUNS = 4 * MAX_ROUNDS;

/** Rounds whose mean time a battery needs while its charge is unknown. */
const USUAL_ROUNDS = 7;

/** Earlier runs were forgotten. */
const learning = z.object({ from: z.number() });

interface PlanLearningDeps {
  readonly store: Pick<PlanStore, "lastRuns">;
  readonly memory: KeyValue;
  /** Absent if no plug measures. */
  readonly measured?: Pick<MeasuredRuns, "courses"> | undefined;
  readonly calendar: Calendar;
}

export class PlanLearning {
  readonly #deps: PlanLearningDeps;

  constructor(deps: PlanLearningDeps) {
    this.#deps = deps;
  }

  /** Returns what a plan has learned; null before enough rounds were measured. A round counts when it is over. */
  of(plan: string, spec: PlanSpec, now: EpochMs): LearnedCourse | null {
    if (!("hoursMs" in spec)) return null;
    const { store, measured, memory, calendar } = this.#deps;
    const start = readJson(memory, memoryName(plan), learning)?.from ?? 0;
    const runs = store.lastRuns(plan, MAX_RUNS, { start, end: Number.MAX_SAFE_INTEGER });
    const courses = roundsOf(spec, runs, now, calendar).flatMap((round) => {
      const parts = measured?.courses(plan, round) ?? [];
      return parts.length === round.length ? [parts.flat()] : [];
    });
    return learnedCourse(courses, spec.hoursMs);
  }

  /** Returns the mean time of the last rounds in which a plan ran; 0 before the first. Unit: ms. */
  usualMs(plan: string, spec: PlanSpec, now: EpochMs): number {
    const { store, calendar } = this.#deps;
    const rounds = roundsOf(spec, store.lastRuns(plan, MAX_RUNS), now, calendar).slice(0, USUAL_ROUNDS);
    return rounds.length === 0 ? 0 : Math.round(lengthOf(rounds.flat()) / rounds.length);
  }

  /** Learns from runs after `now` only. */
  forget(plan: string, now: EpochMs): void {
    this.#deps.memory.write(memoryName(plan), JSON.stringify({ from: now } satisfies z.infer<typeof learning>));
  }
}

/** Returns the runs of each window that is over. Shape: `runs` and the windows newest first, the runs of one ascending. */
function roundsOf(spec: PlanSpec, runs: readonly Interval[], now: EpochMs, calendar: Calendar): Interval[][] {
  const rounds: { readonly start: EpochMs; readonly end: EpochMs; readonly runs: Interval[] }[] = [];
  for (const run of runs) {
    const last = rounds.at(-1);
    if (last && run.start >= last.start) last.runs.unshift(run);
    else if (rounds.length > MAX_ROUNDS) break;
    else {
      const window = horizonOf(spec, run.start, calendar) ?? run;
      rounds.push({ start: Math.min(window.start, run.start), end: window.end, runs: [run] });
    }
  }
  // The newest one may not be over.
  const over = rounds.filter(({ end }) => end <= now);
  return over.slice(0, MAX_ROUNDS).map((round) => round.runs);
}

function memoryName(plan: string): string {
  return `learned/${plan}`;
}
