/** Lists of plans and groups in the configuration: checks between their entries, and the plan definitions made from them. */
import * as z from "zod/mini";
import { type Message, message } from "../core/language/text.ts";
import { circleFrom, type PlanDefinition } from "../core/planning/model/plan-definition.ts";
import { freeSlug, slugOf } from "../core/text/slug.ts";
import { HOUR_MS } from "../core/time/interval.ts";
import { entryId } from "./entry-list.ts";
import { unknownId } from "./reading/suggest-key.ts";
import {
  kilowatts,
  MAX_PRIORITY,
  msOf,
  type PlanEntry,
  planSchema,
  planTextsOf,
  specOf,
} from "./schema/plan-schema.ts";
import { missing, mistakes, oneLine, unique, type ValueMistake } from "./schema/values.ts";
import { isTree } from "./tree.ts";

export const plansSchema = z.array(planSchema).check(mistakes(listMistakes, ([index]) => typeof index === "number"));

const groupSchema = z.strictObject({
  name: oneLine,
  /** Absent: its plans run one at a time. */
  limit_kw: z.optional(kilowatts),
});

/** Plans that share a fuse. */
export const groupsSchema = z.array(groupSchema).check(unique("name"));
export type GroupEntry = z.infer<typeof groupSchema>;

/** Maximum number of plans in a group, which bounds the time to decide it. */
export const MAX_GROUP_PLANS = 12;

/** Returns the mistakes between plans and groups. Their paths start at the top of the configuration. */
export function groupMistakes(entries: readonly PlanEntry[], groups: readonly GroupEntry[]): ValueMistake[] {
  return entries.flatMap((entry, i): ValueMistake[] => {
    const mistake = (setting: string, said: Message) => [{ path: ["plans", i, setting], ...said }];
    if (entry.group === undefined) {
      const { priority } = entry;
      return priority === undefined ? [] : mistake("priority", message("mistake.priority_alone"));
    }
    const group = groups.find(({ name }) => name === entry.group);
    const sameGroup = entries.filter((other) => other.group === entry.group);
    const draws = kilowattsOf(entry);
    if (group && group.limit_kw === undefined) return [];
    if (entry.kind !== "avoid" && (planTextsOf(entry).whenLost ?? "off") !== "off")
      return mistake("fallback", message("mistake.group_resting"));
    const names = groups.map(({ name }) => name);
    if (!group) return mistake("group", unknownId("group", entry.group, names));
    if (sameGroup.length > MAX_GROUP_PLANS)
      return mistake("group", message("mistake.group_full", { most: MAX_GROUP_PLANS, found: sameGroup.length }));
    const [{ home } = entry] = sameGroup;
    if (home !== entry.home) return mistake("group", message("mistake.group_homes", { home, other: entry.home }));
    if (draws === undefined) return mistake("kw", missing("mistake.expected_group_kw"));
    const resting = sameGroup.filter((other) => other !== entry && other.kind === "avoid");
    const reserved = resting.reduce((sum, other) => sum + (kilowattsOf(other) ?? 0), 0);
    const { limit_kw: limit = 0 } = group;
    if (rounded(draws + reserved) <= limit) return [];
    const limits = { limit, reserved: rounded(reserved) };
    const most = rounded(Math.max(0, limit - reserved));
    const hint = reserved > 0 ? message("mistake.hint_reserved", limits) : "";
    return mistake("kw", message("mistake.group_power", { most, found: rounded(draws), hint }));
  });
}

function rounded(kilowatts: number): number {
  return Number(kilowatts.toFixed(3));
}

function kilowattsOf({ kw, hours, ...entry }: PlanEntry): number | undefined {
  const [kwh, hoursMs] = [planTextsOf(entry).kwh, msOf(hours)];
  return kw ?? (kwh === undefined || hoursMs === undefined ? undefined : (kwh * HOUR_MS) / hoursMs);
}

/** Returns power and group limit in W. Rounds power up and limits down, so that rounding never exceeds the limit. */
function powerOf(entry: PlanEntry, groups: readonly GroupEntry[]): Pick<PlanDefinition, "power"> {
  const group = groups.find(({ name }) => name === entry.group);
  if (!group) return {};
  const priority = entry.priority ?? MAX_PRIORITY + 1;
  if (group.limit_kw === undefined)
    return { power: { group: group.name, limitWatts: 1, watts: entry.kind === "avoid" ? 0 : 1, priority } };
  const watts = Math.ceil(Number(((kilowattsOf(entry) ?? 0) * 1_000).toFixed(3)));
  const limitWatts = Math.floor(group.limit_kw * 1_000);
  return { power: { group: group.name, limitWatts, watts, priority } };
}

/** Returns the mistakes between plans. */
function listMistakes(list: readonly PlanEntry[]): ValueMistake[] {
  // Of an entry with mistakes, only name, home and id are compared.
  const entries = list.map((entry) => (planSchema.safeParse(entry).success ? entry : outline(entry)));
  const ids = entries.map(entryId);
  const planOf = (id: string) => entries[ids.indexOf(id)];
  const found = idMistakes(entries, ids);
  for (const [i, entry] of entries.entries()) {
    const { home } = entry;
    const after = planTextsOf(entry).after?.plan;
    if (after === undefined) continue;
    const mistake = (said: Message) => found.push({ path: [i, "after"], ...said });
    const other = planOf(after);
    if (!other) mistake(unknownId("plan", after, ids));
    else if (other.home !== home) mistake(message("mistake.other_home", { home: other.home }));
    const circle = circleFrom(ids[i] ?? "", (id) => planTextsOf(planOf(id) ?? {}).after?.plan);
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
function idMistakes(entries: readonly Pick<PlanEntry, "name" | "home">[], ids: readonly string[]): ValueMistake[] {
  const usedIds = new Set(ids);
  return entries.flatMap(({ name, home }, i) => {
    const other = ids.findIndex((id, j) => id === ids[i] && j !== i);
    if (other < 0) return [];
    const proposed = freeSlug(slugOf(`${name} ${home}`), usedIds);
    usedIds.add(proposed);
    return [{ path: [i, "id"], ...message("mistake.taken_id", { id: ids[i] ?? "", other, proposed }) }];
  });
}

/** Returns the definitions of plans, in the order of the file. */
export function planDefinitions(entries: readonly PlanEntry[], groups: readonly GroupEntry[] = []): PlanDefinition[] {
  return entries.map((entry) => ({
    id: entryId(entry),
    name: entry.name,
    home: entry.home,
    spec: specOf(entry),
    after: planTextsOf(entry).after,
    ...powerOf(entry, groups),
    ...(entry.icon && { icon: entry.icon }),
    ...(planTextsOf(entry).isLearned ? { learns: true as const } : {}),
  }));
}
