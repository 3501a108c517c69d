/** Reads the payloads of commands over MQTT. */

import { message } from "../core/language/text.ts";
import { type RefusedCommand, refusedCommand } from "../core/planning/command-refusal.ts";
import { readDuration } from "../core/planning/model/plan-definition.ts";
import { type PlanAction, planActions } from "../core/planning/plan-commands.ts";
import { type ChangedSettings, RESET_SETTINGS } from "../core/planning/plan-settings.ts";
import { planSettings } from "../core/planning/setting-rows.ts";

/** A command to a plan. */
export type PlanCommand =
  | { readonly kind: "action"; readonly action: PlanAction }
  | { readonly kind: "settings"; readonly changes: ChangedSettings }
  | { readonly kind: "reset" }
  /** `within`: a duration; absent for the default. */
  | { readonly kind: "once"; readonly within?: number | string }
  | RefusedCommand;

/** Reads a command of the topic `<home>/plan/<plan>/<setting>/set`. */
export function planCommandOf(setting: string, payload: string): PlanCommand {
  const action = planActions.find((each) => each === setting);
  if (action) return { kind: "action", action };
  // A time entity of Home Assistant sends seconds.
  const value = payload.trim().replace(/^(\d\d:\d\d):00$/, "$1");
  const within = /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (setting === "once") return { kind: "once", ...(readDuration(within) ? { within } : {}) };
  const name = planSettings.find((each) => each === setting);
  if (name) return { kind: "settings", changes: { [name]: value } };
  if (setting === RESET_SETTINGS) return { kind: "reset" };
  const expected = [...planSettings, ...planActions, RESET_SETTINGS].join(", ");
  return refusedCommand("unknown_setting", message("refused.no_setting", { setting: setting.slice(0, 40), expected }));
}
