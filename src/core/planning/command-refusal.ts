/** Reasons why a plan refuses a command. */
import type { Message } from "../language/text.ts";

/** All codes. The dashboard has a text for each in every language. */
export const planRefusals = [
  "disabled",
  "running",
  "not_running",
  "nothing_to_skip",
  "power_limit",
  "clock_not_trusted",
  "not_writable",
  "hours_too_long",
  "unreadable_setting",
  "unknown_setting",
  "unknown_plan",
  "too_many",
] as const;

export type PlanRefusal = (typeof planRefusals)[number];

export interface RefusedCommand {
  readonly kind: "refused";
  readonly why: PlanRefusal;
  /** Text for the sender, with the value found and the value expected. */
  readonly reason: Message;
}

/** Result of a command. */
export type PlanCommanded = { readonly kind: "done" } | RefusedCommand;

export function refusedCommand(why: PlanRefusal, reason: Message): RefusedCommand {
  return { kind: "refused", why, reason };
}
