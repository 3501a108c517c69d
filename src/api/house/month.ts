/** Endpoint `month`: the costs and the highest hours of a month. */

import { message } from "../../core/language/text.ts";
import { tariffChanges } from "../../core/prices/tariff-change.ts";
import { sumOfWhole } from "../../core/prices/usage-periods.ts";
import { wire } from "../../core/text/wire.ts";
import type { EpochMs, Interval } from "../../core/time/interval.ts";
import { localError } from "../../http/errors.ts";
import { endpoint, HOME_ERRORS } from "../endpoint.ts";
import * as parameter from "../parameters.ts";
import * as s from "../schema.ts";
import { type LocalSource, viewNamed } from "./local-source.ts";

const kw = s.described(s.number, "kW.");
const peak = () => s.namedObject("PeakHour", { start: s.instant, date: s.text, kw });

const earlier = () => s.described(s.orNull(s.money), "Null if more than a twentieth of its hours is unknown.");

const schema = () =>
  s.namedObject("Month", {
    id: s.text,
    name: s.text,
    currency: s.orNull(s.text),
    ...s.period,
    to_date: s.described(s.orNull(s.money), "Sum of the stored costs."),
    known_until: s.orNull(s.instant),
    expected: s.described(
      s.orNull(s.money),
      "Costs at the end of the month: stored, then at known and usual prices and use.",
    ),
    expected_kwh: s.described(s.orNull(s.number), "kWh at the end of the month."),
    previous_month: earlier(),
    same_month_last_year: earlier(),
    previous_year: earlier(),
    peaks: s.orNull(
      s.namedObject("MonthPeaks", {
        mean: s.described(s.number, "kW: the mean of `days`."),
        days: s.described(s.list(peak()), "The highest hours of the three highest days."),
        hours: s.list(peak()),
      }),
    ),
    tariff_changes: s.described(
      s.list(s.namedObject("TariffChange", { date: s.text, before: s.perKwh, after: s.perKwh })),
      "Days of this and the previous month on which the charges jumped; amounts before and after do not compare.",
    ),
  });

export type EnergyMonth = s.ValueOf<typeof schema>;

export const monthEndpoints = [
  endpoint("GET /local/v1/month", "getMonth", "read", {
    summary: "Costs of a month so far, as expected at its end, and of earlier periods; its highest hours.",
    params: {
      home: parameter.homeAs("The id of a home; optional if there is only one."),
      at: parameter.omittable(parameter.instantText, "A time in the month; by default now.", "2026-03-10T00:00:00Z"),
    },
    answer: schema,
    errors: [...HOME_ERRORS, "feature_unavailable"],
    example: "/local/v1/month?home=home",
    run(source, { home, at }, { now }) {
      const view = viewNamed(source, home, now);
      if (view.kind === "error") return view;
      const month = source.month(view.id, now, at ?? now);
      if (!month)
        return localError(
          "feature_unavailable",
          message("refused.no_usage", { measure: "consumption", home: view.name }),
        );
      const { start, peaks, ...figures } = month;
      const costs = costsBefore(source, view.id, start);
      const body: EnergyMonth = wire({
        id: view.id,
        name: view.name,
        currency: costs?.unit ?? view.snapshot.currency,
        start,
        ...figures,
        previousMonth: costs?.previousMonth ?? null,
        sameMonthLastYear: costs?.sameMonth ?? null,
        previousYear: costs?.previousYear ?? null,
        peaks: peaks && { mean: peaks.mean, days: peaks.days, hours: peaks.hours },
        tariffChanges: changesIn(source, view.id, month, now),
      });
      return { kind: "json", body };
    },
  }),
];

/** Returns the stored costs before a month; null if the service has never returned any. */
function costsBefore({ calendar, ...source }: LocalSource, id: string, month: EpochMs) {
  const range = { start: calendar.add("year", calendar.startOf("year", month), -1), end: month };
  const found = source.usage(id, { operation: "consumptionCosts", unit: "month", range });
  if (!found) return null;
  const sumOf = (unit: "month" | "year", start: EpochMs) =>
    sumOfWhole(found.periods, { start, end: calendar.add(unit, start, 1) });
  return {
    unit: found.unit,
    previousMonth: sumOf("month", calendar.add("month", month, -1)),
    sameMonth: sumOf("month", calendar.add("month", month, -12)),
    previousYear: sumOf("year", range.start),
  };
}

function changesIn({ calendar, points }: LocalSource, id: string, { start, end }: Interval, now: EpochMs) {
  const range = { start: calendar.add("month", start, -1), end };
  return tariffChanges(points(id, range, now), calendar)
    .filter(({ date }) => date >= calendar.dateOf(range.start) && date < calendar.dateOf(end))
    .map(({ date, before, after }) => ({ date, before, after }));
}
