/** Settings of a plan that the owner may change at run time: one row each. */
import { type Message, message } from "../language/text.ts";
import { levels } from "../prices/level.ts";
import { HOUR_MS } from "../time/interval.ts";
import { isMoment, localTimeText, readLocalTime } from "./model/local-time.ts";
import { energyMs, readDuration } from "./model/plan-definition.ts";
import {
  type Away,
  type ChargeGoal,
  type CheapBelow,
  hasHours,
  type MinSaving,
  type PlanSpec,
  weekdays,
} from "./model/plan-spec.ts";
import { MAX_ENERGY_KWH, MAX_PRICE_LIMITS } from "./plan-limits.ts";

/** Published value; null if it is not set. */
export type SettingValue = string | number | boolean | null;

interface SettingRow {
  readonly has: (spec: PlanSpec) => boolean;
  readonly value: (spec: PlanSpec) => SettingValue;
  /** Applies the text of a command to a plan that has the setting; null for a text of another form. */
  readonly read: (text: string, spec: PlanSpec) => PlanSpec | null;
  readonly expected: Message;
}

const PERCENT = { min: 0, max: 100 } as const;
const expectedHours = message("mistake.expected_hours_once");

const rows = {
  hours: {
    has: (spec) => spec.kind !== "below" && !hasEnergy(spec) && !hasBattery(spec),
    value: (spec) => ("hoursMs" in spec ? spec.hoursMs / HOUR_MS : null),
    read: (text, spec) => mapped(readHours(text), (hoursMs) => ("hoursMs" in spec ? { ...spec, hoursMs } : null)),
    expected: expectedHours,
  },
  energy: {
    has: hasEnergy,
    value: (spec) => spec.kwh ?? null,
    read(text, spec) {
      const kwh = numberIn(text, { min: 0, max: MAX_ENERGY_KWH });
      if (!kwh || !("energyKw" in spec) || spec.energyKw === undefined) return null;
      return { ...spec, kwh, hoursMs: energyMs(kwh, spec.energyKw) };
    },
    expected: message("mistake.expected_kwh", { most: MAX_ENERGY_KWH }),
  },
  from: {
    has: repeats,
    value: ({ from }) => (from === undefined ? null : localTimeText(from)),
    read: (text, spec) => mapped(readLocalTime(text), (from) => ({ ...spec, from })),
    expected: message("mistake.expected_clock"),
  },
  ready_by: {
    has: repeats,
    value: ({ readyBy }) => (readyBy === undefined ? null : localTimeText(readyBy)),
    read: (text, spec) => mapped(readLocalTime(text), (readyBy) => ({ ...spec, readyBy })),
    expected: message("mistake.expected_clock"),
  },
  max_price: {
    has: () => true,
    value: ({ maxPrice }) => maxPrice ?? null,
    read: (text, spec) => mapped(numberIn(text, MAX_PRICE_LIMITS), (maxPrice) => ({ ...spec, maxPrice })),
    expected: message("mistake.expected_price_range", { least: MAX_PRICE_LIMITS.min, most: MAX_PRICE_LIMITS.max }),
  },
  enabled: {
    has: () => true,
    value: ({ enabled }) => enabled,
    read: (text, spec) =>
      mapped({ on: true, true: true, off: false, false: false }[text.toLowerCase()], (enabled) => ({
        ...spec,
        enabled,
      })),
    expected: message("mistake.expected_on_off"),
  },
  up_to: {
    has: (spec) => spec.kind === "slots" && spec.upToMs !== undefined,
    value: (spec) => ("upToMs" in spec && spec.upToMs ? spec.upToMs / HOUR_MS : null),
    read: (text, spec) => mapped(readHours(text), (upToMs) => (spec.kind === "slots" ? { ...spec, upToMs } : null)),
    expected: expectedHours,
  },
  cheap_below: {
    has: (spec) => spec.kind === "slots" && spec.cheapBelow !== undefined,
    value: (spec) => ("cheapBelow" in spec && spec.cheapBelow ? cheapBelowText(spec.cheapBelow) : null),
    read: (text, spec) =>
      mapped(readCheapBelow(text), (cheapBelow) => (spec.kind === "slots" ? { ...spec, cheapBelow } : null)),
    expected: message("mistake.expected_cheap_below"),
  },
  percent: {
    has: ({ kind }) => kind === "below",
    value: (spec) => ("percent" in spec ? (spec.percent ?? null) : null),
    read: (text, spec) =>
      mapped(numberIn(text, PERCENT), (percent) => (spec.kind === "below" ? { ...spec, percent } : null)),
    expected: message("mistake.expected_percent"),
  },
  days: {
    has: repeats,
    value: ({ days }) => days?.join(",") ?? null,
    read(text, spec) {
      const words = text.toLowerCase().split(/[,\s]+/);
      const days = weekdays.filter((day) => words.includes(day));
      return days.length > 0 && words.every((word) => days.some((day) => day === word)) ? { ...spec, days } : null;
    },
    expected: message("mistake.expected_day_names"),
  },
  tolerance: {
    has: hasHours,
    value: ({ tolerance }) => tolerance?.percent ?? null,
    read: (text, spec) =>
      mapped(numberIn(text, PERCENT), (percent) => ({
        ...spec,
        tolerance: { side: "earliest", ...spec.tolerance, percent },
      })),
    expected: message("mistake.expected_percent"),
  },
  min_saving: {
    has: (spec) => hasHours(spec) && !("maxGapMs" in spec && spec.maxGapMs !== undefined),
    value: ({ minSaving }) => (minSaving ? ("perKwh" in minSaving ? minSaving.perKwh : `${minSaving.percent}%`) : null),
    read: (text, spec) => mapped(readMinSaving(text), (minSaving) => ({ ...spec, minSaving })),
    expected: message("mistake.expected_min_saving"),
  },
  soc_target: {
    has: hasBattery,
    value: (spec) => chargeOf(spec)?.target ?? null,
    read: (text, spec) => mapped(numberIn(text, PERCENT), (target) => withGoal(spec, { target })),
    expected: message("mistake.expected_percent"),
  },
  soc_minimum: {
    has: hasBattery,
    value: (spec) => chargeOf(spec)?.minimum ?? null,
    read: (text, spec) => mapped(numberIn(text, PERCENT), (minimum) => withGoal(spec, { minimum })),
    expected: message("mistake.expected_percent"),
  },
  away: {
    has: (spec) => spec.kind !== "avoid" && repeats(spec),
    value: ({ away }) => awayText(away),
    read(text, { away: _, ...spec }) {
      const away = readAway(text);
      return away === null ? null : away === "home" ? spec : { ...spec, away };
    },
    expected: message("mistake.expected_away"),
  },
} as const satisfies Record<string, SettingRow>;

export type PlanSetting = keyof typeof rows;
export const settingRows: Readonly<Record<PlanSetting, SettingRow>> = rows;
/** Shape: in the order in which they are shown. */
export const planSettings = Object.keys(rows) as readonly PlanSetting[];

function repeats({ once }: PlanSpec): boolean {
  return once === undefined;
}

function hasEnergy(spec: PlanSpec): boolean {
  return "energyKw" in spec && spec.energyKw !== undefined && !hasBattery(spec);
}

function hasBattery(spec: PlanSpec): boolean {
  return chargeOf(spec) !== null;
}

function chargeOf(spec: PlanSpec): ChargeGoal | null {
  return (spec.kind === "slots" && spec.soc) || null;
}

function withGoal(spec: PlanSpec, goal: Partial<ChargeGoal>): PlanSpec | null {
  return spec.kind === "slots" && spec.soc ? { ...spec, soc: { ...spec.soc, ...goal } } : null;
}

function mapped<Value>(value: Value | null | undefined, apply: (value: Value) => PlanSpec | null): PlanSpec | null {
  return value === null || value === undefined ? null : apply(value);
}

/** Reads a plain decimal number within limits. */
function numberIn(text: string, { min, max }: { readonly min: number; readonly max: number }): number | null {
  const value = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : null;
}

/** Reads a duration above zero. Unit: ms. */
function readHours(text: string): number | null {
  const ms = readDuration(text);
  return ms !== null && ms > 0 ? ms : null;
}

/** Reads the upper limit of cheap prices: a price, a level, or a percentage such as `30%`. */
export function readCheapBelow(text: string): CheapBelow | null {
  const level = levels.find((each) => each === text);
  if (level) return { level };
  const percent = text.endsWith("%") ? numberIn(text.slice(0, -1), PERCENT) : null;
  if (percent !== null) return { percent };
  const maxPrice = numberIn(text, MAX_PRICE_LIMITS);
  return maxPrice === null ? null : { maxPrice };
}

/** Reads the least saving: an amount per kWh, or a percentage such as `10%`. */
export function readMinSaving(text: string): MinSaving | null {
  const limits = { min: 0, max: Number.POSITIVE_INFINITY };
  const isPercent = text.endsWith("%");
  const value = numberIn(isPercent ? text.slice(0, -1) : text, limits);
  return value === null ? null : isPercent ? { percent: value } : { perKwh: value };
}

/** Reads a holiday such as `2026-07-01/2026-07-15T14:00`; `home` for `off`, null for any other text. */
export function readAway(text: string): Away | "home" | null {
  if (text.toLowerCase() === "off") return "home";
  const [from = "", until = "", ...more] = text.split("/");
  return isMoment(from) && isMoment(until) && from < until && more.length === 0 ? { from, until } : null;
}

/** Formats a holiday as the text that `readAway` reads; null without one. */
export function awayText(away: Away | null | undefined): string | null {
  return away ? `${away.from}/${away.until}` : null;
}

function cheapBelowText({ maxPrice, level, percent }: CheapBelow): SettingValue {
  return maxPrice ?? level ?? (percent === undefined ? null : `${percent}%`);
}
