/** Plans that run once, requested over MQTT and HTTP: "the cheapest 2 hours within the next 8". */
import type { Language } from "../core/language/language.ts";
import { type Message, message, placed, type Say, sayIn } from "../core/language/text.ts";
import { hoursText, type PlanDefinition, planMistakes, readDuration } from "../core/planning/model/plan-definition.ts";
import { hasHours } from "../core/planning/model/plan-spec.ts";
import { type EpochMs, HOUR_MS } from "../core/time/interval.ts";
import { type GroupEntry, planDefinitions } from "./plan-list.ts";
import { mergeOldKeys } from "./schema/old-keys.ts";
import { planSchema } from "./schema/plan-schema.ts";
import { expectedOf } from "./schema/values.ts";

/** Settings of repeated windows or of dependencies between plans. */
const NOT_FOR_ONCE = ["id", "from", "ready_by", "days", "after", "after_pause", "fallback", "enabled"];
const DEFAULT_WITHIN_MS = 8 * HOUR_MS;
const MAX_WITHIN_MS = 48 * HOUR_MS;

/** What a request has to fit to, and the language of its name. */
interface OneShotContext {
  readonly groups: readonly GroupEntry[];
  readonly language: Language;
  readonly now: EpochMs;
}

/**
 * Reads `{ hours, within, home, … }`, or `{ plan, within }` for an appliance with a plan, whose settings are used.
 * The id may already be taken. Returns the reason as text if the request is invalid.
 */
export function readOneShot(
  request: object,
  plans: readonly PlanDefinition[],
  { groups, language, now }: OneShotContext,
): PlanDefinition | Message {
  const { once: _, within, plan, ...settings } = request as Record<string, unknown>;
  const refused = NOT_FOR_ONCE.find((name) => name in settings);
  if (refused !== undefined) return placed(refused, message("refused.not_for_once"));
  const base = plans.find(({ id }) => id === plan);
  if (plan !== undefined && !base)
    return placed("plan", message("refused.unknown_plan", { plan: String(plan).slice(0, 40) }));
  if (base && !hasHours(base.spec)) return placed("plan", message("refused.kind_of_plan", { kind: base.spec.kind }));
  const other = Object.keys(settings).find((name) => name !== "hours" && name !== "home");
  if (base && other !== undefined) return placed(other, message("refused.plan_alone"));
  const say = sayIn(language);
  const definition = base ? ofPlan(base, settings.hours, say) : ofSettings(settings, groups, say);
  if ("key" in definition) return definition;
  const { spec } = definition;
  const hoursMs = "hoursMs" in spec ? spec.hoursMs : 0;
  const lengthMs = within === undefined ? Math.max(DEFAULT_WITHIN_MS, hoursMs) : readDuration(within);
  if (lengthMs === null || lengthMs <= 0 || lengthMs > MAX_WITHIN_MS)
    return expected("within", message("mistake.expected_within", { most: hoursText(MAX_WITHIN_MS) }));
  const { from, readyBy, days, away, withinDays, ...free } = spec;
  const once = { ...free, enabled: true, once: { start: now, end: now + lengthMs } };
  const [mistake] = planMistakes(once);
  return mistake ? placed(mistake.setting, mistake) : { ...definition, after: null, spec: once };
}

function expected(setting: string, what: Message): Message {
  return placed(setting, message("mistake.expected", { expected: what }));
}

function ofPlan(base: PlanDefinition, hours: unknown, say: Say): PlanDefinition | Message {
  const hoursMs = hours === undefined ? null : readDuration(hours);
  if (hours !== undefined && !hoursMs) return expected("hours", message("mistake.expected_hours_once"));
  const spec = hoursMs === null ? base.spec : { ...base.spec, hoursMs };
  return { ...base, id: `${base.id}_once`, name: say("plan.once_of", { plan: base.name }), of: base.id, spec };
}

function ofSettings(settings: object, groups: readonly GroupEntry[], say: Say): PlanDefinition | Message {
  const entry = { ...("name" in settings ? {} : { name: say("plan.once"), id: "once" }), kind: "window", ...settings };
  mergeOldKeys(entry);
  const reading = planSchema.safeParse(entry);
  const [issue] = reading.error?.issues ?? [];
  if (issue?.code === "unrecognized_keys") return placed(issue.keys.join(", "), message("refused.not_a_setting"));
  const said = issue?.code === "custom" && issue.params;
  if (issue && said) return placed(issue.path.join("."), said as Message);
  if (issue) return expected(issue.path.join("."), expectedOf(issue));
  const [definition] = reading.data ? planDefinitions([reading.data], groups) : [];
  if (!definition || !("hoursMs" in definition.spec) || definition.spec.kind === "avoid")
    return placed("kind", message("refused.kind"));
  if (reading.data?.group !== undefined && !definition.power?.watts)
    return placed("group", message("refused.needs_group"));
  return definition;
}
