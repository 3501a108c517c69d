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
import { type Device, type EntityRow, entityRow } from "./entity.ts";
import { runEvents } from "./happenings.ts";

type Row = EntityRow<PlanSnapshot>;
const row = entityRow<PlanSnapshot>;

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
const TIME = { ...SENSOR, deviceClass: "timestamp" } as const;
const PER_KWH = { ...SENSOR, unit: "perKwh", precision: 2 } as const;
const hasEnergy = ({ definition: { spec } }: PlanSnapshot) => spec.kwh !== undefined;
const MONEY = { ...SENSOR, deviceClass: "monetary", unit: "currency", precision: 2, exists: hasEnergy } as const;
const SETTING = { ...VALUES, category: "config" } as const;
const NUMBER = { ...SETTING, platform: "number" } as const;
const HOURS = { ...NUMBER, unit: "h" } as const;
const HOURS_LIMITS = { min: MIN_HOURS, max: 24, step: MIN_HOURS } as const;
const TIME_OF_DAY = { ...SETTING, platform: "text", isTime: true, exists: repeats } as const;

const signalRows: readonly Row[] = [
  row("on", "signal", ({ on }) => on, {
    ...VALUES,
    platform: "binary_sensor",
    deviceClass: "running",
    icon: "mdi:power-plug-outline",
    expires: true,
  }),
  row("plan_state", "state", ({ state }) => state, {
    ...SENSOR,
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
  }),
  row("reason", "reason", ({ reason }) => reason.text, { ...SENSOR, icon: "mdi:comment-text-outline" }),
  row("next_start", "next_start", ({ nextStart }) => nextStart && formatInstant(nextStart), {
    ...TIME,
    icon: "mdi:clock-start",
  }),
  row("next_end", "next_end", ({ nextEnd }) => nextEnd && formatInstant(nextEnd), { ...TIME, icon: "mdi:clock-end" }),
];

const eventRow: Row = {
  key: "run_event",
  name: "run_event",
  platform: "event",
  options: runEvents,
  icon: "mdi:play-circle-outline",
};

const moneyRows: readonly Row[] = [
  row("mean_price", "mean_price", ({ meanPrice }) => meanPrice, { ...PER_KWH, icon: "mdi:cash" }),
  row("saving_per_kwh", "saving_per_kwh", ({ savingPerKwh }) => savingPerKwh.againstWindowStart, {
    ...PER_KWH,
    icon: "mdi:piggy-bank-outline",
  }),
  row("saving_now_per_kwh", "saving_per_kwh_against_now", ({ savingPerKwh }) => savingPerKwh.againstNow, {
    ...PER_KWH,
    icon: "mdi:piggy-bank-outline",
  }),
  row("cost", "cost", ({ cost }) => cost, { ...MONEY, icon: "mdi:cash-minus" }),
  row("saving", "saving", ({ saving }) => saving.againstWindowStart, { ...MONEY, icon: "mdi:piggy-bank-outline" }),
  row("saving_month", "saving_this_month", ({ history: { month } }) => month.saving.againstWindowStart, {
    ...MONEY,
    stateClass: "total",
    lastReset: ({ history: { month } }) => formatInstant(month.start),
    icon: "mdi:piggy-bank",
  }),
];

const settingRows: readonly Row[] = [
  row("hours", "hours", (plan) => Math.max(MIN_HOURS, Number(settingOf("hours")(plan))), {
    ...HOURS,
    command: { setting: "hours", ...HOURS_LIMITS },
    icon: "mdi:timer-outline",
    exists: ({ definition: { spec } }) => spec.kind !== "below" && !hasEnergyTarget(spec),
  }),
  row("energy", "energy", settingOf("energy"), {
    ...NUMBER,
    command: { setting: "energy", min: 0.5, max: MAX_ENERGY_KWH, step: 0.5 },
    unit: "kWh",
    icon: "mdi:battery-charging-medium",
    exists: ({ definition: { spec } }) => hasEnergyTarget(spec),
  }),
  row("from", "from", (plan) => settingOf("from")(plan) ?? settingOf("ready_by")(plan) ?? MIDNIGHT, {
    ...TIME_OF_DAY,
    command: { setting: "from", pattern: TIME_PATTERN },
    icon: "mdi:clock-start",
  }),
  row("ready_by", "ready_by", (plan) => settingOf("ready_by")(plan) ?? settingOf("from")(plan) ?? MIDNIGHT, {
    ...TIME_OF_DAY,
    command: { setting: "ready_by", pattern: TIME_PATTERN },
    icon: "mdi:clock-end",
  }),
  row("max_price", "highest_price", settingOf("max_price"), {
    ...NUMBER,
    command: { setting: "max_price", ...MAX_PRICE_LIMITS, step: 0.01 },
    unit: "perKwh",
    icon: "mdi:cash-lock",
  }),
  percentRow("percent", "mdi:chart-pie-outline"),
  percentRow("tolerance", "mdi:plus-minus-variant"),
  percentRow("soc_target", "mdi:battery-80"),
  percentRow("soc_minimum", "mdi:battery-20"),
  row("up_to", "up_to", settingOf("up_to"), {
    ...HOURS,
    command: { setting: "up_to", ...HOURS_LIMITS },
    icon: "mdi:timer-plus-outline",
    exists: isSet("up_to"),
  }),
  textRow("cheap_below", "mdi:tag-outline"),
  textRow("days", "mdi:calendar-week"),
  textRow("min_saving", "mdi:piggy-bank-outline"),
  textRow("away", "mdi:beach"),
  row("enabled", "enabled", settingOf("enabled"), {
    ...SETTING,
    platform: "switch",
    command: { setting: "enabled" },
    icon: "mdi:toggle-switch-outline",
  }),
];

const buttonRows: readonly Row[] = [
  button("run_now", "run_now", "mdi:play"),
  button("skip", "skip", "mdi:skip-next"),
  button("stop", "stop", "mdi:stop"),
  {
    ...button("once", "run_once", "mdi:numeric-1-box-outline"),
    exists: (plan) => repeats(plan) && ["window", "slots"].includes(plan.definition.spec.kind),
  },
  { ...button(RESET_SETTINGS, "reset_settings", "mdi:restore"), category: "config" },
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

function percentRow(setting: PlanSetting & EntityName, icon: string): Row {
  const command = { setting, min: 0, max: 100, step: 1 };
  return row(setting, setting, settingOf(setting), { ...NUMBER, command, unit: "%", icon, exists: isSet(setting) });
}

/** What a text means if it is not set: Home Assistant ignores an empty state. */
const NONE = { cheap_below: "", days: weekdays.join(","), min_saving: "0", away: "off" } as const;

/** Returns a setting as a text. An empty text restores the value of the configuration. */
function textRow(setting: keyof typeof NONE, icon: string): Row {
  const value = (plan: PlanSnapshot) => String(settingOf(setting)(plan) ?? NONE[setting]);
  return row(setting, setting, value, {
    ...SETTING,
    platform: "text",
    command: { setting },
    icon,
    exists: isSet(setting),
  });
}

function button(setting: string, name: EntityName, icon: string): Row {
  return { key: setting, name, platform: "button", command: { setting }, icon };
}
