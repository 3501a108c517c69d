/** Endpoints for results: past runs, savings and usage. */

import { message } from "../../core/language/text.ts";
import { finishedRun, planMonth } from "../../core/planning/snapshot/plan-payload.ts";
import { usageUnits } from "../../core/prices/usage-periods.ts";
import { wire } from "../../core/text/wire.ts";
import { DAY_MS, type EpochMs, type Interval } from "../../core/time/interval.ts";
import { type LocalError, localError } from "../../http/errors.ts";
import type { PlanResult } from "../../plans/plan-results.ts";
import { endpoint, HOME_ERRORS } from "../endpoint.ts";
import * as parameter from "../parameters.ts";
import { omittable } from "../parameters.ts";
import * as s from "../schema.ts";
import { viewNamed } from "./local-source.ts";
import { finishedFields, monthFields } from "./plan-schemas.ts";

/** Maximum number of runs in a response. A household has a few per day. */
const MAX_RUNS = 2_000;
/** Maximum number of months: runs are kept for 400 days, and the current month is included. */
const MAX_MONTHS = 14;
/** Maximum length in days: five years, which take 60 ms to read and fit into a spreadsheet as hours. */
const MAX_USAGE_DAYS = 1_830;
const DEFAULT_RUN_DAYS = 31;

export const measures = {
  consumption: "consumption",
  costs: "consumptionCosts",
  export: "solarExport",
  revenue: "solarExportRevenue",
} as const;

const range = {
  from: (about: string) => omittable(parameter.instantText, about, "2026-03-01T00:00:00Z"),
  to: omittable(parameter.instantText, "End; by default now.", "2026-03-10T00:00:00Z"),
} as const;
const ofHome = parameter.homeAs("The id of a home; by default all.");
const owner = () => ({ plan: s.text, name: s.text, home: s.text, currency: s.orNull(s.text) }) as const;

const runSchema = () =>
  s.namedObject("PlanRunResult", {
    ...owner(),
    ...finishedFields(),
    kwh: s.orNull(s.number),
    window_start_price: s.described(
      s.orNull(s.perKwh),
      "Price per kWh of one run from the start of the window: the baseline `window_start`.",
    ),
    window_price: s.described(s.orNull(s.perKwh), "Mean price of the window: the baseline `mean`."),
  });
const monthSchema = () => s.namedObject("PlanMonthResult", { ...owner(), ...monthFields() });

const savingsSchema = () =>
  s.namedObject("SavingsByMonth", {
    from: s.instant,
    to: s.instant,
    months: s.list(monthSchema()),
    tariff_changes: s.described(
      s.list(s.namedObject("HomeTariffChange", { home: s.text, date: s.text })),
      "The last day within 30 days on which the charges of a home jumped; savings before and after do not compare.",
    ),
  });

const usageRow = () =>
  s.namedObject("UsagePeriod", {
    ...s.period,
    value: s.orNull(s.number),
    hours: s.described(s.integer, "Number of its hours with data."),
    estimate: s.boolean,
  });

export const resultEndpoints = [
  endpoint("GET /local/v1/runs", "listRuns", "read", {
    summary: "Ended runs, newest first: the cost of each, and the cost of its baselines.",
    params: {
      home: ofHome,
      plan: parameter.planQuery,
      from: range.from(`Start; by default ${DEFAULT_RUN_DAYS} days before \`to\`.`),
      to: range.to,
    },
    answer: () => s.namedObject("Runs", { from: s.instant, to: s.instant, runs: s.list(runSchema()), more: s.boolean }),
    csv: {
      list: "runs",
      columns: `plan name home start:time end:time basis kwh:kWh currency mean_price:{currency}/kWh
        window_start_price:{currency}/kWh window_price:{currency}/kWh cost:{currency}
        against_window_start:{currency} against_mean:{currency} measured.kwh:kWh
        measured.cost:{currency}`,
    },
    errors: ["invalid_range"],
    example: "/local/v1/runs?plan=washer",
    run({ plans }, { home, plan, ...wanted }, { now }) {
      const period = periodOf(wanted, now, (to) => to - DEFAULT_RUN_DAYS * DAY_MS);
      if ("kind" in period) return period;
      const found = plans.results.runs({ home, plan }, period, MAX_RUNS + 1);
      const runs = found.slice(0, MAX_RUNS).map(runOf);
      return { kind: "json", body: { ...periodBody(period), runs, more: found.length > MAX_RUNS } };
    },
  }),
  endpoint("GET /local/v1/savings", "listSavings", "read", {
    summary: "Savings by plan and month.",
    params: {
      home: ofHome,
      plan: parameter.planQuery,
      from: range.from("A time in the first month; by default a year ago."),
      to: range.to,
    },
    answer: savingsSchema,
    csv: {
      list: "months",
      columns: `start:time plan name home runs hours:h currency cost:{currency} against_window_start:{currency}
        against_mean:{currency}`,
    },
    errors: ["invalid_range", "range_too_large"],
    example: "/local/v1/savings?home=home",
    run({ plans, calendar, view }, { home, plan, ...wanted }, { now }) {
      const period = periodOf(wanted, now, (to) => calendar.add("month", calendar.startOf("month", to), -11));
      if ("kind" in period) return period;
      if (calendar.intervals("month", period).length > MAX_MONTHS)
        return localError("range_too_large", message("refused.months", { most: MAX_MONTHS }));
      const months = plans.results
        .months({ home, plan }, period)
        .map(({ month, ...owned }) => ({ ...ownerOf(owned), ...planMonth(month) }));
      const tariff_changes = [...new Set(months.map((month) => month.home))].flatMap((id) => {
        const date = view(id, now)?.snapshot.tariffChange?.date;
        return date === undefined ? [] : { home: id, date };
      });
      return { kind: "json", body: { ...periodBody(period), months, tariff_changes } };
    },
  }),
  endpoint("GET /local/v1/usage", "getUsage", "read", {
    summary: "Stored consumption, costs, export or revenue of a home, added up.",
    params: {
      home: parameter.homeAs("The id of a home; optional if there is only one."),
      measure: omittable(
        s.oneOf(Object.keys(measures) as (keyof typeof measures)[]),
        "Kind of data; `consumption` by default.",
        "costs",
      ),
      by: omittable(
        s.oneOf(usageUnits),
        "Period of a row: `hour`, `day`, `month` or `year` in local time; `day` by default.",
        "month",
      ),
      from: range.from("Start; by default the start of this month."),
      to: range.to,
    },
    answer: () =>
      s.namedObject("UsageByPeriod", {
        id: s.text,
        name: s.text,
        measure: s.text,
        by: s.text,
        unit: s.text,
        from: s.instant,
        to: s.instant,
        rows: s.list(usageRow()),
      }),
    csv: { list: "rows", columns: "start:time end:time value:{unit} hours estimate" },
    errors: [...HOME_ERRORS, "invalid_range", "range_too_large", "feature_unavailable"],
    example: "/local/v1/usage?home=home&measure=costs&by=day",
    run(source, { home, measure, by, ...wanted }, { now }) {
      const view = source.former(home) ?? viewNamed(source, home, now);
      if (view.kind === "error") return view;
      const period = periodOf(wanted, now, (to) => source.calendar.startOf("month", to));
      if ("kind" in period) return period;
      if (period.end - period.start > MAX_USAGE_DAYS * DAY_MS)
        return localError("range_too_large", message("refused.days", { most: MAX_USAGE_DAYS }));
      const name = measure ?? "consumption";
      const unit = by ?? "day";
      const found = source.usage(view.id, { operation: measures[name], unit, range: period });
      if (!found)
        return localError("feature_unavailable", message("refused.no_usage", { measure: name, home: view.name }));
      const rows = wire(found.periods);
      const about = { id: view.id, name: view.name, measure: name, by: unit, unit: found.unit };
      return { kind: "json", body: { ...about, ...periodBody(period), rows } };
    },
  }),
];

function ownerOf({ definition: { id, name, home }, currency }: Omit<PlanResult, "run">) {
  return { plan: id, name, home, currency };
}

export type RunAnswer = s.ValueOf<typeof runSchema>;

function runOf({ run, ...owned }: PlanResult): RunAnswer {
  const { kwh, windowStartPrice, windowPrice } = run;
  return { ...ownerOf(owned), ...finishedRun(run), ...wire({ kwh, windowStartPrice, windowPrice }) };
}

export type ResultMonth = s.ValueOf<typeof monthSchema>;

function periodOf(
  { from, to }: parameter.Range,
  now: EpochMs,
  startOf: (end: EpochMs) => EpochMs,
): Interval | LocalError {
  const end = to ?? now;
  return parameter.rangeOrError(from ?? startOf(end), end);
}

function periodBody({ start, end }: Interval) {
  return wire({ from: start, to: end });
}
