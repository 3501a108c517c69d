/** JSON of plans, the same over MQTT and HTTP. */

import { wire } from "../../text/wire.ts";
import { HOUR_MS } from "../../time/interval.ts";
import type { FinishedRun } from "./plan-savings.ts";
import { type PlanMonth, type PlanSnapshot, savingOf, savingOver } from "./plan-snapshot.ts";

/** Returns the state of a plan, its reason, and its cost. */
export function planStatus(plan: PlanSnapshot) {
  const { state, reason, currency, meanPrice, cost, shortfall, saving, savingPerKwh, nextStart, nextEnd, learned } =
    plan;
  const { provisional, firmAt, likelyStart, likelyEnd } = plan;
  const { month, monthBefore, lastRun } = plan.history;
  return {
    ...wire({
      state,
      reason: reason.text,
      code: reason.code,
      runs: plan.runs.map(({ start, end, basis, begun }) => ({ start, end, basis, begun })),
      currency,
      meanPrice,
      cost,
      missing: shortfall && { hours: shortfall.missingMs / HOUR_MS, why: shortfall.reason },
      saving: saving.againstWindowStart,
      savings: { ...saving, perKwh: savingPerKwh },
    }),
    last_run: lastRun && finishedRun(lastRun),
    month: planMonth(month),
    month_before: planMonth(monthBefore),
    ...wire({ nextStart, nextEnd, provisional, firmAt, likelyStart, likelyEnd }),
    settings: plan.settings,
    learned: learned ? wire(learned) : null,
  };
}

/** Returns a finished run. */
export function finishedRun(run: FinishedRun) {
  const { start, end, basis, meanPrice, kwh, measured = null } = run;
  const perKwh = savingOf(run);
  const cost = meanPrice === null || kwh === null ? null : meanPrice * kwh;
  return wire({ start, end, basis, meanPrice, cost, measured, ...savingOver(perKwh, kwh), perKwh });
}

/** Returns the totals of a month. */
export function planMonth({ saving, ...month }: PlanMonth) {
  return wire({ ...month, ...saving });
}
