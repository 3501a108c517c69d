/**
 * Settings of a plan that the owner may change at run time, one row each. Their commands, configuration, fields on the
 * page, members in the API and entities in Home Assistant are made from the rows.
 */
import { type Message, message } from "../language/text.ts";
import { levels } from "../prices/level.ts";
import { HOUR_MS } from "../time/interval.ts";
import { isMoment, localTimeText, readLocalTime } from "./model/local-time.ts";
import { energyMs, readDuration } from "./model/plan-definition.ts";
import {
  type Away,
  type ChargeGoal,
  type CheapBelow,
  type MinSaving,
  type PlanKind,
  type PlanSpec,
  type PlanTolerance,
  type SpecFields,
  type Weekday,
  weekdays,
} from "./model/plan-spec.ts";
import { MAX_ENERGY_KWH, MAX_PRICE_LIMITS } from "./plan-limits.ts";

/** Published value; null if it is not set. */
export type SettingValue = string | number | boolean | null;

interface Limits {
  readonly min: number;
  readonly max: number;
}

/** How a value of a plan is written. */
interface ValueForm<Value> {
  /** An `amount` is a number, or a text such as `30%`. */
  readonly form: "number" | "amount" | "time" | "switch" | "days" | "away";
  readonly expected: Message;
  readonly limits?: Limits;
  /** Step in Home Assistant, which is its minimum there if the value has to be above zero. */
  readonly step?: number;
  readonly isAboveZero?: true;
  readonly unit?: "h" | "kWh" | "%" | "perKwh";
  /** Text in Home Assistant while it is not set. */
  readonly unset?: string;
  /** Reads a value of the configuration, or the text of a command; undefined for none, null for another form. */
  readonly read: (value: unknown, before?: Value) => Value | undefined | null;
  readonly show: (value: Value) => SettingValue;
}

interface SettingFacts {
  readonly icon: string;
  /** Kinds of plan that have it, and which of them; absent for all. */
  readonly kinds?: readonly PlanKind[];
  readonly has?: (spec: PlanSpec) => boolean;
  /** Shown only for a plan that uses it. */
  readonly isRare?: true;
  /** Examples in the API. */
  readonly examples?: readonly unknown[];
}

export interface SettingRow extends Omit<ValueForm<never>, "read" | "show">, SettingFacts {
  readonly value: (spec: PlanSpec) => SettingValue;
  /** Applies a value of the configuration, or the text of a command, to a plan; null for another form. */
  readonly read: (value: unknown, spec: PlanSpec) => PlanSpec | null;
}

const HOURS: ValueForm<number> = {
  ...numberForm({ min: 0, max: 24 }, 0.25, "h", message("mistake.expected_hours_once")),
  isAboveZero: true,
  read: (value) => readDuration(value) || null,
  show: (ms) => ms / HOUR_MS,
};
const ENERGY: ValueForm<number> = {
  ...numberForm({ min: 0, max: MAX_ENERGY_KWH }, 0.5, "kWh", message("mistake.expected_kwh", { most: MAX_ENERGY_KWH })),
  isAboveZero: true,
};
const CLOCK: ValueForm<number> = {
  form: "time",
  expected: message("mistake.expected_clock"),
  unset: "00:00",
  read: (value) => readLocalTime(String(value)),
  show: localTimeText,
};
const PERCENT = numberForm({ min: 0, max: 100 }, 1, "%", message("mistake.expected_percent"));
const { min: least, max: most } = MAX_PRICE_LIMITS;
const PRICE = numberForm(MAX_PRICE_LIMITS, 0.01, "perKwh", message("mistake.expected_price_range", { least, most }));
const SWITCH: ValueForm<boolean> = {
  form: "switch",
  expected: message("mistake.expected_on_off"),
  read: (value) => ({ on: true, true: true, off: false, false: false })[String(value).toLowerCase()] ?? null,
  show: (value) => value,
};
const CHEAP: ValueForm<CheapBelow> = {
  form: "amount",
  expected: message("mistake.expected_cheap_below"),
  unset: "",
  read: readCheapBelow,
  show({ level, percent, maxPrice }) {
    const words = [level ?? [], percent === undefined ? [] : `${percent}%`, maxPrice ?? []].flat();
    return words.length === 1 ? (words[0] ?? null) : words.join(" ");
  },
};
const DAYS: ValueForm<readonly Weekday[]> = {
  form: "days",
  expected: message("mistake.expected_day_names"),
  unset: weekdays.join(","),
  read(value) {
    const words = String(value)
      .toLowerCase()
      .split(/[,\s]+/);
    const days = weekdays.filter((day) => words.includes(day));
    return days.length > 0 && words.every((word) => days.some((day) => day === word)) ? days : null;
  },
  show: (days) => days.join(","),
};
const TOLERANCE: ValueForm<PlanTolerance> = {
  ...PERCENT,
  expected: message("mistake.expected_tolerance"),
  read: readTolerance,
  show: ({ percent }) => percent,
};
const SAVING: ValueForm<MinSaving> = {
  form: "amount",
  expected: message("mistake.expected_min_saving"),
  unset: "0",
  read: readMinSaving,
  show: (saving) => ("perKwh" in saving ? saving.perKwh : `${saving.percent}%`),
};
const AWAY: ValueForm<Away> = {
  form: "away",
  expected: message("mistake.expected_away"),
  unset: "off",
  read(value) {
    const away = readAway(typeof value === "string" ? value : (awayText(value as Away) ?? ""));
    return away === "home" ? undefined : away;
  },
  show: awayText,
};
/** Part of the goal of a battery. */
const goal = (part: "target" | "minimum"): ValueForm<ChargeGoal> => ({
  ...PERCENT,
  read: (value, before) =>
    mapped(before && PERCENT.read(value), (percent) => ({ ...before, [part]: percent }) as ChargeGoal),
  show: (soc) => soc[part],
});

const slots = { kinds: ["slots"], isRare: true } as const;
const hasRuns = { kinds: ["window", "slots"], isRare: true } as const;

/** Shape: in the order in which they are shown. */
const rows = {
  hours: row("hoursMs", HOURS, {
    icon: "mdi:timer-outline",
    kinds: ["window", "slots", "avoid"],
    has: (spec) => !hasEnergy(spec) && !hasBattery(spec),
    examples: [3, "1h30m"],
  }),
  energy: {
    ...row("kwh", ENERGY, { icon: "mdi:battery-charging-medium", kinds: ["window", "slots"], has: hasEnergy }),
    read(value, spec) {
      const { energyKw }: SpecFields = spec;
      const kwh = energyKw && ENERGY.read(value);
      return kwh ? ({ ...spec, kwh, hoursMs: energyMs(kwh, energyKw) } as PlanSpec) : null;
    },
  },
  from: row("from", CLOCK, { icon: "mdi:clock-start", has: repeats }),
  ready_by: row("readyBy", CLOCK, { icon: "mdi:clock-end", has: repeats }),
  max_price: row("maxPrice", PRICE, { icon: "mdi:cash-lock" }),
  enabled: row("enabled", SWITCH, { icon: "mdi:toggle-switch-outline" }),
  up_to: {
    ...row("upToMs", HOURS, { icon: "mdi:timer-plus-outline", ...slots, has: isLonger }),
    read(value, spec) {
      const { soc }: SpecFields = spec;
      if (soc) return mapped(readUpTo(value), (upTo) => ({ ...spec, soc: { ...soc, upTo } }) as PlanSpec);
      return mapped(HOURS.read(value), (upToMs) => ({ ...spec, upToMs }) as PlanSpec);
    },
  },
  cheap_below: {
    ...row("cheapBelow", CHEAP, {
      icon: "mdi:tag-outline",
      ...slots,
      kinds: ["slots", "below"],
      has: isLonger,
      examples: [1.2, "cheap", "30%"],
    }),
    read(value, spec) {
      const limits = readCheapBelow(value);
      if (spec.kind !== "below") return limits && !limits.price ? ({ ...spec, cheapBelow: limits } as PlanSpec) : null;
      const most = [spec.maxPrice, limits?.maxPrice].filter((price) => price !== undefined);
      return limits && { ...spec, ...limits, ...(most.length > 0 && { maxPrice: Math.min(...most) }) };
    },
  },
  percent: row("percent", PERCENT, { icon: "mdi:chart-pie-outline", kinds: ["below"], isRare: true }),
  days: row("days", DAYS, { icon: "mdi:calendar-week", has: repeats, isRare: true, examples: [["mon", "tue"]] }),
  tolerance: row("tolerance", TOLERANCE, { icon: "mdi:plus-minus-variant", ...hasRuns }),
  min_saving: row("minSaving", SAVING, {
    icon: "mdi:piggy-bank-outline",
    kinds: ["window", "slots", "avoid"],
    isRare: true,
    has: (spec) => spec.kind === "avoid" || (spec as SpecFields).maxGapMs === undefined,
    examples: [0.2, "10%"],
  }),
  sun: row("sun", SWITCH, {
    icon: "mdi:solar-power",
    ...hasRuns,
    has: (spec) => spec.kwh !== undefined || hasBattery(spec),
  }),
  soc_target: row("soc", goal("target"), { icon: "mdi:battery-80", ...slots, has: hasBattery }),
  soc_minimum: row("soc", goal("minimum"), { icon: "mdi:battery-20", ...slots, has: hasBattery }),
  away: row("away", AWAY, {
    icon: "mdi:beach",
    kinds: ["window", "slots", "below"],
    has: repeats,
    isRare: true,
    examples: ["2026-07-01/2026-07-15", "off"],
  }),
} as const satisfies Record<string, SettingRow>;

export type PlanSetting = keyof typeof rows;
export const settingRows: Readonly<Record<PlanSetting, SettingRow>> = rows;
/** Shape: in the order in which they are shown. */
export const planSettings = Object.keys(rows) as readonly PlanSetting[];

/** Returns whether a plan has a setting. */
export function hasSetting(spec: PlanSpec, setting: PlanSetting): boolean {
  const { kinds, has } = settingRows[setting];
  return (kinds?.includes(spec.kind) ?? true) && (has?.(spec) ?? true);
}

/** Returns whether a setting is shown: a rare one only if the configuration or the owner sets it. */
export function isShown(
  setting: PlanSetting,
  shown: { readonly changed: boolean; readonly file: SettingValue } | undefined,
): boolean {
  return shown !== undefined && (!settingRows[setting].isRare || shown.changed || shown.file !== null);
}

/** Returns the row of a field of the plan. */
function row<Name extends keyof SpecFields>(
  name: Name,
  { read, show, ...form }: ValueForm<NonNullable<SpecFields[Name]>>,
  facts: SettingFacts,
): SettingRow {
  const known = (spec: SpecFields) => spec[name] as NonNullable<SpecFields[Name]> | undefined;
  return {
    ...form,
    ...facts,
    value: (spec) => mapped(known(spec), show),
    read(text, spec) {
      const value = read(text, known(spec));
      return value === null ? null : ({ ...spec, [name]: value } as PlanSpec);
    },
  };
}

function numberForm(
  limits: Limits,
  step: number,
  unit: NonNullable<SettingRow["unit"]>,
  expected: Message,
): ValueForm<number> {
  return {
    form: "number",
    expected,
    limits,
    step,
    unit,
    read: (value) => numberIn(value, limits),
    show: (value) => value,
  };
}

function repeats({ once }: PlanSpec): boolean {
  return once === undefined;
}

function isLonger({ upToMs, soc }: SpecFields): boolean {
  return upToMs !== undefined && soc === undefined;
}

function hasEnergy({ energyKw, soc }: SpecFields): boolean {
  return energyKw !== undefined && soc === undefined;
}

export function hasBattery({ soc }: SpecFields): boolean {
  return soc !== undefined;
}

function mapped<Value, Result>(value: Value | null | undefined, apply: (value: Value) => Result): Result | null {
  return value === null || value === undefined ? null : apply(value);
}

/** Reads a plain decimal number within limits. */
function numberIn(given: unknown, { min, max }: Limits): number | null {
  const value = typeof given === "number" || /^-?\d+(\.\d+)?$/.test(String(given)) ? Number(given) : Number.NaN;
  return value >= min && value <= max ? value : null;
}

/** Reads what cheap prices meet: a price, a level, a percentage such as `30%`, or several of them with spaces. */
function readCheapBelow(value: unknown): CheapBelow | null {
  const limits = String(value).split(" ").map(readLimit);
  const names = limits.flatMap((limit) => Object.keys(limit ?? {}));
  const isValid = !limits.includes(null) && new Set(names).size === names.length;
  return isValid ? Object.assign({}, ...limits) : null;
}

function readLimit(text: string): CheapBelow | null {
  const level = levels.find((each) => each === text);
  if (level) return { level };
  if (text === "export") return { price: text };
  if (text.endsWith("%")) return mapped(PERCENT.read(text.slice(0, -1)), (percent) => ({ percent }));
  return mapped(PRICE.read(text), (maxPrice) => ({ maxPrice }));
}

/** Reads the charge of `up_to` for a battery, such as `95%`. */
export function readUpTo(value: unknown): number | null {
  const [, number] = /^([\d.]+) ?%$/.exec(String(value)) ?? [];
  return mapped(number, PERCENT.read) ?? null;
}

/** Reads a percentage such as `5`, or with the side to take such as `5 % latest`. */
function readTolerance(value: unknown, before?: PlanTolerance): PlanTolerance | null {
  const [, number, side] = /^([\d.]+)(?: ?%)?(?: (earliest|latest))?$/.exec(String(value)) ?? [];
  return mapped(PERCENT.read(number), (percent) => ({
    side: (side as PlanTolerance["side"] | undefined) ?? before?.side ?? "earliest",
    percent,
  }));
}

/** Reads the least saving: an amount per kWh, or a percentage such as `10%`. */
function readMinSaving(value: unknown): MinSaving | null {
  const limits = { min: 0, max: Number.POSITIVE_INFINITY };
  const text = String(value);
  if (text.endsWith("%")) return mapped(numberIn(text.slice(0, -1), limits), (percent) => ({ percent }));
  return mapped(numberIn(value, limits), (perKwh) => ({ perKwh }));
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
