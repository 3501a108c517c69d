/** The shown period of usage: its range, title, steps and labels. */

import type { UsageUnit } from "../../core/prices/usage-periods.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import { DAY_MS } from "../../core/time/interval.ts";
import type { ChartTick } from "../chart/chart-view.ts";
import type { Format } from "../words/format.ts";

/** UsageUnit of the bars by kind of period. */
export const PERIODS = { day: "hour", month: "day", year: "month", years: "year" } as const satisfies Record<
  string,
  UsageUnit
>;
const YEARS_SHOWN = 5;
/** Maximum number of days with labels for days. Longer periods have labels for months. */
const MAX_LABELLED_DAYS = 62;

export const CUSTOM_UNITS = ["hour", "day", "month"] as const;

/** Chosen dates, both inclusive. */
export type CustomDates = { readonly from: string; readonly to: string; readonly by: (typeof CUSTOM_UNITS)[number] };

export type Period =
  /** `at` is an instant in the period; null for the newest period. */
  | { readonly kind: keyof typeof PERIODS; readonly at: number | null }
  | { readonly kind: "custom"; readonly dates: CustomDates };

export type PeriodRange = { readonly from: number; readonly to: number; readonly unit: UsageUnit };

export function periodRange(period: Period, now: number, calendar: Calendar): PeriodRange {
  if (period.kind === "custom") {
    const { from, to, by } = period.dates;
    const [start, last] = [from, to].map((date) => calendar.dateStart(date) ?? now);
    return { from: start ?? now, to: calendar.add("day", last ?? now, 1), unit: by };
  }
  const { kind, at } = period;
  // The newest day is yesterday, because meters report a day later.
  const inside = at ?? calendar.add("day", now, -1);
  const unit = PERIODS[kind];
  if (kind !== "years") return { from: calendar.startOf(kind, inside), to: calendar.add(kind, inside, 1), unit };
  return { from: calendar.add("year", inside, 1 - YEARS_SHOWN), to: calendar.add("year", inside, 1), unit };
}

/** Returns the period that is `count` steps later. Chosen dates do not change. */
export function steppedFrom(period: Period, count: number, now: number, calendar: Calendar): Period {
  if (period.kind === "custom") return period;
  const { from, to } = periodRange(period, now, calendar);
  const { kind } = period;
  if (kind === "years") return { kind, at: calendar.add("year", to - DAY_MS, count * YEARS_SHOWN) };
  return { kind, at: calendar.add(kind, from, count) };
}

export function titleOf({ kind }: Period, { from, to }: PeriodRange, f: Format): string {
  switch (kind) {
    case "day":
      return f.longDay(from);
    case "month":
      return f.month(from);
    case "year":
      return f.year(from);
    case "years":
      return `${f.year(from)}–${f.year(to - DAY_MS)}`;
    case "custom":
      return `${f.day(from)} – ${f.day(to - DAY_MS)}`;
  }
}

/** Returns the name of a bar. */
export function barName(
  { start, end }: { readonly start: number; readonly end: number },
  unit: UsageUnit,
  f: Format,
): string {
  if (unit === "hour") return `${f.day(start)} ${f.span(start, end)}`;
  if (unit === "day") return f.day(start);
  return unit === "month" ? f.month(start) : f.year(start);
}

/** Returns as many labels of the time axis as fit. */
export function ticksOf({ from, to, unit }: PeriodRange, room: number, f: Format): ChartTick[] {
  const by = labelledBy(unit, (to - from) / DAY_MS);
  const starts = f.calendar.startsIn(by, { start: from, end: to });
  const step = [1, 2, 3, 4, 5, 6, 7, 12, 14].find((each) => starts.length / each <= room) ?? 31;
  return starts
    .map((start, i) => ({ start, end: starts[i + 1] ?? to }))
    .filter((_, i) => i % step === 0)
    .map(({ start, end }, i) => {
      // The label of an hour is at its start, that of a longer unit in the middle of its bar.
      if (by === "hour") return { at: start, text: i === 0 ? "" : f.axisHour(start) };
      return { at: (start + end) / 2, text: tickText(by, start, f) };
    });
}

function tickText(unit: UsageUnit, at: number, f: Format): string {
  switch (unit) {
    case "hour":
      return f.axisHour(at);
    case "day":
      return f.dayOfMonth(at);
    case "month":
      return f.monthName(at);
    case "year":
      return f.year(at);
  }
}

function labelledBy(unit: UsageUnit, days: number): UsageUnit {
  const isFine = unit === "hour" || unit === "day";
  if (isFine && days > MAX_LABELLED_DAYS) return "month";
  return unit === "hour" && days > 2 ? "day" : unit;
}
