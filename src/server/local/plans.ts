/** Plans over HTTP: as they are, their signals, and commands to them. */

import type { RefusedCommand } from "../../core/planning/command-refusal.ts";
import { planActions } from "../../core/planning/plan-commands.ts";
import { finishedRun, planMonth, planStatus } from "../../core/planning/plan-payload.ts";
import type { ChangedSettings, PlanSetting } from "../../core/planning/plan-settings.ts";
import { planSettings } from "../../core/planning/plan-settings.ts";
import type { PlanSnapshot } from "../../core/planning/plan-snapshot.ts";
import { formatInstant } from "../../core/time/interval.ts";
import { type LocalError, type LocalErrorCode, localError } from "../http/errors.ts";
import type { LocalAnswer } from "../http/response.ts";
import type { LocalRequest } from "../http/route.ts";
import { type LocalParams, readLocalParams } from "./parameters.ts";
import { signalAnswer, signalError, wantsJson } from "./plain-text.ts";
import type { LocalSource, PlanPast } from "./port.ts";

export function answerPlans(source: LocalSource, { now }: LocalRequest): LocalAnswer {
  return { kind: "json", body: { now: formatInstant(now), plans: source.plans(now).map(planOf) } };
}

export function answerPlan(source: LocalSource, { plan }: LocalParams<"plan">, { now }: LocalRequest): LocalAnswer {
  const found = source.plan(plan, now);
  if (!found) return noPlan(source, plan);
  return { kind: "json", body: { now: formatInstant(now), ...pastOf(found) } };
}

function planOf(plan: PlanSnapshot): object {
  const { id, name, home, spec, after, powerLimit } = plan.definition;
  return {
    id,
    name,
    home,
    kind: spec.kind,
    on: plan.on,
    ...planStatus(plan),
    kwh: "kwh" in spec ? (spec.kwh ?? null) : null,
    days: spec.days ?? null,
    use_forecast: spec.useForecast,
    after: after?.plan ?? null,
    power_limit: powerLimit,
  };
}

function pastOf({ snapshot, runs, months }: PlanPast): object {
  return { ...planOf(snapshot), history: { runs: runs.map(finishedRun), months: months.map(planMonth) } };
}

/** Settings by their name, or one command; what is asked for is done whole or not at all. */
export function changePlan(
  source: LocalSource,
  { plan }: LocalParams<"changePlan">,
  request: LocalRequest,
): LocalAnswer {
  const { now, body } = request;
  if (!source.plan(plan, now)) return noPlan(source, plan);
  const wanted = wantedOf(body);
  if (wanted.kind === "error") return wanted;
  if (wanted.kind === "settings") {
    const changed = source.change(plan, wanted.changes);
    if (changed.kind === "refused") return refusalOf("invalid_parameter", changed);
  } else {
    const done = source.act(plan, wanted.action, now);
    if (done.kind === "refused") return refusalOf("conflict", done);
  }
  return answerPlan(source, { plan }, request);
}

function refusalOf(code: LocalErrorCode, { why, reason }: RefusedCommand): LocalError {
  return { ...localError(code, reason), refusal: why };
}

type Wanted =
  | { readonly kind: "settings"; readonly changes: ChangedSettings }
  | { readonly kind: "command"; readonly action: (typeof planActions)[number] }
  | LocalError;

function wantedOf(body: unknown): Wanted {
  const expected = `expected an object with ${planSettings.join(", ")}, or with command`;
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return localError("invalid_parameter", expected);
  const entries = Object.entries(body as Record<string, unknown>);
  if (entries.length === 0) return localError("invalid_parameter", `${expected}, found nothing in it`);
  if ("command" in body) {
    const action = planActions.find((each) => each === body.command);
    if (entries.length > 1) return localError("invalid_parameter", "command: expected alone, found beside settings");
    if (action) return { kind: "command", action };
    return localError(
      "invalid_parameter",
      `command: expected one of ${planActions.join(", ")}, found ${shown(body.command)}`,
    );
  }
  const changes: Partial<Record<PlanSetting, string>> = {};
  for (const [name, value] of entries) {
    const setting = planSettings.find((each) => each === name);
    if (!setting) return localError("invalid_parameter", `${name.slice(0, 40)} is no setting; ${expected}`);
    const text = textOf(value);
    if (text === null)
      return localError(
        "invalid_parameter",
        `${name}: expected a number, a text, true, false or null, found ${shown(value)}`,
      );
    changes[setting] = text;
  }
  return { kind: "settings", changes };
}

/** A value as it is commanded over MQTT; null takes the file's, as an empty text does there. */
function textOf(value: unknown): string | null {
  switch (typeof value) {
    case "string":
      return value.trim();
    case "boolean":
      return value ? "ON" : "OFF";
    case "number":
      return String(value);
    default:
      return value === null ? "" : null;
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 60);
}

export function answerSignal(source: LocalSource, request: LocalRequest): LocalAnswer {
  const json = wantsJson(request.query.get("format"), request);
  const reading = readLocalParams("signal", request);
  if (reading.kind === "error") return json ? reading : signalError(reading);
  const { plan: id, code } = reading.params;
  const plan = source.plans(request.now).find(({ definition }) => definition.id === id);
  const answer = plan ? (unknownSignal(plan) ?? plan) : noPlan(source, id);
  if ("code" in answer) return json ? answer : signalError(answer);
  const status = code && !answer.on ? 400 : 200;
  if (!json) return signalAnswer(answer.on, answer.reason.text, status);
  const { name, home } = answer.definition;
  return { kind: "json", status, body: { id, name, home, on: answer.on, ...planStatus(answer) } };
}

/** Whether OFF is not what the plan wants, only what is safe while nothing is known. */
function unknownSignal({ on, state, reason }: PlanSnapshot): LocalError | null {
  const unknown =
    !on && (state === "no_prices" || reason.code === "clock_not_trusted" || reason.code === "unknown_home");
  return unknown ? localError("not_known", reason.text) : null;
}

function noPlan(source: LocalSource, id: string): LocalError {
  const ids = source.planIds();
  if (ids.includes(id)) return localError("not_known", "nothing is known of its home yet");
  const known = ids.length > 0 ? `there is ${ids.join(", ")}` : "none is configured";
  return localError("resource_not_found", `there is no plan "${id}"; ${known}`);
}
