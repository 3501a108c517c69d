/** Settings of a plan that the owner may change at run time. */
import { message, placed } from "../language/text.ts";
import { type RefusedCommand, refusedCommand } from "./command-refusal.ts";
import { type PlanDefinition, planMistakes } from "./model/plan-definition.ts";
import type { PlanSpec } from "./model/plan-spec.ts";
import { hasSetting, type PlanSetting, planSettings, type SettingValue, settingRows } from "./setting-rows.ts";

/** Command that resets all settings to the configuration. */
export const RESET_SETTINGS = "reset_settings";

/** Settings that differ from the configuration, as the texts of their commands. */
export type ChangedSettings = Readonly<Partial<Record<PlanSetting, string>>>;

export interface ShownSetting {
  readonly value: SettingValue;
  /** True if it differs from the configuration. */
  readonly changed: boolean;
  /** Value of the configuration. */
  readonly file: SettingValue;
}

function settingsOf(spec: PlanSpec): PlanSetting[] {
  return planSettings.filter((setting) => hasSetting(spec, setting));
}

/** Applies the text of a setting to a spec. The result may contradict itself (see `planMistakes`). */
function withSetting(spec: PlanSpec, setting: PlanSetting, text: string): PlanSpec | RefusedCommand {
  const { read, expected } = settingRows[setting];
  const changed = read(text, spec);
  if (changed) return changed;
  const found = message("mistake.value_quoted", { text: text.slice(0, 40) });
  return refusedCommand("unreadable_setting", placed(setting, message("mistake.value", { expected, found, hint: "" })));
}

/** Returns the configured spec with the owner's changes. Changes that contradict an edited configuration are ignored. */
export function adjustedSpec(definition: PlanDefinition, changed: ChangedSettings): PlanSpec {
  const spec = specWith(definition, changed);
  return planMistakes(spec).length === 0 ? spec : definition.spec;
}

/** Applies texts to the configured spec. Invalid texts are ignored. The result may contradict itself. */
function specWith(definition: PlanDefinition, texts: ChangedSettings): PlanSpec {
  let { spec } = definition;
  for (const setting of settingsOf(spec)) {
    const read = texts[setting] ? withSetting(spec, setting, texts[setting]) : null;
    if (read && read.kind !== "refused") spec = read;
  }
  return spec;
}

/** Returns the changes that reset all settings of a plan to the configuration. */
export function resetOf({ spec }: PlanDefinition): ChangedSettings {
  return Object.fromEntries(settingsOf(spec).map((setting) => [setting, ""]));
}

export type SettingsChange =
  /** A text is null if the setting has the configured value again. */
  { readonly kind: "changed"; readonly texts: Readonly<Partial<Record<PlanSetting, string | null>>> } | RefusedCommand;

/** Changes settings, all or none, checked together with earlier ones. An empty text restores the configured value. */
export function changeSettings(
  definition: PlanDefinition,
  changed: ChangedSettings,
  changes: ChangedSettings,
): SettingsChange {
  const names = planSettings.filter((name) => changes[name] !== undefined);
  for (const name of names) {
    if (!settingsOf(definition.spec).includes(name))
      return refusedCommand(
        "unknown_setting",
        message("refused.not_of_kind", { kind: definition.spec.kind, setting: name }),
      );
    const read = changes[name] ? withSetting(definition.spec, name, changes[name]) : null;
    if (read?.kind === "refused") return read;
  }
  const fits = planMistakes(specWith(definition, changed)).length === 0;
  const spec = specWith(definition, { ...(fits ? changed : {}), ...changes });
  const [mistake] = planMistakes(spec);
  if (mistake) return refusedCommand("hours_too_long", placed(mistake.setting, mistake));
  const isFiles = (name: PlanSetting) => settingRows[name].value(spec) === settingRows[name].value(definition.spec);
  const forgotten = fits ? [] : planSettings.filter((name) => changed[name] !== undefined && !names.includes(name));
  return {
    kind: "changed",
    texts: Object.fromEntries([
      ...forgotten.map((name) => [name, null]),
      ...names.map((name) => [name, isFiles(name) ? null : (changes[name] ?? "")]),
    ]),
  };
}

/** Settings of a plan. A one-time plan has no times, and others may have no hours or energy. */
export type ShownSettings = Readonly<
  Record<"max_price" | "enabled", ShownSetting> & Partial<Record<PlanSetting, ShownSetting>>
>;

/** Returns the current value of each setting, and whether it differs from the configuration. */
export function shownSettings(definition: PlanDefinition, spec: PlanSpec): ShownSettings {
  const rowOf = (setting: PlanSetting): ShownSetting => {
    const value = settingRows[setting].value(spec);
    const file = settingRows[setting].value(definition.spec);
    return { value, changed: value !== file, file };
  };
  return {
    ...Object.fromEntries(settingsOf(definition.spec).map((setting) => [setting, rowOf(setting)])),
    max_price: rowOf("max_price"),
    enabled: rowOf("enabled"),
  };
}
