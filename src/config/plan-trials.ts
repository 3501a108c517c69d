/** Tries every plan of a valid configuration once. Separate from the schema, which does not load the planner. */
import { trialMistakes } from "../core/planning/plan-trial.ts";
import { planDefinitions } from "./plan-list.ts";
import type { ConfigMistake } from "./reading/mistake.ts";
import type { PlanEntry } from "./schema/plan-schema.ts";

/** Returns the mistakes of plans that can never run as meant, whatever the prices. */
export function triedPlans({ plans }: { readonly plans: readonly PlanEntry[] }): ConfigMistake[] {
  return planDefinitions(plans).flatMap(({ spec }, i) =>
    trialMistakes(spec).map(({ setting, ...said }) => ({ path: `plans[${i}].${setting}`, ...said })),
  );
}
