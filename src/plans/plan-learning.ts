/** What plans with `learn` have learned. The owner can freeze it, and forget it. */
import * as z from "zod/mini";
import { message } from "../core/language/text.ts";
import { type RefusedCommand, refusedCommand } from "../core/planning/command-refusal.ts";
import { LEARNED_FROM, type LearnedCourse, learnedCourse } from "../core/planning/learned-course.ts";
import type { PlanDefinition } from "../core/planning/model/plan-definition.ts";
import type { PlanSpec } from "../core/planning/model/plan-spec.ts";
import type { LearnAction } from "../core/planning/plan-commands.ts";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import type { EpochMs } from "../core/time/interval.ts";
import type { PlanStore } from "../storage/plan-store.ts";
import type { MeasuredRuns } from "./measured-runs.ts";

/** What a plan has learned, and whether it stays. */
export interface Learned extends LearnedCourse {
  readonly frozen: boolean;
}

const kept = z.object({
  /** Earlier runs were forgotten. */
  from: z.number(),
  frozen: z.nullable(z.object({ runs: z.number(), kwh: z.number(), profile: z.array(z.number()) })),
});

export class PlanLearning {
  readonly #store: Pick<PlanStore, "lastRuns">;
  readonly #memory: KeyValue;
  readonly #measured: Pick<MeasuredRuns, "courses">;

  constructor(store: Pick<PlanStore, "lastRuns">, memory: KeyValue, measured: Pick<MeasuredRuns, "courses">) {
    this.#store = store;
    this.#memory = memory;
    this.#measured = measured;
  }

  /** Returns what a plan has learned; null before enough runs were measured. */
  of(plan: string, spec: PlanSpec): Learned | null {
    if (!("hoursMs" in spec)) return null;
    const known = readJson(this.#memory, memoryName(plan), kept);
    if (known?.frozen) return { ...known.frozen, frozen: true };
    const range = { start: known?.from ?? 0, end: Number.MAX_SAFE_INTEGER };
    // Some of them are not whole.
    const runs = this.#store.lastRuns(plan, 2 * LEARNED_FROM.most, range);
    const learned = learnedCourse(this.#measured.courses(plan, runs), spec.hoursMs);
    return learned && { ...learned, frozen: false };
  }

  /** Carries out a command about what a plan has learned. Returns the refusal; null if it is done. */
  act({ id, learns }: PlanDefinition, spec: PlanSpec, action: LearnAction, now: EpochMs): RefusedCommand | null {
    const learned = learns ? this.of(id, spec) : null;
    if (!learns) return refusedCommand("unknown_setting", message("refused.no_learn"));
    if (action === "forget_learned") this.forget(id, now);
    else if (learned) this.freeze(id, learned);
    else return refusedCommand("unknown_setting", message("refused.nothing_learned"));
    return null;
  }

  /** Keeps what was learned, whatever is measured from now on. */
  freeze(plan: string, { runs, kwh, profile }: Learned): void {
    const from = readJson(this.#memory, memoryName(plan), kept)?.from ?? 0;
    this.#memory.write(memoryName(plan), JSON.stringify({ from, frozen: { runs, kwh, profile } }));
  }

  /** Learns from runs after `now` only. */
  forget(plan: string, now: EpochMs): void {
    this.#memory.write(memoryName(plan), JSON.stringify({ from: now, frozen: null }));
  }
}

function memoryName(plan: string): string {
  return `learned/${plan}`;
}
