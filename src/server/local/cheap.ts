/** `cheap`: a plan that nobody configured, answered for the moment. */

import { cheapSpec } from "../../core/planning/cheap-query.ts";
import { planStatus } from "../../core/planning/plan-payload.ts";
import { type EpochMs, formatInstant, SECOND_MS } from "../../core/time/interval.ts";
import type { CheapAnswer } from "../../state/cheap-queries.ts";
import { type LocalError, localError } from "../http/errors.ts";
import type { LocalAnswer } from "../http/response.ts";
import type { LocalRequest } from "../http/route.ts";
import { type LocalParams, readLocalParams } from "./parameters.ts";
import { signalAnswer, signalError, wantsJson } from "./plain-text.ts";
import type { LocalSource, PriceView } from "./port.ts";
import { viewNamed } from "./prices.ts";

export function answerCheap(source: LocalSource, request: LocalRequest): LocalAnswer {
  const json = wantsJson(request.query.get("format"), request);
  const asked = ask(source, request);
  if (asked.kind === "error") return json ? asked : signalError(asked);
  const { view, answer } = asked;
  if (!answer.isKnown) {
    const error = { ...localError("not_known", answer.plan.reason.text), ...retryAfter(answer, request.now) };
    return json ? error : signalError(error);
  }
  if (!json) return signalAnswer(answer.plan.on, answer.plan.reason.text);
  return { kind: "json", body: bodyOf(view, answer, request.now) };
}

type Asked = { readonly kind: "asked"; readonly view: PriceView; readonly answer: CheapAnswer } | LocalError;

function ask(source: LocalSource, request: LocalRequest): Asked {
  const reading = readLocalParams("cheap", request);
  if (reading.kind === "error") return reading;
  const { params } = reading;
  const view = viewNamed(source, params.home, request.now);
  if (view.kind === "error") return view;
  const read = cheapSpec(settingsOf(params));
  if (read.kind === "mistake") return localError("invalid_parameter", read.text);
  return { kind: "asked", view, answer: source.askCheap(view, read.spec, request.now) };
}

function settingsOf({ kind, hours, from, ready_by, max_price }: LocalParams<"cheap">) {
  return { kind: kind ?? "window", hoursMs: hours, from, readyBy: ready_by, maxPrice: max_price } as const;
}

function bodyOf(view: PriceView, { plan, window, until }: CheapAnswer, now: EpochMs): object {
  const { last_run: _run, month: _month, month_before: _before, settings, ...status } = planStatus(plan);
  const { enabled: _enabled, ...asked } = settings;
  return {
    now: formatInstant(now),
    id: view.id,
    name: view.name,
    on: plan.on,
    ...status,
    asked: {
      kind: plan.definition.spec.kind,
      ...Object.fromEntries(Object.entries(asked).map(([name, { value }]) => [name, value])),
    },
    window: window && { start: formatInstant(window.start), end: formatInstant(window.end) },
    until: until === null ? null : formatInstant(until),
  };
}

/** At the latest in a quarter of an hour: prices may come before anything changes by itself. */
const MAX_RETRY_SEC = 900;

function retryAfter({ until }: CheapAnswer, now: EpochMs): { readonly retryAfterSec: number } {
  const left = until === null ? MAX_RETRY_SEC : Math.ceil((until - now) / SECOND_MS);
  return { retryAfterSec: Math.max(1, Math.min(left, MAX_RETRY_SEC)) };
}
