/** Endpoints that list, save, preview, change and command plans. */

import { entryId } from "../../config/entry-list.ts";
import { planDefinitions } from "../../config/plan-list.ts";
import { message } from "../../core/language/text.ts";
import { finishedRun, planMonth, planStatus } from "../../core/planning/snapshot/plan-payload.ts";
import type { PlanSnapshot } from "../../core/planning/snapshot/plan-snapshot.ts";
import { type EpochMs, formatInstant } from "../../core/time/interval.ts";
import { type LocalError, localError } from "../../http/errors.ts";
import { inSlices } from "../../state/slices.ts";
import { type Answered, endpoint } from "../endpoint.ts";
import * as parameter from "../parameters.ts";
import * as s from "../schema.ts";
import {
  BODY_ERRORS,
  changed,
  editByBody,
  editedSchema,
  entryBody,
  entryEndpoints,
  refusedEdit,
} from "../settings/configuration.ts";
import type { LocalSource } from "./local-source.ts";
import { commandError, planWish } from "./plan-change.ts";
import { oncePlan, type PlanAnswer, planChange, planDetail, planPreview, planRow, waiting } from "./plan-schemas.ts";

export const planEndpoints = [
  endpoint("GET /local/v1/plans", "listPlans", "read", {
    summary: "All plans: state, reason, runs and settings.",
    answer: () => s.namedObject("Plans", { now: s.instant, plans: s.list(planRow()), waiting: waiting() }),
    csv: {
      list: "plans",
      columns: `id name home kind state code on next_start:time next_end:time provisional likely_start:time likely_end:time currency
        mean_price:{currency}/kWh kwh:kWh cost:{currency} savings.against_now:{currency}
        savings.against_window_start:{currency} savings.against_mean:{currency} month.runs
        month.hours:h month.cost:{currency} month.against_window_start:{currency}`,
    },
    async run({ plans }, _params, { now }) {
      const known: PlanAnswer[] = [];
      await inSlices(plans.snapshots, (plan) => void known.push(planOf(plan)));
      return { kind: "json", body: { now: formatInstant(now), plans: known, waiting: plans.waiting } };
    },
  }),
  endpoint("GET /local/v1/plans/:plan", "getPlan", "read", {
    summary: "One plan, with its last runs and their savings by run and by month.",
    params: { plan: parameter.plan },
    answer: planDetail,
    errors: ["resource_not_found"],
    example: "/local/v1/plans/washer",
    run: (source, { plan }, { now }) => answerPlan(source, plan, now),
  }),
  endpoint("POST /local/v1/plans", "planOnce", "control", {
    summary:
      "Saves a new plan in the configuration and activates it. With `once: true` it creates a one-time plan within the next hours, which ends by itself.",
    answer: planDetail,
    created: editedSchema,
    errors: [...editByBody.errors, "not_known"],
    body: {
      schema: () => s.union([oncePlan(), entryBody("plans").schema()]),
      isCheckedByRun: true,
      example: { once: true, plan: "washer", hours: 2, within: 8 },
    },
    run(source, _params, request) {
      const { now, body, caller } = request;
      if (typeof body !== "object" || body === null || !("once" in body) || body.once !== true)
        return changed(source, "plans", null, request);
      const done = source.plans.once(body, now, caller);
      if (done.kind === "done") return answerPlan(source, done.plan, now);
      return commandError(done.why === "unreadable_setting" ? "invalid_parameter" : "conflict", done);
    },
  }),
  ...entryEndpoints("plans", "plan", "/local/v1/plans/washer"),
  endpoint("POST /local/v1/plan-preview", "previewPlan", "read", {
    summary: "Previews a plan with the known prices, without saving it: its hours, cost and savings.",
    answer: planPreview,
    errors: ["invalid_parameter", ...BODY_ERRORS, "not_known"],
    body: entryBody("plans"),
    isLogged: false,
    run: (source, _params, { now, body }) => previewed(source, body, now),
  }),
  endpoint("POST /local/v1/plans/:plan", "changePlan", "control", {
    summary: "Changes settings of a plan, or sends it a command.",
    params: { plan: parameter.plan },
    answer: planDetail,
    errors: ["invalid_parameter", "resource_not_found", "conflict", "not_saved", ...BODY_ERRORS],
    example: "/local/v1/plans/washer",
    body: { schema: planChange, isCheckedByRun: true, example: { hours: 2, ready_by: "06:30" } },
    /** Applies the whole request, or nothing of it. */
    run(source, { plan }, request) {
      const { now, body, caller } = request;
      const { plans } = source;
      if (!plans.snapshot(plan)) return noPlan(source, plan);
      const wanted = planWish(body);
      if (wanted.kind === "error") return wanted;
      if (wanted.kind === "settings") {
        const changed = plans.commands.change(plan, wanted.changes, now, caller);
        if (changed.kind === "refused") return commandError("invalid_parameter", changed);
      } else {
        const done = plans.commands.act(plan, wanted.action, now, caller);
        if (done.kind === "refused") return commandError("conflict", done);
      }
      return answerPlan(source, plan, now);
    },
  }),
];

/** Returns the preview of a plan. A known id replaces the plan with that id in the preview. */
function previewed(source: LocalSource, body: unknown, now: EpochMs): Answered<s.ValueOf<typeof planPreview>> {
  const { editor, plans } = source;
  const { id } = (body ?? {}) as { id?: unknown };
  const known = plans.ids.find((each) => each === id) ?? null;
  const draft = editor.draft("plans", known, body);
  if ("kind" in draft) return refusedEdit(draft);
  const index = known === null ? draft.plans.length - 1 : draft.plans.map(entryId).indexOf(known);
  const definition = planDefinitions(draft.plans, draft.groups)[index];
  const snapshot = definition && plans.preview(definition, now);
  if (snapshot) return { kind: "json", body: { now: formatInstant(now), ...planOf(snapshot) } };
  const homes = source.list().map(({ id: home }) => home);
  if (!definition || homes.length === 0 || homes.includes(definition.home))
    return localError("not_known", message("refused.home_not_known"));
  return localError("invalid_parameter", message("found.home", { known: homes.join(", "), found: definition.home }));
}

function answerPlan(source: LocalSource, plan: string, now: EpochMs): Answered<s.ValueOf<typeof planDetail>> {
  const snapshot = source.plans.snapshot(plan);
  if (!snapshot) return noPlan(source, plan);
  const { runs, months } = source.plans.results.detail(snapshot.definition, now);
  const history = { runs: runs.map(finishedRun), months: months.map(planMonth) };
  return { kind: "json", body: { now: formatInstant(now), ...planOf(snapshot), history } };
}

function planOf(plan: PlanSnapshot): PlanAnswer {
  const { id, name, icon = "plug", home, spec, after } = plan.definition;
  return {
    id,
    name,
    icon,
    home,
    kind: spec.kind,
    on: plan.on,
    ...planStatus(plan),
    kwh: spec.kwh ?? null,
    days: spec.days ?? null,
    after: after?.plan ?? null,
  };
}

export function noPlan({ plans: { ids } }: LocalSource, id: string): LocalError {
  if (ids.includes(id)) return localError("not_known", message("refused.home_not_known"));
  const reason =
    ids.length > 0 ? message("refused.no_such_plan", { id, ids: ids.join(", ") }) : message("refused.no_plans", { id });
  return localError("resource_not_found", reason);
}
