import type { Calendar } from "./calendar.ts";
import { type EpochMs, MINUTE_MS } from "./interval.ts";

/** Formats an instant as local time with offset and whole seconds: `2026-10-25T02:15:00+01:00`. */
export function localInstant(at: EpochMs, calendar: Calendar): string {
  const offsetMs = calendar.offsetAt(at);
  const minutes = Math.abs(Math.round(offsetMs / MINUTE_MS));
  const offset = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
  return `${new Date(at + offsetMs).toISOString().slice(0, 19)}${offsetMs < 0 ? "-" : "+"}${offset}`;
}
