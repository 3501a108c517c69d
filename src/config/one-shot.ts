/** Plans that run once, requested over MQTT and HTTP: "the cheapest 2 hours within the next 8". */
import type { PlanDefinition } from "../core/planning/model/plan-definition.ts";
import { hoursText, planMistakes, readDuration } from "../core/planning/model/plan-definition.ts";
import { type EpochMs, HOUR_MS } from "../core/time/interval.ts";
import { type GroupEntry, planDefinitions, planSchema } from "./plan-schema.ts";

/** Settings of repeated windows or of dependencies between plans. */
const NOT_FOR_ONCE = ["id", "from", "ready_by", "days", "after", "after_pause", "fallback", "enabled"];
const DEFAULT_WITHIN_MS = 8 * HOUR_MS;
const MAX_WITHIN_MS = 48 * HOUR_MS;

/**
 * Reads `{ hours, within, home, … }`, or `{ plan, within }` for an appliance with a plan, whose settings are used.
 * The id may already be taken. Returns the reason as text if the request is invalid.
 */
export function readOneShot(
  asked: object,
  plans: readonly PlanDefinition[],
  groups: readonly GroupEntry[],
  now: EpochMs,
): PlanDefinition | string {
  const { once: _, within, plan, ...settings } = asked as Record<string, unknown>;
  const refused = NOT_FOR_ONCE.find((name) => name in settings);
  if (refused !== undefined) return `${refused}: cannot be used in a one-time plan`;
  const base = plans.find(({ id }) => id === plan);
  if (plan !== undefined && !base) return `plan: unknown plan "${String(plan).slice(0, 40)}"`;
  if (base && base.spec.kind !== "window" && base.spec.kind !== "slots")
    return `plan: expected one of kind window or slots, found ${base.spec.kind}`;
  const other = Object.keys(settings).find((name) => name !== "hours" && name !== "home");
  if (base && other !== undefined)
    return `${other}: expected plan, within and hours only, for an appliance that has a plan`;
  const definition = base ? ofPlan(base, settings.hours) : ofSettings(settings, groups);
  if (typeof definition === "string") return definition;
  const { spec } = definition;
  const hoursMs = "hoursMs" in spec ? spec.hoursMs : 0;
  const lengthMs = within === undefined ? Math.max(DEFAULT_WITHIN_MS, hoursMs) : readDuration(within);
  if (lengthMs === null || lengthMs <= 0 || lengthMs > MAX_WITHIN_MS)
    return `within: expected hours above 0, at most ${hoursText(MAX_WITHIN_MS)}, such as 8, 45m or 1h30m`;
  const { from, readyBy, days, ...free } = spec;
  const once = { ...free, enabled: true, once: { start: now, end: now + lengthMs } };
  const [mistake] = planMistakes(once);
  return mistake ? `${mistake.setting}: ${mistake.text}` : { ...definition, after: null, spec: once };
}

function ofPlan(base: PlanDefinition, hours: unknown): PlanDefinition | string {
  const hoursMs = hours === undefined ? null : readDuration(hours);
  if (hours !== undefined && !hoursMs) return "hours: expected hours above 0, such as 3, 1.5, 45m or 1h30m";
  const spec = hoursMs === null ? base.spec : { ...base.spec, hoursMs };
  return { ...base, id: `${base.id}_once`, name: `${base.name} once`, of: base.id, spec };
}

function ofSettings(settings: object, groups: readonly GroupEntry[]): PlanDefinition | string {
  const reading = planSchema.safeParse({ name: "Once", kind: "window", ...settings });
  const [issue] = reading.error?.issues ?? [];
  if (issue?.code === "unrecognized_keys") return `${issue.keys.join(", ")}: is not a setting of a plan`;
  if (issue?.code === "invalid_value") return `${issue.path.join(".")}: expected one of ${issue.values.join(", ")}`;
  if (issue) return `${issue.path.join(".") || "body"}: ${issue.message}`;
  const [definition] = reading.data ? planDefinitions([reading.data], groups) : [];
  if (!definition || !("hoursMs" in definition.spec) || definition.spec.kind === "avoid")
    return "kind: expected window or slots";
  if (reading.data?.group !== undefined && !definition.power?.watts)
    return "group: expected a group of the configuration, and kw";
  return definition;
}
