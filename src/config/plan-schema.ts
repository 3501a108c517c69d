/** Schema of `plans:` and `groups:` in the configuration, and the plan definitions made from them. */
import * as z from "zod/mini";
import { type Message, message } from "../core/language/text.ts";
import { AWAY_MOMENT, isMoment, readLocalTime } from "../core/planning/model/local-time.ts";
import {
  circleFrom,
  energyMs,
  nominalWindowMs,
  type PlanDefinition,
  planMistakes,
  readDuration,
} from "../core/planning/model/plan-definition.ts";
import {
  type LocalSpan,
  type PlanKind,
  type PlanSpec,
  weekdays,
  whenLostValues,
  whenShortValues,
} from "../core/planning/model/plan-spec.ts";
import { MAX_ENERGY_KWH, MAX_POWER_KW, MAX_PRICE_LIMITS } from "../core/planning/plan-limits.ts";
import { readCheapBelow, readMinSaving } from "../core/planning/setting-rows.ts";
import { levels } from "../core/prices/level.ts";
import { freeSlug, slugOf } from "../core/text/slug.ts";
import { HOUR_MS } from "../core/time/interval.ts";
import type { Condition } from "./conditions.ts";
import { entryId } from "./entry-list.ts";
import { key } from "./key-description.ts";
import { unknownId } from "./suggest-key.ts";
import { isTree } from "./tree.ts";
import {
  type Expected,
  expecting,
  type Mistake,
  missing,
  missingWith,
  mistakes,
  passes,
  slug,
  text,
  textLike,
  topic,
  unique,
} from "./values.ts";

const TIME_EXPECTED = "mistake.expected_time" satisfies Expected;
const time = z.string(TIME_EXPECTED).check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, TIME_EXPECTED));
/** A part of the day, which may go over midnight. */
export const span = textLike(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/, "mistake.expected_span");

/** Home Assistant's supervisor passes a number of such a key as a text. */
const NUMBER_OR_PERCENTAGE = /^\d+(\.\d+)?%?$/;
const momentText = textLike(AWAY_MOMENT, "mistake.expected_moment");
const MOMENT = { form: '"2026-07-01", or "2026-07-01T14:00"' };
/** Times of a holiday. */
export const awaySchema = z
  .strictObject({
    from: key(momentText, "First day, or a time on it.", MOMENT),
    until: key(momentText, "Day of the return, which counts again, or a time on it.", MOMENT),
  })
  .check(
    mistakes(({ from, until }) => {
      const wrong = [from, until].findIndex((moment) => !isMoment(moment));
      if (wrong >= 0) return [{ path: [wrong === 0 ? "from" : "until"], ...expecting("mistake.expected_moment") }];
      return from < until ? [] : [{ path: ["until"], ...message("mistake.away_order") }];
    }),
  );

const PERCENT = { form: "percent" };
const chargePercent = z.number().check(z.minimum(0), z.maximum(100));
const socSchema = z.strictObject({
  topic: key(topic, "MQTT topic with the charge in percent, as a number."),
  capacity_kwh: key(z.number().check(z.positive(), z.maximum(MAX_ENERGY_KWH)), "Energy of the full battery.", {
    form: "kWh",
  }),
  target: key(z._default(chargePercent, 80), "Charge at the end of the round.", PERCENT),
  minimum: key(z._default(chargePercent, 0), "Up to this charge it is charged at once, at any price.", PERCENT),
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

const TIME = { form: 'time of day, "07:00"' };
const LENGTH = { form: "hours as a number, or 45m, 1h30m" };
const length = z.optional(duration("above zero"));
/** Largest number for a priority. A plan without a priority comes after all plans with one. */
const MAX_PRIORITY = 99;
const price = z
  .number()
  .check(z.minimum(MAX_PRICE_LIMITS.min), z.maximum(MAX_PRICE_LIMITS.max, "mistake.expected_price" satisfies Expected));
/** Text for a price too: Home Assistant's supervisor passes numbers of this key as texts. */
const percentOrPrice = textLike(/^(\d+(\.\d+)?%|-?\d+(\.\d+)?)$/, "mistake.expected_cheap_below").check(
  passes((value) => value.endsWith("%") || price.safeParse(Number(value)).success, "mistake.expected_price"),
);
const kilowatts = z.number().check(z.positive(), z.maximum(MAX_POWER_KW));
const lengthOrNone = z.optional(duration("zero too"));
const percent = z.optional(z.number().check(z.minimum(0), z.maximum(100)));

export const planSchema = z
  .strictObject({
    name: key(text, "Name of the plan. Its MQTT topics are made from it."),
    home: key(slug, "Id of the home, or of the place of third_party, whose prices are used."),
    id: key(
      z.optional(slug),
      "Name in MQTT topics; by default made from the name, which must then differ from those of other plans.",
    ),
    kind: key(
      z.enum(planKinds),
      "window: one run; slots: hours split into several runs; below: whenever it is cheap; avoid: always except in the most expensive hours.",
    ),
    hours: key(length, "How long the plan runs; for avoid, how long it does not run.", LENGTH),
    up_to: key(length, "For slots, with cheap_below: the maximum number of hours, run only while it is cheap.", LENGTH),
    cheap_below: key(
      z.optional(z.union([price, z.enum(levels), percentOrPrice])),
      "For slots, with up_to: upper limit of cheap prices, as a price, a price level, or the cheapest percentage of the day.",
      { form: 'currency per kWh, a level, or "30%"' },
    ),
    learn: key(
      z.optional(z.boolean()),
      "True to use the energy and the profile of its measured runs, after three of them. Needs a plug that measures.",
    ),
    profile: key(
      z.optional(
        z.array(z.number().check(z.minimum(0))).check(z.minLength(1, "mistake.expected_profile" satisfies Expected)),
      ),
      "For window: relative power of each equal part of the run.",
      { form: "list of numbers" },
    ),
    kwh: key(
      z.optional(z.number().check(z.minimum(0))),
      "Energy of one round, so that costs and savings can be shown in money.",
      {
        form: "kWh",
      },
    ),
    min_run: key(lengthOrNone, "For slots, below and avoid: the minimum length of a run.", LENGTH),
    min_pause: key(lengthOrNone, "For slots and below: the minimum length of a pause.", LENGTH),
    max_gap: key(length, "For slots and avoid: the maximum time off.", LENGTH),
    at_most_runs: key(z.optional(z.int().check(z.minimum(1))), "For slots: the maximum number of runs."),
    max_price: key(
      z.optional(price),
      "The plan does not run above this price; for window: the maximum average price of the run.",
      { form: "currency per kWh" },
    ),
    level: key(z.optional(z.enum(levels)), "For below: the plan runs up to this price level."),
    percent: key(percent, "For below: the plan runs in this cheapest percentage of the day.", PERCENT),
    from: key(z.optional(time), "The plan does not run before this time.", TIME),
    ready_by: key(z.optional(time), "The plan has finished by this time.", TIME),
    days: key(
      z.optional(z.array(z.enum(weekdays)).check(z.minLength(1, "mistake.expected_days" satisfies Expected))),
      "The days on which the plan runs; the day of `from` counts.",
      { form: "list of mon … sun" },
    ),
    use_forecast: key(
      z._default(z.boolean(), false),
      "Whether to plan with estimated prices too; they never switch anything on.",
    ),
    tolerance: key(
      percent,
      "For window and slots: how many percent above the best price are still acceptable.",
      PERCENT,
    ),
    tolerance_side: key(
      z.optional(z.enum(["earliest", "latest"])),
      "Whether to use the earliest or the latest of the acceptable times.",
    ),
    after: key(z.optional(slug), "Id of another plan that must finish first."),
    after_pause: key(lengthOrNone, "Minimum time between the end of that plan and this one.", LENGTH),
    power_limit: key(z.optional(text), "Plans with the same text here never run at the same time."),
    energy: key(
      z.optional(z.number().check(z.positive(), z.maximum(MAX_ENERGY_KWH))),
      "With kw, instead of hours and kwh: the energy that one round uses.",
      {
        form: "kWh",
      },
    ),
    soc: key(
      z.optional(socSchema),
      "For slots, with kw, instead of hours and kwh: the charge of a battery, from which the hours are calculated.",
    ),
    within: key(
      z.optional(textLike(/^[2-7]d$/, "mistake.expected_within_days")),
      "For window and slots: the number of days of one round, from `from` on the first to `ready_by` on the last.",
      { form: '"2d" to "7d"' },
    ),
    price: key(
      z.optional(z.enum(["export"])),
      "For below: export plans by the price of exported energy instead of the price of bought energy.",
    ),
    group: key(z.optional(text), "Name of the power group that the plan belongs to."),
    kw: key(z.optional(kilowatts), "Power while the plan runs; by default kwh divided by hours.", { form: "kW" }),
    priority: key(
      z.optional(z.int().check(z.minimum(1), z.maximum(MAX_PRIORITY))),
      "Order in a group whose plans cannot all run at once: 1 is first; plans without a priority are last.",
    ),
    never: key(
      z.optional(span),
      "Hours in which the plan never runs, at any price. For avoid, max_gap has priority. Run now still works.",
      { form: '"17:00-21:00"' },
    ),
    away: key(z.optional(awaySchema), "A holiday in which the plan does not run. Run now still works."),
    min_saving: key(
      z.optional(
        z.union([z.number().check(z.minimum(0)), textLike(NUMBER_OR_PERCENTAGE, "mistake.expected_min_saving")]),
      ),
      "For window and slots: the plan runs only if it saves at least this, compared with a start when the window opens.",
      { form: 'currency per kWh, or "10%"' },
    ),
    fallback: key(z.optional(z.array(span)), "Hours in which the plan runs if prices are missing.", {
      form: 'list of "02:00-05:00"',
    }),
    when_short: key(
      z.optional(z.enum(whenShortValues)),
      "For slots, if not all hours are possible: `partial` (default) runs the possible ones, `nothing` does not run.",
    ),
    when_lost: key(
      z.optional(z.enum(whenLostValues)),
      "State without prices or a trusted clock: `on` (default for `avoid`), `off` (default otherwise) or `keep`.",
    ),
    enabled: key(z._default(z.boolean(), true), "Whether the plan is active."),
  })
  .check(mistakes((entry) => mistakesOf(entry)));

/** One plan as written in the configuration. */
export type PlanEntry = z.infer<typeof planSchema>;

export const plansSchema = z.array(planSchema).check(mistakes(listMistakes, ([index]) => typeof index === "number"));

const groupSchema = z.strictObject({
  name: key(text, "Name of the group."),
  limit_kw: key(kilowatts, "Maximum power of its plans together.", { form: "kW" }),
});

/** Plans that share a fuse. */
export const groupsSchema = z.array(groupSchema).check(unique("name"));
export type GroupEntry = z.infer<typeof groupSchema>;

/** Maximum number of plans in a group, which bounds the time to decide it. */
export const MAX_GROUP_PLANS = 12;

/** Returns the mistakes between plans and groups. Their paths start at the top of the configuration. */
export function groupMistakes(entries: readonly PlanEntry[], groups: readonly GroupEntry[]): Mistake[] {
  return entries.flatMap((entry, i): Mistake[] => {
    const mistake = (setting: string, said: Message) => [{ path: ["plans", i, setting], ...said }];
    if (entry.group === undefined) {
      const { priority } = entry;
      return priority === undefined ? [] : mistake("priority", message("mistake.priority_alone"));
    }
    const group = groups.find(({ name }) => name === entry.group);
    const sameGroup = entries.filter((other) => other.group === entry.group);
    const draws = kilowattsOf(entry);
    if (entry.kind !== "avoid" && (entry.when_lost ?? "off") !== "off")
      return mistake("when_lost", message("mistake.group_resting"));
    const names = groups.map(({ name }) => name);
    if (!group) return mistake("group", unknownId("group", entry.group, names));
    if (sameGroup.length > MAX_GROUP_PLANS)
      return mistake("group", message("mistake.group_full", { most: MAX_GROUP_PLANS, found: sameGroup.length }));
    const [{ home } = entry] = sameGroup;
    if (home !== entry.home) return mistake("group", message("mistake.group_homes", { home, other: entry.home }));
    if (draws === undefined) return mistake("kw", missing("mistake.expected_group_kw"));
    const resting = sameGroup.filter((other) => other !== entry && other.kind === "avoid");
    const reserved = resting.reduce((sum, other) => sum + (kilowattsOf(other) ?? 0), 0);
    if (rounded(draws + reserved) <= group.limit_kw) return [];
    const limits = { limit: group.limit_kw, reserved: rounded(reserved) };
    const most = rounded(Math.max(0, group.limit_kw - reserved));
    const hint = reserved > 0 ? message("mistake.hint_reserved", limits) : "";
    return mistake("kw", message("mistake.group_power", { most, found: rounded(draws), hint }));
  });
}

function rounded(kilowatts: number): number {
  return Number(kilowatts.toFixed(3));
}

function kilowattsOf({ kw, kwh, hours }: PlanEntry): number | undefined {
  const hoursMs = msOf(hours);
  return kw ?? (kwh === undefined || hoursMs === undefined ? undefined : (kwh * HOUR_MS) / hoursMs);
}

/** Returns power and group limit in W. Rounds power up and limits down, so that rounding never exceeds the limit. */
function powerOf(entry: PlanEntry, groups: readonly GroupEntry[]): Pick<PlanDefinition, "power"> {
  const group = groups.find(({ name }) => name === entry.group);
  if (!group) return {};
  const watts = Math.ceil(Number(((kilowattsOf(entry) ?? 0) * 1_000).toFixed(3)));
  const limitWatts = Math.floor(group.limit_kw * 1_000);
  return { power: { group: group.name, limitWatts, watts, priority: entry.priority ?? MAX_PRIORITY + 1 } };
}

/** Settings that not every kind of plan has. */
const KINDS_OF: Readonly<Partial<Record<keyof PlanEntry, readonly PlanKind[]>>> = {
  hours: ["window", "slots", "avoid"],
  profile: ["window"],
  learn: ["window", "slots"],
  when_short: ["slots"],
  min_run: ["slots", "below", "avoid"],
  min_pause: ["slots", "below"],
  max_gap: ["slots", "avoid"],
  at_most_runs: ["slots"],
  up_to: ["slots"],
  energy: ["window", "slots"],
  soc: ["slots"],
  within: ["window", "slots"],
  price: ["below"],
  cheap_below: ["slots"],
  level: ["below"],
  percent: ["below"],
  tolerance: ["window", "slots"],
  min_saving: ["window", "slots"],
  away: ["window", "slots", "below"],
};

/** The same as conditions for the JSON Schema: forms hide settings that are not allowed, and editors mark them. */
export const planConditions: readonly Condition[] = [
  ...planKinds.map((kind): Condition => {
    const others = Object.entries(KINDS_OF).flatMap(([setting, kinds]) => (kinds.includes(kind) ? [] : [setting]));
    const oneOf =
      kind === "below"
        ? ["percent", "level", "max_price"]
        : kind === "slots"
          ? ["hours", "energy", "soc"]
          : ["hours", "energy"];
    return { key: "kind", values: [kind], without: others, oneOf };
  }),
];

function mistakesOf(entry: PlanEntry): Mistake[] {
  const found: Mistake[] = [];
  const mistake = (setting: string, said: Message) => found.push({ path: [setting], ...said });
  for (const [setting, kinds] of Object.entries(KINDS_OF))
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
  if (entry.min_saving !== undefined && entry.max_gap !== undefined)
    mistake("min_saving", message("mistake.useless", { other: "max_gap" }));
  if (entry.learn && energy !== undefined) mistake("learn", message("mistake.learn"));
  if (entry.profile?.every((power) => power === 0)) mistake("profile", message("mistake.profile"));
  if (found.length === 0) for (const { setting, ...said } of planMistakes(specOf(entry))) mistake(setting, said);
  return found;
}

/** Returns the mistakes between plans. */
function listMistakes(given: readonly PlanEntry[]): Mistake[] {
  // Of an entry with mistakes, only name, home and id are compared.
  const entries = given.map((entry) => (planSchema.safeParse(entry).success ? entry : outline(entry)));
  const ids = planIds(entries);
  const planOf = (id: string) => entries[ids.indexOf(id)];
  const found = idMistakes(entries, ids);
  for (const [i, { after, home }] of entries.entries()) {
    if (after === undefined) continue;
    const mistake = (said: Message) => found.push({ path: [i, "after"], ...said });
    const other = planOf(after);
    if (!other) mistake(unknownId("plan", after, ids));
    else if (other.home !== home) mistake(message("mistake.other_home", { home: other.home }));
    const circle = circleFrom(ids[i] ?? "", (id) => planOf(id)?.after);
    if (circle) mistake(message("mistake.circle", { circle: chainOf(circle) }));
  }
  return found;
}

function chainOf([plan = "", ...others]: readonly string[]): Message | string {
  return others.length === 0 ? plan : message("mistake.value_after", { plan, other: chainOf(others) });
}

/** Returns what identifies an entry that may have any other mistake. */
function outline(entry: unknown): Pick<PlanEntry, "name" | "home" | "id" | "after"> {
  const { name, home, id } = isTree(entry) ? entry : {};
  const texts = { name: String(name ?? ""), home: String(home ?? "") };
  return typeof id === "string" ? { ...texts, id } : texts;
}

/** Returns a mistake for each of several plans with the same id, and proposes an id for each. */
function idMistakes(entries: readonly Pick<PlanEntry, "name" | "home">[], ids: readonly string[]): Mistake[] {
  const usedIds = new Set(ids);
  return entries.flatMap(({ name, home }, i) => {
    const other = ids.findIndex((id, j) => id === ids[i] && j !== i);
    if (other < 0) return [];
    const proposed = freeSlug(slugOf(`${name} ${home}`), usedIds);
    usedIds.add(proposed);
    return [{ path: [i, "id"], ...message("mistake.taken_id", { id: ids[i] ?? "", other, proposed }) }];
  });
}

/** Returns the ids of plans. They do not depend on the order: plans with equal names need ids of their own. */
export function planIds(entries: readonly Pick<PlanEntry, "id" | "name">[]): string[] {
  return entries.map(entryId);
}

/** Returns the definitions of plans, in the order of the file. */
export function planDefinitions(entries: readonly PlanEntry[], groups: readonly GroupEntry[] = []): PlanDefinition[] {
  const ids = planIds(entries);
  return entries.map((entry, i) => ({
    id: ids[i] ?? "",
    name: entry.name,
    home: entry.home,
    spec: specOf(entry),
    after: entry.after === undefined ? null : { plan: entry.after, pauseMs: readDuration(entry.after_pause) ?? 0 },
    powerLimit: entry.power_limit ?? null,
    ...powerOf(entry, groups),
    ...(entry.learn ? { learns: true as const } : {}),
  }));
}

/** Returns the settings of a plan. Those of other kinds are absent, because the checks above reject them. */
function specOf(entry: PlanEntry): PlanSpec {
  const { kind, profile, level, percent, days, enabled, tolerance, energy, kw, price } = entry;
  const { soc } = entry;
  const kwh = energy ?? (soc && (soc.capacity_kwh * soc.target) / 100);
  const hoursMs = kwh === undefined || kw === undefined ? msOf(entry.hours) : energyMs(kwh, kw);
  const settings = {
    kind,
    hoursMs: kind === "below" ? undefined : (hoursMs ?? nominalWindowMs({})),
    from: minuteOf(entry.from),
    readyBy: minuteOf(entry.ready_by),
    days,
    maxPrice: entry.max_price,
    useForecast: entry.use_forecast || entry.within !== undefined,
    withinDays: entry.within === undefined ? undefined : Number.parseInt(entry.within, 10),
    soc: soc && { ...{ topic: soc.topic, capacityKwh: soc.capacity_kwh }, target: soc.target, minimum: soc.minimum },
    isCharged: undefined,
    atOnce: undefined,
    tolerance: tolerance === undefined ? undefined : { percent: tolerance, side: entry.tolerance_side ?? "earliest" },
    fallback: entry.fallback?.map(spanOf),
    never: entry.never === undefined ? undefined : spanOf(entry.never),
    away: entry.away,
    minSaving: readMinSaving(String(entry.min_saving ?? "")) ?? undefined,
    whenLost: entry.when_lost,
    whenShort: entry.when_short,
    enabled,
    once: undefined,
    price,
    kwh: kwh ?? entry.kwh,
    energyKw: kwh === undefined ? undefined : kw,
    profile,
    level,
    percent,
    minRunMs: msOf(entry.min_run),
    minPauseMs: msOf(entry.min_pause),
    maxGapMs: msOf(entry.max_gap),
    atMostRuns: entry.at_most_runs,
    upToMs: msOf(entry.up_to),
    cheapBelow: readCheapBelow(String(entry.cheap_below ?? "")) ?? undefined,
  } satisfies { readonly [Setting in SettingOf<PlanSpec>]: unknown };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as unknown as PlanSpec;
}

/** Settings of all kinds of plan. */
type SettingOf<Spec> = Spec extends PlanSpec ? keyof Spec : never;

function msOf(value: number | string | undefined): number | undefined {
  return readDuration(value) ?? undefined;
}

function minuteOf(text: string | undefined): number | undefined {
  return readLocalTime(text ?? "") ?? undefined;
}

function spanOf(text: string): LocalSpan {
  const [from = "", until = ""] = text.split("-");
  return { from: readLocalTime(from) ?? 0, until: readLocalTime(until) ?? 0 };
}
