/** Plans that run once: requested at run time, stored, and removed when they are over. */

import * as z from "zod/mini";
import type { PlanDefinition } from "../core/planning/model/plan-definition.ts";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";

/** Maximum number of one-time plans at the same time; a household has a few. */
export const MAX_ONCE = 8;
const KEY = "plans_once";

/** Fields that the program relies on. The digest has already shown that the value is intact. */
const storedPlans = z.array(
  z.looseObject({
    ...{ id: z.string(), name: z.string(), home: z.string(), after: z.nullable(z.looseObject({ plan: z.string() })) },
    spec: z.looseObject({ kind: z.string(), once: z.object({ start: z.number(), end: z.number() }) }),
  }),
);

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

  replace(plans: readonly PlanDefinition[]): void {
    this.#plans = plans;
    this.#memory.write(KEY, JSON.stringify(plans));
  }

  /** Returns the ids of the plans that run once for the appliance of `plan`. */
  idsFor(plan: string): string[] {
    return this.#plans.flatMap(({ of, id }) => (of === plan ? id : []));
  }
}
