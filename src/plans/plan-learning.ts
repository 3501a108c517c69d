/** What plans with `learn` have learned. The owner can freeze it, and forget it. */
import * as z from "zod/mini";
import { message } from "../core/language/text.ts";
import { type RefusedCommand, refusedCommand } from "../core/planning/command-refusal.ts";
import { LEARNED_FROM, type LearnedCourse, learnedCourse } from "../core/planning/learned-course.ts";
import type { PlanDefinition } from "../core/planning/model/plan-definition.ts";
import type { PlanSpec } from "../core/planning/model/plan-spec.ts";
import { horizonOf } from "../core/planning/model/plan-windows.ts";
import type { LearnAction } from "../core/planning/plan-commands.ts";
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

/** What a plan has learned, and whether it stays. */
export interface PlanKnowledge extends LearnedCourse {
  readonly frozen: boolean;
}

const learning = z.object({
  /** Earlier runs were forgotten. */
  from: z.number(),
  frozen: z.nullable(z.object({ runs: z.number(), kwh: z.number(), profile: z.array(z.number()) })),
});

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
  of(plan: string, spec: PlanSpec, now: EpochMs): PlanKnowledge | null {
    if (!("hoursMs" in spec)) return null;
    const { store, measured, calendar } = this.#deps;
    const known = this.#stored(plan);
    if (known?.frozen) return { ...known.frozen, frozen: true };
    const range = { start: known?.from ?? 0, end: Number.MAX_SAFE_INTEGER };
    const runs = store.lastRuns(plan, MAX_RUNS, range);
    const courses = roundsOf(spec, runs, now, calendar).flatMap((round) => {
      const parts = measured?.courses(plan, round) ?? [];
      return parts.length === round.length ? [parts.flat()] : [];
    });
    const learned = learnedCourse(courses, spec.hoursMs);
    return learned && { ...learned, frozen: false };
  }

  /** Returns the mean time of the last rounds in which a plan ran; 0 before the first. Unit: ms. */
  usualMs(plan: string, spec: PlanSpec, now: EpochMs): number {
    const { store, calendar } = this.#deps;
    const rounds = roundsOf(spec, store.lastRuns(plan, MAX_RUNS), now, calendar).slice(0, USUAL_ROUNDS);
    return rounds.length === 0 ? 0 : Math.round(lengthOf(rounds.flat()) / rounds.length);
  }

  /** Carries out a command about what a plan has learned. Returns the refusal; null if it is done. */
  act({ id, learns }: PlanDefinition, spec: PlanSpec, action: LearnAction, now: EpochMs): RefusedCommand | null {
    const learned = learns ? this.of(id, spec, now) : null;
    if (!learns) return refusedCommand("unknown_setting", message("refused.no_learn"));
    if (action === "forget_learned") this.forget(id, now);
    else if (learned) this.freeze(id, learned);
    else return refusedCommand("unknown_setting", message("refused.nothing_learned"));
    return null;
  }

  /** Keeps what was learned, whatever is measured from now on. */
  freeze(plan: string, { runs, kwh, profile }: PlanKnowledge): void {
    this.#store(plan, { from: this.#stored(plan)?.from ?? 0, frozen: { runs, kwh, profile: [...profile] } });
  }

  /** Learns from runs after `now` only. */
  forget(plan: string, now: EpochMs): void {
    this.#store(plan, { from: now, frozen: null });
  }

  #stored(plan: string) {
    return readJson(this.#deps.memory, memoryName(plan), learning);
  }

  #store(plan: string, value: z.infer<typeof learning>): void {
    this.#deps.memory.write(memoryName(plan), JSON.stringify(value));
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
