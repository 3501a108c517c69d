import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SERVICE_ZONE } from "../../../src/core/time/calendar.ts";
import { browserCalendar } from "../../../src/dashboard/words/browser-calendar.ts";
import { Format, localeOf } from "../../../src/dashboard/words/format.ts";
import { languageFor } from "../../../src/dashboard/words/language.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";

const calendar = browserCalendar(SERVICE_ZONE);
const instants = fc.integer({ min: Date.UTC(2021, 0, 1), max: Date.UTC(2032, 0, 1) });
const at = (text: string) => Date.parse(text);

test("the offsets of a browser's calendar equal Node's", () => {
  fc.assert(fc.property(instants, (at) => calendar.offsetAt(at) === serviceCalendar().offsetAt(at)));
});

test("a negative amount has a minus sign, which cannot end a line", () => {
  const f = new Format("da-DK", calendar);
  expect([f.number(-1.5), f.money(-1.5, "DKK")].join(" ").replace(/\s/g, " ")).toBe("\u22121,50 \u22121,50 kr.");
});

test.each([
  [0.456, "0.46"],
  [9.99, "9.99"],
  [10, "10.0"],
  [-99.94, "\u221299.9"],
  [100, "100"],
])("energy has three significant digits: %f is %s kWh", (value, words) => {
  expect(new Format("en-GB", calendar).energy(value)).toBe(`${words}\u00A0kWh`);
});

describe("numbers and times are formatted by locale:", () => {
  const morning = at("2026-03-10T06:05:00Z");
  const formats = (tag: string) => new Format(localeOf(languageFor([tag], null), [tag]), calendar);

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
