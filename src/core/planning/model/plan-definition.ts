/** Configured plans and their relations to each other. */
import { type Message, message } from "../../language/text.ts";
import { HOUR_MS, MINUTE_MS } from "../../time/interval.ts";
import type { PlanIconName } from "./plan-icons.ts";
import type { PlanSpec } from "./plan-spec.ts";

/** The plan that has to end first, and the pause after it. */
export interface PlanPredecessor {
  readonly plan: string;
  readonly pauseMs: number;
}

export interface PlanDefinition {
  /** Slug, unique among all plans. Used in topics and in Home Assistant's ids. */
  readonly id: string;
  readonly name: string;
  /** Absent for the icon of a plug. */
  readonly icon?: PlanIconName;
  /** Id of a home. Homes are known after the account's addresses were read, so it may not exist. */
  readonly home: string;
  readonly spec: PlanSpec;
  readonly after: PlanPredecessor | null;
  /** Absent for a plan without a power group. */
  readonly power?: PlanPower;
  /** True if its energy and profile are those of its measured runs. */
  readonly learns?: true;
  /** For a plan that runs once: the plan of its appliance. */
  readonly of?: string;
}

/** A plan's part in a power group, whose plans together never exceed its limit. Unit: W, whole. */
export interface PlanPower {
  readonly group: string;
  readonly limitWatts: number;
  /** Power while the plan is ON. */
  readonly watts: number;
  /** 1 comes first if not all plans can run. */
  readonly priority: number;
}

/** A setting that contradicts others, by its name in the configuration. */
export interface PlanMistake extends Message {
  readonly setting: string;
}

const DAY_MINUTES = 24 * 60;

/** Returns the length of an occurrence on a day without a clock change. */
export function nominalWindowMs(spec: Pick<PlanSpec, "from" | "readyBy" | "once" | "withinDays">): number {
  const { from, readyBy, once, withinDays = 1 } = spec;
  if (once) return once.end - once.start;
  const lastMinutes =
    from === undefined || readyBy === undefined ? DAY_MINUTES : ((readyBy - from + DAY_MINUTES - 1) % DAY_MINUTES) + 1;
  return (lastMinutes + (withinDays - 1) * DAY_MINUTES) * MINUTE_MS;
}

/** Returns the settings that contradict each other for any prices. Shape: empty for a valid plan. */
export function planMistakes(spec: PlanSpec): PlanMistake[] {
  const lengthMs = nominalWindowMs(spec);
  // A battery gets as much as its window allows.
  if (!("hoursMs" in spec) || (spec.kind === "slots" && spec.soc)) return [];
  const found = hoursText(spec.hoursMs);
  if (spec.kind === "slots" && spec.upToMs !== undefined && spec.upToMs < spec.hoursMs)
    return [{ setting: "hours", ...message("mistake.hours_up_to", { most: hoursText(spec.upToMs), found }) }];
  if (spec.hoursMs <= lengthMs) return [];
  return [{ setting: "hours", ...message("mistake.hours_window", { most: hoursText(lengthMs), found }) }];
}

/** Returns plans in the order in which they are decided: as given, but each after its predecessor. */
export function inOrder(plans: readonly PlanDefinition[]): PlanDefinition[] {
  const byId = new Map(plans.map((plan) => [plan.id, plan]));
  const ordered = new Set<PlanDefinition>();
  const visit = (plan: PlanDefinition, path: ReadonlySet<string>): void => {
    if (ordered.has(plan) || path.has(plan.id)) return;
    const before = plan.after && byId.get(plan.after.plan);
    if (before) visit(before, new Set([...path, plan.id]));
    ordered.add(plan);
  };
  for (const plan of plans) visit(plan, new Set());
  return [...ordered];
}

/** Returns the cycle of predecessors that starts at `id`; null if none exists. */
export function circleFrom(id: string, afterOf: (id: string) => string | undefined): string[] | null {
  const path = [id];
  for (let next = afterOf(id); next !== undefined; next = afterOf(next)) {
    if (next === id) return [...path, id];
    if (path.includes(next)) return null;
    path.push(next);
  }
  return null;
}

/** Reads hours as a number, or a text such as `45m`, `2h`, `1h30m`. Unit: ms; null for any other value. */
export function readDuration(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? Math.round(value * HOUR_MS) : null;
  if (typeof value !== "string") return null;
  // Home Assistant's app writes a number of hours as a text.
  if (/^\d+(\.\d+)?$/.test(value.trim())) return readDuration(Number(value));
  const [found, hours = "0", minutes = "0"] = /^(?:(\d+(?:\.\d+)?)h)?(?:(\d+)m)?$/.exec(value.trim()) ?? [];
  return found ? Math.round(Number(hours) * HOUR_MS) + Number(minutes) * MINUTE_MS : null;
}

/** Returns the time for an energy at constant power. Unit: ms. */
export function energyMs(kwh: number, kw: number): number {
  return Math.round((kwh / kw) * HOUR_MS);
}

/** Formats a length as hours with at most two decimals. */
export function hoursText(ms: number): string {
  return String(Number((ms / HOUR_MS).toFixed(2)));
}
