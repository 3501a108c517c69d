import fc from "fast-check";
import { expect, test } from "vitest";
import { icalendar } from "../../../../src/core/text/icalendar.ts";

const NOW = Date.parse("2026-03-10T09:00:00Z");
const event = (summary: string) => ({ id: "a@elbro", start: NOW, end: NOW + 3_600_000, summary, description: "" });

test("an event has its times in UTC", () => {
  expect(icalendar("Home", [event("Washer")], NOW).split("\r\n")).toEqual([
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//elbro//elbro//EN", "CALSCALE:GREGORIAN", "METHOD:PUBLISH"],
    ...["X-WR-CALNAME:Home", "REFRESH-INTERVAL;VALUE=DURATION:PT1H", "X-PUBLISHED-TTL:PT1H"],
    ...["BEGIN:VEVENT", "UID:a@elbro", "DTSTAMP:20260310T090000Z", "DTSTART:20260310T090000Z"],
    ...["DTEND:20260310T100000Z", "SUMMARY:Washer", "TRANSP:TRANSPARENT", "END:VEVENT", "END:VCALENDAR", ""],
  ]);
});

test("any text comes back from lines of 75 bytes, or as many as its characters allow; property", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200, size: "max" }), (summary) => {
      const text = icalendar("Home", [event(summary)], NOW);
      const lines = text.split("\r\n");
      for (const [i, line] of lines.entries()) {
        const [, continued = ""] = /^ (.)/u.exec(lines[i + 1] ?? "") ?? [];
        expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
        if (continued !== "") expect(Buffer.byteLength(line + continued)).toBeGreaterThan(75);
      }
      const unfolded = text.replaceAll("\r\n ", "");
      const [, escaped = ""] = /SUMMARY:([^\r]*)\r\nTRANSP/.exec(unfolded) ?? [];
      const back = escaped.replace(/\\(n|.)/gu, (_, next: string) => (next === "n" ? "\n" : next));
      expect(back).toBe(summary.replace(/\r\n?/g, "\n").replace(/[^\P{Cc}\n]/gu, " "));
    }),
    { seed: 3 },
  );
});
