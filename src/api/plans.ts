/** Endpoints that list, save, preview, change and command plans. */

import { planDefinitions, planIds } from "../config/plan-schema.ts";
import { message } from "../core/language/text.ts";
import type { RefusedCommand } from "../core/planning/command-refusal.ts";
import { planActions } from "../core/planning/plan-commands.ts";
import { finishedRun, planMonth, planStatus } from "../core/planning/plan-payload.ts";
import { planCodes } from "../core/planning/plan-reason.ts";
import type { ChangedSettings } from "../core/planning/plan-settings.ts";
import type { PlanSnapshot } from "../core/planning/plan-snapshot.ts";
import { planStates } from "../core/planning/plan-state-machine.ts";
import { type PlanSetting, planSettings } from "../core/planning/setting-rows.ts";
import { type EpochMs, formatInstant } from "../core/time/interval.ts";
import { type LocalError, type LocalErrorCode, localError } from "../http/errors.ts";
import { inSlices } from "../state/slices.ts";
import {
  BODY_ERRORS,
  changed,
  EDIT_ERRORS,
  editedSchema,
  entryBody,
  entryEndpoints,
  refusedEdit,
} from "./configuration.ts";
import { type Answered, type Endpoint, endpoint } from "./endpoint.ts";
import type { LocalSource } from "./local-source.ts";
import * as parameter from "./parameters.ts";
import * as s from "./schema.ts";

const savingsIn = (unit: typeof s.money) =>
  ({
    against_now: s.described(s.orNull(unit), "Compared with starting now; null once the round has begun."),
    against_window_start: s.described(s.orNull(unit), "Compared with starting when the window opens."),
    against_mean: s.described(s.orNull(unit), "Compared with the mean price of the window."),
  }) as const;
const savings = () => savingsIn(s.money);
export const savingsPerKwh = () => s.named("SavingsPerKwh", s.object(savingsIn(s.perKwh)));
export const basis = () =>
  s.named("RunBasis", s.oneOf(["prices", "estimates", "fallback", "manual", "resting", "at_once"]));
export const measuredRun = () =>
  s.described(
    s.orNull(s.named("MeasuredRun", s.object({ kwh: s.number, cost: s.orNull(s.money) }))),
    "As the plugs of the plan measured it; null if they did not.",
  );
const finished = () =>
  s.named(
    "FinishedRun",
    s.object({
      start: s.instant,
      end: s.instant,
      basis: basis(),
      mean_price: s.orNull(s.perKwh),
      cost: s.orNull(s.money),
      measured: measuredRun(),
      ...savings(),
      per_kwh: savingsPerKwh(),
    }),
  );
const month = () =>
  s.named(
    "PlanMonth",
    s.object({ start: s.instant, runs: s.integer, hours: s.number, cost: s.orNull(s.money), ...savings() }),
  );
const settingValue = () => s.union([s.text, s.number, s.boolean, s.nothing]);
const setting = () =>
  s.named(
    "PlanSetting",
    s.object({
      value: settingValue(),
      changed: s.described(s.boolean, "Whether it differs from the value in the file."),
      file: settingValue(),
    }),
  );
const planKind = () => s.named("PlanKind", s.oneOf(["window", "slots", "below", "avoid"]));

export const planned = () =>
  ({
    on: s.boolean,
    state: s.named("PlanState", s.oneOf(planStates)),
    reason: s.text,
    code: s.named("PlanCode", s.oneOf(planCodes)),
    runs: s.list(
      s.named("PlannedRun", s.object({ start: s.instant, end: s.instant, basis: basis(), begun: s.boolean })),
    ),
    currency: s.orNull(s.text),
    mean_price: s.orNull(s.perKwh),
    cost: s.orNull(s.money),
    missing: s.orNull(
      s.named(
        "MissingHours",
        s.object({
          hours: s.described(s.number, "Hours that could not be planned."),
          why: s.oneOf(["window_too_short", "blocked", "max_price", "constraints", "no_prices"]),
        }),
      ),
    ),
    saving: s.orNull(s.money),
    savings: s.named("Savings", s.object({ ...savings(), per_kwh: savingsPerKwh() })),
    next_start: s.orNull(s.instant),
    next_end: s.orNull(s.instant),
  }) as const;

export const statusProperties = () =>
  ({
    ...planned(),
    last_run: s.orNull(finished()),
    month: month(),
    month_before: month(),
    learned: s.described(
      s.orNull(
        s.named(
          "LearnedCourse",
          s.object({ runs: s.integer, kwh: s.number, profile: s.list(s.number), frozen: s.boolean }),
        ),
      ),
      "Energy and course by quarter-hour that a plan with `learn` has learned; null if nothing.",
    ),
    settings: s.named(
      "PlanSettings",
      s.object({
        hours: s.optional(setting()),
        energy: s.optional(setting()),
        from: s.optional(setting()),
        ready_by: s.optional(setting()),
        max_price: setting(),
        enabled: setting(),
        up_to: s.optional(setting()),
        cheap_below: s.optional(setting()),
        percent: s.optional(setting()),
        days: s.optional(s.described(setting(), "Names of days with commas, such as mon,tue.")),
        tolerance: s.optional(setting()),
        min_saving: s.optional(setting()),
        soc_target: s.optional(setting()),
        soc_minimum: s.optional(setting()),
        away: s.optional(s.described(setting(), "Two local dates or times, such as 2026-07-01/2026-07-15T14:00.")),
      }),
    ),
  }) as const;
export const identity = { id: s.text, name: s.text, home: s.text } as const;

const planProperties = () =>
  ({
    ...identity,
    kind: planKind(),
    ...statusProperties(),
    kwh: s.orNull(s.number),
    days: s.orNull(s.list(s.text)),
    use_forecast: s.boolean,
    after: s.orNull(s.text),
    power_limit: s.orNull(s.text),
  }) as const;

const planRow = () => s.named("Plan", s.object(planProperties()));

const planPreview = () => s.named("PlanPreview", s.object({ now: s.instant, ...planProperties() }));

const planSchema = () =>
  s.named(
    "PlanDetail",
    s.object({
      now: s.instant,
      ...planProperties(),
      history: s.named("PlanHistory", s.object({ runs: s.list(finished()), months: s.list(month()) })),
    }),
  );

const waiting = () => s.described(s.list(s.text), "Ids of plans whose home is not known yet.");

const oncePlan = () =>
  s.named(
    "OncePlan",
    s.described(
      s.object({
        once: s.noted(s.boolean, { enum: [true] }),
        within: s.optional(
          s.noted(s.union([s.number, s.text]), {
            description: "Hours from now on; 8 by default.",
            examples: [8, "90m"],
          }),
        ),
        plan: s.optional(s.text),
        home: s.optional(s.text),
        hours: s.optional(s.noted(s.union([s.number, s.text]), { examples: [2, "1h30m"] })),
      }),
      "`once` and `within`, with the `plan` of the appliance, or with `home` and settings as in the configuration.",
    ),
  );

const away = () => s.strictObject({ from: s.text, until: s.text });

const planChange = () => {
  const amount = s.union([s.number, s.text, s.nothing]);
  return s.oneFitting([
    s.noted(
      s.strictObject({
        hours: s.optional(s.noted(amount, { examples: [3, "1h30m"] })),
        energy: s.optional(amount),
        from: s.optional(s.orNull(s.localTime)),
        ready_by: s.optional(s.orNull(s.localTime)),
        max_price: s.optional(amount),
        enabled: s.optional(s.union([s.boolean, s.text, s.nothing])),
        up_to: s.optional(amount),
        cheap_below: s.optional(s.noted(amount, { examples: [1.2, "cheap", "30%"] })),
        percent: s.optional(amount),
        days: s.optional(s.noted(s.union([s.list(s.text), s.text, s.nothing]), { examples: [["mon", "tue"]] })),
        tolerance: s.optional(amount),
        min_saving: s.optional(s.noted(amount, { examples: [0.2, "10%"] })),
        soc_target: s.optional(amount),
        soc_minimum: s.optional(amount),
        away: s.optional(s.noted(s.union([away(), s.text, s.nothing]), { examples: ["2026-07-01/2026-07-15", "off"] })),
      }),
      {
        title: "PlanChange",
        description: "Settings; null resets a setting to the value in the file.",
        minProperties: 1,
      },
    ),
    s.named("PlanCommand", s.strictObject({ command: s.oneOf(planActions) })),
  ]);
};

export const planEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "GET",
    path: "/local/v1/plans",
    operationId: "listPlans",
    scope: "read",
    summary: "All plans: state, reason, runs and settings.",
    answer: () => s.named("Plans", s.object({ now: s.instant, plans: s.list(planRow()), waiting: waiting() })),
    csv: {
      list: "plans",
      columns: {
        ...{ id: "", name: "", home: "", kind: "", state: "", code: "", on: "", next_start: "time", next_end: "time" },
        ...{ currency: "", mean_price: "{currency}/kWh", kwh: "kWh", cost: "{currency}" },
        ...{ "savings.against_now": "{currency}", "savings.against_window_start": "{currency}" },
        ...{ "savings.against_mean": "{currency}", "month.runs": "", "month.hours": "h", "month.cost": "{currency}" },
        "month.against_window_start": "{currency}",
      },
    },
    async run({ plans }, _params, { now }) {
      const known: PlanAnswer[] = [];
      await inSlices(plans.snapshots, (plan) => void known.push(planOf(plan)));
      const ids = new Set(known.map(({ id }) => id));
      const body = { now: formatInstant(now), plans: known, waiting: plans.ids.filter((id) => !ids.has(id)) };
      return { kind: "json", body };
    },
  }),
  endpoint({
    method: "GET",
    path: "/local/v1/plans/:plan",
    operationId: "getPlan",
    scope: "read",
    summary: "One plan, with its last runs and their savings by run and by month.",
    params: { plan: parameter.plan },
    answer: planSchema,
    errors: ["resource_not_found"],
    example: "/local/v1/plans/washer",
    run: (source, { plan }, { now }) => answerPlan(source, plan, now),
  }),
  endpoint({
    method: "POST",
    path: "/local/v1/plans",
    operationId: "planOnce",
    scope: "control",
    summary:
      "Saves a new plan in the configuration and activates it. With `once: true` it creates a one-time plan within the next hours, which ends by itself.",
    answer: planSchema,
    created: editedSchema,
    errors: [...EDIT_ERRORS, ...BODY_ERRORS, "not_known"],
    body: {
      schema: () => s.union([oncePlan(), entryBody("plans").schema()]),
      isCheckedByRun: true,
      example: { once: true, plan: "washer", hours: 2, within: 8 },
    },
    run(source, _params, request) {
      const { now, body } = request;
      if (typeof body !== "object" || body === null || !("once" in body) || body.once !== true)
        return changed(source, "plans", null, request);
      const done = source.plans.once(body, now);
      if (done.kind === "done") return answerPlan(source, done.plan ?? "", now);
      return refusalOf(done.why === "unreadable_setting" ? "invalid_parameter" : "conflict", done);
    },
  }),
  ...entryEndpoints("plans", "plan", "/local/v1/plans/washer"),
  endpoint({
    method: "POST",
    path: "/local/v1/plan-preview",
    operationId: "previewPlan",
    scope: "read",
    summary: "Previews a plan with the known prices, without saving it: its hours, cost and savings.",
    answer: planPreview,
    errors: ["invalid_parameter", ...BODY_ERRORS, "not_known"],
    body: entryBody("plans"),
    run: (source, _params, { now, body }) => previewed(source, body, now),
  }),
  endpoint({
    method: "POST",
    path: "/local/v1/plans/:plan",
    operationId: "changePlan",
    scope: "control",
    summary: "Changes settings of a plan, or sends it a command.",
    params: { plan: parameter.plan },
    answer: planSchema,
    errors: ["invalid_parameter", "resource_not_found", "conflict", "not_saved", ...BODY_ERRORS],
    example: "/local/v1/plans/washer",
    body: {
      schema: planChange,
      isCheckedByRun: true,
      example: { hours: 2, ready_by: "06:30" },
    },
    /** Applies the whole request, or nothing of it. */
    run(source, { plan }, { now, body }) {
      const { plans } = source;
      if (!plans.snapshot(plan)) return noPlan(source, plan);
      const wanted = wantedOf(body);
      if (wanted.kind === "error") return wanted;
      if (wanted.kind === "settings") {
        const changed = plans.change(plan, wanted.changes, now);
        if (changed.kind === "refused") return refusalOf("invalid_parameter", changed);
      } else {
        const done = plans.act(plan, wanted.action, now);
        if (done.kind === "refused") return refusalOf("conflict", done);
      }
      return answerPlan(source, plan, now);
    },
  }),
];

/** Returns the preview of a plan. A known id replaces the plan with that id in the preview. */
function previewed(
  { editor, plans }: LocalSource,
  body: unknown,
  now: EpochMs,
): Answered<s.ValueOf<typeof planPreview>> {
  const { id } = (body ?? {}) as { id?: unknown };
  const known = plans.ids.find((each) => each === id) ?? null;
  const draft = editor.draft("plans", known, body);
  if ("kind" in draft) return refusedEdit(draft);
  const index = known === null ? draft.plans.length - 1 : planIds(draft.plans).indexOf(known);
  const definition = planDefinitions(draft.plans, draft.groups)[index];
  const snapshot = definition && plans.preview(definition, now);
  if (!snapshot) return localError("not_known", message("refused.home_not_known"));
  return { kind: "json", body: { now: formatInstant(now), ...planOf(snapshot) } };
}

function answerPlan(source: LocalSource, plan: string, now: EpochMs): Answered<s.ValueOf<typeof planSchema>> {
  const snapshot = source.plans.snapshot(plan);
  if (!snapshot) return noPlan(source, plan);
  const { runs, months } = source.plans.results.detail(snapshot.definition, now);
  const history = { runs: runs.map(finishedRun), months: months.map(planMonth) };
  return { kind: "json", body: { now: formatInstant(now), ...planOf(snapshot), history } };
}

/** A plan in a response. */
export type PlanAnswer = s.ValueOf<typeof planRow>;

function planOf(plan: PlanSnapshot): PlanAnswer {
  const { id, name, home, spec, after, powerLimit } = plan.definition;
  return {
    id,
    name,
    home,
    kind: spec.kind,
    on: plan.on,
    ...planStatus(plan),
    kwh: spec.kwh ?? null,
    days: spec.days ?? null,
    use_forecast: spec.useForecast,
    after: after?.plan ?? null,
    power_limit: powerLimit,
  };
}

function refusalOf(code: LocalErrorCode, { why, reason }: RefusedCommand): LocalError {
  return { ...localError(why === "not_writable" ? "not_saved" : code, reason), refusal: why };
}

type Wanted =
  | { readonly kind: "settings"; readonly changes: ChangedSettings }
  | { readonly kind: "command"; readonly action: (typeof planActions)[number] }
  | LocalError;

function wantedOf(body: unknown): Wanted {
  const expected = message("refused.plan_body", { names: planSettings.join(", ") });
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return localError("invalid_parameter", expected);
  const entries = Object.entries(body as Record<string, unknown>);
  if (entries.length === 0) return localError("invalid_parameter", message("refused.plan_body_empty", { expected }));
  if ("command" in body) {
    const action = planActions.find((each) => each === body.command);
    if (entries.length > 1) return localError("invalid_parameter", message("refused.command_alone"));
    if (action) return { kind: "command", action };
    const actions = message("mistake.expected_one_of", { values: planActions.join(", ") });
    return localError("invalid_parameter", parameter.unexpected("command", actions, parameter.shown(body.command)));
  }
  const changes: Partial<Record<PlanSetting, string>> = {};
  for (const [name, value] of entries) {
    const setting = planSettings.find((each) => each === name);
    if (!setting) {
      const facts = { name: name.slice(0, 40), expected };
      return localError("invalid_parameter", message("refused.no_such_setting", facts));
    }
    const text = textOf(value);
    if (text === null) {
      const kinds = message("refused.setting_kind");
      return localError("invalid_parameter", parameter.unexpected(name, kinds, parameter.shown(value)));
    }
    changes[setting] = text;
  }
  return { kind: "settings", changes };
}

/**
 * Returns a value as the text of the same MQTT command; null if its type is not supported. JSON null becomes an empty
 * text, which resets a setting to the file's value.
 */
function textOf(value: unknown): string | null {
  switch (typeof value) {
    case "string":
      return value.trim();
    case "boolean":
      return value ? "ON" : "OFF";
    case "number":
      return String(value);
    default:
      if (Array.isArray(value)) return value.every((each) => typeof each === "string") ? value.join(",") : null;
      return value === null ? "" : awayOf(value);
  }
}

function awayOf(value: unknown): string | null {
  const { from, until } = (value ?? {}) as { readonly from?: unknown; readonly until?: unknown };
  return typeof from === "string" && typeof until === "string" ? `${from}/${until}` : null;
}

export function noPlan({ plans: { ids } }: LocalSource, id: string): LocalError {
  if (ids.includes(id)) return localError("not_known", message("refused.home_not_known"));
  const reason =
    ids.length > 0 ? message("refused.no_such_plan", { id, ids: ids.join(", ") }) : message("refused.no_plans", { id });
  return localError("resource_not_found", reason);
}
