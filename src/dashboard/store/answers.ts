/** Types of the daemon's responses, taken from its endpoints. */

import type { AnswerOf } from "../../api/calls.ts";
import type { Row } from "../../core/series/series.ts";

export type Session = AnswerOf<"GET /local/v1/session">;
export type HomeAnswer = NonNullable<Session["house"]>["homes"][number];
export type Plan = AnswerOf<"GET /local/v1/plans">["plans"][number];
export type ListedPlug = AnswerOf<"GET /local/v1/plugs">["plugs"][number];
export type MonthAnswer = AnswerOf<"GET /local/v1/month">;
export type System = AnswerOf<"GET /local/v1/system">;
export type ProblemAnswer = System["problems"][number];
export type PricesAnswer = AnswerOf<"GET /local/v1/prices">;
export type UsageAnswer = AnswerOf<"GET /local/v1/usage">;
/** Response to a change of the configuration. */
export type EditAnswer = AnswerOf<"PUT /local/v1/plans/:plan">;

/** An hour of consumption, costs, export or revenue. The service may send more fields. */
export type EnergyAnswer = { readonly currency?: string | null; readonly data: readonly Row[] };
