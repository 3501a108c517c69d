/** Local times and dates as the owner writes them. */
import type { LocalMinute } from "./plan-spec.ts";

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Reads `HH:MM`; null for any other text. */
export function readLocalTime(text: string): LocalMinute | null {
  const [, hours, minutes] = TIME.exec(text) ?? [];
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes);
}

/** A local date, with a time or without: its midnight. */
export const AWAY_MOMENT = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d)?$/;

/** Returns whether a text is a local date that exists, with a time or without. */
export function isMoment(text: string): boolean {
  const date = text.slice(0, "2026-07-01".length);
  return AWAY_MOMENT.test(text) && new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
}

/** Formats a time of day as `HH:MM`. */
export function localTimeText(minute: LocalMinute): string {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}
