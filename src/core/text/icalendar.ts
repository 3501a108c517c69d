/** A calendar as text. Source: RFC 5545. */
import type { EpochMs, Interval } from "../time/interval.ts";

export interface CalendarEvent extends Interval {
  /** Stays the same for the same event. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
}

/** Longest line in bytes, without its break (3.1). */
const MAX_LINE_BYTES = 75;

/** Returns the calendar: events in the given order, in UTC. `now` is when it was made. */
export function icalendar(name: string, events: readonly CalendarEvent[], now: EpochMs): string {
  const lines = [
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//elbro//elbro//EN", "CALSCALE:GREGORIAN", "METHOD:PUBLISH"],
    `X-WR-CALNAME:${escaped(name)}`,
    ...["REFRESH-INTERVAL;VALUE=DURATION:PT1H", "X-PUBLISHED-TTL:PT1H"],
    ...events.flatMap(({ id, start, end, summary, description }) => [
      "BEGIN:VEVENT",
      `UID:${escaped(id)}`,
      `DTSTAMP:${stamp(now)}`,
      `DTSTART:${stamp(start)}`,
      `DTEND:${stamp(end)}`,
      `SUMMARY:${escaped(summary)}`,
      ...(description === "" ? [] : [`DESCRIPTION:${escaped(description)}`]),
      "TRANSP:TRANSPARENT",
      "END:VEVENT",
    ]),
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join("");
}

function stamp(at: EpochMs): string {
  return `${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
}

function escaped(text: string): string {
  return text
    .replace(/[\\;,]/g, "\\$&")
    .replace(/\r\n|\r|\n/g, "\\n")
    .replace(/\p{Cc}/gu, " ");
}

/** Breaks a line between characters; further lines begin with a space. */
function folded(line: string): string {
  let text = "";
  let bytes = 0;
  for (const character of line.toWellFormed()) {
    const length = new TextEncoder().encode(character).length;
    if (bytes + length > MAX_LINE_BYTES) {
      text += "\r\n ";
      bytes = 1;
    }
    text += character;
    bytes += length;
  }
  return text;
}
