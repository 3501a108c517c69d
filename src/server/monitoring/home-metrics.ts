/** Metrics of prices, plans and plugs. */

import type { PlanSnapshot } from "../../core/planning/plan-snapshot.ts";
import { planStates } from "../../core/planning/plan-state-machine.ts";
import type { PlugSnapshot } from "../../core/plugs/plug-snapshot.ts";
import type { HomeSnapshot } from "../../core/prices/home-snapshot.ts";
import { levels } from "../../core/prices/level.ts";
import { HOUR_MS } from "../../core/time/interval.ts";
import { type MetricMoment, type MetricRow, metric, seconds } from "./metric.ts";

type Read<Of> = (of: Of, moment: MetricMoment) => number | null;

function perHome(name: string, help: string, read: Read<HomeSnapshot>): MetricRow {
  return metric(name, help, ["home"], (moment) =>
    moment.homes.map(({ home, snapshot }) => [[home.id], read(snapshot, moment)]),
  );
}

/** Returns a metric that homes and places have. */
function perHomeAndPlace(name: string, help: string, read: Read<Pick<HomeSnapshot, "level" | "cheap">>): MetricRow {
  return metric(name, help, ["home"], (moment) => [
    ...moment.homes.map(({ home, snapshot }) => [[home.id], read(snapshot, moment)] as const),
    ...moment.places.map((snapshot) => [[snapshot.place.id], read(snapshot, moment)] as const),
  ]);
}

function perPlan(name: string, help: string, read: Read<PlanSnapshot>): MetricRow {
  return metric(name, help, ["home", "plan"], (moment) =>
    moment.plans.map((plan) => [[plan.definition.home, plan.definition.id], read(plan, moment)]),
  );
}

function perPlug(name: string, help: string, read: (plug: PlugSnapshot) => boolean | null): MetricRow {
  return metric(name, help, ["plug"], ({ plugs }) => plugs.map((plug) => [[plug.id], bit(read(plug))]));
}

function bit(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}

/** Every metric of prices, plans and plugs. */
export const houseMetricRows: readonly MetricRow[] = [
  metric(
    "elbro_price_per_kwh",
    "The price now of a home or place, all charges in that are known; absent while there is none.",
    ["home", "currency"],
    ({ homes, places }) => [
      ...homes.map(({ home: { id }, snapshot }) => [[id, snapshot.currency ?? ""], priceOf(snapshot)] as const),
      ...places.map((snapshot) => [[snapshot.place.id, snapshot.place.currency], priceOf(snapshot)] as const),
    ],
  ),
  perHome("elbro_price_estimated", "Whether the price now is an estimate.", ({ current }) =>
    bit(current?.estimate ?? null),
  ),
  perHomeAndPlace(
    "elbro_price_level",
    `The level of the price now: ${levels.map((level, i) => `${i} ${level}`).join(", ")}.`,
    ({ level }) => (level === null ? null : levels.indexOf(level)),
  ),
  perHome(
    "elbro_price_rank",
    "The place of the price now among those of today; 1 is the cheapest.",
    ({ rank }) => rank,
  ),
  perHome(
    "elbro_prices_known_seconds",
    "How far ahead the confirmed prices of today and tomorrow reach.",
    ({ today, tomorrow }, { now }) => {
      const end = tomorrow.at(-1)?.end ?? today.at(-1)?.end;
      return end === undefined ? null : Math.max(0, seconds(end - now));
    },
  ),
  perHomeAndPlace("elbro_cheap", "Whether the price now is cheap or very cheap: the signal cheap.", ({ cheap }) =>
    bit(cheap),
  ),
  perPlan("elbro_plan_on", "Whether a plan is ON.", ({ on }) => Number(on)),
  metric(
    "elbro_plan_state",
    "1 for the state a plan is in, 0 for the others.",
    ["home", "plan", "state"],
    ({ plans }) =>
      plans.flatMap(({ definition: { home, id }, state }) =>
        planStates.map((each) => [[home, id, each], Number(each === state)] as const),
      ),
  ),
  perPlan("elbro_plan_planned_seconds", "How long a plan still runs in its present round.", ({ runs }, { now }) =>
    runs.reduce((sum, { start, end }) => sum + seconds(Math.max(0, end - Math.max(start, now))), 0),
  ),
  perPlan(
    "elbro_plan_next_start_seconds",
    "Time until a plan goes ON next; absent while nothing is planned.",
    ({ nextStart }, { now }) => (nextStart === null ? null : seconds(nextStart - now)),
  ),
  perPlan(
    "elbro_plan_month_seconds",
    "How long a plan ran this month; from the database, restarts included.",
    ({ history: { month } }) => seconds(month.hours * HOUR_MS),
  ),
  perPlan(
    "elbro_plan_month_cost",
    "What the runs of this month cost, in the currency of the home; where the plan tells its energy.",
    ({ history: { month } }) => month.cost,
  ),
  metric(
    "elbro_plan_month_saving",
    "What the runs of this month cost less than starting when their windows opened, or than the mean of the window.",
    ["home", "plan", "against"],
    ({ plans }) =>
      plans.flatMap(({ definition: { home, id }, history: { month } }) => [
        [[home, id, "window_start"], month.saving.againstWindowStart] as const,
        [[home, id, "mean"], month.saving.againstMean] as const,
      ]),
  ),
  perPlug("elbro_plug_on", "Whether a plug says that it is ON; absent while it has not told.", ({ on }) => on),
  perPlug("elbro_plug_wanted", "Whether a plug is to be ON.", ({ wanted }) => wanted),
  perPlug(
    "elbro_plug_available",
    "Whether a plug can be reached; absent while it has said nothing.",
    ({ available }) => available,
  ),
];

function priceOf({ current }: { readonly current: { readonly price: number } | null }): number | null {
  return current?.price ?? null;
}
