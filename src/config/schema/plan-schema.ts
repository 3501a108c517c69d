/** Schema of a plan in the configuration, its checks, and its settings as the planner reads them. */
import * as z from "zod/mini";
import { type Message, message } from "../../core/language/text.ts";
import { AWAY_MOMENT, isMoment, readLocalTime } from "../../core/planning/model/local-time.ts";
import { energyMs, planMistakes, readDuration } from "../../core/planning/model/plan-definition.ts";
import { planIconNames } from "../../core/planning/model/plan-icons.ts";
import {
  type LocalSpan,
  type PlanKind,
  type PlanSpec,
  type SpecFields,
  weekdays,
  whenLostValues,
  whenShortValues,
} from "../../core/planning/model/plan-spec.ts";
import { MAX_ENERGY_KWH, MAX_POWER_KW, MAX_PRICE_LIMITS } from "../../core/planning/plan-limits.ts";
import { type PlanSetting, planSettings, readUpTo, settingRows } from "../../core/planning/setting-rows.ts";
import { HOUR_MS } from "../../core/time/interval.ts";
import type { KeyCondition } from "./conditions.ts";
import {
  type Expected,
  expecting,
  missing,
  missingWith,
  mistakes,
  oneLine,
  slug,
  textLike,
  topic,
  type ValueMistake,
} from "./values.ts";

const TIME_EXPECTED = "mistake.expected_time" satisfies Expected;
const time = z.string(TIME_EXPECTED).check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, TIME_EXPECTED));
/** A part of the day, which may go over midnight. */
export const span = textLike(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/, "mistake.expected_span");

/** Home Assistant's supervisor passes a number of such a key as a text. */
const NUMBER_OR_PERCENTAGE = /^\d+(\.\d+)?%?$/;
const momentText = textLike(AWAY_MOMENT, "mistake.expected_moment");
/** Times of a holiday. */
export const awaySchema = z.strictObject({ from: momentText, until: momentText }).check(
  mistakes(({ from, until }) => {
    const wrong = [from, until].findIndex((moment) => !isMoment(moment));
    if (wrong >= 0) return [{ path: [wrong === 0 ? "from" : "until"], ...expecting("mistake.expected_moment") }];
    return from < until ? [] : [{ path: ["until"], ...message("mistake.away_order") }];
  }),
);

const percentage = z.number().check(z.minimum(0), z.maximum(100));
const kilowattHours = z.number().check(z.positive(), z.maximum(MAX_ENERGY_KWH));
/** Charge of a battery, in percent. */
const socSchema = z.strictObject({
  topic,
  capacity_kwh: kilowattHours,
  /** At the end of the round. */
  target: z._default(percentage, 80),
  /** Up to this charge it is charged at once, at any price. */
  minimum: z._default(percentage, 0),
});

/** Returns the schema of a duration: hours as a number, or a text such as 45m, 2h or 1h30m. */
function duration(least: "above zero" | "zero too") {
  const fits = (value: unknown) => {
    const ms = readDuration(value);
    return ms !== null && ms <= 24 * HOUR_MS && (least === "zero too" || ms > 0);
  };
  const expected: Expected = least === "above zero" ? "mistake.expected_hours_above_zero" : "mistake.expected_hours";
  return z.custom<number | string>(fits, expected);
}

const planKinds = ["window", "slots", "below", "avoid"] as const satisfies readonly PlanKind[];

const length = z.optional(duration("above zero"));
/** Largest number for a priority. A plan without a priority comes after all plans with one. */
export const MAX_PRIORITY = 99;
const price = z
  .number()
  .check(z.minimum(MAX_PRICE_LIMITS.min), z.maximum(MAX_PRICE_LIMITS.max, "mistake.expected_price" satisfies Expected));
/** Text for numbers too: Home Assistant's supervisor passes those of such a key as texts. */
const cheapBelow = textLike(/^(-?\d+(\.\d+)?%?|[a-z_]+)( .+)?$/, "mistake.expected_cheap_below");
const tolerance = textLike(/^\d+(\.\d+)?( ?%)?( (earliest|latest))?$/, "mistake.expected_tolerance");
const energy = textLike(/^(learned|\d+(\.\d+)?( learned)?)$/, "mistake.expected_kwh_learned");
/** A plan and a pause. */
const AFTER = /^([a-z0-9][a-z0-9_-]*)(?: ?\+ ?(\d+(?:\.\d+)?(?:h(?:\d+m)?|m)?))?$/;
/** Power of a plan or group. */
export const kilowatts = z.number().check(z.positive(), z.maximum(MAX_POWER_KW));
const lengthOrNone = z.optional(duration("zero too"));
const notNegative = z.number().check(z.minimum(0));

export const planSchema = z
  .strictObject({
    name: oneLine,
    icon: z.optional(z.enum(planIconNames)),
    home: slug,
    id: z.optional(slug),
    kind: z.enum(planKinds),
    hours: length,
    up_to: z.optional(z.union([duration("above zero"), textLike(/^\d+(\.\d+)? ?%$/, "mistake.expected_up_to")])),
    cheap_below: z.optional(z.union([price, cheapBelow])),
    profile: z.optional(z.array(notNegative).check(z.minLength(1, "mistake.expected_profile" satisfies Expected))),
    kwh: z.optional(z.union([notNegative, energy])),
    min_run: lengthOrNone,
    min_pause: lengthOrNone,
    max_gap: length,
    max_price: z.optional(price),
    from: z.optional(time),
    ready_by: z.optional(time),
    days: z.optional(z.array(z.enum(weekdays)).check(z.minLength(1, "mistake.expected_days" satisfies Expected))),
    tolerance: z.optional(z.union([percentage, tolerance])),
    after: z.optional(textLike(AFTER, "mistake.expected_after")),
    soc: z.optional(socSchema),
    within: z.optional(textLike(/^[2-7]d$/, "mistake.expected_within_days")),
    group: z.optional(oneLine),
    kw: z.optional(kilowatts),
    priority: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_PRIORITY))),
    never: z.optional(z.union([span, z.array(span)])),
    away: z.optional(awaySchema),
    min_saving: z.optional(z.union([notNegative, textLike(NUMBER_OR_PERCENTAGE, "mistake.expected_min_saving")])),
    sun: z.optional(z.boolean()),
    fallback: z.optional(z.array(z.union([z.enum(whenLostValues), span]))),
    when_short: z.optional(z.enum(whenShortValues)),
    enabled: z._default(z.boolean(), true),
  })
  .check(mistakes((entry) => mistakesOf(entry)));

/** One plan as written in the configuration. */
export type PlanEntry = z.infer<typeof planSchema>;

/** Settings that `specOf` or the list of plans reads by itself. */
type OwnReading = "name" | "icon" | "home" | "id" | "kind" | "after" | "group" | "kw" | "priority";

interface FixedRow {
  /** Kinds of plan that have it; absent for all. */
  readonly kinds?: readonly PlanKind[];
  /** Its name in the plan, if its value there is only read or the same. */
  readonly field?: keyof SpecFields;
  readonly read?: (value: never) => unknown;
}

/** Settings that cannot be changed at run time. The others are in `settingRows`. */
const fixedRows: Readonly<Record<Exclude<keyof PlanEntry, PlanSetting | OwnReading>, FixedRow>> = {
  profile: { kinds: ["window"], field: "profile" },
  kwh: { field: "kwh", read: (kwh: PlanEntry["kwh"]) => planTextsOf({ kwh }).kwh },
  min_run: { kinds: ["slots", "below", "avoid"], field: "minRunMs", read: msOf },
  min_pause: { kinds: ["slots", "below", "avoid"], field: "minPauseMs", read: msOf },
  max_gap: { kinds: ["slots", "avoid"], field: "maxGapMs", read: msOf },
  soc: {
    kinds: ["slots"],
    field: "soc",
    read: ({ capacity_kwh: capacityKwh, ...soc }: NonNullable<PlanEntry["soc"]>) => ({ ...soc, capacityKwh }),
  },
  within: { kinds: ["window", "slots"], field: "withinDays", read: (days: string) => Number.parseInt(days, 10) },
  never: { field: "never", read: (spans: string | readonly string[]) => [spans].flat().map(spanOf) },
  fallback: { field: "fallback", read: spansIn },
  when_short: { kinds: ["slots"], field: "whenShort" },
};

/** Settings that not every kind of plan has. */
const kindsOf = Object.keys(planSchema.def.shape).flatMap((setting) => {
  const rows: Readonly<Record<string, Pick<FixedRow, "kinds">>> = { ...settingRows, ...fixedRows };
  const kinds = rows[setting]?.kinds;
  return kinds ? [{ setting, kinds }] : [];
});

/** Settings of which each kind needs one. */
const ONE_OF: Readonly<Record<PlanKind, readonly string[]>> = {
  window: ["hours", "kwh"],
  slots: ["hours", "kwh", "soc"],
  below: ["cheap_below"],
  avoid: ["hours"],
};

/** The same as conditions for the JSON Schema: forms hide settings that are not allowed, and editors mark them. */
export const planConditions: readonly KeyCondition[] = planKinds.map((kind) => ({
  key: "kind",
  values: [kind],
  without: kindsOf.flatMap(({ setting, kinds }) => (kinds.includes(kind) ? [] : [setting])),
  oneOf: ONE_OF[kind],
}));

function mistakesOf(entry: PlanEntry): ValueMistake[] {
  const found: ValueMistake[] = [];
  const mistake = (setting: string, said: Message) => found.push({ path: [setting], ...said });
  for (const { setting, kinds } of kindsOf)
    if (entry[setting as keyof PlanEntry] !== undefined && !kinds.includes(entry.kind))
      mistake(setting, message("mistake.kind", { kinds: kinds.join(", "), kind: entry.kind }));
  const { kind, hours, kw, soc, cheap_below: limits } = entry;
  const { isLearned } = planTextsOf(entry);
  if (soc && kw === undefined) mistake("kw", missingWith("soc"));
  for (const setting of ["hours", "kwh"] as const)
    if (soc && entry[setting] !== undefined) mistake(setting, message("mistake.calculated"));
  const upTo = readUpTo(entry.up_to);
  if (entry.up_to !== undefined && soc ? (upTo ?? 0) < soc.target : upTo !== null)
    mistake("up_to", message("mistake.expected", { expected: message("mistake.expected_up_to") }));
  const energy = calculatedKwh(entry);
  if (kind !== "below" && hours === undefined && energy === undefined && soc === undefined)
    mistake("hours", missing("mistake.expected_length"));
  if (!soc && energy !== undefined && (energy <= 0 || energy > MAX_ENERGY_KWH))
    mistake("kwh", message("mistake.expected", { expected: settingRows.energy.expected }));
  for (const setting of ["cheap_below", "tolerance"] as const) {
    const { [setting]: value } = entry;
    const { read, expected } = settingRows[setting];
    if (value !== undefined && read(value, { kind } as PlanSpec) === null)
      mistake(setting, message("mistake.value", { expected, found: JSON.stringify(value), hint: "" }));
  }
  if (isLearned && (kind === "below" || kind === "avoid"))
    mistake("kwh", message("mistake.kind", { kinds: "window, slots", kind }));
  if (entry.within !== undefined && entry.days !== undefined)
    mistake("days", message("mistake.useless", { other: "within" }));
  if (isLearned && energy !== undefined) mistake("kwh", message("mistake.learn"));
  if (kind === "below" && limits === undefined) mistake("cheap_below", missing("mistake.expected_cheap_below"));
  if (kind === "slots" && (entry.up_to === undefined) !== (limits === undefined))
    mistake(entry.up_to === undefined ? "up_to" : "cheap_below", message("mistake.up_to"));
  if (entry.sun && !soc && entry.kwh === undefined) mistake("kwh", missingWith("sun"));
  if (entry.kind !== "avoid" && entry.min_saving !== undefined && entry.max_gap !== undefined)
    mistake("min_saving", message("mistake.useless", { other: "max_gap" }));
  if (entry.profile?.every((power) => power === 0)) mistake("profile", message("mistake.profile"));
  if (found.length === 0) for (const { setting, ...said } of planMistakes(specOf(entry))) mistake(setting, said);
  return found;
}

/** Returns the settings of a plan. Those of other kinds are absent, because the checks above reject them. */
export function specOf(entry: PlanEntry): PlanSpec {
  const { kind, kw } = entry;
  const given = entry as Readonly<Record<string, unknown>>;
  const kwh = calculatedKwh(entry);
  const { whenLost } = planTextsOf(entry);
  const fixed = Object.entries<FixedRow>(fixedRows).flatMap(([setting, { field, read }]) => {
    const value = given[setting] === undefined || !read ? given[setting] : read(given[setting] as never);
    return field && value !== undefined ? [[field, value]] : [];
  });
  const spec = {
    kind,
    ...Object.fromEntries(fixed),
    ...(whenLost && { whenLost }),
    ...(kwh !== undefined && kw !== undefined && { kwh, energyKw: kw, hoursMs: energyMs(kwh, kw) }),
  } as PlanSpec;
  return planSettings
    .filter((setting) => given[setting] !== undefined)
    .reduce((known, setting) => settingRows[setting].read(given[setting], known) ?? known, spec);
}

/** Returns the energy from which the hours of a plan are calculated; undefined if it has hours. Unit: kWh. */
function calculatedKwh({ kind, hours, kw, kwh, soc }: PlanEntry): number | undefined {
  if (kw === undefined || hours !== undefined) return undefined;
  if (soc) return (soc.capacity_kwh * soc.target) / 100;
  return kind === "window" || kind === "slots" ? planTextsOf({ kwh }).kwh : undefined;
}

/** Reads the settings of which one text says two things. `kwh`: energy of a round; undefined if it is only learned. */
export function planTextsOf({ kwh, fallback = [], after = "" }: Pick<PlanEntry, "kwh" | "fallback" | "after">) {
  const [, plan, pause] = AFTER.exec(after) ?? [];
  const energy = Number.parseFloat(String(kwh));
  return {
    kwh: Number.isNaN(energy) ? undefined : energy,
    isLearned: typeof kwh === "string" && kwh.endsWith("learned"),
    /** Signal without prices outside the fallback hours; undefined for the default of its kind. */
    whenLost: whenLostValues.find((word) => fallback.includes(word)),
    after: plan === undefined ? null : { plan, pauseMs: readDuration(pause) ?? 0 },
  };
}

/** Reads the hours without prices; undefined for a list of words only. */
function spansIn(fallback: NonNullable<PlanEntry["fallback"]>): LocalSpan[] | undefined {
  const spans = fallback.filter((each) => !whenLostValues.some((word) => word === each)).map(spanOf);
  return spans.length > 0 || fallback.length === 0 ? spans : undefined;
}

export function msOf(value: number | string | undefined): number | undefined {
  return readDuration(value) ?? undefined;
}

function spanOf(text: string): LocalSpan {
  const [from = "", until = ""] = text.split("-");
  return { from: readLocalTime(from) ?? 0, until: readLocalTime(until) ?? 0 };
}
