/** Plans that run once: requested at run time, stored, and removed when they are over. */

import * as z from "zod/mini";
import { readOneShot } from "../config/one-shot.ts";
import { type GroupEntry, MAX_GROUP_PLANS } from "../config/plan-list.ts";
import { unknownId } from "../config/reading/suggest-key.ts";
import type { Language } from "../core/language/language.ts";
import { message, placed } from "../core/language/text.ts";
import { type RefusedCommand, refusedCommand } from "../core/planning/command-refusal.ts";
import type { PlanDefinition } from "../core/planning/model/plan-definition.ts";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import { freeSlug } from "../core/text/slug.ts";
import type { EpochMs } from "../core/time/interval.ts";

/** Maximum number of one-time plans at the same time; a household has a few. */
const MAX_ONCE = 8;
const KEY = "plans_once";

/** Fields that the program relies on. The digest has already shown that the value is intact. */
const storedPlans = z.array(
  z.looseObject({
    id: z.string(),
    name: z.string(),
    home: z.string(),
    after: z.nullable(z.looseObject({ plan: z.string() })),
    spec: z.looseObject({ kind: z.string(), once: z.object({ start: z.number(), end: z.number() }) }),
  }),
);

/** All plans and homes, with which a request has to fit. */
interface OnceContext {
  readonly definitions: readonly PlanDefinition[];
  readonly groups: readonly GroupEntry[];
  readonly language: Language;
  readonly homes: ReadonlySet<string>;
  readonly now: EpochMs;
}

export class OncePlans {
  readonly #memory: KeyValue;
  #plans: readonly PlanDefinition[];

  constructor(memory: KeyValue) {
    this.#memory = memory;
    this.#plans = (readJson(memory, KEY, storedPlans) ?? []) as unknown as PlanDefinition[];
  }

  /** Shape: oldest first, at most MAX_ONCE. */
  get plans(): readonly PlanDefinition[] {
    return this.#plans;
  }

  /** Reads a requested plan. Its id differs from those of all plans. */
  read(request: object, { definitions, homes, ...context }: OnceContext): PlanDefinition | RefusedCommand {
    const read = readOneShot(request, definitions, context);
    if ("key" in read) return refusedCommand("unreadable_setting", read);
    if (!homes.has(read.home))
      return refusedCommand("unreadable_setting", placed("home", unknownId("home", read.home, [...homes])));
    const sameGroup = definitions.filter(({ power }) => power && power.group === read.power?.group);
    if (this.#plans.length >= MAX_ONCE || sameGroup.length >= MAX_GROUP_PLANS)
      return refusedCommand("too_many", message("refused.too_many", { count: this.#plans.length }));
    return { ...read, id: freeSlug(read.id, new Set(definitions.map(({ id }) => id))) };
  }

  replace(plans: readonly PlanDefinition[]): void {
    this.#plans = plans;
    this.#memory.write(KEY, JSON.stringify(plans));
  }

  /** Returns the ids of the plans that run once for the appliance of `plan`. */
  idsFor(plan: string): string[] {
    return this.#plans.flatMap(({ of, id }) => (of === plan ? id : []));
  }
}
