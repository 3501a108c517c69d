import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CALENDAR_YEARS } from "../../../../src/core/time/calendar.ts";
import { formatInstant, MINUTE_MS } from "../../../../src/core/time/interval.ts";
import { parseInstant } from "../../../../src/service/contract/range.ts";

describe("parseInstant reads", () => {
  test.each([
    ["2026-10-25T01:00:00Z", Date.UTC(2026, 9, 25, 1)],
    ["2026-10-25t01:00:00z", Date.UTC(2026, 9, 25, 1)],
    ["2026-10-25T02:00:00+01:00", Date.UTC(2026, 9, 25, 1)],
    ["2026-10-25T02:00:00+02:00", Date.UTC(2026, 9, 25, 0)],
    ["2026-10-24T21:30:00-03:30", Date.UTC(2026, 9, 25, 1)],
    ["2026-10-25T01:00:00-00:00", Date.UTC(2026, 9, 25, 1)],
    ["2026-10-26T00:59:00+23:59", Date.UTC(2026, 9, 25, 1)],
    ["2026-10-25T01:00:00.5Z", Date.UTC(2026, 9, 25, 1, 0, 0, 500)],
    ["2026-10-25T01:00:00.123456789Z", Date.UTC(2026, 9, 25, 1, 0, 0, 123)],
    ["2026-10-25T01:00:00.9999Z", Date.UTC(2026, 9, 25, 1, 0, 0, 999)],
    ["2026-10-25T01:00:00.000000000000Z", Date.UTC(2026, 9, 25, 1)],
    ["2024-02-29T23:59:59Z", Date.UTC(2024, 1, 29, 23, 59, 59)],
    ["2000-02-29T00:00:00Z", Date.UTC(2000, 1, 29)],
    ["1970-01-01T00:00:00Z", 0],
    ["1970-01-01T00:00:00+01:00", -3_600_000],
    ["1969-12-31T23:00:00Z", -3_600_000],
    ["2200-01-01T00:00:00Z", Date.UTC(2200, 0, 1)],
    ["2199-12-31T23:59:59Z", Date.UTC(2199, 11, 31, 23, 59, 59)],
  ])("%s", (text, at) => {
    expect(parseInstant(text)).toEqual({ kind: "value", value: at });
  });

  test("every result of formatInstant", () => {
    const { first, last } = CALENDAR_YEARS;
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(first, 0, 1), max: Date.UTC(last + 1, 0, 1) - 1 }), (at) => {
        expect(parseInstant(formatInstant(at))).toEqual({ kind: "value", value: at });
      }),
    );
  });

  test("the same instant with any offset", () => {
    const offsets = fc.integer({ min: -1_439, max: 1_439 });
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(1971, 0, 1), max: Date.UTC(2198, 0, 1) }), offsets, (at, minutes) => {
        const sign = minutes < 0 ? "-" : "+";
        const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
        const zone = `${sign}${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
        const text = new Date(at + minutes * MINUTE_MS).toISOString().replace("Z", zone);
        expect(parseInstant(text)).toEqual({ kind: "value", value: at });
      }),
    );
  });
});

describe("parseInstant rejects", () => {
  const shape = "is not an RFC 3339 date-time with Z or a numeric offset";
  const civil = "is not a date and time that exists";
  const space = "has a space where a sign should be; write the + of an offset as %2B";
  test.each([
    ["", `"" ${shape}`],
    ["now", `"now" ${shape}`],
    ["1761350400", `"1761350400" ${shape}`],
    ["2026-10-25", `"2026-10-25" ${shape}`],
    ["2026-10-25T01:00:00", `"2026-10-25T01:00:00" ${shape}`],
    ["2026-10-25T01:00Z", `"2026-10-25T01:00Z" ${shape}`],
    ["2026-10-25 01:00:00Z", `"2026-10-25 01:00:00Z" ${shape}`],
    ["2026-10-25T01:00:00+0100", `"2026-10-25T01:00:00+0100" ${shape}`],
    ["2026-10-25T01:00:00+01", `"2026-10-25T01:00:00+01" ${shape}`],
    ["2026-10-25T01:00:00.Z", `"2026-10-25T01:00:00.Z" ${shape}`],
    ["2026-10-25T01:00:00,5Z", `"2026-10-25T01:00:00,5Z" ${shape}`],
    [" 2026-10-25T01:00:00Z", `" 2026-10-25T01:00:00Z" ${shape}`],
    ["2026-10-25T01:00:00Z\n", `"2026-10-25T01:00:00Z\n" ${shape}`],
    ["+002026-10-25T01:00:00Z", `"+002026-10-25T01:00:00Z" ${shape}`],
    ["x".repeat(500), `"${"x".repeat(40)}…" ${shape}`],
    ["2026-10-25T02:00:00 02:00", `"2026-10-25T02:00:00 02:00" ${space}`],
    ["2026-10-25T02:00:00.5 02:00", `"2026-10-25T02:00:00.5 02:00" ${space}`],
    ["2026-13-01T00:00:00Z", `"2026-13-01T00:00:00Z" ${civil}`],
    ["2026-00-01T00:00:00Z", `"2026-00-01T00:00:00Z" ${civil}`],
    ["2026-04-31T00:00:00Z", `"2026-04-31T00:00:00Z" ${civil}`],
    ["2026-04-00T00:00:00Z", `"2026-04-00T00:00:00Z" ${civil}`],
    ["2026-02-29T00:00:00Z", `"2026-02-29T00:00:00Z" ${civil}`],
    ["2100-02-29T00:00:00Z", `"2100-02-29T00:00:00Z" ${civil}`],
    ["2026-10-25T24:00:00Z", `"2026-10-25T24:00:00Z" ${civil}`],
    ["2026-10-25T23:60:00Z", `"2026-10-25T23:60:00Z" ${civil}`],
    ["2026-12-31T23:59:60Z", `"2026-12-31T23:59:60Z" ${civil}`],
    ["1969-12-30T23:59:59Z", 'the year of "1969-12-30T23:59:59Z" is not between 1970 and 2199'],
    ["2200-01-02T00:00:00Z", 'the year of "2200-01-02T00:00:00Z" is not between 1970 and 2199'],
    ["0000-01-01T00:00:00Z", 'the year of "0000-01-01T00:00:00Z" is not between 1970 and 2199'],
    ["0099-01-01T00:00:00Z", 'the year of "0099-01-01T00:00:00Z" is not between 1970 and 2199'],
    ["2026-10-25T01:00:00+24:00", '"+24:00" is not an offset; expected ±HH:MM up to 23:59'],
    ["2026-10-25T01:00:00-01:60", '"-01:60" is not an offset; expected ±HH:MM up to 23:59'],
  ])("%o", (text, why) => {
    expect(parseInstant(text)).toEqual({ kind: "unreadable", why });
  });

  test("any text without an exception", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[Z+ ]/)), (text) => {
        expect(["value", "unreadable"]).toContain(parseInstant(text).kind);
      }),
    );
  });
});
