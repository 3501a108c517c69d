/** Tries every plan of a valid configuration once. Separate from the schema, which does not load the planner. */
import { trialMistakes } from "../core/planning/plan-trial.ts";
import { type PlanEntry, planDefinitions } from "./plan-schema.ts";

interface TrialMistake {
  /** Such as `plans[0].hours`. */
  readonly path: string;
  readonly text: string;
}

/** Returns the mistakes of plans that can never run as meant, whatever the prices. */
export function triedPlans({ plans }: { readonly plans: readonly PlanEntry[] }): TrialMistake[] {
  return planDefinitions(plans).flatMap(({ spec }, i) =>
    trialMistakes(spec).map(({ setting, text }) => ({ path: `plans[${i}].${setting}`, text })),
  );
}
