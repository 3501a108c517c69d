/** Settings of a plan that the owner may change at run time. */
import { type Message, message, placed } from "../language/text.ts";
import { HOUR_MS } from "../time/interval.ts";
import { type RefusedCommand, refusedCommand } from "./command-refusal.ts";
import {
  energyMs,
  localTimeText,
  type PlanDefinition,
  planMistakes,
  readDuration,
  readLocalTime,
} from "./model/plan-definition.ts";
import type { PlanSpec } from "./model/plan-spec.ts";

export const planSettings = ["hours", "energy", "from", "ready_by", "max_price", "enabled"] as const;
export type PlanSetting = (typeof planSettings)[number];

/** Command that resets all settings to the configuration. */
export const RESET_SETTINGS = "reset_settings";

/** Maximum power of a plan. Unit: kW. */
export const MAX_POWER_KW = 1_000;
/**
 * Range of `max_price`: all hourly prices so far, in kroner or euros. A higher number is one in øre or cents. Unit: currency
 * per kWh.
 */
export const MAX_PRICE_LIMITS = { min: -10, max: 25 } as const;

/** Maximum energy of one round: that of the strongest appliance in a day. Unit: kWh. */
export const MAX_ENERGY_KWH = 24 * MAX_POWER_KW;

/** Settings that differ from the configuration, as the texts of their commands. */
export type ChangedSettings = Readonly<Partial<Record<PlanSetting, string>>>;

/** Published value; null if it is not set. */
export type SettingValue = string | number | boolean | null;

export interface ShownSetting {
  readonly value: SettingValue;
  /** True if it differs from the configuration. */
  readonly changed: boolean;
  /** Value of the configuration. */
  readonly file: SettingValue;
}

export type SettingRead = { readonly kind: "value"; readonly spec: PlanSpec } | RefusedCommand;

/** Returns the settings that a plan has. */
function settingsOf(spec: PlanSpec): PlanSetting[] {
  const hasEnergy = "energyKw" in spec && spec.energyKw !== undefined;
  const other: PlanSetting[] = [hasEnergy || spec.kind === "below" ? "hours" : "energy"];
  if (!hasEnergy) other.push("energy");
  if (spec.once) other.push("from", "ready_by");
  return planSettings.filter((setting) => !other.includes(setting));
}

/** Applies the text of a setting to a spec. The result may contradict itself (see `planMistakes`). */
function withSetting(spec: PlanSpec, setting: PlanSetting, text: string): SettingRead {
  const refused = (expected: Message): SettingRead => {
    const found = message("mistake.value_quoted", { text: text.slice(0, 40) });
    const said = message("mistake.value", { expected, found, hint: "" });
    return refusedCommand("unreadable_setting", placed(setting, said));
  };
  switch (setting) {
    case "hours": {
      const hoursMs = readDuration(text);
      if (spec.kind === "below") return refusedCommand("unknown_setting", message("refused.no_hours"));
      if (hoursMs === null || hoursMs <= 0) return refused(message("mistake.expected_hours_once"));
      return { kind: "value", spec: { ...spec, hoursMs } };
    }
    case "energy": {
      const kwh = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
      if (!("energyKw" in spec) || spec.energyKw === undefined)
        return refusedCommand("unknown_setting", message("refused.no_energy"));
      if (kwh <= 0 || kwh > MAX_ENERGY_KWH) return refused(message("mistake.expected_kwh", { most: MAX_ENERGY_KWH }));
      return { kind: "value", spec: { ...spec, kwh, hoursMs: energyMs(kwh, spec.energyKw) } };
    }
    case "from":
    case "ready_by": {
      const minute = readLocalTime(text);
      if (minute === null) return refused(message("mistake.expected_clock"));
      return { kind: "value", spec: { ...spec, [setting === "from" ? "from" : "readyBy"]: minute } };
    }
    case "max_price": {
      const maxPrice = Number(text);
      const { min, max } = MAX_PRICE_LIMITS;
      const isPrice = /^-?\d+(\.\d+)?$/.test(text) && maxPrice >= min && maxPrice <= max;
      if (!isPrice) return refused(message("mistake.expected_price_range", { least: min, most: max }));
      return { kind: "value", spec: { ...spec, maxPrice } };
    }
    case "enabled": {
      const enabled = { on: true, true: true, off: false, false: false }[text.toLowerCase()];
      if (enabled === undefined) return refused(message("mistake.expected_on_off"));
      return { kind: "value", spec: { ...spec, enabled } };
    }
  }
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
    if (read?.kind === "value") spec = read.spec;
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

/**
 * Changes settings, all or none. An empty text restores the configured value. The changes are checked together with the
 * earlier ones. If the earlier ones contradict an edited configuration, they are dropped.
 */
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
  const isFiles = (name: PlanSetting) => settingValue(spec, name) === settingValue(definition.spec, name);
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
  const shown = (setting: PlanSetting): ShownSetting => {
    const value = settingValue(spec, setting);
    const file = settingValue(definition.spec, setting);
    return { value, changed: value !== file, file };
  };
  return {
    ...Object.fromEntries(settingsOf(definition.spec).map((setting) => [setting, shown(setting)])),
    max_price: shown("max_price"),
    enabled: shown("enabled"),
  };
}

function settingValue(spec: PlanSpec, setting: PlanSetting): SettingValue {
  switch (setting) {
    case "hours":
      return "hoursMs" in spec ? spec.hoursMs / HOUR_MS : null;
    case "energy":
      return "kwh" in spec ? (spec.kwh ?? null) : null;
    case "from":
      return spec.from === undefined ? null : localTimeText(spec.from);
    case "ready_by":
      return spec.readyBy === undefined ? null : localTimeText(spec.readyBy);
    case "max_price":
      return spec.maxPrice ?? null;
    case "enabled":
      return spec.enabled;
  }
}
