/** Entities of a plan: a device of its own, with every setting that the user can change. */

import type { EntityName } from "../../core/language/text.ts";
import { type PlanSpec, weekdays } from "../../core/planning/model/plan-spec.ts";
import { MAX_ENERGY_KWH, MAX_PRICE_LIMITS } from "../../core/planning/plan-limits.ts";
import { RESET_SETTINGS } from "../../core/planning/plan-settings.ts";
import type { PlanSnapshot } from "../../core/planning/plan-snapshot.ts";
import { planStates } from "../../core/planning/plan-state-machine.ts";
import type { PlanSetting, SettingValue } from "../../core/planning/setting-rows.ts";
import { formatInstant } from "../../core/time/interval.ts";
import { planPath } from "../topics/plan-topics.ts";
import type { Device, EntityRow } from "./entity.ts";
import { runEvents } from "./happenings.ts";

type Row = EntityRow<PlanSnapshot>;

/** Returns the device of a plan. */
export function planDevice(plan: PlanSnapshot): Device<PlanSnapshot> {
  const { home, id, name } = plan.definition;
  const path = planPath(plan);
  const { currency } = plan;
  return { id: `${home}_plan_${id}`, path, name, model: "Plan", via: home, rows: planRows, state: plan, currency };
}

/** Regular expression for a time of day, from 00:00 to 23:59. */
const TIME_PATTERN = "^([01]\\d|2[0-3]):[0-5]\\d$";
/** Shown for a time that is not set. Home Assistant rejects a text that does not match its pattern. */
const MIDNIGHT = "00:00";
/** Shortest run: one quarter of an hour, the shortest price interval. */
const MIN_HOURS = 0.25;
/** Topic of the values: `state` is already used by the plan's public payload. */
const VALUES = { topic: "entities" } as const;
const SENSOR = { ...VALUES, platform: "sensor" } as const;
const SETTING = { ...VALUES, category: "config" } as const;

const signalRows: readonly Row[] = [
  {
    key: "on",
    name: "signal",
    about: "ON while the plan runs its appliance.",
    ...VALUES,
    platform: "binary_sensor",
    value: ({ on }) => on,
    deviceClass: "running",
    icon: "mdi:power-plug-outline",
    expires: true,
  },
  {
    key: "plan_state",
    name: "state",
    about: "State of the plan. Attributes: reason, code, next_start, next_end, and why the last command was refused.",
    ...SENSOR,
    value: ({ state }) => state,
    deviceClass: "enum",
    options: planStates,
    attributeValues: ({ reason, nextStart, nextEnd, refused }) => ({
      reason: reason.text,
      code: reason.code,
      next_start: nextStart && formatInstant(nextStart),
      next_end: nextEnd && formatInstant(nextEnd),
      refused,
    }),
    icon: "mdi:state-machine",
  },
  {
    key: "reason",
    name: "reason",
    about: "Reason why the plan is ON or OFF, with the figures.",
    ...SENSOR,
    value: ({ reason }) => reason.text,
    icon: "mdi:comment-text-outline",
  },
  {
    key: "next_start",
    name: "next_start",
    about: "Next time the plan switches ON.",
    ...SENSOR,
    value: ({ nextStart }) => nextStart && formatInstant(nextStart),
    deviceClass: "timestamp",
    icon: "mdi:clock-start",
  },
  {
    key: "next_end",
    name: "next_end",
    about: "End of the current run, or of the next one.",
    ...SENSOR,
    value: ({ nextEnd }) => nextEnd && formatInstant(nextEnd),
    deviceClass: "timestamp",
    icon: "mdi:clock-end",
  },
];

const eventRow: Row = {
  key: "run_event",
  name: "run_event",
  about: "The plan has started or ended, or cannot run. Attributes: reason and code.",
  platform: "event",
  value: () => null,
  options: runEvents,
  icon: "mdi:play-circle-outline",
};

const hasEnergy = ({ definition: { spec } }: PlanSnapshot) => spec.kwh !== undefined;

const moneyRows: readonly Row[] = [
  {
    key: "mean_price",
    name: "mean_price",
    about: "Average cost of a kWh in this round of the plan.",
    ...SENSOR,
    value: ({ meanPrice }) => meanPrice,
    unit: "perKwh",
    precision: 2,
    icon: "mdi:cash",
  },
  {
    key: "saving_per_kwh",
    name: "saving_per_kwh",
    about: "How much cheaper a kWh is than if the plan started when its window opens (`window_start`).",
    ...SENSOR,
    value: ({ savingPerKwh }) => savingPerKwh.againstWindowStart,
    unit: "perKwh",
    precision: 2,
    icon: "mdi:piggy-bank-outline",
  },
  {
    key: "saving_now_per_kwh",
    name: "saving_per_kwh_against_now",
    about: "How much cheaper a kWh is than if the plan started now (`now`); unknown once it has started.",
    ...SENSOR,
    value: ({ savingPerKwh }) => savingPerKwh.againstNow,
    unit: "perKwh",
    precision: 2,
    icon: "mdi:piggy-bank-outline",
  },
  {
    key: "cost",
    name: "cost",
    about: "Cost of this round of the plan.",
    ...SENSOR,
    value: ({ cost }) => cost,
    deviceClass: "monetary",
    unit: "currency",
    precision: 2,
    icon: "mdi:cash-minus",
    exists: hasEnergy,
  },
  {
    key: "saving",
    name: "saving",
    about: "How much cheaper this round is than starting when its window opens (`window_start`).",
    ...SENSOR,
    value: ({ saving }) => saving.againstWindowStart,
    deviceClass: "monetary",
    unit: "currency",
    precision: 2,
    icon: "mdi:piggy-bank-outline",
    exists: hasEnergy,
  },
  {
    key: "saving_month",
    name: "saving_this_month",
    about: "How much cheaper this month's runs were than starting when their windows opened (`window_start`).",
    ...SENSOR,
    value: ({ history: { month } }) => month.saving.againstWindowStart,
    deviceClass: "monetary",
    stateClass: "total",
    lastReset: ({ history: { month } }) => formatInstant(month.start),
    unit: "currency",
    precision: 2,
    icon: "mdi:piggy-bank",
    exists: hasEnergy,
  },
];

const settingRows: readonly Row[] = [
  {
    key: "hours",
    name: "hours",
    about: "How long the plan runs; for `avoid`, how long it does not run.",
    ...SETTING,
    platform: "number",
    value: (plan) => Math.max(MIN_HOURS, Number(settingOf("hours")(plan))),
    command: { setting: "hours", min: MIN_HOURS, max: 24, step: MIN_HOURS },
    unit: "h",
    icon: "mdi:timer-outline",
    exists: ({ definition: { spec } }) => spec.kind !== "below" && !hasEnergyTarget(spec),
  },
  {
    key: "energy",
    name: "energy",
    about: "Energy of one round, for a plan with an energy instead of hours.",
    ...SETTING,
    platform: "number",
    value: settingOf("energy"),
    command: { setting: "energy", min: 0.5, max: MAX_ENERGY_KWH, step: 0.5 },
    unit: "kWh",
    icon: "mdi:battery-charging-medium",
    exists: ({ definition: { spec } }) => hasEnergyTarget(spec),
  },
  {
    key: "from",
    name: "from",
    about: "The plan does not run before this time of day.",
    ...SETTING,
    platform: "text",
    isTime: true,
    value: (plan) => settingOf("from")(plan) ?? settingOf("ready_by")(plan) ?? MIDNIGHT,
    command: { setting: "from", pattern: TIME_PATTERN },
    icon: "mdi:clock-start",
    exists: repeats,
  },
  {
    key: "ready_by",
    name: "ready_by",
    about: "The plan has finished by this time of day.",
    ...SETTING,
    platform: "text",
    isTime: true,
    value: (plan) => settingOf("ready_by")(plan) ?? settingOf("from")(plan) ?? MIDNIGHT,
    command: { setting: "ready_by", pattern: TIME_PATTERN },
    icon: "mdi:clock-end",
    exists: repeats,
  },
  {
    key: "max_price",
    name: "highest_price",
    about: "The plan does not run above this price.",
    ...SETTING,
    platform: "number",
    value: settingOf("max_price"),
    command: { setting: "max_price", ...MAX_PRICE_LIMITS, step: 0.01 },
    unit: "perKwh",
    icon: "mdi:cash-lock",
  },
  percentRow("percent", "Cheapest part of the day in which the plan runs.", "mdi:chart-pie-outline"),
  percentRow("tolerance", "How many percent above the best price are still acceptable.", "mdi:plus-minus-variant"),
  percentRow("soc_target", "Charge of the battery at the end of the round.", "mdi:battery-80"),
  percentRow("soc_minimum", "Up to this charge the battery is charged at once, at any price.", "mdi:battery-20"),
  {
    key: "up_to",
    name: "up_to",
    about: "The maximum number of hours, run only while it is cheap.",
    ...SETTING,
    platform: "number",
    value: settingOf("up_to"),
    command: { setting: "up_to", min: MIN_HOURS, max: 24, step: MIN_HOURS },
    unit: "h",
    icon: "mdi:timer-plus-outline",
    exists: isSet("up_to"),
  },
  textRow("cheap_below", "Upper limit of cheap prices: a price, a price level, or a percentage.", "mdi:tag-outline"),
  textRow("days", "Days on which the plan runs, such as mon,tue.", "mdi:calendar-week"),
  textRow(
    "min_saving",
    "The plan runs only if it saves at least this per kWh, or this percentage.",
    "mdi:piggy-bank-outline",
  ),
  textRow("away", "Holiday in which the plan does not run, such as 2026-07-01/2026-07-15.", "mdi:beach"),
  {
    key: "enabled",
    name: "enabled",
    about: "Whether the plan is active.",
    ...SETTING,
    platform: "switch",
    value: settingOf("enabled"),
    command: { setting: "enabled" },
    icon: "mdi:toggle-switch-outline",
  },
];

const buttonRows: readonly Row[] = [
  button("run_now", "run_now", "Starts a run immediately, at any price.", "mdi:play"),
  button("skip", "skip", "Skips this round of the plan.", "mdi:skip-next"),
  button("stop", "stop", "Ends the current run and skips the rest of this round.", "mdi:stop"),
  {
    ...button(
      "once",
      "run_once",
      "Runs its hours once more, in the cheapest of the next 8 hours.",
      "mdi:numeric-1-box-outline",
    ),
    exists: (plan) => repeats(plan) && ["window", "slots"].includes(plan.definition.spec.kind),
  },
  {
    ...button(
      RESET_SETTINGS,
      "reset_settings",
      "Resets every setting of the plan to the value in the configuration.",
      "mdi:restore",
    ),
    category: "config",
  },
];

/** Every entity of a plan. */
export const planRows: readonly Row[] = [...signalRows, eventRow, ...moneyRows, ...settingRows, ...buttonRows];

function repeats({ definition: { spec } }: PlanSnapshot): boolean {
  return spec.once === undefined;
}

function hasEnergyTarget(spec: PlanSpec): boolean {
  return "energyKw" in spec && spec.energyKw !== undefined;
}

function settingOf(setting: PlanSetting): (plan: PlanSnapshot) => SettingValue {
  return ({ settings }) => settings[setting]?.value ?? null;
}

/** Returns whether the configuration or the owner sets a setting that most plans do not use. */
function isSet(setting: PlanSetting): (plan: PlanSnapshot) => boolean {
  return ({ settings }) => settings[setting]?.changed === true || (settings[setting]?.file ?? null) !== null;
}

function percentRow(setting: PlanSetting & EntityName, about: string, icon: string): Row {
  const command = { setting, min: 0, max: 100, step: 1 };
  const row = { key: setting, name: setting, about, value: settingOf(setting), exists: isSet(setting) } as const;
  return { ...row, ...SETTING, platform: "number", command, unit: "%", icon };
}

/** What a text means if it is not set: Home Assistant ignores an empty state. */
const NONE = { cheap_below: "", days: weekdays.join(","), min_saving: "0", away: "off" } as const;

/** Returns a setting as a text. An empty text restores the value of the configuration. */
function textRow(setting: keyof typeof NONE, about: string, icon: string): Row {
  const value = (plan: PlanSnapshot) => String(settingOf(setting)(plan) ?? NONE[setting]);
  const row = { key: setting, name: setting, about, value, exists: isSet(setting) } as const;
  return { ...row, ...SETTING, platform: "text", command: { setting }, icon };
}

function button(setting: string, name: EntityName, about: string, icon: string): Row {
  return { key: setting, name, about, platform: "button", value: () => null, command: { setting }, icon };
}
