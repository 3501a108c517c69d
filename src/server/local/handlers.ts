/** The operations of `/local/v1`, each as one function from a request to its answer. */
import type { LocalAnswer } from "../http/response.ts";
import type { LocalRequest } from "../http/route.ts";
import { answerCheap } from "./cheap.ts";
import { type LocalParams, readLocalParams } from "./parameters.ts";
import { answerPlan, answerPlans, answerSignal, changePlan } from "./plans.ts";
import type { LocalSource } from "./port.ts";
import { answerFormat, answerNow, answerPrices } from "./prices.ts";
import type { LocalOperationId } from "./routes.ts";

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
