/** The public topics of a plan, made from its snapshot. */
import { type EpochMs, formatInstant } from "../core/interval.ts";
import type { FinishedRun } from "../core/plan-savings.ts";
import { type PlanMonth, type PlanSaving, type PlanSnapshot, savingOf, savingOver } from "../core/plan-snapshot.ts";
import { rounded } from "../core/rounding.ts";
import type { Message } from "./message.ts";

/** Where a plan stands below the base topic. */
export function planPath({ definition }: Pick<PlanSnapshot, "definition">): string {
  return `${definition.home}/plan/${definition.id}`;
}

/** Every state topic of a plan. `base` is the base topic, without a slash at its end. */
export function planMessages(base: string, plan: PlanSnapshot): Message[] {
  const topic = `${base}/${planPath(plan)}`;
  return [
    { topic, payload: plan.on ? "ON" : "OFF", heartbeat: true },
    { topic: `${topic}/state`, payload: JSON.stringify(stateOf(plan)) },
  ];
}

function stateOf(plan: PlanSnapshot): object {
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
    mean_price: figure(plan.meanPrice),
    cost: figure(plan.cost),
    saving: figure(plan.saving.againstNow),
    savings: { ...saving(plan.saving), per_kwh: saving(plan.savingPerKwh) },
    last_run: lastRun && runOf(lastRun),
    month: monthOf(month),
    month_before: monthOf(monthBefore),
    next_start: instant(plan.nextStart),
    next_end: instant(plan.nextEnd),
    settings: plan.settings,
  };
}

function runOf(run: FinishedRun): object {
  const { start, end, basis, meanPrice, kwh } = run;
  const perKwh = savingOf(run);
  return {
    start: formatInstant(start),
    end: formatInstant(end),
    basis,
    mean_price: figure(meanPrice),
    cost: meanPrice === null || kwh === null ? null : rounded(meanPrice * kwh),
    ...saving(savingOver(perKwh, kwh)),
    per_kwh: saving(perKwh),
  };
}

function monthOf(month: PlanMonth): object {
  return {
    start: formatInstant(month.start),
    runs: month.runs,
    hours: rounded(month.hours),
    cost: figure(month.cost),
    ...saving(month.saving),
  };
}

function saving({ againstNow, againstMean }: PlanSaving): object {
  return { against_now: figure(againstNow), against_mean: figure(againstMean) };
}

function figure(value: number | null): number | null {
  return value === null ? null : rounded(value);
}

function instant(at: EpochMs | null): string | null {
  return at === null ? null : formatInstant(at);
}
