import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Calendar, SERVICE_ZONE } from "../../../src/core/time/calendar.ts";
import { Format, localeOf } from "../../../src/dashboard/format.ts";
import { languageFor } from "../../../src/dashboard/language.ts";
import { DAY_MS, HOUR_MS, Zone } from "../../../src/dashboard/zone.ts";

const zone = new Zone(SERVICE_ZONE);
const calendar = new Calendar(SERVICE_ZONE);
const instants = fc.integer({ min: Date.UTC(2021, 0, 1), max: Date.UTC(2032, 0, 1) });
const units = fc.constantFrom("hour" as const, "day" as const, "month" as const, "year" as const);
const at = (text: string) => Date.parse(text);

describe("the dashboard's calendar equals the daemon's", () => {
  test("in its offsets", () => {
    fc.assert(fc.property(instants, (instant) => zone.offset(instant) === calendar.offsetAt(instant)));
  });

  test("in the starts of hours, days, months and years", () => {
    fc.assert(
      fc.property(instants, units, (instant, unit) => zone.startOf(unit, instant) === calendar.startOf(unit, instant)),
    );
  });

  test("in the units before and after", () => {
    const counts = fc.integer({ min: -60, max: 60 });
    fc.assert(
      fc.property(instants, units, counts, (instant, unit, count) => {
        const start = calendar.startOf(unit, instant);
        expect(zone.shift(unit, instant, count)).toBe(calendar.add(unit, start, count));
      }),
    );
  });
});

test("a negative amount has a minus sign, which cannot end a line", () => {
  const f = new Format("da-DK", zone);
  expect([f.number(-1.5), f.money(-1.5, "DKK")].join(" ").replace(/\s/g, " ")).toBe("\u22121,50 \u22121,50 kr.");
});

test.each([
  ["2026-03-29T10:00:00Z", 23],
  ["2026-06-01T10:00:00Z", 24],
  ["2026-10-25T10:00:00Z", 25],
])("the day of %s has %i hours", (noon, hours) => {
  const start = zone.startOf("day", at(noon));
  const end = zone.shift("day", start, 1);
  expect(zone.starts("hour", start, end)).toHaveLength(hours);
  expect(end - start).toBe(hours * HOUR_MS);
});

test("starts from the middle of a day begin with the next day", () => {
  const noon = at("2026-06-01T10:00:00Z");
  expect(zone.starts("day", noon, noon + 2 * DAY_MS)).toEqual([at("2026-06-01T22:00:00Z"), at("2026-06-02T22:00:00Z")]);
});

test("fold distinguishes only the two hours with the same name", () => {
  const names = ["2026-10-24T23:30:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"];
  expect(names.map((name) => zone.fold(at(name)))).toEqual([0, 1, 2, 0]);
  const spring = ["2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z"];
  expect(spring.map((name) => zone.fold(at(name)))).toEqual([0, 0]);
});

describe("numbers and times are formatted by locale:", () => {
  const morning = at("2026-03-10T06:05:00Z");
  const formats = (tag: string) => new Format(localeOf(languageFor([tag], null), [tag]), zone);

  test.each([
    ["da-DK", "1,50 kr.", "07.05"],
    ["sv-SE", "1,50 Dkr", "07:05"],
    ["nb-NO", "1,50 DKK", "07:05"],
    ["en-GB", "DKK 1.50", "07:05"],
    ["en-US", "DKK 1.50", "07:05 AM"],
  ])("%s", (tag, money, time) => {
    const f = formats(tag);
    expect(f.money(1.5, "DKK").replace(/\s/g, " ")).toBe(money);
    expect(f.time(morning).replace(/\s/g, " ")).toBe(time);
  });

  test("a language without a country gets its main country", () => {
    expect(localeOf("da", ["da"])).toBe("da-DK");
    expect(localeOf("en", ["fr-FR", "en-US"])).toBe("en-US");
  });

  test("the repeated hour is marked A and B", () => {
    const f = formats("da-DK");
    expect(f.span(at("2026-10-25T00:00:00Z"), at("2026-10-25T01:00:00Z"))).toBe("02.00 A–02.00 B");
    expect(
      [at("2026-10-25T00:00:00Z"), at("2026-10-25T01:00:00Z"), at("2026-10-25T02:00:00Z")].map((one) => f.hour(one)),
    ).toEqual(["2A", "2B", "03"]);
  });
});
