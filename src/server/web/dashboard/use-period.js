/** The stretch of time whose use is looked at: how it is chosen, called, stepped through and labelled. */
import { DAY_MS } from "./zone.js";

/** What is looked at, and by what it is split. */
export const PERIODS = { day: "hour", month: "day", year: "month", years: "year" };
const YEARS_SHOWN = 5;
/** Beyond this, hours are too many for labels of their days. */
const MAX_LABELLED_DAYS = 62;

/** A period: `kind` of `PERIODS`, or `custom` with dates; `at` an instant in it, null for the newest. */
export function rangeOf({ kind, at, custom }, now, zone) {
  if (kind === "custom") {
    const start = (text) => zone.instant(...text.split("-").map(Number));
    return { from: start(custom.from), to: zone.shift("day", start(custom.to), 1), unit: custom.by };
  }
  // The newest day is yesterday: a meter tells a day later.
  const inside = at ?? zone.shift("day", now, -1);
  if (kind === "years") {
    const from = zone.shift("year", inside, 1 - YEARS_SHOWN);
    return { from, to: zone.shift("year", inside, 1), unit: "year" };
  }
  return { from: zone.startOf(kind, inside), to: zone.shift(kind, inside, 1), unit: PERIODS[kind] };
}

/** The same kind of period, `count` further on. */
export function steppedFrom(period, count, now, zone) {
  const { from, to } = rangeOf(period, now, zone);
  if (period.kind === "years") return { ...period, at: zone.shift("year", to - DAY_MS, count * YEARS_SHOWN) };
  return { ...period, at: zone.shift(period.kind, from, count) };
}

/** A local date as a field of a form has it. */
export function dateText(at, zone) {
  const { year, month, day } = zone.fields(at);
  return [year, month, day].map((part) => String(part).padStart(2, "0")).join("-");
}

export function titleOf({ kind }, { from, to }, f) {
  switch (kind) {
    case "day":
      return f.longDay(from);
    case "month":
      return f.month(from);
    case "year":
      return f.year(from);
    case "years":
      return `${f.year(from)}–${f.year(to - DAY_MS)}`;
    default:
      return `${f.day(from)} – ${f.day(to - DAY_MS)}`;
  }
}

/** How one bar is called. */
export function barName({ start, end }, unit, f) {
  if (unit === "hour") return `${f.day(start)} ${f.span(start, end)}`;
  if (unit === "day") return f.day(start);
  return unit === "month" ? f.month(start) : f.year(start);
}

/** Labels of the time axis, as many as there is room for. */
export function ticksOf({ from, to, unit }, room, f) {
  const by = labelledBy(unit, (to - from) / DAY_MS);
  const starts = f.zone.starts(by, from, to);
  const text = {
    hour: (at) => f.hour(at),
    day: (at) => f.dayOfMonth(at),
    month: (at) => f.monthName(at),
    year: (at) => f.year(at),
  }[by];
  const step = [1, 2, 3, 4, 5, 6, 7, 12, 14].find((each) => starts.length / each <= room) ?? 31;
  return starts.filter((_, i) => i % step === 0).map((at) => ({ at, text: text(at) }));
}

function labelledBy(unit, days) {
  const isFine = unit === "hour" || unit === "day";
  if (isFine && days > MAX_LABELLED_DAYS) return "month";
  return unit === "hour" && days > 2 ? "day" : unit;
}
