/** The shown period of usage: its range, title, steps and labels. */
import type { ChartTick } from "./chart-view.ts";
import type { Format } from "./format.ts";
import { DAY_MS, type Unit, type Zone } from "./zone.ts";

/** Unit of the bars by kind of period. */
export const PERIODS = { day: "hour", month: "day", year: "month", years: "year" } as const satisfies Record<
  string,
  Unit
>;
const YEARS_SHOWN = 5;
/** Maximum number of days with labels for days. Longer periods have labels for months. */
const MAX_LABELLED_DAYS = 62;

export const CUSTOM_UNITS = ["hour", "day", "month"] as const;

/** Chosen dates, both inclusive. */
export interface CustomDates {
  readonly from: string;
  readonly to: string;
  readonly by: (typeof CUSTOM_UNITS)[number];
}

export type Period =
  /** `at` is an instant in the period; null for the newest period. */
  | { readonly kind: keyof typeof PERIODS; readonly at: number | null }
  | { readonly kind: "custom"; readonly dates: CustomDates };

export interface PeriodRange {
  readonly from: number;
  readonly to: number;
  readonly unit: Unit;
}

export function rangeOf(period: Period, now: number, zone: Zone): PeriodRange {
  if (period.kind === "custom") {
    const { from, to, by } = period.dates;
    return { from: dateStart(from, zone), to: zone.shift("day", dateStart(to, zone), 1), unit: by };
  }
  const { kind, at } = period;
  // The newest day is yesterday, because meters report a day later.
  const inside = at ?? zone.shift("day", now, -1);
  const unit = PERIODS[kind];
  if (kind !== "years") return { from: zone.startOf(kind, inside), to: zone.shift(kind, inside, 1), unit };
  return { from: zone.shift("year", inside, 1 - YEARS_SHOWN), to: zone.shift("year", inside, 1), unit };
}

function dateStart(text: string, zone: Zone): number {
  const [year = 1970, month = 1, day = 1] = text.split("-").map(Number);
  return zone.instant(year, month, day);
}

/** Returns the period that is `count` steps later. Chosen dates do not change. */
export function steppedFrom(period: Period, count: number, now: number, zone: Zone): Period {
  if (period.kind === "custom") return period;
  const { from, to } = rangeOf(period, now, zone);
  const { kind } = period;
  if (kind === "years") return { kind, at: zone.shift("year", to - DAY_MS, count * YEARS_SHOWN) };
  return { kind, at: zone.shift(kind, from, count) };
}

/** Returns a local date in the form of a date input, for instance `2026-03-10`. */
export function dateText(at: number, zone: Zone): string {
  const { year, month, day } = zone.fields(at);
  return [year, month, day].map((part) => String(part).padStart(2, "0")).join("-");
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
  unit: Unit,
  f: Format,
): string {
  if (unit === "hour") return `${f.day(start)} ${f.span(start, end)}`;
  if (unit === "day") return f.day(start);
  return unit === "month" ? f.month(start) : f.year(start);
}

/** Returns as many labels of the time axis as fit. */
export function ticksOf({ from, to, unit }: PeriodRange, room: number, f: Format): ChartTick[] {
  const by = labelledBy(unit, (to - from) / DAY_MS);
  const starts = f.zone.starts(by, from, to);
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

function tickText(unit: Unit, at: number, f: Format): string {
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

function labelledBy(unit: Unit, days: number): Unit {
  const isFine = unit === "hour" || unit === "day";
  if (isFine && days > MAX_LABELLED_DAYS) return "month";
  return unit === "hour" && days > 2 ? "day" : unit;
}
