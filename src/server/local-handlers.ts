/** The operations of `/local/v1`, each as one function from a request to its answer. */
import type { LocalAnswer } from "./local-answer.ts";
import { answerCheap } from "./local-cheap.ts";
import { type LocalParams, readLocalParams } from "./local-parameters.ts";
import type { LocalOperationId } from "./local-paths.ts";
import { answerPlan, answerPlans, answerSignal, changePlan } from "./local-plans.ts";
import { answerFormat, answerNow, answerPrices } from "./local-prices.ts";
import type { LocalRequest } from "./local-route.ts";
import type { LocalSource } from "./local-source.ts";

export type LocalHandlers = { readonly [Id in LocalOperationId]: (request: LocalRequest) => LocalAnswer };

export function localHandlers(source: LocalSource): LocalHandlers {
  return {
    now: reading("now", (params, request) => answerNow(source, params, request)),
    prices: reading("prices", (params, request) => answerPrices(source, params, request)),
    plans: (request) => answerPlans(source, request),
    plan: reading("plan", (params, request) => answerPlan(source, params, request)),
    changePlan: reading("changePlan", (params, request) => changePlan(source, params, request)),
    // Their errors are words too.
    cheap: (request) => answerCheap(source, request),
    signal: (request) => answerSignal(source, request),
    format: reading("format", (params, request) => answerFormat(source, params, request)),
  };
}

function reading<Id extends LocalOperationId>(
  id: Id,
  answer: (params: LocalParams<Id>, request: LocalRequest) => LocalAnswer,
): (request: LocalRequest) => LocalAnswer {
  return (request) => {
    const read = readLocalParams(id, request);
    return read.kind === "error" ? read : answer(read.params, request);
  };
}
