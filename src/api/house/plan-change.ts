/** Reads the body of a change of a plan, and describes why it is refused. */
import { message } from "../../core/language/text.ts";
import type { RefusedCommand } from "../../core/planning/command-refusal.ts";
import { planActions } from "../../core/planning/plan-commands.ts";
import type { ChangedSettings } from "../../core/planning/plan-settings.ts";
import { type PlanSetting, planSettings } from "../../core/planning/setting-rows.ts";
import { type LocalError, type LocalErrorCode, localError } from "../../http/errors.ts";
import * as parameter from "../parameters.ts";

export function commandError(code: LocalErrorCode, { why, reason }: RefusedCommand): LocalError {
  return { ...localError(why === "not_writable" ? "not_saved" : code, reason), refusal: why };
}

type PlanWish =
  | { readonly kind: "settings"; readonly changes: ChangedSettings }
  | { readonly kind: "command"; readonly action: (typeof planActions)[number] }
  | LocalError;

export function planWish(body: unknown): PlanWish {
  const expected = message("refused.plan_body", { names: planSettings.join(", ") });
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return localError("invalid_parameter", expected);
  const entries = Object.entries(body as Record<string, unknown>);
  if (entries.length === 0) return localError("invalid_parameter", message("refused.plan_body_empty", { expected }));
  if ("command" in body) {
    const action = planActions.find((each) => each === body.command);
    if (entries.length > 1) return localError("invalid_parameter", message("refused.command_alone"));
    if (action) return { kind: "command", action };
    const actions = message("mistake.expected_one_of", { values: planActions.join(", ") });
    return localError("invalid_parameter", parameter.unexpected("command", actions, parameter.shown(body.command)));
  }
  const changes: Partial<Record<PlanSetting, string>> = {};
  for (const [name, value] of entries) {
    const setting = planSettings.find((each) => each === name);
    if (!setting) {
      const facts = { name: name.slice(0, 40), expected };
      return localError("invalid_parameter", message("refused.no_such_setting", facts));
    }
    const text = settingText(value);
    if (text === null) {
      const kinds = message("refused.setting_kind");
      return localError("invalid_parameter", parameter.unexpected(name, kinds, parameter.shown(value)));
    }
    changes[setting] = text;
  }
  return { kind: "settings", changes };
}

/** Returns a value as the text of the MQTT command; null for a wrong type. JSON null resets: the empty text. */
export function settingText(value: unknown): string | null {
  switch (typeof value) {
    case "string":
      return value.trim();
    case "boolean":
      return value ? "ON" : "OFF";
    case "number":
      return String(value);
    default:
      if (Array.isArray(value)) return value.every((each) => typeof each === "string") ? value.join(",") : null;
      return value === null ? "" : awayOf(value);
  }
}

function awayOf(value: unknown): string | null {
  const { from, until } = (value ?? {}) as { readonly from?: unknown; readonly until?: unknown };
  return typeof from === "string" && typeof until === "string" ? `${from}/${until}` : null;
}
