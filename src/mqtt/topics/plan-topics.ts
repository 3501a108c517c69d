/** The public topics of a plan, made from its snapshot. */

import { planStatus } from "../../core/planning/plan-payload.ts";
import type { PlanSnapshot } from "../../core/planning/plan-snapshot.ts";
import type { Message } from "../client/message.ts";

/** Where a plan stands below the base topic. */
export function planPath({ definition }: Pick<PlanSnapshot, "definition">): string {
  return `${definition.home}/plan/${definition.id}`;
}

/** Every state topic of a plan. `base` is the base topic, without a slash at its end. */
export function planMessages(base: string, plan: PlanSnapshot): Message[] {
  const topic = `${base}/${planPath(plan)}`;
  return [
    { topic, payload: plan.on ? "ON" : "OFF", heartbeat: true, urgent: true },
    { topic: `${topic}/state`, payload: JSON.stringify(planStatus(plan)) },
  ];
}
