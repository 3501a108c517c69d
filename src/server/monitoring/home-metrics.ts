/** The figures of the house: prices, plans and plugs. */

import type { PlanSnapshot } from "../../core/planning/plan-snapshot.ts";
import { planStates } from "../../core/planning/plan-state-machine.ts";
import type { PlugSnapshot } from "../../core/plugs/plug-snapshot.ts";
import type { HomeSnapshot } from "../../core/prices/home-snapshot.ts";
import { levels } from "../../core/prices/level.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import { type MetricMoment, type MetricRow, seconds } from "./metric.ts";

function perHome(read: (snapshot: HomeSnapshot, moment: MetricMoment) => number | null): MetricRow["samples"] {
  return (moment) =>
    moment.homes.map(({ home, snapshot }) => ({ labels: { home: home.id }, value: read(snapshot, moment) }));
}

/** What is known of a place as it is of a home. */
function perHomeAndPlace(
  read: (snapshot: Pick<HomeSnapshot, "level" | "cheap">) => number | null,
): MetricRow["samples"] {
  const ofHomes = perHome(read);
  return (moment) => [
    ...ofHomes(moment),
    ...moment.places.map((snapshot) => ({ labels: { home: snapshot.place.id }, value: read(snapshot) })),
  ];
}

function perPlan(read: (plan: PlanSnapshot, moment: MetricMoment) => number | null): MetricRow["samples"] {
  return (moment) =>
    moment.plans.map((plan) => ({
      labels: { home: plan.definition.home, plan: plan.definition.id },
      value: read(plan, moment),
    }));
}

function perPlug(read: (plug: PlugSnapshot) => boolean | null): MetricRow["samples"] {
  return ({ plugs }) => plugs.map((plug) => ({ labels: { plug: plug.id }, value: bit(read(plug)) }));
}

function bit(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}

/** Seconds from now to an instant. */
function ahead(at: EpochMs | null | undefined, now: EpochMs): number | null {
  return at === null || at === undefined ? null : seconds(at - now);
}

/** Every figure of the house. */
export const houseMetricRows: readonly MetricRow[] = [
  {
    name: "elbro_price_per_kwh",
    type: "gauge",
    help: "The price now of a home or place, all charges in that are known; absent while there is none.",
    labels: ["home", "currency"],
    samples: ({ homes, places }) => [
      ...homes.map(({ home, snapshot: { current, currency } }) => ({
        labels: { home: home.id, currency: currency ?? "" },
        value: current?.price ?? null,
      })),
      ...places.map(({ place, current }) => ({
        labels: { home: place.id, currency: place.currency },
        value: current?.price ?? null,
      })),
    ],
  },
  {
    name: "elbro_price_estimated",
    type: "gauge",
    help: "Whether the price now is an estimate.",
    labels: ["home"],
    samples: perHome(({ current }) => bit(current?.estimate ?? null)),
  },
  {
    name: "elbro_price_level",
    type: "gauge",
    help: `The level of the price now: ${levels.map((level, i) => `${i} ${level}`).join(", ")}.`,
    labels: ["home"],
    samples: perHomeAndPlace(({ level }) => (level === null ? null : levels.indexOf(level))),
  },
  {
    name: "elbro_price_rank",
    type: "gauge",
    help: "The place of the price now among those of today; 1 is the cheapest.",
    labels: ["home"],
    samples: perHome(({ rank }) => rank),
  },
  {
    name: "elbro_prices_known_seconds",
    type: "gauge",
    help: "How far ahead the confirmed prices of today and tomorrow reach.",
    labels: ["home"],
    samples: perHome(({ today, tomorrow }, { now }) => {
      const end = tomorrow.at(-1)?.end ?? today.at(-1)?.end;
      return end === undefined ? null : Math.max(0, seconds(end - now));
    }),
  },
  {
    name: "elbro_cheap",
    type: "gauge",
    help: "Whether the price now is cheap or very cheap: the signal cheap.",
    labels: ["home"],
    samples: perHomeAndPlace(({ cheap }) => bit(cheap)),
  },
  {
    name: "elbro_plan_on",
    type: "gauge",
    help: "Whether a plan is ON.",
    labels: ["home", "plan"],
    samples: perPlan(({ on }) => Number(on)),
  },
  {
    name: "elbro_plan_state",
    type: "gauge",
    help: "1 for the state a plan is in, 0 for the others.",
    labels: ["home", "plan", "state"],
    samples: ({ plans }) =>
      plans.flatMap(({ definition: { home, id }, state }) =>
        planStates.map((each) => ({ labels: { home, plan: id, state: each }, value: Number(each === state) })),
      ),
  },
  {
    name: "elbro_plan_planned_seconds",
    type: "gauge",
    help: "How long a plan still runs in its present round.",
    labels: ["home", "plan"],
    samples: perPlan(({ runs }, { now }) =>
      runs.reduce((sum, { start, end }) => sum + seconds(Math.max(0, end - Math.max(start, now))), 0),
    ),
  },
  {
    name: "elbro_plan_next_start_seconds",
    type: "gauge",
    help: "Time until a plan goes ON next; absent while nothing is planned.",
    labels: ["home", "plan"],
    samples: perPlan(({ nextStart }, { now }) => ahead(nextStart, now)),
  },
  {
    name: "elbro_plan_month_hours",
    type: "gauge",
    help: "Hours a plan ran this month; from the database, restarts included.",
    labels: ["home", "plan"],
    samples: perPlan(({ history: { month } }) => month.hours),
  },
  {
    name: "elbro_plan_month_cost",
    type: "gauge",
    help: "What the runs of this month cost, in the currency of the home; where the plan tells its energy.",
    labels: ["home", "plan"],
    samples: perPlan(({ history: { month } }) => month.cost),
  },
  {
    name: "elbro_plan_month_saving",
    type: "gauge",
    help: "What the runs of this month cost less than starting at once, or than the mean of the window.",
    labels: ["home", "plan", "against"],
    samples: ({ plans }) =>
      plans.flatMap(({ definition: { home, id }, history: { month } }) => [
        { labels: { home, plan: id, against: "now" }, value: month.saving.againstNow },
        { labels: { home, plan: id, against: "mean" }, value: month.saving.againstMean },
      ]),
  },
  {
    name: "elbro_plug_on",
    type: "gauge",
    help: "Whether a plug says that it is ON; absent while it has not told.",
    labels: ["plug"],
    samples: perPlug(({ on }) => on),
  },
  {
    name: "elbro_plug_wanted",
    type: "gauge",
    help: "Whether a plug is to be ON.",
    labels: ["plug"],
    samples: perPlug(({ wanted }) => wanted),
  },
  {
    name: "elbro_plug_available",
    type: "gauge",
    help: "Whether a plug can be reached; absent while it has said nothing.",
    labels: ["plug"],
    samples: perPlug(({ available }) => available),
  },
];
