/** Why a plan does not do what it is told. */

/** Every reason, by its code: the dashboard has words for each in its languages. */
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
  /** The same in words for who commanded it, with what was found and what is expected. */
  readonly reason: string;
}

/** Says no to a command. */
export function refusedCommand(why: PlanRefusal, reason: string): RefusedCommand {
  return { kind: "refused", why, reason };
}
