import type { Calendar } from "./calendar.ts";
import { type EpochMs, formatInstant, MINUTE_MS } from "./interval.ts";

/** Formats an instant as local time with offset and whole seconds: `2026-10-25T02:15:00+01:00`. */
export function localInstant(at: EpochMs, calendar: Calendar): string {
  return `${clockTime(at, calendar)}${offset(at, calendar)}`;
}

/** Formats an instant as local time with offset and whole minutes: `2026-10-25T02:15+01:00`. */
export function shortLocalInstant(at: EpochMs, calendar: Calendar): string {
  return `${clockTime(at, calendar).slice(0, "2026-10-25T02:15".length)}${offset(at, calendar)}`;
}

function clockTime(at: EpochMs, calendar: Calendar): string {
  return formatInstant(at + calendar.offsetAt(at)).slice(0, "2026-10-25T02:15:00".length);
}

function offset(at: EpochMs, calendar: Calendar): string {
  const offsetMs = calendar.offsetAt(at);
  const minutes = Math.abs(Math.round(offsetMs / MINUTE_MS));
  const parts = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0"));
  return `${offsetMs < 0 ? "-" : "+"}${parts.join(":")}`;
}
