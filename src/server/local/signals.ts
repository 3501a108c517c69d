/** `signal`: whether a plan wants its appliance on, in a word. */

import { planStatus } from "../../core/planning/plan-payload.ts";
import type { PlanSnapshot } from "../../core/planning/plan-snapshot.ts";
import { type LocalError, localError } from "../http/errors.ts";
import { object } from "../openapi/json-schema.ts";
import { type Endpoint, endpoint, HOME_ERRORS } from "./endpoint.ts";
import * as parameter from "./parameters.ts";
import { signalAnswer } from "./plain-text.ts";
import { named, statusProperties } from "./plan-schemas.ts";
import { noPlan } from "./plans.ts";

export const signalEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "GET",
    path: "/local/v1/signal/:plan",
    scope: "read",
    summary: "ON while a plan wants its appliance on.",
    parameters: {
      plan: parameter.plan,
      code: {
        kind: parameter.flag,
        about: "`1`: 200 while ON and 400 while OFF, for devices that see only the status.",
        example: "1",
      },
      format: parameter.format,
    },
    schema: object({ ...named, ...statusProperties }),
    text: "signal",
    errors: HOME_ERRORS,
    statuses: { 400: "With `code=1`: OFF." },
    example: "/local/v1/signal/washer?code=1",
    answer(source, { plan: id, code }, request) {
      const plan = source.plans.at(request.now).plans.find(({ definition }) => definition.id === id);
      if (!plan) return noPlan(source, id);
      const unknown = unknownSignal(plan);
      if (unknown) return unknown;
      const { on, reason, definition } = plan;
      const body = () => ({ id, name: definition.name, home: definition.home, on, ...planStatus(plan) });
      return signalAnswer({ on, reason: reason.text, status: code && !on ? 400 : 200, body }, request);
    },
  }),
];

/** Whether OFF is not what the plan wants, only what is safe while nothing is known. */
function unknownSignal({ on, state, reason }: PlanSnapshot): LocalError | null {
  const unknown =
    !on && (state === "no_prices" || reason.code === "clock_not_trusted" || reason.code === "unknown_home");
  return unknown ? localError("not_known", reason.text) : null;
}
