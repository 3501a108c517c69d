/** Schema of a plan in the configuration, its checks, and its settings as the planner reads them. */
import * as z from "zod/mini";
import { type Message, message } from "../../core/language/text.ts";
import { AWAY_MOMENT, isMoment, readLocalTime } from "../../core/planning/model/local-time.ts";
import { energyMs, planMistakes, readDuration } from "../../core/planning/model/plan-definition.ts";
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
import { type PlanSetting, planSettings, settingRows } from "../../core/planning/setting-rows.ts";
import { levels } from "../../core/prices/level.ts";
import { HOUR_MS } from "../../core/time/interval.ts";
import type { KeyCondition } from "./conditions.ts";
import {
  type Expected,
  expecting,
  missing,
  missingWith,
  mistakes,
  oneLine,
  passes,
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
/** Text for a price too: Home Assistant's supervisor passes numbers of this key as texts. */
const percentOrPrice = textLike(/^(\d+(\.\d+)?%|-?\d+(\.\d+)?)$/, "mistake.expected_cheap_below").check(
  passes((value) => value.endsWith("%") || price.safeParse(Number(value)).success, "mistake.expected_price"),
);
/** Power of a plan or group. */
export const kilowatts = z.number().check(z.positive(), z.maximum(MAX_POWER_KW));
const lengthOrNone = z.optional(duration("zero too"));
const percent = z.optional(percentage);
const notNegative = z.number().check(z.minimum(0));

export const planSchema = z
  .strictObject({
    name: oneLine,
    home: slug,
    id: z.optional(slug),
    kind: z.enum(planKinds),
    hours: length,
    up_to: length,
    cheap_below: z.optional(z.union([price, z.enum(levels), percentOrPrice])),
    learn: z.optional(z.boolean()),
    profile: z.optional(z.array(notNegative).check(z.minLength(1, "mistake.expected_profile" satisfies Expected))),
    kwh: z.optional(notNegative),
    min_run: lengthOrNone,
    min_pause: lengthOrNone,
    max_gap: length,
    at_most_runs: z.optional(z.int().check(z.minimum(1))),
    max_price: z.optional(price),
    level: z.optional(z.enum(levels)),
    percent,
    from: z.optional(time),
    ready_by: z.optional(time),
    days: z.optional(z.array(z.enum(weekdays)).check(z.minLength(1, "mistake.expected_days" satisfies Expected))),
    tolerance: percent,
    tolerance_side: z.optional(z.enum(["earliest", "latest"])),
    after: z.optional(slug),
    after_pause: lengthOrNone,
    energy: z.optional(kilowattHours),
    soc: z.optional(socSchema),
    within: z.optional(textLike(/^[2-7]d$/, "mistake.expected_within_days")),
    price: z.optional(z.enum(["export"])),
    group: z.optional(oneLine),
    kw: z.optional(kilowatts),
    priority: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_PRIORITY))),
    never: z.optional(z.union([span, z.array(span)])),
    away: z.optional(awaySchema),
    min_saving: z.optional(z.union([notNegative, textLike(NUMBER_OR_PERCENTAGE, "mistake.expected_min_saving")])),
    fallback: z.optional(z.array(span)),
    when_short: z.optional(z.enum(whenShortValues)),
    when_lost: z.optional(z.enum(whenLostValues)),
    enabled: z._default(z.boolean(), true),
  })
  .check(mistakes((entry) => mistakesOf(entry)));

/** One plan as written in the configuration. */
export type PlanEntry = z.infer<typeof planSchema>;

/** Settings that `specOf` or the list of plans reads by itself. */
type OwnReading =
  | ("name" | "home" | "id" | "kind" | "after" | "after_pause" | "group" | "kw" | "priority")
  | "tolerance_side";

interface FixedRow {
  /** Kinds of plan that have it; absent for all. */
  readonly kinds?: readonly PlanKind[];
  /** Its name in the plan, if its value there is only read or the same. */
  readonly field?: keyof SpecFields;
  readonly read?: (value: never) => unknown;
}

/** Settings that cannot be changed at run time. The others are in `settingRows`. */
const fixedRows: Readonly<Record<Exclude<keyof PlanEntry, PlanSetting | OwnReading>, FixedRow>> = {
  learn: { kinds: ["window", "slots"] },
  profile: { kinds: ["window"], field: "profile" },
  kwh: { field: "kwh" },
  min_run: { kinds: ["slots", "below", "avoid"], field: "minRunMs", read: msOf },
  min_pause: { kinds: ["slots", "below", "avoid"], field: "minPauseMs", read: msOf },
  max_gap: { kinds: ["slots", "avoid"], field: "maxGapMs", read: msOf },
  at_most_runs: { kinds: ["slots"], field: "atMostRuns" },
  level: { kinds: ["below"], field: "level" },
  soc: { kinds: ["slots"], field: "soc", read: socOf },
  within: { kinds: ["window", "slots"], field: "withinDays", read: (days: string) => Number.parseInt(days, 10) },
  price: { kinds: ["below"], field: "price" },
  never: { field: "never", read: (spans: string | readonly string[]) => [spans].flat().map(spanOf) },
  fallback: { field: "fallback", read: (spans: readonly string[]) => spans.map(spanOf) },
  when_short: { kinds: ["slots"], field: "whenShort" },
  when_lost: { field: "whenLost" },
};

/** Settings that not every kind of plan has. */
const kindsOf = Object.keys(planSchema.def.shape).flatMap((setting) => {
  const rows: Readonly<Record<string, Pick<FixedRow, "kinds">>> = { ...settingRows, ...fixedRows };
  const kinds = rows[setting]?.kinds;
  return kinds ? [{ setting, kinds }] : [];
});

/** Settings of which each kind needs one. */
const ONE_OF: Readonly<Record<PlanKind, readonly string[]>> = {
  window: ["hours", "energy"],
  slots: ["hours", "energy", "soc"],
  below: ["percent", "level", "max_price"],
  avoid: ["hours", "energy"],
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
  const { energy, kw, soc } = entry;
  for (const from of ["energy", "soc"] as const)
    if (entry[from] !== undefined && kw === undefined) mistake("kw", missingWith(from));
  for (const setting of ["hours", "kwh"] as const)
    if ((energy ?? soc) !== undefined && entry[setting] !== undefined) mistake(setting, message("mistake.calculated"));
  for (const other of ["energy", "up_to", "learn"] as const)
    if (soc && entry[other] !== undefined) mistake(other, message("mistake.useless", { other: "soc" }));
  if (entry.within !== undefined && entry.days !== undefined)
    mistake("days", message("mistake.useless", { other: "within" }));
  if (entry.kind !== "below" && entry.hours === undefined && energy === undefined && soc === undefined)
    mistake("hours", missing("mistake.expected_length"));
  const { max_price, level, percent } = entry;
  if (entry.kind === "below" && max_price === undefined && level === undefined && percent === undefined)
    mistake("max_price", missing("mistake.expected_below"));
  if ((entry.up_to === undefined) !== (entry.cheap_below === undefined))
    mistake(entry.up_to === undefined ? "up_to" : "cheap_below", message("mistake.up_to"));
  if (entry.tolerance_side !== undefined && entry.tolerance === undefined)
    mistake("tolerance", missingWith("tolerance_side"));
  if (entry.after_pause !== undefined && entry.after === undefined) mistake("after", missingWith("after_pause"));
  if (entry.kind !== "avoid" && entry.min_saving !== undefined && entry.max_gap !== undefined)
    mistake("min_saving", message("mistake.useless", { other: "max_gap" }));
  if (entry.learn && energy !== undefined) mistake("learn", message("mistake.learn"));
  if (entry.profile?.every((power) => power === 0)) mistake("profile", message("mistake.profile"));
  if (found.length === 0) for (const { setting, ...said } of planMistakes(specOf(entry))) mistake(setting, said);
  return found;
}

/** Returns the settings of a plan. Those of other kinds are absent, because the checks above reject them. */
export function specOf(entry: PlanEntry): PlanSpec {
  const { kind, energy, kw, soc, tolerance_side: side } = entry;
  const given = entry as Readonly<Record<string, unknown>>;
  const kwh = energy ?? (soc && (soc.capacity_kwh * soc.target) / 100);
  const fixed = Object.entries<FixedRow>(fixedRows).flatMap(([setting, { field, read }]) =>
    field && given[setting] !== undefined ? [[field, read ? read(given[setting] as never) : given[setting]]] : [],
  );
  const spec = {
    kind,
    ...Object.fromEntries(fixed),
    ...(kwh !== undefined && kw !== undefined && { kwh, energyKw: kw, hoursMs: energyMs(kwh, kw) }),
    ...(side && { tolerance: { percent: 0, side } }),
  } as PlanSpec;
  return planSettings
    .filter((setting) => given[setting] !== undefined)
    .reduce((known, setting) => settingRows[setting].read(given[setting], known) ?? known, spec);
}

function socOf({ topic, capacity_kwh: capacityKwh, target, minimum }: NonNullable<PlanEntry["soc"]>) {
  return { topic, capacityKwh, target, minimum };
}

export function msOf(value: number | string | undefined): number | undefined {
  return readDuration(value) ?? undefined;
}

function spanOf(text: string): LocalSpan {
  const [from = "", until = ""] = text.split("-");
  return { from: readLocalTime(from) ?? 0, until: readLocalTime(until) ?? 0 };
}
