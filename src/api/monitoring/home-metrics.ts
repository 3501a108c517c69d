/** Metrics of prices, plans and plugs. */

import { planStates } from "../../core/planning/plan-state-machine.ts";
import type { PlanSnapshot } from "../../core/planning/snapshot/plan-snapshot.ts";
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

export const houseMetricRows: readonly MetricRow[] = [
  metric(
    "elbro_price_per_kwh",
    "Current price of a home or place, including all known charges; absent if it is not known.",
    ["home", "currency"],
    ({ homes, places }) => [
      ...homes.map(({ home: { id }, snapshot }) => [[id, snapshot.currency ?? ""], priceOf(snapshot)] as const),
      ...places.map((snapshot) => [[snapshot.place.id, snapshot.place.currency], priceOf(snapshot)] as const),
    ],
  ),
  perHome("elbro_price_estimated", "1 if the current price is an estimate.", ({ current }) =>
    bit(current?.estimate ?? null),
  ),
  perHomeAndPlace(
    "elbro_price_level",
    `Level of the current price: ${levels.map((level, i) => `${i} ${level}`).join(", ")}.`,
    ({ level }) => (level === null ? null : levels.indexOf(level)),
  ),
  perHome("elbro_price_rank", "Rank of the current price today; 1 is the cheapest.", ({ rank }) => rank),
  perHome(
    "elbro_prices_known_seconds",
    "Time until the end of the confirmed prices of today and tomorrow.",
    ({ today, tomorrow }, { now }) => {
      const end = tomorrow.at(-1)?.end ?? today.at(-1)?.end;
      return end === undefined ? null : Math.max(0, seconds(end - now));
    },
  ),
  perHomeAndPlace("elbro_cheap", "1 if the current price is cheap or very cheap (the signal cheap).", ({ cheap }) =>
    bit(cheap),
  ),
  perPlan("elbro_plan_on", "1 if a plan is ON.", ({ on }) => Number(on)),
  metric(
    "elbro_plan_state",
    "1 for the current state of a plan, 0 for the others.",
    ["home", "plan", "state"],
    ({ plans }) =>
      plans.flatMap(({ definition: { home, id }, state }) =>
        planStates.map((each) => [[home, id, each], Number(each === state)] as const),
      ),
  ),
  perPlan("elbro_plan_planned_seconds", "Remaining run time of a plan in its current round.", ({ runs }, { now }) =>
    runs.reduce((sum, { start, end }) => sum + seconds(Math.max(0, end - Math.max(start, now))), 0),
  ),
  perPlan(
    "elbro_plan_next_start_seconds",
    "Time until a plan next switches ON; absent if nothing is planned.",
    ({ nextStart }, { now }) => (nextStart === null ? null : seconds(nextStart - now)),
  ),
  perPlan(
    "elbro_plan_month_seconds",
    "Run time of a plan this month, including runs before a restart.",
    ({ history: { month } }) => seconds(month.hours * HOUR_MS),
  ),
  perPlan(
    "elbro_plan_month_cost",
    "Cost of this month's runs in the currency of the home, if the plan has an energy.",
    ({ history: { month } }) => month.cost,
  ),
  metric(
    "elbro_plan_month_saving",
    "Savings of this month's runs compared with starting when their windows opened, or with the mean of the window.",
    ["home", "plan", "against"],
    ({ plans }) =>
      plans.flatMap(({ definition: { home, id }, history: { month } }) => [
        [[home, id, "window_start"], month.saving.againstWindowStart] as const,
        [[home, id, "mean"], month.saving.againstMean] as const,
      ]),
  ),
  perPlug("elbro_plug_on", "1 if a plug reports ON; absent if it has not reported.", ({ on }) => on),
  perPlug("elbro_plug_wanted", "1 if a plug should be ON.", ({ wanted }) => wanted),
  perPlug(
    "elbro_plug_available",
    "1 if a plug is reachable; absent if it has not reported.",
    ({ available }) => available,
  ),
  metric("elbro_plug_watts", "Power that a plug measures; absent if it measures none.", ["plug"], ({ plugs }) =>
    plugs.map(({ id, measured }) => [[id], measured?.watts ?? null]),
  ),
  metric("elbro_plug_month_kwh", "Energy of this month as a plug measured it.", ["plug"], ({ plugs }) =>
    plugs.map(({ id, measured }) => [[id], measured?.month.kwh ?? null]),
  ),
];

function priceOf({ current }: { readonly current: { readonly price: number } | null }): number | null {
  return current?.price ?? null;
}
