/** Types of the daemon's responses, taken from the code that makes them. */

import type { SessionAnswer } from "../api/dashboard-routes.ts";
import type { SystemReport } from "../api/monitoring/system-report.ts";
import type { MonthAnswer as Month } from "../api/month.ts";
import type { PlanAnswer } from "../api/plan-schemas.ts";
import type { PriceRowAnswer } from "../api/prices.ts";
import type { UsageRowAnswer } from "../api/results.ts";
import type { Row } from "../core/series/series.ts";

export type Session = SessionAnswer;
export type Home = NonNullable<Session["house"]>["homes"][number];
export type Plan = PlanAnswer;
export type MonthAnswer = Month;
export type System = SystemReport;
export type Problem = System["problems"][number];

/** Response of `GET /local/v1/plans`. */
export interface PlansAnswer {
  readonly plans: readonly Plan[];
  readonly waiting: readonly string[];
}

/** A plug in the response of `GET /local/v1/plugs`: the fields that the page uses. */
export interface Plug {
  readonly id: string;
  readonly name: string;
  readonly plans: readonly string[];
  readonly home: string | null;
  readonly signal_topic: string | null;
  readonly on: boolean | null;
  readonly available: boolean | null;
  readonly problem: boolean;
  /** Absent for a plug that has measured nothing. */
  readonly watts?: number | null;
  readonly month?: { readonly kwh: number; readonly cost: number | null; readonly currency: string | null };
}

/** Response of `GET /local/v1/prices`: the fields that the page uses. */
export interface PricesAnswer {
  readonly currency: string | null;
  readonly vat_included: boolean | null;
  readonly prices: readonly PriceRowAnswer[];
}

/** Response of `GET /local/v1/usage`: the fields that the page uses. */
export interface UsageAnswer {
  readonly unit: string;
  readonly rows: readonly UsageRowAnswer[];
}

/** An hour of consumption, costs, export or revenue. The service may send more fields. */
export interface EnergyAnswer {
  readonly currency?: string | null;
  readonly data: readonly Row[];
}
