/** Entities of a plan: a device of its own, with every setting that the user can change. */

import type { EntityName } from "../../core/language/text.ts";
import { planIcons } from "../../core/planning/model/plan-icons.ts";
import { RESET_SETTINGS } from "../../core/planning/plan-settings.ts";
import { planStates } from "../../core/planning/plan-state-machine.ts";
import {
  isShown,
  type PlanSetting,
  planSettings,
  type SettingValue,
  settingRows,
} from "../../core/planning/setting-rows.ts";
import type { PlanSnapshot } from "../../core/planning/snapshot/plan-snapshot.ts";
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
/** Topic of the values: `state` is already used by the plan's public payload. */
const VALUES = { topic: "entities" } as const;
const SENSOR = { ...VALUES, platform: "sensor" } as const;
const TIME = { ...SENSOR, deviceClass: "timestamp" } as const;
const PER_KWH = { ...SENSOR, unit: "perKwh", precision: 2 } as const;
const hasEnergy = ({ definition: { spec } }: PlanSnapshot) => spec.kwh !== undefined;
const MONEY = { ...SENSOR, deviceClass: "monetary", unit: "currency", precision: 2, exists: hasEnergy } as const;

const signalRows: readonly Row[] = [
  row("on", "signal", ({ on }) => on, {
    ...VALUES,
    platform: "binary_sensor",
    deviceClass: "running",
    icon: ({ definition: { icon = "plug" } }) => planIcons[icon],
    expires: true,
  }),
  row("plan_state", "state", ({ state }) => state, {
    ...SENSOR,
    deviceClass: "enum",
    options: planStates,
    attributeValues: ({ reason, nextStart, nextEnd, provisional, firmAt, likelyStart, likelyEnd, refused }) => ({
      reason: reason.text,
      code: reason.code,
      nextStart,
      nextEnd,
      provisional,
      firmAt,
      likelyStart,
      likelyEnd,
      refused,
    }),
    icon: "mdi:state-machine",
  }),
  row("reason", "reason", ({ reason }) => reason.text, { ...SENSOR, icon: "mdi:comment-text-outline" }),
  row("next_start", "next_start", ({ nextStart }) => nextStart, {
    ...TIME,
    icon: "mdi:clock-start",
  }),
  row("next_end", "next_end", ({ nextEnd }) => nextEnd, { ...TIME, icon: "mdi:clock-end" }),
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
    isHidden: true,
    ...PER_KWH,
    icon: "mdi:piggy-bank-outline",
  }),
  row("cost", "cost", ({ cost }) => cost, { ...MONEY, icon: "mdi:cash-minus" }),
  row("saving", "saving", ({ saving }) => saving.againstWindowStart, { ...MONEY, icon: "mdi:piggy-bank-outline" }),
  row("saving_month", "saving_this_month", ({ history: { month } }) => month.saving.againstWindowStart, {
    ...MONEY,
    stateClass: "total",
    lastReset: ({ history: { month } }) => month.start,
    icon: "mdi:piggy-bank",
  }),
];

/** The other end of the window, which a time has while it is not set. */
const OTHER_TIME: Readonly<Partial<Record<PlanSetting, PlanSetting>>> = { from: "ready_by", ready_by: "from" };

/** Names of the settings whose entity has another one. */
const NAMES: Readonly<Record<Exclude<PlanSetting, EntityName>, EntityName>> = { max_price: "highest_price" };

/** Returns the entity of a setting. Home Assistant rejects a text that does not match its pattern and ignores an empty one. */
function settingEntity(setting: PlanSetting): Row {
  const { form, limits, step, isAboveZero, unset, unit, icon, kinds, has, isRare } = settingRows[setting];
  const numbers = limits && step ? { min: isAboveZero ? step : limits.min, max: limits.max, step } : {};
  const platform = form === "number" || form === "switch" ? form : "text";
  const value = ({ settings }: PlanSnapshot): SettingValue => {
    const known = settings[setting]?.value ?? settings[OTHER_TIME[setting] ?? setting]?.value ?? unset ?? null;
    if (typeof known === "number" && isAboveZero && step) return Math.max(step, known);
    return platform === "text" ? String(known) : known;
  };
  return row(setting, setting in NAMES ? NAMES[setting as keyof typeof NAMES] : (setting as EntityName), value, {
    ...VALUES,
    category: "config",
    platform,
    command: { setting, ...numbers, ...(form === "time" && { pattern: TIME_PATTERN }) },
    ...(unit && { unit }),
    ...(form === "time" && { isTime: true }),
    icon,
    ...((kinds || has || isRare) && { exists: ({ settings }: PlanSnapshot) => isShown(setting, settings[setting]) }),
  });
}

const buttonRows: readonly Row[] = [
  button("run_now", "run_now", "mdi:play"),
  button("skip", "skip", "mdi:skip-next"),
  button("stop", "stop", "mdi:stop"),
  {
    ...button("once", "run_once", "mdi:numeric-1-box-outline"),
    exists: (plan) =>
      plan.definition.spec.once === undefined && ["window", "slots"].includes(plan.definition.spec.kind),
  },
  { ...button(RESET_SETTINGS, "reset_settings", "mdi:restore"), category: "config" },
];

/** Every entity of a plan. */
export const planRows: readonly Row[] = [
  ...signalRows,
  eventRow,
  ...moneyRows,
  ...planSettings.map(settingEntity),
  ...buttonRows,
];

function button(setting: string, name: EntityName, icon: string): Row {
  return { key: setting, name, platform: "button", command: { setting }, icon };
}
