/** Public topics of a plan. */

import type { Away } from "../../core/planning/model/plan-spec.ts";
import { planStatus } from "../../core/planning/snapshot/plan-payload.ts";
import type { PlanSnapshot } from "../../core/planning/snapshot/plan-snapshot.ts";
import type { RetainedMessage } from "../client/message.ts";

/** Returns the path of a plan below the base topic. */
export function planPath({ definition }: Pick<PlanSnapshot, "definition">): string {
  return `${definition.home}/plan/${definition.id}`;
}

/** Returns the holiday of a home. */
export function awayMessage(base: string, home: string, away: Away | null): RetainedMessage {
  const payload = JSON.stringify({ from: away?.from ?? null, until: away?.until ?? null });
  return { topic: `${base}/${home}/away`, payload };
}

/** Returns the signal of a plan. `base` is the base topic without a trailing slash. */
export function signalMessage(base: string, plan: PlanSnapshot): RetainedMessage {
  return { topic: `${base}/${planPath(plan)}`, payload: plan.on ? "ON" : "OFF", heartbeat: true, urgent: true };
}

/** Returns all state messages of a plan. */
export function planMessages(base: string, plan: PlanSnapshot): RetainedMessage[] {
  const signal = signalMessage(base, plan);
  return [signal, { topic: `${signal.topic}/state`, payload: JSON.stringify(planStatus(plan)) }];
}
