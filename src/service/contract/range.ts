import { CALENDAR_YEARS, type Calendar, type CalendarUnit } from "../../core/time/calendar.ts";
import { contains, DAY_MS, type EpochMs, formatInstant, type Interval, MINUTE_MS } from "../../core/time/interval.ts";
import { type ContractError, contractError } from "./errors.ts";
import type { RangeCap } from "./limits.ts";

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2}|\s\d{2}:\d{2})$/;

/** Accepted instants: the years of the calendar plus a day on both sides, because local years differ from UTC years. */
const READABLE: Interval = {
  start: Date.UTC(CALENDAR_YEARS.first, 0, 1) - DAY_MS,
  end: Date.UTC(CALENDAR_YEARS.last + 1, 0, 1) + DAY_MS,
};

/** Parsed value, or the reason why the text is invalid. */
export type ParsedText<Value> =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "unreadable"; readonly why: string };

export function unreadable(why: string): { readonly kind: "unreadable"; readonly why: string } {
  return { kind: "unreadable", why };
}

/**
 * Parses an RFC 3339 date-time with `Z` or a numeric offset. Fractional seconds are truncated to milliseconds. If the
 * `+` of an offset arrives as a space, the reason says to write `%2B`.
 */
export function parseInstant(text: string): ParsedText<EpochMs> {
  const match = RFC_3339.exec(text);
  const quoted = `"${text.length > 40 ? `${text.slice(0, 40)}…` : text}"`;
  if (!match) return unreadable(`${quoted} is not an RFC 3339 date-time with Z or a numeric offset`);
  const [, year, month, day, hour, minute, second, fraction = "", zone = ""] = match;
  if (/\s/.test(zone))
    return unreadable(`${quoted} has a space where a sign should be; write the + of an offset as %2B`);
  if (!isCivil([year, month, day, hour, minute, second].map(Number)))
    return unreadable(`${quoted} is not a date and time that exists`);
  const offsetMinutes = parseOffset(zone);
  if (offsetMinutes === null) return unreadable(`"${zone}" is not an offset; expected ±HH:MM up to 23:59`);
  const fractionMs = Number(fraction.padEnd(3, "0").slice(0, 3));
  const at = Date.parse(`${text.slice(0, 19).toUpperCase()}Z`) + fractionMs - offsetMinutes * MINUTE_MS;
  if (contains(READABLE, at)) return { kind: "value", value: at };
  const { first, last } = CALENDAR_YEARS;
  return unreadable(`the year of ${quoted} is not between ${first} and ${last}`);
}

function isCivil([year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0]: readonly number[]): boolean {
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return false;
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function parseOffset(zone: string): number | null {
  if (zone === "Z" || zone === "z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * Expands a requested range outward to the boundaries of `unit` in the service's calendar, then applies the cap.
 * Returns `invalid_range` if `to` is not after `from`, `range_too_large` if the expanded range exceeds the cap.
 */
export function normaliseRange(
  { from, to }: { readonly from: EpochMs; readonly to: EpochMs },
  unit: CalendarUnit,
  cap: RangeCap | null,
  calendar: Calendar,
): Interval | ContractError {
  if (to <= from)
    return contractError("invalid_range", `to (${formatInstant(to)}) is not after from (${formatInstant(from)})`);
  const range = calendar.expandOutward(unit, { start: from, end: to });
  if (!cap || range.end <= latestEnd(range.start, cap, calendar)) return range;
  const asText = `${formatInstant(range.start)} to ${formatInstant(range.end)}`;
  return contractError("range_too_large", `${asText} is longer than ${cap.count} ${cap.unit}s; request smaller ranges`);
}

/** Returns the latest accepted `to`: days count as calendar days or as 24 hours, whichever ends later. */
export function latestEnd(from: EpochMs, cap: RangeCap, calendar: Calendar): EpochMs {
  const byHours = cap.unit === "day" ? from + cap.count * DAY_MS : from;
  return Math.max(byHours, capEnd(from, cap, calendar));
}

/** Returns the latest `to` that the client requests: whole calendar days or years on the local clock. */
export function capEnd(from: EpochMs, cap: RangeCap, calendar: Calendar): EpochMs {
  return calendar.shift(from, cap.unit, cap.count);
}
