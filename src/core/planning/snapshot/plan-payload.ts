/** JSON of plans, the same over MQTT and HTTP. */

import { rounded, roundedOrNull } from "../../text/rounding.ts";
import { formatInstant, formatInstantOrNull, HOUR_MS } from "../../time/interval.ts";
import type { FinishedRun } from "./plan-savings.ts";
import { type PlanMonth, type PlanSaving, type PlanSnapshot, savingOf, savingOver } from "./plan-snapshot.ts";

/** Returns the state of a plan, its reason, and its cost. */
export function planStatus(plan: PlanSnapshot) {
  const { month, monthBefore, lastRun } = plan.history;
  return {
    state: plan.state,
    reason: plan.reason.text,
    code: plan.reason.code,
    runs: plan.runs.map(({ start, end, basis, begun }) => ({
      start: formatInstant(start),
      end: formatInstant(end),
      basis,
      begun,
    })),
    currency: plan.currency,
    mean_price: roundedOrNull(plan.meanPrice),
    cost: roundedOrNull(plan.cost),
    missing: plan.shortfall && { hours: rounded(plan.shortfall.missingMs / HOUR_MS), why: plan.shortfall.reason },
    saving: roundedOrNull(plan.saving.againstWindowStart),
    savings: { ...saving(plan.saving), per_kwh: saving(plan.savingPerKwh) },
    last_run: lastRun && finishedRun(lastRun),
    month: planMonth(month),
    month_before: planMonth(monthBefore),
    next_start: formatInstantOrNull(plan.nextStart),
    next_end: formatInstantOrNull(plan.nextEnd),
    settings: plan.settings,
    learned: plan.learned
      ? {
          runs: plan.learned.runs,
          kwh: rounded(plan.learned.kwh),
          profile: plan.learned.profile.map((part) => rounded(part)),
          frozen: plan.learned.frozen,
        }
      : null,
  };
}

/** Returns a finished run. */
export function finishedRun(run: FinishedRun) {
  const { start, end, basis, meanPrice, kwh, measured = null } = run;
  const perKwh = savingOf(run);
  return {
    start: formatInstant(start),
    end: formatInstant(end),
    basis,
    mean_price: roundedOrNull(meanPrice),
    cost: meanPrice === null || kwh === null ? null : rounded(meanPrice * kwh),
    measured: measured && { kwh: rounded(measured.kwh), cost: roundedOrNull(measured.cost) },
    ...saving(savingOver(perKwh, kwh)),
    per_kwh: saving(perKwh),
  };
}

/** Returns the totals of a month. */
export function planMonth(month: PlanMonth) {
  return {
    start: formatInstant(month.start),
    runs: month.runs,
    hours: rounded(month.hours),
    cost: roundedOrNull(month.cost),
    ...saving(month.saving),
  };
}

function saving({ againstNow, againstWindowStart, againstMean }: PlanSaving) {
  return {
    against_now: roundedOrNull(againstNow),
    against_window_start: roundedOrNull(againstWindowStart),
    against_mean: roundedOrNull(againstMean),
  };
}
